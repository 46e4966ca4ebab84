//! What keys do.

use super::draft::Draft;
use super::tree::{Fold, Row};
use super::trial::Trial;
use super::{Routes, asked, open, review, say};
use crate::config::RouteId;
use crate::ui::app::action::Action;
use crate::ui::app::dialog::{Confirm, Dialog, Providers, Review};
use crate::ui::app::event::{Effect, Purpose, Task};
use crate::ui::app::screen::Reaction;
use crate::ui::app::widget::{Page, Step};
use crate::ui::app::world::World;

impl Routes {
    pub(super) fn act(&mut self, action: Action, world: &World) -> Reaction {
        if let Some(page) = &mut self.opened {
            match (action, Step::of(action)) {
                (_, Some(step)) => {
                    page.step(step);
                    return Reaction::default();
                }
                (Action::Back | Action::Open | Action::Left, _) => {
                    self.opened = None;
                    return Reaction::default();
                }
                _ => {}
            }
        }
        if let Some(step) = Step::of(action) {
            self.list.step(step, self.tree.rows.len());
            self.held = self.selected().cloned();
            return Reaction::default();
        }
        let policy = &world.configuration.config.policy;
        match action {
            Action::Policy => self.draft.switch(policy),
            Action::Filter => self.filter.begin(),
            Action::Back => {
                let reaction = self.back();
                self.settle(world);
                return reaction;
            }
            Action::Discard => self.draft = Draft::default(),
            Action::Save => return self.save(world),
            Action::New => self.begin_to_add(),
            Action::AddProvider => {
                return open(Dialog::Providers(Providers::new(&world.configuration.config)));
            }
            Action::ReloadAll => {
                let providers = world.configuration.config.providers.keys();
                return asked(self.catalogues.ask(providers));
            }
            action => {
                return match self.selected().cloned() {
                    Some(row) => self.act_on(action, row, world),
                    None => Reaction::default(),
                };
            }
        }
        self.settle(world);
        Reaction::default()
    }

    fn act_on(&mut self, action: Action, row: Row, world: &World) -> Reaction {
        let config = &world.configuration.config;
        match (action, row) {
            (Action::Reload, row) if config.providers.contains_key(row.provider()) => {
                return asked(self.catalogues.ask(std::iter::once(row.provider())));
            }
            (Action::Toggle, Row::Route(route)) => self.draft.toggle(&config.policy, &route),
            (Action::Test, Row::Route(route)) => return self.test(route),
            (Action::Toggle, _) => return say("Enter opens it; single models are ticked."),
            (Action::Test, _) => return say("Enter opens it; a single model is tried."),
            (Action::Open, Row::Route(_)) => self.opened = Some(Page::default()),
            (Action::Left, Row::Route(route)) => self.climb(&route),
            (Action::Left, row) => self.put(row, Fold::Closed),
            (Action::Right, row @ (Row::Provider(_) | Row::Catalogue(_))) => self.put(row, Fold::Open),
            (Action::Open, row) => self.turn(row),
            _ => {}
        }
        self.settle(world);
        Reaction::default()
    }

    pub(super) fn put(&mut self, row: Row, fold: Fold) {
        self.folds.insert(row, fold);
    }

    /// Opens or closes a branch.
    fn turn(&mut self, row: Row) {
        let below = self.tree.listed(row.provider()).len();
        let fold = match self.fold(&row, below) {
            Fold::Open => Fold::Closed,
            Fold::Closed => Fold::Open,
        };
        self.put(row, fold);
    }

    /// From a route to the branch that it is in.
    fn climb(&mut self, route: &RouteId) {
        let rows = &self.tree.rows;
        let at = self.list.selected(rows.len()).unwrap_or(0);
        let branch = rows[..at].iter().rev().find(|row| !matches!(row, Row::Route(_)));
        self.held = branch.or(rows.first()).cloned().or(Some(Row::Route(route.clone())));
    }

    fn back(&mut self) -> Reaction {
        if self.filter.end() || self.draft.is_empty() {
            return Reaction::default();
        }
        let question = format!("Forget what isn't saved ({})?", self.draft.words());
        open(Dialog::Confirm(Confirm::acting(question, Action::Discard)))
    }

    /// Shows what saving comes to, if there is something and it can be saved.
    fn save(&self, world: &World) -> Reaction {
        let policy = &world.configuration.config.policy;
        if self.draft.is_empty() {
            return say("Nothing was changed.");
        }
        if self.draft.enabled(policy) && self.draft.list(policy).is_empty() {
            return say("A policy that is on needs a route: tick one, or switch it off by p.");
        }
        let task = Task {
            purpose: Purpose::Authorise,
            arguments: self.draft.arguments(policy),
            input: None,
            folder: None,
        };
        let text = review::text(&self.draft, world);
        open(Dialog::Review(Review::new("Save the policy?", text, Effect::Run(task))))
    }

    fn test(&mut self, route: RouteId) -> Reaction {
        if self.trials.get(&route).is_some_and(|trial| trial.end.is_none()) {
            return say("It is being tried already.");
        }
        let effect = Trial::of(&route);
        self.trials.insert(route, Trial::default());
        effect.into()
    }
}
