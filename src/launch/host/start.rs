//! Starts a host as a process of its own, and hears from it how that went.

use std::io;
use std::path::Path;
use std::process::Stdio;

use serde::{Deserialize, Serialize};
use tokio::io::{AsyncBufReadExt, AsyncReadExt, BufReader};
use tokio::process::Command;
use uuid::Uuid;

use super::protocol::Ended;

/// What a host says once, as one line of JSON, when its child has drawn something or has ended.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Begun {
    pub session: Uuid,
    pub name: String,
    /// The child has ended already, and how.
    pub ended: Option<Ended>,
}

/// A host that began, with what it told the person meanwhile.
#[derive(Debug)]
pub struct Report {
    pub begun: Begun,
    /// Lines for the person; empty, or ending with a newline.
    pub messages: String,
}

/// Why no host began.
#[derive(Debug, thiserror::Error)]
pub enum BeginError {
    #[error("the session's own process can't be started: {0}")]
    Process(#[from] io::Error),
    /// The process told why, and ended with this exit code.
    #[error("{}", messages.trim_end())]
    Refused { code: u8, messages: String },
}

/// Runs `program` with these arguments, which must make it a host, and waits until its session has begun.
pub async fn begin(program: &Path, arguments: &[String]) -> Result<Report, BeginError> {
    let mut command = Command::new(program);
    command.args(arguments).stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut process = command.spawn()?;
    let (stdout, stderr) = (process.stdout.take(), process.stderr.take());
    let line = async {
        let mut line = String::new();
        if let Some(stdout) = stdout {
            BufReader::new(stdout).read_line(&mut line).await?;
        }
        Ok::<_, io::Error>(line)
    };
    let messages = async {
        let mut messages = Vec::new();
        if let Some(mut stderr) = stderr {
            stderr.read_to_end(&mut messages).await?;
        }
        Ok::<_, io::Error>(String::from_utf8_lossy(&messages).into_owned())
    };
    let (line, messages) = tokio::try_join!(line, messages)?;
    if let Ok(begun) = serde_json::from_str(&line) {
        return Ok(Report { begun, messages });
    }
    let code = process.wait().await?.code().and_then(|code| u8::try_from(code).ok());
    Err(BeginError::Refused { code: code.unwrap_or(1), messages })
}

/// Makes this process one that no terminal and no shell ends. Whoever started it still hears from it.
pub fn detach() -> io::Result<()> {
    // A leader of a group, which only a process started by hand can be, has a session of its own or keeps its shell's.
    match rustix::process::setsid() {
        Ok(_) | Err(rustix::io::Errno::PERM) => Ok(()),
        Err(error) => Err(error.into()),
    }
}
