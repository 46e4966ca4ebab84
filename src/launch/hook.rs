//! What Claude Code tells by its hooks, as one closed enum.
//!
//! Pure. Everything else that is derived from hooks (names of agents, strays, whether a prompt was made, the
//! state of a session) is derived from this enum, so that a recorded sequence can be replayed.

use std::path::PathBuf;
use std::sync::Arc;

use serde::Deserialize;
use serde_json::{Value, json};

use super::delegation::grant::PermissionMode;
use super::delegation::permission::own_name;
use super::delegation::visitor::Calling;

/// One hook event, reduced to what is used.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum HookEvent {
    /// `UserPromptSubmit`: a person's prompt, or what Claude Code tells itself of an agent in the background.
    Prompt,
    /// `PreToolUse` on the Agent tool: the main model is about to call an agent.
    AgentCall {
        agent: String,
        /// Another model for this one call.
        model: Option<String>,
    },
    /// `PreToolUse` on a tool of our own MCP server.
    OwnTool(OwnTool),
    /// `SubagentStart`: from now on this id stands for this name.
    AgentStarted { id: String, name: String },
    /// `SubagentStop`
    AgentStopped { id: String },
    /// `PermissionRequest`
    PermissionAsked(Asked),
    /// `PostToolUse` and `PostToolUseFailure`: a tool has run, so it was allowed to.
    ToolRan(Asked),
    /// `PostToolBatch`: all calls of one answer are done, run or denied. The agent's id; `None`: the main session.
    ToolsDone { agent: Option<String> },
    /// `Notification`
    Notified { kind: String, message: String },
    /// `Stop`, with the agents that go on in the background.
    Stopped { running: Vec<Agent> },
    /// `SessionEnd`
    SessionEnded { reason: String },
    /// An event of a later version, or one that lacks what it should have.
    Other,
}

/// A call of one of our own tools, before it is made.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OwnTool {
    /// The id that the call itself will carry.
    pub id: String,
    /// Our own name of the tool.
    pub name: String,
    pub input: Arc<Value>,
    pub calling: Calling,
}

/// A tool's use.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Asked {
    pub tool: String,
    /// In full.
    pub input: Arc<Value>,
    /// `None`: the main session.
    pub agent: Option<Agent>,
}

/// A sub-agent at work.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Agent {
    pub id: String,
    pub name: String,
}

/// The event as it is posted. Fields that nobody uses, such as what a tool has brought, are skipped and not kept.
#[derive(Deserialize)]
struct Posted {
    hook_event_name: String,
    tool_name: Option<String>,
    tool_input: Option<Value>,
    tool_use_id: Option<String>,
    permission_mode: Option<String>,
    cwd: Option<PathBuf>,
    agent_id: Option<String>,
    agent_type: Option<String>,
    notification_type: Option<String>,
    message: Option<String>,
    reason: Option<String>,
    #[serde(default)]
    background_tasks: Value,
}

impl HookEvent {
    /// From the JSON that the hook posts. Whatever isn't understood is [`HookEvent::Other`].
    pub fn read(event: &[u8]) -> Self {
        serde_json::from_slice(event).ok().and_then(Posted::understood).unwrap_or(Self::Other)
    }
}

/// Claude Code's own id of the conversation that an event belongs to.
pub fn conversation(event: &[u8]) -> Option<String> {
    #[derive(Deserialize)]
    struct Conversed {
        session_id: String,
    }
    serde_json::from_slice::<Conversed>(event).ok().map(|event| event.session_id)
}

