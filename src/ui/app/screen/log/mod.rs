//! Requests one by one, for every screen that lists some. Only what is seen of them is formatted.

mod columns;
mod detail;
mod draw;
mod order;
#[cfg(test)]
mod tests;

use std::collections::VecDeque;
use std::sync::Arc;

use uuid::Uuid;

use super::{Reaction, Wish};
use crate::ledger::Request;
use crate::ui::app::action::Action;
use crate::ui::app::dialog::{Dialog, Reading};
use crate::ui::app::event::{Effect, KEPT_REQUESTS};
use crate::ui::app::input::Chord;
use crate::ui::app::widget::{Filter, List, Step};
use crate::ui::app::world::World;
pub use draw::{Frame, draw, time};
use order::Order;

/// Requests in the order in which they came, and which of them are shown how. Each has a number, which counts all
/// that ever came here.
#[derive(Default)]
pub struct Log {
    rows: VecDeque<Arc<Request>>,
    /// The number of the first row that is left.
    first: u64,
    /// The numbers of those that are shown, in the order that is chosen.
    shown: VecDeque<u64>,
    list: List,
    filter: Filter,
    order: Order,
    flow: Flow,
    /// Only this session's.
    scope: Option<String>,
    /// Older ones that aren't here, because there are so many.
    pub older: u64,
    /// Requests that could not be kept.
    pub lost: u64,
}

/// Whether new rows are shown, and where the selection is then.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
enum Flow {
    /// At the newest.
    #[default]
    Follows,
    /// Where the person has put it.
    Stays,
    /// None is shown from this number on.
    Paused { from: u64 },
}

impl Log {
    /// Adds rows that are newer than all that are here. Rows that aren't show that the ledger began anew.
    pub fn take(&mut self, rows: &[Arc<Request>]) {
        let is_newer = |new: &Arc<Request>| self.rows.back().is_none_or(|last| last.id < new.id);
        if !rows.first().is_none_or(is_newer) {
            self.first += self.rows.len() as u64;
            self.rows.clear();
        }
        let selected = self.selected_number();
        let before = self.end();
        self.rows.extend(rows.iter().cloned());
        let surplus = self.rows.len().saturating_sub(KEPT_REQUESTS as usize);
        self.rows.drain(..surplus);
        self.first += surplus as u64;
        self.older += surplus as u64;
        self.admit(before);
        self.reselect(selected);
    }

    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// Whether a text is typed here.
    pub fn is_typed_in(&self) -> bool {
        self.filter.is_typed()
    }

    pub fn paste(&mut self, text: &str) {
        self.filter.paste(text);
        self.arrange();
    }

    /// Shows one session's rows only, or all.
    pub fn confine(&mut self, scope: Option<Uuid>) {
        let scope = scope.map(|session| session.to_string());
        if scope != self.scope {
            self.scope = scope;
            self.arrange();
        }
    }

    pub fn selected(&self) -> Option<&Arc<Request>> {
        self.selected_number().and_then(|number| self.row(number))
    }

    /// What a key means here; what isn't known here is given back.
    pub fn press(&mut self, chord: Chord, action: Option<Action>, world: &World) -> Result<Reaction, Action> {
        let was_typed = self.filter.is_typed();
        let Some(action) = self.filter.press(chord, action) else {
            if was_typed {
                self.arrange();
            }
            return Ok(Reaction::default());
        };
        if let Some(step) = Step::of(action) {
            self.step(step);
            return Ok(Reaction::default());
        }
        match action {
            Action::Filter => self.filter.begin(),
            Action::Back => {
                if !self.filter.end() {
                    return Err(action);
                }
                self.arrange();
            }
            Action::Sort => {
                self.order = self.order.next();
                self.arrange();
            }
            Action::Pause => self.pause(),
            Action::Follow => self.follow(),
            Action::Open => return Ok(self.open(world)),
            Action::Copy => return Ok(self.copy(world)),
            action => return Err(action),
        }
        Ok(Reaction::default())
    }

