//! `subagents serve` as a process of its own: what it holds in memory, and what it does without descriptors.
//!
//! Linux only: `/proc` tells both.

use std::path::{Path, PathBuf};
use std::process::Stdio;

use tokio::io::{AsyncBufReadExt, BufReader};
use tokio::process::{Child, Command};

use crate::support::{AutoUpstream, RawUpstream, Wire, chunk, soon};

const TOKEN: &str = "0123456789abcdef";
const MIB: usize = 1024 * 1024;

/// A router that ends with its test.
pub(crate) struct Serving {
    process: Child,
    port: u16,
    _folder: tempfile::TempDir,
}

impl Serving {
    /// `descriptors`: how many files it may have open.
    async fn start(upstream: &str, descriptors: u32) -> Self {
        Self::start_in(tempfile::tempdir().expect("a folder"), upstream, descriptors).await
    }

    /// The same with the configuration, and under the home, that is there.
    pub(crate) async fn start_in(folder: tempfile::TempDir, upstream: &str, descriptors: u32) -> Self {
        let script = format!("ulimit -n {descriptors}; exec \"$0\" --config-dir \"$1\" serve");
        let mut command = Command::new("/bin/sh");
        command.args(["-c", &script, env!("CARGO_BIN_EXE_subagents")]).arg(folder.path()).env_clear();
        command.env("SUBAGENTS_TOKEN", TOKEN).env("ANTHROPIC_BASE_URL", upstream).env("HOME", folder.path());
        let mut process =
            command.stdout(Stdio::piped()).kill_on_drop(true).spawn().expect("the program of this package");
        let mut lines = BufReader::new(process.stdout.take().expect("a pipe")).lines();
        let line = soon("its first line", lines.next_line()).await.expect("text").expect("a line");
        let said: serde_json::Value = serde_json::from_str(&line).expect("JSON");
        let url = said["base_url"].as_str().expect("a URL");
        let rest = url.strip_prefix("http://127.0.0.1:").expect("loopback");
        let port = rest.strip_suffix(&format!("/s/{TOKEN}")).expect("the token").parse().expect("a port");
        Self { process, port, _folder: folder }
    }

    /// What the system knows of it.
    fn proc(&self, name: &str) -> PathBuf {
        let id = self.process.id().expect("it runs").to_string();
        Path::new("/proc").join(id).join(name)
    }

    /// The most memory that it has held, in bytes.
    fn peak(&self) -> usize {
        let status = std::fs::read_to_string(self.proc("status")).expect("Linux");
        let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).expect("a figure");
        line.trim().trim_end_matches(" kB").parse::<usize>().expect("a number") * 1024
    }

    /// Waits until it has this many files open.
    async fn opens(&self, descriptors: usize) {
        while std::fs::read_dir(self.proc("fd")).expect("Linux").count() < descriptors {
            tokio::task::yield_now().await;
        }
    }

    /// The status of an answer that is read to its end.
    pub(crate) async fn ask(&self, body: &str) -> u16 {
        let mut client = Wire::connect(self.port).await;
        client.write(self.request(&format!("content-length: {}\r\n", body.len()))).await;
        client.write(body).await;
        client.answer().await.0.status()
    }

    fn request(&self, headers: &str) -> Vec<u8> {
        let port = self.port;
        format!("POST /s/{TOKEN}/v1/messages HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\n{headers}\r\n")
            .into_bytes()
    }
}

#[tokio::test]
async fn b09_r17_a_large_body_passes_through_little_memory() {
    let upstream = RawUpstream::bind().await;
    let serving = Serving::start(&upstream.url(), 256).await;
    let mut client = Wire::connect(serving.port).await;
    client.write(serving.request("content-length: 62914560\r\n")).await;
    let mut piece = vec![b'x'; MIB];
    piece[..13].copy_from_slice(b"{\"model\":\"m\"}");
    client.write(&piece).await;
    let mut peer = upstream.accept().await;
    peer.head().await;
    peer.raw(MIB).await;
    let begin = serving.peak();
    for _ in 1..60 {
        // The upstream is slower than the client.
        let (_, ()) = tokio::join!(peer.raw(MIB), client.write(&piece));
    }
    let grown = serving.peak() - begin;
    assert!(grown < 4 * MIB, "{grown} bytes more for 60 MiB");
    peer.write(crate::support::lab::EVENTS).await;
    client.head().await;
    for _ in 0..60 {
        let (_, ()) = tokio::join!(client.stream(MIB), peer.write(chunk(&piece)));
    }
    let grown = serving.peak() - begin;
    assert!(grown < 4 * MIB, "{grown} bytes more for 60 MiB back");
}

#[tokio::test]
async fn h07_without_file_descriptors_it_waits_and_goes_on() {
    let upstream = AutoUpstream::ok().await;
    let serving = Serving::start(&upstream.url(), 24).await;
    let mut crowd = Vec::new();
    for _ in 0..60 {
        crowd.push(Wire::connect(serving.port).await);
    }
    soon("the last descriptor", serving.opens(24)).await;
    let request = serving.request("content-length: 2\r\n");
    let mut first = crowd.remove(0);
    first.write([request.as_slice(), b"{}"].concat()).await;
    let (head, _) = first.answer().await;
    assert_eq!(head.status(), 502, "no descriptor is left for the upstream");
    drop((first, crowd));
    let mut client = Wire::connect(serving.port).await;
    client.write([request.as_slice(), b"{}"].concat()).await;
    assert_eq!(client.answer().await.0.status(), 200);
}
