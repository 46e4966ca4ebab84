//! What the tools are called, what they take and what they give. Pure, and the same whatever a catalogue says (A10).

use std::sync::Arc;

use rmcp::model::{Tool, ToolAnnotations};
use serde_json::{Map, Value, json};

use super::git::{self, GitTool};

/// What a session's tools depend on, for as long as it lives.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Offer {
    /// Its policy lets a model choose a route.
    pub routes: bool,
    /// Nothing can be started.
    pub read_only: bool,
}

/// All tools of an offer, in their order.
pub fn tools(offer: Offer) -> Vec<Tool> {
    let mut tools = vec![list_subagents()];
    if offer.routes {
        tools.push(list_subagent_models());
    }
    if !offer.read_only {
        tools.extend([delegate_subagent(offer.routes), route_subagent(offer.routes)]);
    }
    tools.extend(git::tools().map(look));
    tools
}

/// Changes nothing, whoever asks.
fn look(GitTool { name, title, description, input }: GitTool) -> Tool {
    let annotations = ToolAnnotations::with_title(title).read_only(true).idempotent(true).open_world(false);
    tool(name, description, input, None, annotations)
}

fn delegate_subagent(routes: bool) -> Tool {
    let mut properties = task(
        "All that the sub-agent is told: it sees nothing of this conversation. Say which form the answer must have.",
    );
    let own = object(json!({
        "agent": {"type": "string", "description": "Who does it: a name of list_subagents. Left out, a plain worker on your own model does."},
        "continue": {"type": "string", "description": "The id of an earlier delegation to go on with, with the same agent, tools, route, effort and limits."},
        "background": {"type": "boolean", "default": false, "description": "Come back at once with an id, by which `collect` gets the answer."},
        "collect": {"type": "string", "description": "The id of a delegation in the background: waits for its answer. Nothing else is given then."},
    }));
    properties.extend(own);
    if routes {
        properties.extend(route());
    }
    let schema = json!({"type": "object", "properties": properties, "additionalProperties": false});
    tool(
        "delegate_subagent",
        "Hand a task to a sub-agent that runs by itself, with a context of its own, and get only its final answer. For \
         large payloads, long searches and whatever another agent does better. It changes nothing unless `read_only` is false.",
        schema,
        Some(outcome()),
        ToolAnnotations::with_title("Delegate to a sub-agent")
            .read_only(false)
            .destructive(true)
            .open_world(true),
    )
}

fn route_subagent(routes: bool) -> Tool {
    let mut properties =
        task("The task, as the sub-agent is to be told it. Its words also decide who gets it.");
    if routes {
        properties.extend(route());
    }
    let schema = json!({"type": "object", "properties": properties, "required": ["prompt"], "additionalProperties": false});
    tool(
        "route_subagent",
        "Hand a task to whichever sub-agent fits it best, and get only its final answer. If none clearly fits, nothing \
         runs, and the answer names those that may: call delegate_subagent with one of them.",
        schema,
        Some(outcome()),
        ToolAnnotations::with_title("Delegate to the fitting sub-agent")
            .read_only(false)
            .destructive(true)
            .open_world(true),
    )
}

fn list_subagents() -> Tool {
    let agent = json!({"type": "object", "required": ["name", "description"], "properties": {
        "name": {"type": "string"}, "description": {"type": "string"}}});
    let output = json!({"type": "object", "required": ["agents"], "properties": {
        "agents": {"type": "array", "items": agent}}});
    tool(
        "list_subagents",
        "The sub-agents that delegate_subagent can run, each with what it is for.",
        json!({"type": "object", "properties": {}, "additionalProperties": false}),
        Some(output),
        ToolAnnotations::with_title("List sub-agents").read_only(true).idempotent(true).open_world(false),
    )
}

fn list_subagent_models() -> Tool {
    let schema = json!({"type": "object", "additionalProperties": false, "properties": {
        "provider": {"type": "string", "description": "Its models that may be chosen. Left out: the providers."},
        "model": {"type": "string", "description": "With a provider: the model's reasoning efforts, and which is the default."}}});
    tool(
        "list_subagent_models",
        "The routes that you may choose for a delegation: providers, a provider's models, a model's reasoning efforts.",
        schema,
        Some(routes_told()),
        ToolAnnotations::with_title("List models for sub-agents")
            .read_only(true)
            .idempotent(true)
            .open_world(true),
    )
}

/// Providers; or a provider's models; or a model's efforts.
fn routes_told() -> Value {
    let text = json!({"type": "string"});
    let maybe = |kind: &str| json!({"type": [kind, "null"]});
    let model = json!({"type": "object", "required": ["model"], "properties": {
        "model": text, "listed": maybe("boolean"), "context_window": maybe("integer")}});
    json!({"type": "object", "properties": {
        "providers": {"type": "array", "items": text},
        "provider": text,
        "models": {"type": "array", "items": model},
        "catalogue": {"description": "Why the provider's own list isn't known.", "type": ["string", "null"]},
        "model": text,
        "reasoning_efforts": {"type": "array", "items": text},
        "default": maybe("string")}})
}