    fn row(&self, number: u64) -> Option<&Arc<Request>> {
        let at = number.checked_sub(self.first)?;
        self.rows.get(usize::try_from(at).ok()?)
    }

    /// The number that the next row will have.
    fn end(&self) -> u64 {
        self.first + self.rows.len() as u64
    }

    fn selected_number(&self) -> Option<u64> {
        self.list.selected(self.shown.len()).map(|at| self.shown[at])
    }

    fn keeps(&self, number: u64) -> bool {
        let Some(row) = self.row(number) else { return false };
        self.scope.as_ref().is_none_or(|scope| *scope == row.session)
            && self.filter.keeps(&columns::texts(row))
    }

    /// Shows the rows from this number on, unless it is held still; and none that isn't here any more.
    fn admit(&mut self, from: u64) {
        let first = self.first;
        match (self.flow, self.order) {
            (Flow::Paused { .. }, _) => self.shown.retain(|number| *number >= first),
            (_, Order::Time) => {
                while self.shown.front().is_some_and(|number| *number < first) {
                    self.shown.pop_front();
                }
                let new: Vec<u64> =
                    (from.max(first)..self.end()).filter(|number| self.keeps(*number)).collect();
                self.shown.extend(new);
            }
            _ => self.rebuild(),
        }
    }

    /// Chooses anew what is shown, and in which order. The selected row stays selected.
    fn arrange(&mut self) {
        let selected = self.selected_number();
        self.rebuild();
        self.reselect(selected);
    }

    fn rebuild(&mut self) {
        let end = match self.flow {
            Flow::Paused { from } => from,
            _ => self.end(),
        };
        let mut shown: Vec<u64> = (self.first..end).filter(|number| self.keeps(*number)).collect();
        if self.order != Order::Time {
            let row = |number: u64| self.row(number).map(Arc::as_ref);
            shown.sort_by(|a, b| self.order.compare(row(*a), row(*b)).then(b.cmp(a)));
        }
        self.shown = shown.into();
    }

    fn reselect(&mut self, selected: Option<u64>) {
        let last = self.shown.len().saturating_sub(1);
        let place = match (self.flow, self.order, selected) {
            (Flow::Follows, Order::Time, _) => Some(last),
            (_, Order::Time, Some(number)) => {
                Some(self.shown.partition_point(|shown| *shown < number).min(last))
            }
            (_, _, Some(number)) => self.shown.iter().position(|shown| *shown == number),
            (_, _, None) => None,
        };
        self.list.select(place.unwrap_or(0));
    }

    /// Who goes to the newest row stays there.
    fn step(&mut self, step: Step) {
        let length = self.shown.len();
        self.list.step(step, length);
        if matches!(self.flow, Flow::Paused { .. }) {
            return;
        }
        let is_last = self.list.selected(length).is_none_or(|at| at + 1 == length);
        self.flow = if is_last && self.order == Order::Time { Flow::Follows } else { Flow::Stays };
    }

    fn pause(&mut self) {
        self.flow = match self.flow {
            Flow::Paused { .. } => Flow::Stays,
            _ => Flow::Paused { from: self.end() },
        };
        self.arrange();
    }

    /// The newest row is the last in the order of time only.
    fn follow(&mut self) {
        self.flow = match (self.flow, self.order) {
            (Flow::Follows, Order::Time) => Flow::Stays,
            _ => Flow::Follows,
        };
        if self.flow == Flow::Follows {
            self.order = Order::Time;
        }
        self.arrange();
    }

    fn open(&self, world: &World) -> Reaction {
        let Some(row) = self.selected() else { return Reaction::default() };
        let lines = detail::lines(row, world.clock().time_zone()).into_iter().map(Into::into).collect();
        Wish::Open(Box::new(Dialog::Reading(Reading::new("Request", lines)))).into()
    }

    fn copy(&self, world: &World) -> Reaction {
        let Some(row) = self.selected() else { return Reaction::default() };
        let effects = vec![Effect::Copy(detail::lines(row, world.clock().time_zone()).join("\n"))];
        Reaction { effects, wish: Wish::Say("The request is on the clipboard.".to_owned()) }
    }
}
