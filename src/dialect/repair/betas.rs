//! The `anthropic-beta` header: a list of words with a date behind each.

use super::Plan;
use crate::config::Repair;
use crate::config::repair::Switch;

/// Betas that ask for what a repair takes out, by how they begin.
const BELONGING: [(Repair, &[&str]); 3] = [
    (Repair::DropContextManagement, &["context-management-"]),
    (Repair::DropOutputConfig, &["effort-", "structured-outputs-"]),
    (
        Repair::DropBetaToolFields,
        &["advanced-tool-use-", "fine-grained-tool-streaming-", "tool-examples-", "tool-search-tool-"],
    ),
];

pub(super) fn changes(plan: &Plan) -> bool {
    plan.has(Repair::DropBetas) || BELONGING.iter().any(|(repair, _)| plan.has(*repair))
}

pub(super) fn repaired(plan: &Plan, value: &str) -> Option<String> {
    let words = value.split(',').map(str::trim).filter(|word| !word.is_empty());
    let all = words.clone().count();
    let kept: Vec<&str> = words.filter(|word| !is_dropped(plan, word)).collect();
    match kept.len() {
        0 => None,
        left if left == all => Some(value.to_owned()),
        _ => Some(kept.join(",")),
    }
}

fn is_dropped(plan: &Plan, word: &str) -> bool {
    let named = match plan.switch(Repair::DropBetas) {
        Some(Switch::Values(values)) => values.iter().any(|value| value == word),
        switch => switch.is_some(),
    };
    let belongs = |(repair, heads): &(Repair, &[&str])| {
        plan.has(*repair) && heads.iter().any(|head| word.starts_with(head))
    };
    named || BELONGING.iter().any(belongs)
}
