//! Who looks at a session, and what each of them gets to see. No IO, no clock.
//!
//! The one who last typed, attached or resized has the say: the session is as large as that terminal. Those who only
//! look have none, but where nobody else is attached, the last of them counts. Terminals of the session's size get the
//! child's own output; all others get repaints, cut to their size.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::guest::{Id, Tray};
use super::peer::Origin;
use super::protocol::{Ended, Stance, Tell};
use super::relay::relay;
use crate::launch::screen::{Screen, Size};

/// All guests of a host.
#[derive(Debug, Default)]
pub(super) struct Audience {
    guests: BTreeMap<Id, Guest>,
    next: Id,
    /// Who has the say.
    active: Option<Id>,
}

#[derive(Debug, Default)]
struct Guest {
    tray: Arc<Tray>,
    origin: Origin,
    /// The size of its terminal; `None`: it isn't attached.
    size: Option<Size>,
    stance: Stance,
    view: View,
    watches: bool,
}

/// What a terminal of another size shows.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
enum View {
    #[default]
    Current,
    /// Something was drawn since.
    Stale,
}

impl Audience {
    /// A new guest, with what will wait for it.
    pub(super) fn enter(&mut self, origin: Origin) -> (Id, Arc<Tray>) {
        let tray = Arc::<Tray>::default();
        self.next += 1;
        self.guests.insert(self.next, Guest { tray: Arc::clone(&tray), origin, ..Guest::default() });
        (self.next, tray)
    }

    /// Where the guest's process comes from: not all may do everything.
    pub(super) fn origin(&self, id: Id) -> Origin {
        self.guests.get(&id).map_or(Origin::Session, |guest| guest.origin)
    }

    /// If it had the say, the last of the others has it.
    pub(super) fn leave(&mut self, id: Id) {
        self.guests.remove(&id);
        self.hand_on(id);
    }

    /// Whoever doesn't work any more has no say.
    fn hand_on(&mut self, id: Id) {
        let last = self.last(|guest| guest.stance == Stance::Works);
        self.active = self.active.filter(|active| *active != id).or(last);
    }

    /// Of the attached ones of this kind, the one who came last.
    fn last(&self, is_it: impl Fn(&Guest) -> bool) -> Option<Id> {
        let mut attached = self.guests.iter().filter(|(_, guest)| guest.size.is_some());
        attached.rfind(|(_, guest)| is_it(guest)).map(|(id, _)| *id)
    }

    pub(super) fn tray(&self, id: Id) -> Option<&Tray> {
        self.guests.get(&id).map(|guest| &*guest.tray)
    }

    /// How many terminals are attached.
    pub(super) fn attached(&self) -> usize {
        self.guests.values().filter(|guest| guest.size.is_some()).count()
    }

    /// Whether somebody sees the session through a terminal of its own.
    pub(super) fn is_attached(&self, id: Id) -> bool {
        self.guests.get(&id).is_some_and(|guest| guest.size.is_some())
    }

    /// The guest has a terminal of this size, and is there to work or to look.
    pub(super) fn attach(&mut self, id: Id, size: Size, stance: Stance) {
        if let Some(guest) = self.guests.get_mut(&id) {
            guest.stance = stance;
        }
        self.resize(id, size);
        if stance == Stance::Looks {
            self.hand_on(id);
        }
    }

    /// The guest's terminal has this size now.
    pub(super) fn resize(&mut self, id: Id, size: Size) {
        if let Some(guest) = self.guests.get_mut(&id) {
            guest.size = Some(size);
        }
        self.act(id);
    }

    /// The guest does something: it has the say from now on, unless it only looks.
    pub(super) fn act(&mut self, id: Id) {
        let works = |guest: &Guest| guest.size.is_some() && guest.stance == Stance::Works;
        if self.guests.get(&id).is_some_and(works) {
            self.active = Some(id);
        }
    }

    /// How large the session is to be; `None`: nobody sees it.
    pub(super) fn size(&self) -> Option<Size> {
        let id = self.active.or_else(|| self.last(|_| true))?;
        self.guests.get(&id)?.size
    }

    pub(super) fn watch(&mut self, id: Id) {
        if let Some(guest) = self.guests.get_mut(&id) {
            guest.watches = true;
        }
    }

    pub(super) fn tell_watchers(&self, tell: &Tell) {
        self.guests.values().filter(|guest| guest.watches).for_each(|guest| guest.tray.tell(tell));
    }

    /// The child has drawn something on a screen of this size; gives whether there is somebody to be repainted.
    pub(super) fn draw(&mut self, output: &[u8], size: Size) -> Attention {
        let mut relayed = None;
        let mut attention = Attention::None;
        for guest in self.guests.values_mut() {
            if guest.size == Some(size) {
                guest.tray.draw(relayed.get_or_insert_with(|| relay(output)));
            } else if guest.size.is_some() {
                guest.view = View::Stale;
                attention = Attention::Due;
            }
        }
        attention
    }

