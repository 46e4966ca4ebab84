//! The sessions that are shown beside the list: the selected one, and those that are tiled with it.

use std::time::Instant;

use ratatui::layout::{Constraint, Layout, Rect};
use uuid::Uuid;

use crate::launch::host::protocol::Stance;
use crate::launch::screen::Size;
use crate::ui::app::event::Effect;
use crate::ui::app::pane::Pane;
use crate::ui::app::widget::inner;

/// As many fit beside one another.
const TILES: usize = 4;

/// What is shown, and which of it has the keys.
#[derive(Default)]
pub struct Panes {
    shown: Vec<Pane>,
    /// Those that stay when another is selected.
    tiled: Vec<Uuid>,
    /// The one that the list has selected.
    selected: Option<Uuid>,
    keys: Keys,
    /// The one that has the keys, as its host knows it.
    worked_in: Option<Uuid>,
}

/// Where keys go.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Keys {
    #[default]
    List,
    Session,
    /// To the session, but the leader was pressed.
    Led,
}

impl Panes {
    pub fn keys(&self) -> Keys {
        self.keys
    }

    /// All keys go to the selected session.
    pub fn enter(&mut self) {
        self.keys = Keys::Session;
    }

    pub fn lead(&mut self) {
        self.keys = Keys::Led;
    }

    pub fn leave(&mut self) {
        self.keys = Keys::List;
    }

    pub fn selected(&self) -> Option<&Pane> {
        self.shown.iter().find(|pane| Some(pane.session) == self.selected)
    }

    pub fn selected_mut(&mut self) -> Option<&mut Pane> {
        self.shown.iter_mut().find(|pane| Some(pane.session) == self.selected)
    }

    pub fn of(&mut self, session: Uuid) -> Option<&mut Pane> {
        self.shown.iter_mut().find(|pane| pane.session == session)
    }

    pub fn all(&self) -> &[Pane] {
        &self.shown
    }

    /// A session stays beside the others, or not any more.
    pub fn tile(&mut self, session: Uuid) {
        match self.tiled.iter().position(|tiled| *tiled == session) {
            Some(at) => drop(self.tiled.remove(at)),
            None if self.tiled.len() + 1 < TILES => self.tiled.push(session),
            None => {}
        }
    }

    pub fn is_tiled(&self, session: Uuid) -> bool {
        self.tiled.contains(&session)
    }

    /// Shows the selected and the tiled ones that live, in the area.
    pub fn settle(
        &mut self,
        selected: Option<Uuid>,
        lives: impl Fn(Uuid) -> bool,
        area: Rect,
    ) -> Vec<Effect> {
        self.tiled.retain(|session| lives(*session));
        self.selected = selected;
        if selected.is_none() {
            self.keys = Keys::List;
        }
        let mut wanted = self.tiled.clone();
        wanted.extend(selected.filter(|session| !self.tiled.contains(session)));
        let mut effects = Vec::new();
        let (kept, gone): (Vec<Pane>, Vec<Pane>) =
            std::mem::take(&mut self.shown).into_iter().partition(|pane| wanted.contains(&pane.session));
        effects.extend(gone.into_iter().map(|pane| Effect::Detach { session: pane.session }));
        self.shown = kept;
        for (session, place) in wanted.iter().zip(tiles(area, wanted.len())) {
            effects.extend(self.fit(*session, inner(place)));
        }
        self.shown.sort_by_key(|pane| wanted.iter().position(|session| *session == pane.session));
        effects.extend(self.stand());
        effects
    }

    /// A session that is only looked at keeps the size that it has elsewhere.
    fn stand(&mut self) -> Vec<Effect> {
        let now = self.selected().filter(|_| self.keys != Keys::List).map(|pane| pane.session);
        let before = std::mem::replace(&mut self.worked_in, now);
        let stand = |session, stance| Effect::Stand { session, stance };
        let left = before.filter(|before| now != Some(*before) && self.of(*before).is_some());
        let entered = now.filter(|now| before != Some(*now));
        let left = left.map(|session| stand(session, Stance::Looks));
        left.into_iter().chain(entered.map(|session| stand(session, Stance::Works))).collect()
    }

