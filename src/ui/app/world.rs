//! What is known of the world outside, as all screens see it.

use std::collections::BTreeMap;
use std::sync::Arc;

use jiff::tz::TimeZone;
use jiff::{Timestamp, ZonedDateTime};
use serde_json::Value;
use uuid::Uuid;

use super::event::{Configuration, News};
use crate::config::edit::unsaved_key;
use crate::config::{CONFIG_FILE, Problem, Severity};
use crate::launch::sessions::{Listed, State, Waiting, waits_unseen};
use crate::ui::table::visible;

/// What was told last.
#[derive(Debug, Clone)]
pub struct World {
    pub now: Timestamp,
    /// `None`: it isn't known yet.
    pub sessions: Option<Vec<Listed>>,
    /// Why they can't be listed now.
    pub unlisted: Option<String>,
    /// By session.
    pub stats: BTreeMap<Uuid, Arc<Value>>,
    /// The oldest first.
    pub waiting: Vec<Waiting>,
    /// The session that is selected among the sessions.
    pub selected: Option<Uuid>,
    pub configuration: Arc<Configuration>,
    /// What is kept of unsaved work.
    pub unsaved: Arc<BTreeMap<String, String>>,
}

impl World {
    pub fn new(now: Timestamp) -> Self {
        Self {
            now,
            sessions: None,
            unlisted: None,
            stats: BTreeMap::new(),
            waiting: Vec::new(),
            selected: None,
            configuration: Arc::default(),
            unsaved: Arc::default(),
        }
    }

    /// Takes what has become known.
    pub fn learn(&mut self, news: &News) {
        match news {
            News::Sessions(listed) => {
                self.stats.retain(|session, _| listed.iter().any(|one| one.session == *session));
                self.sessions = Some(listed.clone());
                self.unlisted = None;
            }
            News::Unlisted(why) => self.unlisted = Some(why.clone()),
            News::Stats { session, stats } => drop(self.stats.insert(*session, Arc::clone(stats))),
            News::Waiting(waiting) => self.waiting.clone_from(waiting),
            News::Configuration(configuration) => self.configuration = Arc::clone(configuration),
            News::Requests { .. }
            | News::Background(_)
            | News::Drawn { .. }
            | News::Closed { .. }
            | News::Answering(_)
            | News::Said { .. }
            | News::Done(_) => {}
            News::Unsaved(unsaved) => self.unsaved = Arc::clone(unsaved),
        }
    }

    pub fn listed(&self) -> &[Listed] {
        self.sessions.as_deref().unwrap_or_default()
    }

    pub fn session(&self, session: Uuid) -> Option<&Listed> {
        self.listed().iter().find(|listed| listed.session == session)
    }

    /// Those that live.
    pub fn living(&self) -> impl Iterator<Item = &Listed> {
        self.listed().iter().filter(|listed| listed.place.is_some())
    }

    /// Those that wait for something that isn't known.
    pub fn unseen(&self) -> impl Iterator<Item = &Listed> {
        let waits = |listed: &&Listed| matches!(&listed.state, State::Live(status) if waits_unseen(status));
        self.living().filter(waits)
    }

    /// How much waits for the person.
    pub fn waits(&self) -> usize {
        self.waiting.len() + self.unseen().count()
    }

    /// What the person's own clock shows.
    pub fn clock(&self) -> ZonedDateTime {
        self.now.to_zoned_datetime(self.configuration.zone.clone().unwrap_or(TimeZone::UTC))
    }

    /// A folder as people write it.
    pub fn short(&self, folder: &std::path::Path) -> String {
        let home = self.configuration.home.as_deref();
        match home.and_then(|home| folder.strip_prefix(home).ok()) {
            Some(rest) if rest.as_os_str().is_empty() => "~".to_owned(),
            Some(rest) => format!("~/{}", rest.display()),
            None => folder.display().to_string(),
        }
    }

    /// Whether there is work on this agent that isn't saved.
    pub fn is_unsaved(&self, agent: &str) -> bool {
        self.unsaved.contains_key(&unsaved_key(agent))
    }

    /// What is wrong with config.toml: as long as it is, nobody knows what there would be otherwise.
    pub fn mistake(&self) -> Option<String> {
        let is_meant =
            |problem: &&Problem| problem.severity == Severity::Error && problem.file.ends_with(CONFIG_FILE);
        let problem = self.configuration.problems.iter().find(is_meant)?;
        let line = problem.line.map(|line| format!(", line {line}")).unwrap_or_default();
        let file = self.short(&problem.file);
        let parts = [
            format!("{file}{line} can't be used as it is:"),
            problem.message.clone(),
            problem.remedy.clone(),
        ];
        Some(parts.iter().flat_map(|part| part.lines()).map(visible).collect::<Vec<_>>().join("\n"))
    }

    /// How many live, how many of them work, and what all have cost as far as it is known.
    pub fn totals(&self) -> (usize, usize, Option<f64>) {
        let working = self.living().filter(|listed| is_working(&listed.state)).count();
        let costs: Vec<f64> = self.living().filter_map(|listed| listed.tally.cost_usd).collect();
        let cost = (!costs.is_empty()).then(|| costs.iter().sum());
        (self.living().count(), working, cost)
    }
}

fn is_working(state: &State) -> bool {
    matches!(state.word(), "working" | "starting")
}
