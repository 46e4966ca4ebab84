//! The proxies, each a process of its own, and what the system tells of them. Linux only.

use std::fs;
use std::io::{BufRead, BufReader};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use crate::Fallible;

/// Whom the load asks. Its process ends with it.
pub(crate) struct Target {
    pub(crate) name: &'static str,
    pub(crate) address: SocketAddr,
    /// Where requests go, path prefix and all.
    pub(crate) path: String,
    /// `None` for the direct connection.
    child: Option<Child>,
}

/// The direct connection first, the router last; nginx between them where there is one.
pub(crate) fn start_all(upstream: SocketAddr, folder: &Path) -> Fallible<Vec<Target>> {
    let mut targets = vec![Target::new("direct", upstream, "", None)];
    match nginx(upstream, folder) {
        Ok(target) => targets.push(target),
        Err(reason) => eprintln!("nginx is left out: {reason}"),
    }
    targets.push(naive(upstream)?);
    targets.push(router(upstream, folder)?);
    Ok(targets)
}

impl Target {
    fn new(name: &'static str, address: SocketAddr, prefix: &str, child: Option<Child>) -> Self {
        Self { name, address, path: format!("{prefix}/v1/messages?beta=true"), child }
    }

    /// CPU time of all its threads so far.
    pub(crate) fn cpu(&self) -> Fallible<Duration> {
        let Some(child) = &self.child else { return Ok(Duration::ZERO) };
        let mut nanoseconds = 0;
        for task in fs::read_dir(format!("/proc/{}/task", child.id()))? {
            let text = fs::read_to_string(task?.path().join("schedstat"))?;
            nanoseconds += text.split(' ').next().unwrap_or("0").trim().parse::<u64>()?;
        }
        Ok(Duration::from_nanos(nanoseconds))
    }

    /// Lets the peak of its memory begin anew.
    pub(crate) fn forget_peak(&self) {
        if let Some(child) = &self.child {
            // Where the kernel doesn't let us, the peak is that of the whole run, which is no better a figure.
            let _ = fs::write(format!("/proc/{}/clear_refs", child.id()), "5");
        }
    }

    /// The peak of its resident memory.
    pub(crate) fn peak_megabytes(&self) -> Fallible<Option<f64>> {
        let Some(child) = &self.child else { return Ok(None) };
        let status = fs::read_to_string(format!("/proc/{}/status", child.id()))?;
        let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).ok_or("no VmHWM")?;
        let kilobytes: f64 = line.split_whitespace().next().unwrap_or_default().parse()?;
        Ok(Some(kilobytes / 1024.0))
    }
}

impl Drop for Target {
    fn drop(&mut self) {
        if let Some(child) = &mut self.child {
            // Already gone is just as good.
            let _ = child.kill();
            let _ = child.wait();
        }
    }
}

fn nginx(upstream: SocketAddr, folder: &Path) -> Fallible<Target> {
    let address = TcpListener::bind("127.0.0.1:0")?.local_addr()?;
    let root = folder.display();
    let configuration = format!(
        "daemon off; master_process off; pid {root}/nginx.pid; error_log {root}/nginx.log;\n\
         events {{ worker_connections 4096; }}\n\
         http {{\n\
           access_log off; keepalive_requests 1000000000; client_max_body_size 0;\n\
           client_body_temp_path {root}/nb; proxy_temp_path {root}/np; fastcgi_temp_path {root}/nf;\n\
           uwsgi_temp_path {root}/nu; scgi_temp_path {root}/ns;\n\
           upstream up {{ server {upstream}; keepalive 1024; keepalive_requests 1000000000; }}\n\
           server {{ listen {address} backlog=4096; location / {{\n\
             proxy_pass http://up; proxy_http_version 1.1; proxy_set_header Connection \"\";\n\
             proxy_buffering off; proxy_request_buffering off;\n\
           }} }}\n\
         }}\n"
    );
    let file = folder.join("nginx.conf");
    fs::write(&file, configuration)?;
    let child =
        Command::new("nginx").arg("-c").arg(&file).arg("-p").arg(folder).stderr(Stdio::null()).spawn()?;
    let target = Target::new("nginx", address, "", Some(child));
    wait_for(address)?;
    Ok(target)
}

fn naive(upstream: SocketAddr) -> Fallible<Target> {
    let mut command = Command::new(std::env::current_exe()?);
    let (child, line) = started(command.arg("naive").arg(upstream.to_string()))?;
    Ok(Target::new("naive", line.trim().parse()?, "", Some(child)))
}

fn router(upstream: SocketAddr, folder: &Path) -> Fallible<Target> {
    let configuration = format!(
        "[providers.bench]\nbase_url = \"http://{upstream}\"\nauth = {{ kind = \"none\" }}\n[routes.\"bench/model\"]\n"
    );
    fs::write(folder.join("config.toml"), configuration)?;
    let mut command = Command::new(env!("CARGO_BIN_EXE_subagents"));
    command.arg("serve").arg("--config-dir").arg(folder);
    let (child, line) = started(command.env("ANTHROPIC_BASE_URL", format!("http://{upstream}")))?;
    let said: serde_json::Value = serde_json::from_str(&line)?;
    let url = said["base_url"].as_str().and_then(|url| url.strip_prefix("http://")).ok_or("no base_url")?;
    let (address, token) = url.split_once('/').ok_or("no token")?;
    Ok(Target::new("subagents", address.parse()?, &format!("/{token}"), Some(child)))
}

/// Starts it, and waits for its first line.
fn started(command: &mut Command) -> Fallible<(Child, String)> {
    let mut child = command.stdout(Stdio::piped()).spawn()?;
    let mut line = String::new();
    let output = child.stdout.take().ok_or("no output")?;
    BufReader::new(output).read_line(&mut line)?;
    Ok((child, line))
}

fn wait_for(address: SocketAddr) -> Fallible<()> {
    let begun = Instant::now();
    while TcpStream::connect(address).is_err() {
        if begun.elapsed() > Duration::from_secs(5) {
            return Err("it doesn't listen".into());
        }
        std::thread::sleep(Duration::from_millis(10));
    }
    Ok(())
}
