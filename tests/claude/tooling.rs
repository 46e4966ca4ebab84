//! Calls of a session's own tools, what came of them, and the processes that they start.

use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::launch::PATIENCE;
use super::request::Request;
use super::stage::Stage;
use super::upstream::Upstream;

/// A call of one of our own tools.
#[expect(clippy::needless_pass_by_value, reason = "a call is written where it is handed over")]
pub(crate) fn own(name: &str, input: Value) -> Value {
    json!({"name": format!("mcp__subagents__{name}"), "input": input})
}

/// A call of `delegate_subagent`.
pub(crate) fn delegate(input: Value) -> Value {
    own("delegate_subagent", input)
}

/// What tools have brought, as a model read it.
pub(crate) fn results(requests: &[Request]) -> Vec<String> {
    let blocks = |request: &Request| {
        let messages = request.json["messages"].as_array().cloned().unwrap_or_default();
        messages.into_iter().flat_map(|message| message["content"].as_array().cloned().unwrap_or_default())
    };
    let results = requests.iter().flat_map(blocks).filter(|block| block["type"] == "tool_result");
    results.map(|block| text(&block["content"])).collect()
}

/// A text, or blocks of text.
pub(crate) fn text(content: &Value) -> String {
    let blocks = content.as_array().into_iter().flatten().filter_map(|block| block["text"].as_str());
    content.as_str().map_or_else(|| blocks.collect(), str::to_owned)
}

/// The structured answers among them.
pub(crate) fn answers(upstream: &Upstream) -> Vec<Value> {
    results(&upstream.questions()).iter().filter_map(|text| serde_json::from_str(text).ok()).collect()
}

pub(crate) fn said(answer: &Value) -> &str {
    answer["text"].as_str().unwrap_or_default()
}

pub(crate) fn hidden(stage: &Stage, name: &str, model: &str) {
    stage.agent_with(name, model, "subagents:\n  visibility: hidden");
}

/// The variable that all processes of a delegation have.
const MARK: &str = "SUBAGENTS_DELEGATION";

/// Command lines of what belongs to delegations of this stage.
pub(crate) fn children(stage: &Stage) -> Vec<String> {
    let home = format!("HOME={}", stage.home().display());
    let processes = std::fs::read_dir("/proc").unwrap().filter_map(|entry| Some(entry.ok()?.path()));
    let is_child = |environment: &[u8]| {
        let variables = || environment.split(|byte| *byte == 0).map(String::from_utf8_lossy);
        variables().any(|variable| variable == home) && variables().any(|variable| variable.starts_with(MARK))
    };
    let children =
        processes.filter(|path| std::fs::read(path.join("environ")).is_ok_and(|read| is_child(&read)));
    let lines = children.filter_map(|path| std::fs::read(path.join("cmdline")).ok());
    lines
        .map(|line| String::from_utf8_lossy(&line).replace('\0', " "))
        .filter(|line| !line.is_empty())
        .collect()
}

/// Waits until it is so.
#[track_caller]
pub(crate) fn until(what: &str, is_so: impl Fn() -> bool) {
    let deadline = Instant::now() + PATIENCE;
    while !is_so() {
        assert!(Instant::now() < deadline, "it never was so: {what}");
        std::thread::sleep(Duration::from_millis(10));
    }
}
