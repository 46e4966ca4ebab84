//! What an import does or would do, for people and for programs.

use serde_json::{Value, json};

use super::view;
use crate::config::exchange::{NoDefinition, Planned, Step};
use crate::config::{Problem, Severity};
use crate::ui::{Colour, table, visible};

/// One line for each definition, then what there is to know of it.
pub(super) fn text(planned: &[Planned], colour: Colour) -> String {
    let rows: Vec<Vec<String>> = planned.iter().map(row).collect();
    let mut lines = Vec::new();
    if !rows.is_empty() {
        lines.push(table(&["import", "name", "model", "tools", "format", "from"], &rows, colour));
    }
    for planned in planned {
        let told = notes(planned);
        if !told.is_empty() {
            lines.push(format!(
                "{} ({})",
                visible(&planned.candidate.name),
                visible(&planned.candidate.origin)
            ));
            lines.extend(told.iter().map(|told| format!("  {}", visible(told))));
        }
    }
    lines.join("\n")
}

fn row(planned: &Planned) -> Vec<String> {
    let candidate = &planned.candidate;
    vec![
        word(&planned.step).to_owned(),
        candidate.name.clone(),
        view::model(candidate.agent.as_ref()),
        view::tools(candidate.agent.as_ref()),
        candidate.format.name().to_owned(),
        candidate.origin.clone(),
    ]
}

fn word(step: &Step) -> &'static str {
    match step {
        Step::Add { .. } => "add",
        Step::Replace { .. } => "replace",
        Step::Same { .. } => "same",
        Step::Skip { .. } => "skip",
        Step::Clash { .. } => "clash",
        Step::Refuse => "refuse",
    }
}

fn notes(planned: &Planned) -> Vec<String> {
    let candidate = &planned.candidate;
    let mut told = Vec::new();
    match &planned.step {
        Step::Clash { taken_by } => told.push(format!("the name is taken by {taken_by}")),
        Step::Skip { taken_by } => told.push(format!("{taken_by} stays")),
        Step::Replace { file } => told.push(format!("takes the place of {}", file.display())),
        Step::Add { .. } | Step::Same { .. } | Step::Refuse => {}
    }
    told.extend(candidate.notes.iter().map(|note| format!("{}: {}", note.kind.name(), note.text)));
    told.extend(candidate.problems.iter().filter(|problem| problem.severity > Severity::Info).map(problem));
    told
}

fn problem(problem: &Problem) -> String {
    let line = problem.line.map(|line| format!("line {line}: ")).unwrap_or_default();
    let word = if problem.severity == Severity::Error { "error" } else { "warning" };
    format!("{word}: {line}{} ({})", problem.message, problem.remedy)
}

/// Documented in docs/json/agent-import.schema.json.
pub(super) fn json(planned: &[Planned], left: &[NoDefinition], is_preview: bool) -> Value {
    let agents: Vec<Value> = planned.iter().map(object).collect();
    let broken: Vec<Value> = left.iter().filter_map(broken).collect();
    let others: Vec<&str> = left.iter().filter_map(not_an_agent).collect();
    json!({"version": 1, "dry_run": is_preview, "agents": agents, "broken": broken, "not_agents": others})
}

fn object(planned: &Planned) -> Value {
    let candidate = &planned.candidate;
    let agent = candidate.agent.as_ref();
    let taken_by = match &planned.step {
        Step::Same { with } => Some(with),
        Step::Skip { taken_by } | Step::Clash { taken_by } => Some(taken_by),
        Step::Add { .. } | Step::Replace { .. } | Step::Refuse => None,
    };
    json!({
        "step": word(&planned.step),
        "name": candidate.name,
        "origin": candidate.origin,
        "format": candidate.format,
        "file": planned.file(),
        "taken_by": taken_by,
        "model": agent.map(|agent| agent.model.to_string()),
        "tools": agent.and_then(|agent| agent.tools.clone()),
        "notes": candidate.notes,
        "problems": candidate.problems,
    })
}

fn broken(left: &NoDefinition) -> Option<Value> {
    match left {
        NoDefinition::Broken { origin, problems } => Some(json!({"origin": origin, "problems": problems})),
        NoDefinition::NotAnAgent { .. } => None,
    }
}

fn not_an_agent(left: &NoDefinition) -> Option<&str> {
    match left {
        NoDefinition::NotAnAgent { origin } => Some(origin),
        NoDefinition::Broken { .. } => None,
    }
}
