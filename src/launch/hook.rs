//! What Claude Code tells by its hooks, as one closed enum.
//!
//! Pure. Everything else that is derived from hooks (names of agents, strays, whether a prompt was made) is
//! derived from this enum, so that a recorded sequence can be replayed.

use serde_json::{Value, json};

/// One hook event, reduced to what is used.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum HookEvent {
    /// `UserPromptSubmit`
    Prompt,
    /// `PreToolUse` on the Agent tool: the main model is about to call an agent.
    AgentCall {
        agent: String,
        /// Another model for this one call.
        model: Option<String>,
    },
    /// `SubagentStart`: from now on this id stands for this name.
    AgentStarted { id: String, name: String },
    /// `SubagentStop`
    AgentStopped { id: String },
    /// `PermissionRequest`
    PermissionAsked { tool: String },
    /// `Notification`
    Notified { kind: String },
    /// `Stop`
    Stopped,
    /// `SessionEnd`
    SessionEnded { reason: String },
    /// An event of a later version, or one that lacks what it should have.
    Other,
}

impl HookEvent {
    /// From the JSON that the hook posts. Whatever isn't understood is [`HookEvent::Other`].
    pub fn read(event: &Value) -> Self {
        Self::understood(event).unwrap_or(Self::Other)
    }

    fn understood(event: &Value) -> Option<Self> {
        let text = |key: &str| event[key].as_str().map(str::to_owned);
        Some(match event["hook_event_name"].as_str()? {
            "UserPromptSubmit" => Self::Prompt,
            "PreToolUse" if matches!(event["tool_name"].as_str()?, "Agent" | "Task") => {
                let input = &event["tool_input"];
                let agent = input["subagent_type"].as_str()?.to_owned();
                let model = input["model"].as_str().filter(|model| *model != "inherit").map(str::to_owned);
                Self::AgentCall { agent, model }
            }
            "SubagentStart" => Self::AgentStarted { id: text("agent_id")?, name: text("agent_type")? },
            "SubagentStop" => Self::AgentStopped { id: text("agent_id")? },
            "PermissionRequest" => Self::PermissionAsked { tool: text("tool_name")? },
            "Notification" => Self::Notified { kind: text("notification_type").unwrap_or_default() },
            "Stop" => Self::Stopped,
            "SessionEnd" => Self::SessionEnded { reason: text("reason").unwrap_or_default() },
            _ => return None,
        })
    }
}

/// What a hook is answered.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum HookAnswer {
    /// No decision: everything goes on as without the hook.
    Nothing,
    /// The call isn't made; the main model reads the reason.
    Deny { reason: String },
}

impl HookAnswer {
    pub fn json(&self) -> Value {
        match self {
            Self::Nothing => json!({}),
            Self::Deny { reason } => json!({"hookSpecificOutput": {
                "hookEventName": "PreToolUse",
                "permissionDecision": "deny",
                "permissionDecisionReason": reason,
            }}),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(event: &Value, want: &HookEvent) {
        assert_eq!(&HookEvent::read(event), want, "{event}");
    }

    #[test]
    fn events_are_reduced_to_what_is_used() {
        let call = |input: Value| json!({"hook_event_name": "PreToolUse", "tool_name": "Agent", "tool_input": input});
        let agent =
            |model: Option<&str>| HookEvent::AgentCall { agent: "r".into(), model: model.map(Into::into) };
        check(&call(json!({"subagent_type": "r", "prompt": "p"})), &agent(None));
        check(&call(json!({"subagent_type": "r", "model": "opus"})), &agent(Some("opus")));
        check(&call(json!({"subagent_type": "r", "model": "inherit"})), &agent(None));
        check(
            &json!({"hook_event_name": "SubagentStart", "agent_id": "a1", "agent_type": "r"}),
            &HookEvent::AgentStarted { id: "a1".into(), name: "r".into() },
        );
        check(&json!({"hook_event_name": "Stop"}), &HookEvent::Stopped);
    }

    #[test]
    fn what_is_not_understood_is_no_error() {
        for event in [
            json!(null),
            json!([]),
            json!({"hook_event_name": "SomethingNew"}),
            json!({"hook_event_name": "SubagentStart"}),
            json!({"hook_event_name": "PreToolUse", "tool_name": "Bash", "tool_input": {"command": "ls"}}),
            json!({"hook_event_name": "PreToolUse", "tool_name": "Agent", "tool_input": "text"}),
        ] {
            check(&event, &HookEvent::Other);
        }
    }
}
