//! Somebody else's client of the Model Context Protocol, the inspector's command line, on both of our transports.
//!
//! npm installs it into the cache folder, once. Where there is no npm, these tests say so and try nothing.

use std::fs;
use std::path::PathBuf;
use std::process::Command;

use serde_json::Value;

use super::installed;
use super::launch::{BINARY, Launch};
use super::reply::Script;
use super::room::{DONE, Room};
use super::stage::Stage;
use super::tooling::text;
use super::upstream::{DOWN, Upstream};

/// The last one that runs on every Node.js that is still in use.
const PACKAGE: &str = "@modelcontextprotocol/inspector-cli@0.15.0";

/// The inspector; `None`: it can't be had here.
fn inspector() -> Option<PathBuf> {
    let folder = installed::once(&PACKAGE.replace(['/', '@'], "-"), |folder| {
        let mut npm = Command::new("npm");
        npm.args(["install", "--no-fund", "--no-audit", "--ignore-scripts", "--prefix"]).arg(folder);
        npm.arg(PACKAGE);
        vec![npm]
    })?;
    Some(folder.join("node_modules/@modelcontextprotocol/inspector-cli/build/cli.js"))
}

/// What it prints of one question. `server` is a URL, or a command.
fn inspected(environment: &Launch, server: &[&str], question: &[&str]) -> Option<Value> {
    let mut node = Command::new("node");
    node.arg(inspector()?).arg("--cli").args(server).args(question).current_dir(&environment.folder);
    node.env_clear().envs(environment.environment.iter().map(|(name, value)| (name, value)));
    let output = node.output().unwrap();
    let said = String::from_utf8_lossy(&output.stdout).into_owned();
    Some(serde_json::from_str(&said).unwrap_or_else(|error| panic!("{error}: {output:?}")))
}

const LIST: [&str; 2] = ["--method", "tools/list"];
const AGENTS: [&str; 4] = ["--method", "tools/call", "--tool-name", "list_subagents"];
const DELEGATE: [&str; 8] = [
    "--method",
    "tools/call",
    "--tool-name",
    "delegate_subagent",
    "--tool-arg",
    "prompt=Say hello.",
    "--tool-arg",
    "agent=reviewer",
];

const GIT: [&str; 5] = ["git_status", "git_diff", "git_log", "git_changed", "git_branch"];

fn names(listed: &Value) -> Vec<&str> {
    listed["tools"].as_array().unwrap().iter().map(|tool| tool["name"].as_str().unwrap()).collect()
}

/// The same of every transport.
fn lists_and_calls(ask: impl Fn(&[&str]) -> Option<Value>, said: &str) {
    let Some(listed) = ask(&LIST) else { return };
    assert_eq!(
        names(&listed),
        [&["list_subagents", "delegate_subagent", "route_subagent"][..], &GIT].concat()
    );
    let agents = ask(&AGENTS).unwrap();
    assert_eq!(agents["structuredContent"]["agents"][0]["name"], "reviewer", "{agents:#}");
    let done = ask(&DELEGATE).unwrap();
    assert_eq!(done["structuredContent"]["ended"], "success", "{done:#}");
    assert!(text(&done["content"]).ends_with(said), "{done:#}");
}

#[test]
fn a_foreign_client_lists_and_calls_over_a_pipe() {
    let (main, glm) = (Upstream::start(Script::talker("main")), Upstream::start(Script::talker("glm")));
    let stage = Stage::new();
    stage.providers(&glm.url(), &glm.url()).agent("reviewer", "glm/glm-5");
    let environment = stage.subagents(&main, &[]);
    lists_and_calls(|question| inspected(&environment, &[BINARY, "mcp"], question), "glm says hello.");
    assert!(main.questions().is_empty());
}

#[test]
fn a_foreign_client_lists_and_calls_over_http() {
    let main = Upstream::start(Script::talker("main"));
    let room = Room::open(&main, DONE, |stage| {
        stage.providers(DOWN, DOWN).agent("reviewer", "glm/glm-5");
    });
    let environment = room.stage.subagents(&main, &[]);
    // A client that can't set a header has the token in the path.
    let url = room.hook_url().replace("/hook", "/mcp");
    let ask = |question: &[&str]| inspected(&environment, &[&url, "--transport", "http"], question);
    lists_and_calls(ask, "done");
    room.end();
}

#[test]
fn one_that_only_looks_has_nothing_that_starts_anything() {
    let main = Upstream::start(Script::talker("main"));
    let stage = Stage::with_script("exit 1");
    stage.providers(DOWN, DOWN).agent("reviewer", "glm/glm-5");
    stage.config_more("[policy]\nenabled = true\nallowed = [\"glm/glm-5\"]\n");
    let environment = stage.subagents(&main, &[]);
    // The inspector takes the options for its own, unless they are a server's in a file.
    let servers =
        serde_json::json!({"mcpServers": {"looks": {"command": BINARY, "args": ["mcp", "--read-only"]}}});
    let file = stage.project().join("servers.json");
    fs::write(&file, servers.to_string()).unwrap();
    let server = ["--config", file.to_str().unwrap(), "--server", "looks"];
    let Some(listed) = inspected(&environment, &server, &LIST) else { return };
    assert_eq!(names(&listed), [&["list_subagents", "list_subagent_models"][..], &GIT].concat());
}
