//! Decides what the demo provider says: a pure function of the request.

use serde_json::{Value, json};

use super::request::{Outcome, Request, State, Tool};

/// As much of an agent's answer as the summary quotes, in characters.
const QUOTE: usize = 160;
/// How the frame ends that Claude Code puts in front of a sub-agent's own words.
const FRAME_END: &str = "The report follows:\n";

/// What is said in answer to a request.
#[derive(Debug, PartialEq)]
pub(super) struct Reply {
    pub(super) text: String,
    pub(super) calls: Vec<Call>,
}

/// A tool that the answer calls.
#[derive(Debug, PartialEq)]
pub(super) struct Call {
    pub(super) tool: String,
    pub(super) input: Value,
}

/// Who asks, and where.
#[derive(Debug, Clone, Copy)]
pub(super) struct Caller<'a> {
    /// The path in front of `/v1`: `/local`, or empty.
    pub(super) prefix: &'a str,
    /// The request carries a sub-agent's id.
    pub(super) is_agent: bool,
}

impl Reply {
    /// The answer to a request. `agents` are the names of the sample agents.
    pub(super) fn to(request: &Request, caller: Caller<'_>, agents: &[String]) -> Self {
        let place = if caller.prefix.is_empty() { "/" } else { caller.prefix };
        let model = &request.model;
        let Some(tool) = request.delegation_tool().filter(|_| !caller.is_agent) else {
            return Self::text(if caller.is_agent {
                agent_text(model, place)
            } else {
                aside_text(model, place)
            });
        };
        let (at_work, ended): (Vec<_>, Vec<_>) =
            request.outcomes().into_iter().partition(|outcome| outcome.state == State::AtWork);
        if !ended.is_empty() {
            Self::text(summary(&ended, model, place))
        } else if !at_work.is_empty() {
            Self::text("They are at work in the background; I say more when they have answered.".to_owned())
        } else if request.has_delegated() || agents.is_empty() {
            Self::text(advice(model, place))
        } else {
            Self::delegation(tool, agents)
        }
    }

    fn text(text: String) -> Self {
        Self { text, calls: Vec::new() }
    }

    fn delegation(tool: &Tool, agents: &[String]) -> Self {
        let text = format!("I ask {}, each on its own route.", agents.join(" and "));
        Self { text, calls: agents.iter().map(|agent| Call::of(tool, agent)).collect() }
    }
}

impl Call {
    fn of(tool: &Tool, agent: &str) -> Self {
        let mut input = json!({
            "description": format!("Ask {agent}"),
            "prompt": "Say in one sentence which model you are and where your requests go.",
            "subagent_type": agent,
        });
        // The main session waits, so that the answers come back in the same turn.
        if tool.takes("run_in_background") {
            input["run_in_background"] = json!(false);
        }
        Self { tool: tool.name.clone(), input }
    }
}

fn agent_text(model: &str, place: &str) -> String {
    format!("I am {model}, asked at {place}: this sub-agent's requests go by their own route.")
}

fn aside_text(model: &str, place: &str) -> String {
    format!("Demo: {model} at {place}")
}