impl Posted {
    fn understood(self) -> Option<HookEvent> {
        Some(match self.hook_event_name.as_str() {
            "UserPromptSubmit" => HookEvent::Prompt,
            "PreToolUse" => self.call()?,
            "SubagentStart" => HookEvent::AgentStarted { id: self.agent_id?, name: self.agent_type? },
            "SubagentStop" => HookEvent::AgentStopped { id: self.agent_id? },
            "PermissionRequest" => HookEvent::PermissionAsked(self.asked()?),
            "PostToolUse" | "PostToolUseFailure" => HookEvent::ToolRan(self.asked()?),
            "PostToolBatch" => HookEvent::ToolsDone { agent: self.agent_id },
            "Notification" => HookEvent::Notified {
                kind: self.notification_type.unwrap_or_default(),
                message: self.message.unwrap_or_default(),
            },
            "Stop" => HookEvent::Stopped { running: running(&self.background_tasks) },
            "SessionEnd" => HookEvent::SessionEnded { reason: self.reason.unwrap_or_default() },
            _ => return None,
        })
    }

    fn call(self) -> Option<HookEvent> {
        match self.tool_name.as_deref().and_then(own_name).map(str::to_owned) {
            Some(name) => self.own_tool(name),
            None => self.agent_call(),
        }
    }

    fn own_tool(self, name: String) -> Option<HookEvent> {
        let permission = PermissionMode::of_hook(self.permission_mode.as_deref().unwrap_or_default());
        Some(HookEvent::OwnTool(OwnTool {
            id: self.tool_use_id?,
            name,
            input: Arc::new(self.tool_input.unwrap_or_default()),
            calling: Calling { agent_id: self.agent_id, permission, folder: self.cwd },
        }))
    }

    fn agent_call(self) -> Option<HookEvent> {
        let input =
            self.tool_input.filter(|_| matches!(self.tool_name.as_deref(), Some("Agent" | "Task")))?;
        let agent = input["subagent_type"].as_str()?.to_owned();
        let model = input["model"].as_str().filter(|model| *model != "inherit").map(str::to_owned);
        Some(HookEvent::AgentCall { agent, model })
    }

    fn asked(self) -> Option<Asked> {
        let name = self.agent_type.unwrap_or_default();
        Some(Asked {
            tool: self.tool_name?,
            input: Arc::new(self.tool_input.unwrap_or_default()),
            agent: self.agent_id.map(|id| Agent { id, name }),
        })
    }
}

/// The sub-agents among the tasks: shells in the background need nobody and hold nothing up.
fn running(tasks: &Value) -> Vec<Agent> {
    let tasks = tasks.as_array().into_iter().flatten().filter(|task| task["status"] == "running");
    let text = |task: &Value, key: &str| task[key].as_str().map(str::to_owned);
    tasks.filter_map(|task| Some(Agent { id: text(task, "id")?, name: text(task, "agent_type")? })).collect()
}

/// What a hook is answered.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum HookAnswer {
    /// No decision: everything goes on as without the hook.
    Nothing,
    /// The call isn't made; the main model reads the reason.
    Deny { reason: String },
    /// The call is made, and the person isn't asked.
    Allow,
    /// The person is asked, and reads why.
    Ask { reason: String },
    /// The dialog is closed and the tool runs.
    Permit,
    /// The dialog is closed and the tool doesn't run; the model reads the reason and goes on.
    Refuse { reason: String },
}

impl HookAnswer {
    pub fn json(&self) -> Value {
        match self {
            Self::Nothing => json!({}),
            Self::Deny { reason } => call("deny", reason),
            Self::Allow => call("allow", "it changes nothing that you were not asked about"),
            Self::Ask { reason } => call("ask", reason),
            Self::Permit => permission(&json!({"behavior": "allow"})),
            Self::Refuse { reason } => permission(&json!({"behavior": "deny", "message": reason})),
        }
    }
}

fn call(decision: &str, reason: &str) -> Value {
    json!({"hookSpecificOutput": {
        "hookEventName": "PreToolUse",
        "permissionDecision": decision,
        "permissionDecisionReason": reason,
    }})
}