    /// Each pane with its place.
    pub fn places(&self, area: Rect) -> Vec<(&Pane, Rect)> {
        self.shown.iter().zip(tiles(area, self.shown.len())).collect()
    }

    /// When something has to be drawn although nothing comes.
    pub fn deadline(&self) -> Option<Instant> {
        self.shown.iter().filter_map(Pane::deadline).min()
    }

    pub fn tick(&mut self, now: Instant) {
        self.shown.iter_mut().for_each(|pane| pane.tick(now));
    }

    /// A pane of this size for the session.
    fn fit(&mut self, session: Uuid, room: Rect) -> Option<Effect> {
        if room.is_empty() {
            return None;
        }
        let size = Size::new(room.width, room.height);
        match self.of(session) {
            Some(pane) if pane.size() == size => None,
            Some(pane) => {
                pane.resize(size);
                Some(Effect::Resize { session, size })
            }
            None => {
                self.shown.push(Pane::new(session, size));
                Some(Effect::Attach { session, size })
            }
        }
    }
}

/// The area in so many parts: side by side, from three on in two rows.
fn tiles(area: Rect, count: usize) -> Vec<Rect> {
    let split = |area: Rect, count: usize, across: bool| {
        let parts = vec![Constraint::Fill(1); count];
        let layout = if across { Layout::horizontal(parts) } else { Layout::vertical(parts) };
        layout.split(area).to_vec()
    };
    match count {
        0 => Vec::new(),
        1 | 2 => split(area, count, true),
        _ => {
            let rows = split(area, 2, false);
            let above = count.div_ceil(2);
            [split(rows[0], above, true), split(rows[1], count - above, true)].concat()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const AREA: Rect = Rect { x: 0, y: 0, width: 80, height: 24 };

    fn id(number: u128) -> Uuid {
        Uuid::from_u128(number)
    }

    #[test]
    fn the_selected_one_is_shown_and_the_tiled_ones_stay() {
        let mut panes = Panes::default();
        let all = |_| true;
        let whole = Size::new(78, 22);
        assert_eq!(panes.settle(Some(id(1)), all, AREA), [Effect::Attach { session: id(1), size: whole }]);
        assert_eq!(panes.settle(Some(id(1)), all, AREA), []);
        panes.tile(id(1));
        let half = Size::new(38, 22);
        let effects = panes.settle(Some(id(2)), all, AREA);
        let resized = Effect::Resize { session: id(1), size: half };
        assert_eq!(effects, [resized, Effect::Attach { session: id(2), size: half }]);
        let effects = panes.settle(None, |session| session == id(2), AREA);
        assert_eq!(effects, [Effect::Detach { session: id(1) }, Effect::Detach { session: id(2) }]);
        assert!(panes.all().is_empty());
    }

    #[test]
    fn no_room_shows_nothing() {
        let mut panes = Panes::default();
        assert_eq!(panes.settle(Some(id(1)), |_| true, Rect { width: 2, ..AREA }), []);
    }

    #[test]
    fn who_has_the_keys_is_worked_in_and_the_others_are_looked_at() {
        let mut panes = Panes::default();
        let all = |_| true;
        panes.settle(Some(id(1)), all, AREA);
        let stand = |number, stance| Effect::Stand { session: id(number), stance };
        panes.tile(id(1));
        panes.enter();
        assert_eq!(panes.settle(Some(id(1)), all, AREA), [stand(1, Stance::Works)]);
        panes.lead();
        assert_eq!(panes.settle(Some(id(1)), all, AREA), []);
        let effects = panes.settle(Some(id(2)), all, AREA);
        assert_eq!(effects[2..], [stand(1, Stance::Looks), stand(2, Stance::Works)]);
        panes.leave();
        assert_eq!(panes.settle(Some(id(2)), all, AREA), [stand(2, Stance::Looks)]);
    }

    #[test]
    fn who_has_gone_has_no_keys() {
        let mut panes = Panes::default();
        panes.settle(Some(id(1)), |_| true, AREA);
        panes.enter();
        panes.settle(Some(id(1)), |_| true, AREA);
        assert_eq!(panes.settle(None, |_| false, AREA), [Effect::Detach { session: id(1) }]);
        assert_eq!(panes.keys(), Keys::List);
    }
}
