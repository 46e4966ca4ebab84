//! A server's process, on a port that it chooses itself. It ends with the test.

use std::ffi::OsStr;
use std::io::{BufRead, BufReader, PipeReader};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::channel;

use crate::launch::PATIENCE;

/// What each of them says, a port behind it, once it takes requests.
const ADDRESS: &str = "http://127.0.0.1:";

#[derive(Debug)]
pub(crate) struct Server {
    child: Child,
    url: String,
}

impl Server {
    /// A server's command that finds nothing of the person's, and nothing but loopback within reach.
    pub(crate) fn command(program: impl AsRef<OsStr>, home: &Path) -> Command {
        let mut command = Command::new(program);
        command
            .env_clear()
            .env("PATH", std::env::var_os("PATH").unwrap())
            .env("HOME", home)
            .current_dir(home);
        command.env("HTTPS_PROXY", "http://127.0.0.1:1").env("NO_PROXY", "127.0.0.1");
        command.args(["--host", "127.0.0.1", "--port", "0"]);
        command
    }

    /// Starts it, and waits until it says which port it has.
    pub(crate) fn start(mut command: Command) -> Self {
        let (output, input) = std::io::pipe().unwrap();
        command.stdin(Stdio::null()).stdout(input.try_clone().unwrap()).stderr(input);
        let child = command.spawn().unwrap();
        // Its output ends with it only where nobody else holds the other end.
        drop(command);
        let (send, begun) = channel();
        std::thread::spawn(move || {
            let mut output = BufReader::new(output);
            send.send(address(&mut output)).ok();
            // Read on, so that it is never held up.
            std::io::copy(&mut output, &mut std::io::sink()).ok();
        });
        match begun.recv_timeout(PATIENCE) {
            Ok(Ok(url)) => Self { child, url },
            other => panic!("it has not begun: {other:?}"),
        }
    }

    pub(crate) fn url(&self) -> &str {
        &self.url
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.child.kill().ok();
        self.child.wait().ok();
    }
}

/// Where it can be found; all that it has said, if it ends without.
fn address(output: &mut BufReader<PipeReader>) -> Result<String, String> {
    let mut said = String::new();
    for line in output.lines().map_while(Result::ok) {
        if let Some((_, rest)) = line.split_once(ADDRESS) {
            let port = rest.split(|letter: char| !letter.is_ascii_digit()).next();
            return Ok(ADDRESS.to_owned() + port.unwrap_or_default());
        }
        said += &(line + "\n");
    }
    Err(said)
}