fn summary(outcomes: &[Outcome<'_>], model: &str, place: &str) -> String {
    let count =
        if outcomes.len() == 2 { "Both sample agents have".to_owned() } else { plural(outcomes.len()) };
    let lines: String = outcomes.iter().map(outcome_line).collect();
    format!("{count} answered:\n\n{lines}\nThis text is the main session's own: {model}, asked at {place}.")
}

fn plural(count: usize) -> String {
    if count == 1 { "One sample agent has".to_owned() } else { format!("{count} sample agents have") }
}

fn outcome_line(outcome: &Outcome<'_>) -> String {
    let text = outcome.text;
    let report = text.split_once(FRAME_END).map_or(text, |(_frame, report)| report);
    let said = report.lines().find(|line| !line.trim().is_empty()).unwrap_or("nothing");
    let quote: String = said.trim().chars().take(QUOTE).collect();
    let verb = if outcome.state == State::Failed { " failed" } else { "" };
    format!("- {}{verb}: {quote}\n", outcome.agent)
}

fn advice(model: &str, place: &str) -> String {
    format!(
        "This is {model} at {place}, a demo that can answer but not work. What to try next:\n\n\
         - leave with /exit and read the figures of each route\n\
         - a provider in ~/.config/subagents/config.toml and an agent in its agents folder, as the README shows\n\
         - `subagents doctor`: what would go wrong at a real launch\n\
         - `subagents run`: the same with your account and your agents"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    const MAIN: Caller<'_> = Caller { prefix: "/main", is_agent: false };

    fn reply(messages: &Value, tools: &Value, caller: Caller<'_>) -> Reply {
        let body = json!({"model": "demo-large", "tools": tools, "messages": messages});
        let request = serde_json::from_value(body).unwrap();
        Reply::to(&request, caller, &["scout".to_owned(), "critic".to_owned()])
    }

    fn agent_tool() -> Value {
        json!([{"name": "Read"}, {"name": "Agent", "input_schema": {"properties": {"run_in_background": {}}}}])
    }

    fn delegated() -> Vec<Value> {
        let call = |id, agent| json!({"type": "tool_use", "id": id, "name": "Agent", "input": {"subagent_type": agent}});
        vec![
            json!({"role": "user", "content": "go"}),
            json!({"role": "assistant", "content": [call("a", "scout"), call("b", "critic")]}),
        ]
    }

    #[test]
    fn the_main_session_calls_each_sample_agent_once_and_waits() {
        let reply = reply(&json!([{"role": "user", "content": "go"}]), &agent_tool(), MAIN);
        let called: Vec<_> = reply.calls.iter().map(|call| call.input["subagent_type"].clone()).collect();
        assert_eq!(called, ["scout", "critic"]);
        assert!(
            reply
                .calls
                .iter()
                .all(|call| call.tool == "Agent" && call.input["run_in_background"] == json!(false))
        );
        assert!(
            reply
                .calls
                .iter()
                .all(|call| call.input["description"].is_string() && call.input["prompt"].is_string())
        );
    }

    #[test]
    fn the_tool_s_older_name_is_known_and_inputs_that_it_does_not_take_are_left_out() {
        let reply = reply(
            &json!([{"role": "user", "content": [{"type": "text", "text": "go"}]}]),
            &json!([{"name": "Task"}]),
            MAIN,
        );
        assert_eq!(reply.calls.len(), 2);
        assert_eq!(reply.calls[0].tool, "Task");
        assert!(reply.calls[0].input.get("run_in_background").is_none());
    }

    #[test]
    fn results_are_summed_up_also_when_a_system_message_follows_them() {
        let mut messages = delegated();
        messages.push(json!({"role": "user", "content": [
            {"type": "tool_result", "tool_use_id": "a", "content": "[Subagent hand-back] Not a message. The report follows:\n\n  I am small.\n  More."},
            {"type": "tool_result", "tool_use_id": "b", "is_error": true, "content": [{"type": "text", "text": "529"}]},
        ]}));
        messages.push(json!({"role": "system", "content": "remember"}));
        let reply = reply(&json!(messages), &agent_tool(), MAIN);
        assert!(reply.calls.is_empty());
        assert!(reply.text.starts_with(
            "Both sample agents have answered:\n\n- scout: I am small.\n- critic failed: 529\n"
        ));
        assert!(reply.text.ends_with("demo-large, asked at /main."), "{}", reply.text);
    }

    #[test]
    fn agents_in_the_background_are_summed_up_when_their_notifications_come() {
        let mut messages = delegated();
        let launched = |id| json!({"type": "tool_result", "tool_use_id": id, "content": "Async agent launched successfully. (…)"});
        messages.push(json!({"role": "user", "content": [launched("a"), launched("b")]}));
        let waiting = reply(&json!(messages), &agent_tool(), MAIN);
        assert!(waiting.calls.is_empty() && waiting.text.contains("at work"), "{}", waiting.text);
        let notification = "<system-reminder>\n<task-notification>\n<tool-use-id>b</tool-use-id>\n<status>completed</status>\n\
                            <result>I judge.</result>\n</task-notification>\n</system-reminder>";
        messages.push(json!({"role": "assistant", "content": waiting.text}));
        messages.push(json!({"role": "user", "content": [{"type": "text", "text": notification}]}));
        let reply = reply(&json!(messages), &agent_tool(), MAIN);
        assert!(
            reply.text.starts_with("One sample agent has answered:\n\n- critic: I judge.\n"),
            "{}",
            reply.text
        );
    }

    #[test]
    fn after_a_delegation_a_person_s_next_message_gets_advice() {
        let mut messages = delegated();
        messages.push(json!({"role": "user", "content": "and now?"}));
        let reply = reply(&json!(messages), &agent_tool(), MAIN);
        assert!(reply.calls.is_empty());
        assert!(reply.text.contains("subagents doctor"), "{}", reply.text);
    }

    #[test]
    fn a_sub_agent_names_its_model_and_place_and_never_delegates() {
        let caller = Caller { prefix: "/local", is_agent: true };
        let reply = reply(&json!([{"role": "user", "content": "go"}]), &agent_tool(), caller);
        assert_eq!(
            reply,
            Reply::text(
                "I am demo-large, asked at /local: this sub-agent's requests go by their own route."
                    .to_owned()
            )
        );
    }

    #[test]
    fn side_requests_without_tools_get_a_short_text() {
        let reply = reply(&json!([{"role": "user", "content": "Write a title"}]), &json!([]), MAIN);
        assert_eq!(reply, Reply::text("Demo: demo-large at /main".to_owned()));
    }
}
