//! What is wrong with what was typed, by field. The rules are the configuration's own.

use std::collections::BTreeMap;

use serde_json::Value;

use super::field::FieldId;
use super::form::Form;
use crate::config::agent::{check_name, line_of, parse, resolves, spelled_right, value_of};
use crate::config::{Agent, Config, Problem, RouteId, Severity};

/// The file as it would be, what it means, and what is wrong with it.
pub(super) struct Checked {
    pub(super) text: String,
    /// `None`: it is no agent as it stands.
    pub(super) agent: Option<Agent>,
    /// The gravest of each field.
    told: BTreeMap<FieldId, (Severity, String)>,
    /// What belongs to no field.
    pub(super) others: Vec<Problem>,
}

/// What a check needs to know beside the form.
pub(super) struct Known<'k> {
    pub(super) config: &'k Config,
    /// Names that others of our agents have.
    pub(super) taken: &'k [String],
    pub(super) file: &'k std::path::Path,
}

impl Checked {
    pub(super) fn of(base: &str, form: &Form, known: &Known<'_>) -> Self {
        let written = form.written(base);
        let (agent, problems) = parse(known.file, written.text.as_bytes());
        let mut checked = Self { text: written.text, agent, told: BTreeMap::new(), others: Vec::new() };
        for (field, refusal) in written.refused {
            checked.tell(field, Severity::Error, refusal);
        }
        checked.check_name(&form.value(FieldId::Name), known.taken);
        for problem in problems {
            checked.sort(problem);
        }
        checked.check_route(&form.value(FieldId::Model), known.config);
        checked.check_tools(&form.value(FieldId::Tools));
        checked
    }

    /// What is to be said of the field.
    pub(super) fn told(&self, field: FieldId) -> Option<(Severity, &str)> {
        self.told.get(&field).map(|(severity, text)| (*severity, text.as_str()))
    }

    /// The first field that keeps it from being saved.
    pub(super) fn first_wrong(&self) -> Option<FieldId> {
        self.told.iter().find(|(_, (severity, _))| *severity == Severity::Error).map(|(field, _)| *field)
    }

    /// What keeps it from being saved and belongs to no field.
    pub(super) fn other_error(&self) -> Option<&Problem> {
        self.others.iter().find(|problem| problem.severity == Severity::Error)
    }

    /// The first that is told of a field is what was found nearest to it.
    fn tell(&mut self, field: FieldId, severity: Severity, text: String) {
        if self.told.get(&field).is_none_or(|(known, _)| *known < severity) {
            self.told.insert(field, (severity, text));
        }
    }

    fn check_name(&mut self, name: &str, taken: &[String]) {
        if let Err(error) = check_name(name) {
            self.tell(FieldId::Name, Severity::Error, error.to_string());
        } else if taken.iter().any(|taken| taken == name) {
            let text = format!("there is an agent `{name}` already: take another name");
            self.tell(FieldId::Name, Severity::Error, text);
        }
    }

    /// From what was typed: where another field is wrong, there is no agent to ask.
    fn check_route(&mut self, model: &str, config: &Config) {
        let route = model.parse::<RouteId>().ok();
        if let Some(Err(refusal)) = route.map(|route| config.provider_for(&route).map(drop)) {
            let text = format!("{refusal}; {}", refusal.remedy());
            self.tell(FieldId::Model, Severity::Error, text);
        }
    }

    fn check_tools(&mut self, tools: &str) {
        let Ok(Value::Array(tools)) = value_of(FieldId::Tools.key(), tools) else { return };
        let Some(strange) = tools.iter().filter_map(Value::as_str).find(|tool| !resolves(tool)) else {
            return;
        };
        let meant =
            spelled_right(strange).map(|meant| format!(": did you mean `{meant}`?")).unwrap_or_default();
        let text = format!("Claude Code has no tool `{}` by itself{meant}", strange.escape_debug());
        self.tell(FieldId::Tools, Severity::Warning, text);
    }

    /// To the field whose line it names.
    fn sort(&mut self, problem: Problem) {
        let text = &self.text;
        let stands = |field: &FieldId| {
            let key = field.key().split('.').next().unwrap_or_default();
            problem.line.is_some() && line_of(text, key) == problem.line
        };
        let is_prompt = problem.line.is_none() && problem.message.contains("prompt");
        let field = FieldId::ALL.into_iter().find(stands);
        match field.or(is_prompt.then_some(FieldId::Prompt)) {
            Some(field) => {
                let said = if problem.remedy.is_empty() {
                    problem.message
                } else {
                    format!("{}: {}", problem.message, problem.remedy)
                };
                self.tell(field, problem.severity, said);
            }
            None => self.others.push(problem),
        }
    }
}
