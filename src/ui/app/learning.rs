//! What becomes known, and what follows from it.

use std::sync::Arc;

use super::App;
use super::dialog::{Dialog, Guide, Reading};
use super::event::{Configuration, Done, Effect, Moment, News, Purpose};
use super::look::{Role, Shade};
use super::screen::{Reaction, Tab};
use crate::config::edit::{NEW_AGENT, unsaved_key};
use crate::config::{Problem, Severity};
use crate::ui::table::visible;

impl App {
    pub(super) fn learn(&mut self, news: &News, at: Moment) -> Vec<Effect> {
        let selected = self.sessions.selected(&self.world).map(|listed| listed.session);
        let before = Arc::clone(&self.world.configuration);
        self.world.learn(news);
        let mut effects = Vec::new();
        match news {
            News::Sessions(_) => {
                self.sessions.relisted(selected, &self.world);
                effects.extend(self.guide());
            }
            News::Drawn { session, bytes } => {
                self.sessions.panes.of(*session).into_iter().for_each(|pane| pane.feed(bytes, at.instant));
            }
            News::Closed { session, reason } => {
                self.sessions.panes.of(*session).into_iter().for_each(|pane| pane.close(reason.clone()));
            }
            News::Done(done) => self.done(done),
            News::Configuration(configuration) => {
                self.appearance.take(&configuration.config, &before.config);
                self.warn(&configuration.problems, &before.problems);
            }
            // At the start: it is from before.
            News::Unsaved(unsaved) if self.world.sessions.is_none() => self.remind(unsaved.keys()),
            News::Background(background) => {
                self.appearance.terminal.shade = Shade::of(*background);
                self.appearance.settle(&self.world.configuration.config);
            }
            _ => {}
        }
        self.dialogs.iter_mut().for_each(|dialog| dialog.learn(news));
        let (screens, world) = self.screens();
        let reactions: Vec<Reaction> = screens.map(|screen| screen.learn(news, world)).into();
        effects.extend(reactions.into_iter().flat_map(|reaction| self.react(reaction)));
        effects
    }

    /// Work that was never saved would otherwise be found only by whoever opens that very agent.
    fn remind<'k>(&mut self, keys: impl Iterator<Item = &'k String>) {
        let new = unsaved_key(NEW_AGENT);
        let name = |key: &String| if *key == new { "a new agent".to_owned() } else { visible(key) };
        let names: Vec<String> = keys.map(name).collect();
        if !names.is_empty() {
            let text = format!("Not saved, from before: {}. 2 shows the agents.", names.join(", "));
            self.messages.tell(self.world.now, Role::Waiting, text);
        }
    }

    /// What can't be used of config.toml and of themes, once. Agents have a screen that tells it of theirs.
    fn warn(&mut self, problems: &[Problem], before: &[Problem]) {
        let is_new = |problem: &&Problem| {
            let is_setting = problem.file.extension().is_some_and(|extension| extension == "toml");
            is_setting && problem.severity == Severity::Error && !before.contains(problem)
        };
        for problem in problems.iter().filter(is_new) {
            // The whole path would leave no room for what is wrong.
            let file = problem.file.file_name().unwrap_or_default().to_string_lossy();
            let line = problem.line.map(|line| format!(":{line}")).unwrap_or_default();
            let text = format!("{file}{line}: {}\n{}", problem.message, problem.remedy);
            self.messages.tell(self.world.now, Role::Bad, text);
        }
    }

    /// Whoever has nothing yet is shown the first steps, once.
    pub(super) fn guide(&mut self) -> Vec<Effect> {
        let Configuration { config, problems, .. } = self.world.configuration.as_ref();
        let has_none = config.agents.is_empty() && config.providers.is_empty();
        // What can't be read is there all the same.
        let is_new = has_none && problems.is_empty() && self.world.listed().is_empty();
        if !is_new || self.guided || !self.dialogs.is_empty() {
            return Vec::new();
        }
        self.guided = true;
        let (guide, effects) = Guide::new();
        self.dialogs.push(Dialog::Guide(guide));
        effects
    }

    pub(super) fn done(&mut self, done: &Done) {
        let now = self.world.now;
        match &done.task.purpose {
            Purpose::Start | Purpose::Resume => self.started(done),
            Purpose::Tell if done.succeeded() => self.messages.tell(now, Role::Good, done.said()),
            Purpose::Tell => self.messages.tell(now, Role::Bad, done.said()),
            // Whoever waits for it learns of it.
            Purpose::Preview
            | Purpose::Providers
            | Purpose::Doctor
            | Purpose::Agents(_)
            | Purpose::Usage(_)
            | Purpose::Requests(_)
            | Purpose::Models(_)
            | Purpose::Keys
            | Purpose::Try(_)
            | Purpose::Authorise => {}
        }
    }

    /// A session was to be started.
    pub(super) fn started(&mut self, done: &Done) {
        let told = serde_json::from_str::<serde_json::Value>(&done.stdout).unwrap_or_default();
        if let Some(text) = told["ended"]["text"].as_str() {
            self.refuse("it has ended at once");
            // What it said is why.
            let lines = text.trim_end().lines().map(|line| visible(line).into()).collect();
            self.dialogs.push(Dialog::Reading(Reading::new("The session has ended at once", lines)));
        } else if let (Some(session), true) =
            (told["session"].as_str().and_then(|id| id.parse().ok()), done.succeeded())
        {
            self.tab = Tab::Sessions;
            self.sessions.unfilter();
            self.sessions.want(session);
            self.sessions.relisted(None, &self.world);
            if let Some(starting) = &mut self.starting {
                starting.session = Some(session);
            }
        } else {
            self.refuse(done.said());
            self.messages.tell(self.world.now, Role::Bad, done.said());
        }
    }
}
