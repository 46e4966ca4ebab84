//! A route that is tried: its steps as they come, and what works.

use serde::Deserialize;

use crate::config::RouteId;
use crate::ui::app::event::{Done, Effect, Purpose, Task};
use crate::ui::text::duration;

/// One trial of a route.
#[derive(Debug, Clone, Default)]
pub(super) struct Trial {
    /// What was done, and last what is being done.
    pub(super) steps: Vec<String>,
    /// `None`: it goes on.
    pub(super) end: Option<End>,
}

/// What came of it.
#[derive(Debug, Clone)]
pub(super) enum End {
    Answers(Box<Report>),
    /// Why it doesn't.
    Fails(String),
}

/// What `route test --json` tells, as far as it is shown.
#[derive(Debug, Clone, Deserialize)]
pub(super) struct Report {
    ok: bool,
    path: String,
    first_byte_ms: Option<u64>,
    total_ms: Option<u64>,
    checks: Option<Checks>,
    problem: Option<Problem>,
    elsewhere: Option<Elsewhere>,
    learned: Vec<Learned>,
}

/// In the order in which they are shown.
#[derive(Debug, Clone, Deserialize)]
struct Checks {
    streaming: Verdict,
    tools: Verdict,
    count_tokens: Verdict,
    thinking: Verdict,
    system_turn: Verdict,
    context: Option<Verdict>,
}

#[derive(Debug, Clone, Deserialize)]
pub(super) struct Verdict {
    pub(super) verdict: String,
    pub(super) reason: Option<String>,
}

#[derive(Debug, Clone, Deserialize)]
struct Problem {
    message: String,
}

#[derive(Debug, Clone, Deserialize)]
struct Elsewhere {
    dialect: String,
    base_url: String,
}

#[derive(Debug, Clone, Deserialize)]
struct Learned {
    line: String,
}

impl Trial {
    /// Begins one.
    pub(super) fn of(route: &RouteId) -> Effect {
        let arguments = ["route", "test", &route.to_string(), "--steps", "--json"];
        Effect::Follow(Task::new(Purpose::Try(route.clone()), &arguments))
    }

    pub(super) fn say(&mut self, line: &str) {
        self.steps.push(line.to_owned());
    }

    pub(super) fn finish(&mut self, done: &Done) {
        self.end = Some(match serde_json::from_str::<Report>(&done.stdout) {
            Ok(report) if report.ok => End::Answers(Box::new(report)),
            Ok(report) => End::Fails(report.complaint()),
            Err(_) => End::Fails(why(done).to_owned()),
        });
        // What it said last may be why it failed, which was no step.
        if let Some(End::Fails(reason)) = &self.end {
            self.steps.retain(|step| !step.ends_with(reason.as_str()));
        }
    }

    /// In one sentence, once it has ended.
    pub(super) fn summary(&self, route: &RouteId) -> Option<String> {
        Some(match self.end.as_ref()? {
            End::Answers(report) => format!("{route} answers: {}", report.times()),
            End::Fails(reason) => format!("{route} doesn't answer: {reason}"),
        })
    }
}

impl Report {
    /// How fast it was.
    pub(super) fn times(&self) -> String {
        let time = |millis: Option<u64>| millis.map_or_else(|| "?".to_owned(), duration);
        format!("first byte after {}, whole after {}", time(self.first_byte_ms), time(self.total_ms))
    }

    /// The path that answered, after the host.
    pub(super) fn path(&self) -> &str {
        &self.path
    }

    pub(super) fn checks(&self) -> Vec<(&'static str, &Verdict)> {
        let Some(checks) = &self.checks else { return Vec::new() };
        let always = [
            ("streaming", &checks.streaming),
            ("tools", &checks.tools),
            ("count_tokens", &checks.count_tokens),
            ("thinking", &checks.thinking),
            ("system_turn", &checks.system_turn),
        ];
        always.into_iter().chain(checks.context.as_ref().map(|verdict| ("context", verdict))).collect()
    }

    /// What config.toml could say and doesn't.
    pub(super) fn learned(&self) -> impl Iterator<Item = &str> {
        self.learned.iter().map(|learned| learned.line.as_str())
    }

    fn complaint(&self) -> String {
        let problem = self.problem.as_ref().map_or("no completion came", |problem| &problem.message);
        let elsewhere = self.elsewhere.as_ref().map(|elsewhere| {
            format!(
                " A completion works with `base_url = \"{}\"` and `dialect = \"{}\"`.",
                elsewhere.base_url, elsewhere.dialect
            )
        });
        format!("{problem}{}", elsewhere.unwrap_or_default())
    }
}

/// Why a command failed, in one line: what it says of itself, else what it said last.
pub(super) fn why(done: &Done) -> &str {
    let mut lines = done.stderr.lines().map(str::trim).filter(|line| !line.is_empty());
    let own = lines.clone().find_map(|line| line.strip_prefix("subagents: "));
    own.or_else(|| lines.next_back()).unwrap_or("it ended without a word")
}
