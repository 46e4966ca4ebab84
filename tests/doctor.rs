//! `subagents doctor` on a machine of its own: an empty home, a script for Claude Code, a provider on loopback.

#![expect(clippy::unwrap_used, reason = "a test that can't go on says so by panicking")]

use std::fs;
use std::net::TcpListener;
use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;
use std::process::{Command, Output};

use serde_json::Value;

struct Machine {
    root: tempfile::TempDir,
    /// Open, so that whoever connects is answered by the system.
    provider: TcpListener,
}

impl Machine {
    fn new() -> Self {
        let machine =
            Self { root: tempfile::tempdir().unwrap(), provider: TcpListener::bind("127.0.0.1:0").unwrap() };
        for folder in ["home", "bin", "project", "config/agents"] {
            fs::create_dir_all(machine.at(folder)).unwrap();
        }
        machine
    }

    fn at(&self, path: &str) -> PathBuf {
        self.root.path().join(path)
    }

    fn url(&self) -> String {
        format!("http://{}", self.provider.local_addr().unwrap())
    }

    fn with_claude(self, version: &str) -> Self {
        let script = self.at("bin/claude");
        fs::write(&script, format!("#!/bin/sh\necho '{version} (Claude Code)'\n")).unwrap();
        fs::set_permissions(&script, fs::Permissions::from_mode(0o755)).unwrap();
        self
    }

    /// An agent `rev` on the route `p/m`, whose provider is at `url` and wants the key in `DOCTOR_KEY`.
    fn with_agent(self, url: &str) -> Self {
        let config = format!(
            "[providers.p]\nbase_url = \"{url}\"\nauth = {{ kind = \"bearer\", secret = \"env:DOCTOR_KEY\" }}\n\
             [routes.\"p/m\"]\ncontext_window = 32768\n\
             [profiles.default]\nargs = [\"--permission-mode\", \"acceptEdits\"]\n"
        );
        fs::write(self.at("config/config.toml"), config).unwrap();
        let agent = "---\nname: rev\ndescription: Reviews.\nmodel: p/m\n---\nReview.\n";
        fs::write(self.at("config/agents/rev.md"), agent).unwrap();
        self
    }

    fn doctor(&self, key: Option<&str>, arguments: &[&str]) -> Output {
        let path = format!("{}:/usr/bin:/bin", self.at("bin").display());
        Command::new(env!("CARGO_BIN_EXE_subagents"))
            .arg("doctor")
            .args(arguments)
            .env_clear()
            .envs(key.map(|key| ("DOCTOR_KEY", key)))
            .env("HOME", self.at("home"))
            .env("PATH", path)
            .env("SUBAGENTS_CONFIG_DIR", self.at("config"))
            .env("ANTHROPIC_BASE_URL", self.url())
            .current_dir(self.at("project"))
            .output()
            .unwrap()
    }
}

fn json(output: &Output) -> Value {
    serde_json::from_slice(&output.stdout).unwrap()
}

fn text(output: &Output) -> String {
    String::from_utf8(output.stdout.clone()).unwrap()
}

#[test]
fn a_machine_in_order_exits_with_0() {
    let machine = Machine::new().with_claude("2.1.332");
    let url = machine.url();
    let machine = machine.with_agent(&url);
    let output = machine.doctor(Some("canary"), &["--json"]);
    let found = json(&output);
    assert_eq!(output.status.code(), Some(0), "{found:#}");
    assert_eq!((&found["version"], &found["breaks"]), (&1.into(), &0.into()));
    let findings = found["findings"].as_array().unwrap();
    // That one depends on this machine's kernel.
    let mut others = findings.iter().filter(|finding| finding["subject"] != "sandbox");
    assert!(others.all(|finding| finding["severity"] == "ok"), "{found:#}");
    let keys: Vec<_> = findings[0].as_object().unwrap().keys().map(String::as_str).collect();
    assert_eq!(keys, ["severity", "subject", "message", "remedy"]);
    assert!(!text(&output).contains("canary"), "I03: a key is never shown");
}

#[test]
fn an_empty_home_without_claude_code_exits_with_1_and_says_how_to_install_it() {
    let output = Machine::new().doctor(None, &[]);
    assert_eq!(output.status.code(), Some(1));
    let text = text(&output);
    assert!(text.starts_with("breaks  Claude Code"), "{text}");
    assert!(text.contains("npm install -g"), "{text}");
    assert!(text.contains("1 finding would break the next launch"), "{text}");
    assert!(!text.contains('\x1b'), "no colour where stdout is no terminal");
}

#[test]
fn a_missing_key_and_a_dead_provider_are_both_told() {
    let dead = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let machine = Machine::new().with_claude("2.1.100").with_agent(&format!("http://{dead}"));
    let output = machine.doctor(None, &["--json"]);
    let found = json(&output);
    assert_eq!((output.status.code(), &found["breaks"]), (Some(1), &2.into()), "{found:#}");
    let told = found.to_string();
    for part in
        ["agent `rev`", "`p/m`", "`env:DOCTOR_KEY`", "export DOCTOR_KEY=", "doesn't answer", "2.1.100"]
    {
        assert!(told.contains(part), "{part}: {found:#}");
    }
}

#[test]
fn a_project_agent_of_the_same_name_and_a_broken_file_are_told() {
    let machine = Machine::new().with_claude("2.1.332");
    let url = machine.url();
    let machine = machine.with_agent(&url);
    let theirs = machine.at("project/.claude/agents/rev.md");
    fs::create_dir_all(theirs.parent().unwrap()).unwrap();
    fs::write(&theirs, "---\nname: rev\ndescription: d\nmodel: sonnet\n---\nx\n").unwrap();
    fs::write(machine.at("config/agents/broken.md"), "---\nname: broken\n---\n").unwrap();
    let output = machine.doctor(Some("k"), &[]);
    let text = text(&output);
    assert_eq!(output.status.code(), Some(1), "{text}");
    assert!(text.contains("project's .claude/agents hold an agent of this name (model sonnet)"), "{text}");
    assert!(text.contains("broken.md"), "{text}");
}

#[test]
fn an_unknown_profile_exits_with_3() {
    let output = Machine::new().doctor(None, &["--profile", "nobody"]);
    assert_eq!(output.status.code(), Some(3));
    assert!(String::from_utf8_lossy(&output.stderr).contains("[profiles.nobody]"));
}
