//! Settings at the top of a request: thinking, effort, limits, the choice of a tool.

use super::Plan;
use crate::config::Repair;
use crate::dialect::json::{Object, Value};

/// Fewer tokens are no budget for thinking: Anthropic's own minimum.
const SMALLEST_BUDGET: u64 = 1024;

pub(super) fn repair(plan: &Plan, root: &mut Object<'_>) {
    for (repair, field) in
        [(Repair::DropContextManagement, "context_management"), (Repair::DropOutputConfig, "output_config")]
    {
        if plan.has(repair) {
            root.remove(field);
        }
    }
    if plan.has(Repair::DropEffortWithoutThinking) && thinking_is(root, "disabled") {
        drop_effort(root);
    }
    if let Some(limit) = plan.tokens(Repair::ClampMaxTokens) {
        clamp(root, limit);
    }
    if plan.has(Repair::ThinkingAsBudget) && thinking_is(root, "adaptive") {
        let wanted = plan.tokens(Repair::ThinkingAsBudget);
        set_budget(root, wanted);
    }
    if plan.has(Repair::DropThinkingSetting) {
        root.remove("thinking");
    }
    if plan.has(Repair::FreeToolChoice) {
        free_choice(root);
    }
}

fn thinking_is(root: &mut Object<'_>, kind: &str) -> bool {
    root.get_mut("thinking").and_then(Value::object).is_some_and(|thinking| thinking.says("type", kind))
}

fn drop_effort(root: &mut Object<'_>) {
    root.remove("reasoning_effort");
    let Some(config) = root.get_mut("output_config").and_then(Value::object) else { return };
    let before = config.is_empty();
    config.remove("effort");
    if config.is_empty() && !before {
        root.remove("output_config");
    }
}

/// Lowers `max_tokens`, and a budget for thinking that wouldn't be below it any more.
fn clamp(root: &mut Object<'_>, limit: u64) {
    let Some(most) = root.get_mut("max_tokens") else { return };
    if most.number().is_none_or(|most| most <= limit) {
        return;
    }
    *most = Value::new(limit.to_string());
    let thinking = root.get_mut("thinking").and_then(Value::object);
    let budget = thinking.and_then(|thinking| thinking.get("budget_tokens")?.number());
    if budget.is_some_and(|budget| budget >= limit) {
        set_budget(root, budget);
    }
}

/// Thinking within a budget: the wanted one, or half of the answer's tokens; in any case fewer than those. Where that
/// leaves too few, nothing is said of thinking.
fn set_budget(root: &mut Object<'_>, wanted: Option<u64>) {
    let most = root.get("max_tokens").and_then(Value::number);
    let budget = wanted.or_else(|| most.map(|most| most / 2)).unwrap_or(SMALLEST_BUDGET);
    let budget = most.map_or(budget, |most| budget.min(most.saturating_sub(1)));
    if budget < SMALLEST_BUDGET {
        root.remove("thinking");
    } else {
        root.set("thinking", Value::new(format!(r#"{{"type":"enabled","budget_tokens":{budget}}}"#)));
    }
}

fn free_choice(root: &mut Object<'_>) {
    let Some(choice) = root.get_mut("tool_choice").and_then(Value::object) else { return };
    if choice.says("type", "any") || choice.says("type", "tool") {
        choice.set("type", Value::string("auto"));
        choice.remove("name");
    }
}