/// What every task has.
fn task(prompt: &str) -> Map<String, Value> {
    object(json!({
        "prompt": {"type": "string", "description": prompt},
        "description": {"type": "string", "description": "A few words for whoever watches."},
        "tools": {
            "description": "Only these tools. Left out: those of the agent, and of them only what changes nothing while `read_only` is true.",
            "anyOf": [{"type": "array", "items": {"type": "string"}}, {"type": "string"}]
        },
        "read_only": {"type": "boolean", "default": true, "description": "false: the task may change things. It beats `tools`."},
        "max_turns": {"type": "integer", "minimum": 1, "description": "The most answers of its model."},
        "timeout": {"type": "integer", "minimum": 1, "description": "The most seconds."},
        "max_tokens": {"type": "integer", "minimum": 1, "description": "The most tokens, those from a cache apart."},
        "output_schema": {"type": "object", "description": "A JSON Schema that the answer must fit."},
    }))
}

fn route() -> Map<String, Value> {
    object(json!({
        "provider": {"type": "string", "description": "With `model`: another route than the agent's own, one of list_subagent_models."},
        "model": {"type": "string", "description": "With `provider`."},
        "reasoning_effort": {"type": "string", "description": "An effort of the route. Another route's is never taken over."},
    }))
}

fn outcome() -> Value {
    let count = json!({"type": "integer", "minimum": 0});
    let text = json!({"type": ["string", "null"]});
    json!({"type": "object", "required": ["id", "ended"], "properties": {
        "id": {"type": "string"},
        "agent": {"type": "string"},
        "description": text,
        "route": {"type": "string"},
        "effort": text,
        "sandbox": {"enum": ["landlock", "none"]},
        "ended": {"enum": ["success", "max_turns", "timeout", "budget", "cancelled", "failed", "running"]},
        "reason": text,
        "text": {"type": "string"},
        "whole_text_file": text,
        "structured": {},
        "tool_calls": count,
        "turns": count,
        "requests": count,
        "tokens": {"type": "object", "properties": {
            "input": count, "output": count, "cache_read": count, "cache_write": count}},
        "cost_usd": {"type": ["number", "null"]},
        "elapsed_ms": count,
        "notes": {"type": "array", "items": {"type": "string"}},
    }})
}

fn tool(
    name: &'static str,
    description: &'static str,
    input: Value,
    output: Option<Value>,
    annotations: ToolAnnotations,
) -> Tool {
    let tool = Tool::new(name, description, Arc::new(object(input))).with_annotations(annotations);
    match output {
        Some(output) => tool.with_raw_output_schema(Arc::new(object(output))),
        None => tool,
    }
}

fn object(value: Value) -> Map<String, Value> {
    match value {
        Value::Object(map) => map,
        _ => Map::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(offer: Offer) -> Vec<String> {
        let names = tools(offer).into_iter().map(|tool| tool.name.into_owned());
        names.filter(|name| !name.starts_with("git_")).collect()
    }

    #[test]
    fn a5_what_lists_routes_is_there_only_where_the_policy_is_on() {
        let all = ["list_subagents", "list_subagent_models", "delegate_subagent", "route_subagent"];
        assert_eq!(names(Offer { routes: true, read_only: false }), all);
        assert_eq!(names(Offer { routes: false, read_only: false }), [all[0], all[2], all[3]]);
        assert_eq!(names(Offer { routes: true, read_only: true }), all[..2]);
    }

    #[test]
    fn a3_a_route_can_be_asked_for_only_where_the_policy_is_on() {
        for (routes, want) in [(true, true), (false, false)] {
            for tool in
                tools(Offer { routes, read_only: false }).iter().filter(|tool| tool.name.contains("te_sub"))
            {
                assert_eq!(tool.input_schema["properties"].get("provider").is_some(), want, "{}", tool.name);
            }
        }
    }

    #[test]
    fn d5_everybody_may_look_at_git() {
        for read_only in [true, false] {
            let offered = tools(Offer { routes: false, read_only });
            let git = offered.iter().filter(|tool| tool.name.starts_with("git_"));
            let git: Vec<String> = git.map(|tool| format!("mcp__subagents__{}", tool.name)).collect();
            assert_eq!(git, crate::launch::delegation::tools::GIT);
        }
        for tool in git::tools().map(look) {
            let annotations = tool.annotations.unwrap();
            assert_eq!((annotations.read_only_hint, annotations.open_world_hint), (Some(true), Some(false)));
        }
    }

    #[test]
    fn every_schema_is_one_and_every_argument_is_described() {
        for tool in tools(Offer { routes: true, read_only: false }) {
            for schema in std::iter::once(&tool.input_schema).chain(&tool.output_schema) {
                jsonschema::draft202012::meta::validate(&Value::Object((**schema).clone())).unwrap();
            }
            for (name, argument) in tool.input_schema["properties"].as_object().unwrap() {
                assert!(argument["description"].is_string(), "{}: {name}", tool.name);
            }
            assert!(tool.annotations.is_some());
        }
    }
}