    /// Draws everything anew for everyone.
    pub(super) fn repaint(&mut self, screen: &Screen) {
        self.guests.values_mut().for_each(|guest| guest.repaint(screen));
    }

    /// The same for one of them.
    pub(super) fn repaint_for(&mut self, id: Id, screen: &Screen) {
        if let Some(guest) = self.guests.get_mut(&id) {
            guest.repaint(screen);
        }
    }

    /// The same for those whose terminals have another size and show something old.
    pub(super) fn repaint_stale(&mut self, screen: &Screen) {
        let stale = self.guests.values_mut().filter(|guest| guest.view == View::Stale);
        stale.for_each(|guest| guest.repaint(screen));
    }

    /// Has the terminals tell the person something (OSC 9), which those do whose window isn't looked at.
    pub(super) fn notify(&self, text: &str) {
        let bytes = format!("\x1b]9;{text}\x07");
        let attached = self.guests.values().filter(|guest| guest.size.is_some());
        attached.for_each(|guest| guest.tray.draw(bytes.as_bytes()));
    }

    /// Tells all attached terminals, which aren't attached any more.
    pub(super) fn release(&mut self, tell: &Tell) {
        for guest in self.guests.values_mut().filter(|guest| guest.size.is_some()) {
            guest.size = None;
            guest.tray.tell(tell);
        }
        self.active = None;
    }

    /// Tells everyone the end, and that nothing comes after it.
    pub(super) fn dismiss(&self, ended: &Ended) {
        for guest in self.guests.values() {
            guest.tray.tell(&Tell::Ended(ended.clone()));
            guest.tray.close();
        }
    }
}

/// Whether terminals wait for a repaint.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Attention {
    None,
    Due,
}

impl Guest {
    fn repaint(&mut self, screen: &Screen) {
        let Some(size) = self.size else { return };
        self.view = View::Current;
        let mut bytes = screen.repaint(size);
        if size == screen.size() {
            bytes.extend(relay(&screen.open_frame()));
        }
        self.tray.draw_anew(&bytes);
    }
}

#[cfg(test)]
mod tests {
    use std::time::Instant;

    use super::*;

    fn size(columns: u16) -> Size {
        Size::new(columns, 5)
    }

    #[test]
    fn the_last_one_who_acts_has_the_say() {
        let mut audience = Audience::default();
        let [(first, _), (second, _), (asking, _)] = [(); 3].map(|()| audience.enter(Origin::Person));
        assert_eq!(audience.size(), None);
        audience.resize(first, size(80));
        audience.resize(second, size(100));
        assert_eq!((audience.size(), audience.attached()), (Some(size(100)), 2));
        audience.act(asking);
        assert_eq!(audience.size(), Some(size(100)), "one without a terminal has no say");
        audience.act(first);
        assert_eq!(audience.size(), Some(size(80)));
        audience.leave(first);
        assert_eq!(audience.size(), Some(size(100)), "the others see the session whole");
        audience.leave(second);
        assert_eq!(audience.size(), None);
    }

    #[test]
    fn whoever_only_looks_has_a_say_where_nobody_works() {
        let mut audience = Audience::default();
        let [(works, _), (looks, _)] = [(); 2].map(|()| audience.enter(Origin::Person));
        audience.attach(looks, size(50), Stance::Looks);
        assert_eq!(audience.size(), Some(size(50)));
        audience.attach(works, size(100), Stance::Works);
        audience.act(looks);
        audience.resize(looks, size(60));
        assert_eq!(audience.size(), Some(size(100)));
        audience.attach(looks, size(60), Stance::Works);
        assert_eq!(audience.size(), Some(size(60)), "it works now");
        audience.attach(looks, size(60), Stance::Looks);
        assert_eq!(audience.size(), Some(size(100)), "and not any more");
        audience.leave(works);
        assert_eq!(audience.size(), Some(size(60)));
    }

    #[test]
    fn a_terminal_of_another_size_is_repainted_and_the_others_follow() {
        let mut screen = Screen::new(size(20));
        let mut audience = Audience::default();
        let (same, _) = audience.enter(Origin::Person);
        audience.resize(same, size(20));
        assert_eq!(audience.draw(&screen.feed(b"a\x1b[c", Instant::now()), size(20)), Attention::None);
        let (other, _) = audience.enter(Origin::Person);
        audience.resize(other, size(10));
        assert_eq!(audience.draw(&screen.feed(b"b", Instant::now()), size(20)), Attention::Due);
        let drawn = |id: Id| audience.tray(id).unwrap().drawn();
        assert_eq!(drawn(same), b"ab");
        assert_eq!(drawn(other), b"");
        audience.repaint_stale(&screen);
        let drawn = |id: Id| audience.tray(id).unwrap().drawn();
        assert_eq!(drawn(same), b"ab");
        assert_eq!(drawn(other), screen.repaint(size(10)));
    }
}