fn permission(decision: &Value) -> Value {
    json!({"hookSpecificOutput": {"hookEventName": "PermissionRequest", "decision": decision}})
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(event: &Value, want: &HookEvent) {
        assert_eq!(&HookEvent::read(event.to_string().as_bytes()), want, "{event}");
    }

    fn agent(id: &str) -> Agent {
        Agent { id: id.into(), name: "r".into() }
    }

    #[test]
    fn the_conversation_is_told_by_every_event() {
        assert_eq!(conversation(br#"{"hook_event_name":"Stop","session_id":"c1"}"#).as_deref(), Some("c1"));
        assert_eq!(conversation(b"{}"), None);
    }

    #[test]
    fn events_are_reduced_to_what_is_used() {
        let call = |input: Value| json!({"hook_event_name": "PreToolUse", "tool_name": "Agent", "tool_input": input});
        let called =
            |model: Option<&str>| HookEvent::AgentCall { agent: "r".into(), model: model.map(Into::into) };
        check(&call(json!({"subagent_type": "r", "prompt": "p"})), &called(None));
        check(&call(json!({"subagent_type": "r", "model": "opus"})), &called(Some("opus")));
        check(&call(json!({"subagent_type": "r", "model": "inherit"})), &called(None));
        check(
            &json!({"hook_event_name": "SubagentStart", "agent_id": "a1", "agent_type": "r"}),
            &HookEvent::AgentStarted { id: "a1".into(), name: "r".into() },
        );
        check(&json!({"hook_event_name": "PostToolBatch"}), &HookEvent::ToolsDone { agent: None });
    }

    #[test]
    fn a_call_of_our_own_tool_says_who_makes_it_and_how() {
        let event = json!({"hook_event_name": "PreToolUse", "tool_name": "mcp__subagents__delegate_subagent",
            "tool_input": {"prompt": "p"}, "tool_use_id": "t1", "permission_mode": "plan", "cwd": "/src",
            "agent_id": "a1", "agent_type": "r"});
        let calling = Calling {
            agent_id: Some("a1".into()),
            permission: PermissionMode::Plan,
            folder: Some("/src".into()),
        };
        let input = Arc::new(json!({"prompt": "p"}));
        let call = OwnTool { id: "t1".into(), name: "delegate_subagent".into(), input, calling };
        check(&event, &HookEvent::OwnTool(call));
    }

    #[test]
    fn a_tools_use_has_its_input_whole_and_its_agent() {
        let input = json!({"command": "ls", "deep": {"list": [1, null]}});
        let asked = |agent| Asked { tool: "Bash".into(), input: Arc::new(input.clone()), agent };
        let event = |name: &str| json!({"hook_event_name": name, "tool_name": "Bash", "tool_input": input});
        check(&event("PermissionRequest"), &HookEvent::PermissionAsked(asked(None)));
        check(&event("PostToolUseFailure"), &HookEvent::ToolRan(asked(None)));
        let mut of_agent = event("PostToolUse");
        of_agent["agent_id"] = json!("a1");
        of_agent["agent_type"] = json!("r");
        of_agent["tool_response"] = json!({"stdout": "much"});
        check(&of_agent, &HookEvent::ToolRan(asked(Some(agent("a1")))));
    }

    #[test]
    fn a_stop_names_the_agents_that_go_on() {
        let task = |id: &str, status: &str| json!({"id": id, "status": status, "agent_type": "r"});
        let shell = json!({"id": "b1", "status": "running", "type": "shell"});
        let tasks = json!([task("a1", "running"), task("a2", "completed"), shell]);
        check(&json!({"hook_event_name": "Stop"}), &HookEvent::Stopped { running: vec![] });
        check(
            &json!({"hook_event_name": "Stop", "background_tasks": tasks}),
            &HookEvent::Stopped { running: vec![agent("a1")] },
        );
    }

    #[test]
    fn what_is_not_understood_is_no_error() {
        for event in [
            json!(null),
            json!([]),
            json!({"hook_event_name": "SomethingNew"}),
            json!({"hook_event_name": "SubagentStart"}),
            json!({"hook_event_name": "PermissionRequest", "tool_name": 5}),
            json!({"hook_event_name": "PreToolUse", "tool_name": "Bash", "tool_input": {"command": "ls"}}),
            json!({"hook_event_name": "PreToolUse", "tool_name": "Agent", "tool_input": "text"}),
        ] {
            check(&event, &HookEvent::Other);
        }
    }
}
