//! The definitions of tools.

use super::Plan;
use crate::config::Repair;
use crate::dialect::json::{Array, Object, Value};

/// What only betas know of a tool.
const BETA_FIELDS: [&str; 5] =
    ["defer_loading", "eager_input_streaming", "strict", "input_examples", "allowed_callers"];

pub(super) fn repair(plan: &Plan, root: &mut Object<'_>) {
    let fields = fields(plan);
    let drops_servers = plan.has(Repair::DropServerTools);
    if fields.is_empty() && !drops_servers {
        return;
    }
    let Some(tools) = root.get_mut("tools").and_then(Value::array) else { return };
    for tool in tools.items.iter_mut().filter_map(|item| item.value.object()) {
        for field in &fields {
            tool.remove(field);
        }
    }
    if drops_servers {
        let dropped = drop_server_tools(tools);
        let none_left = tools.items.is_empty();
        tidy(root, &dropped, none_left);
    }
}

fn fields(plan: &Plan) -> Vec<&'static str> {
    let mut fields = Vec::new();
    if plan.has(Repair::DropCacheControl) {
        fields.push("cache_control");
    }
    if plan.has(Repair::DropBetaToolFields) {
        fields.extend(BETA_FIELDS);
    }
    // Who can't follow a reference to a tool has to be given all of them.
    if plan.has(Repair::ToolReferencesAsText) {
        fields.push("defer_loading");
    }
    fields
}

/// Takes out what has a type of Anthropic's, and tells the names.
fn drop_server_tools(tools: &mut Array<'_>) -> Vec<String> {
    let mut dropped = Vec::new();
    tools.items.retain_mut(|item| {
        let Some(tool) = item.value.object() else { return true };
        let own = tool.get("type").is_none() || tool.says("type", "custom");
        if !own {
            dropped.extend(tool.get("name").and_then(Value::decoded).map(String::from));
        }
        own
    });
    dropped
}

/// A choice of a tool that is gone is refused, and so is any choice where there are no tools.
fn tidy(root: &mut Object<'_>, dropped: &[String], none_left: bool) {
    if dropped.is_empty() {
        return;
    }
    let choice = root.get_mut("tool_choice").and_then(Value::object);
    let chosen = choice.is_some_and(|choice| dropped.iter().any(|name| choice.says("name", name)));
    if chosen || none_left {
        root.remove("tool_choice");
    }
    if none_left {
        root.remove("tools");
    }
}
