//! Keys, pasted texts and the mouse: whom each is for.

use ratatui::layout::Position;
use uuid::Uuid;

use super::action::{Action, Place};
use super::dialog::Outcome;
use super::event::Effect;
use super::input::{self, Chord, Input, Mouse};
use super::screen::{Tab, sessions};
use super::{App, pane, widget};
use crate::config::Leader;
use crate::launch::screen::input::{Key, Modifiers, Stroke};
use ratatui::layout::Rect;

impl App {
    pub(super) fn input(&mut self, input: Input) -> Vec<Effect> {
        match input {
            Input::Resize(size) => {
                self.area = Rect::new(0, 0, size.columns(), size.rows());
                Vec::new()
            }
            Input::Key(stroke) => self.key(stroke),
            Input::Paste(text) => self.paste(&text),
            Input::Mouse(mouse) => self.mouse(mouse),
            Input::Focus(focus) => self.type_in(|pane| pane.focus(focus)),
        }
    }

    pub(super) fn key(&mut self, stroke: Stroke) -> Vec<Effect> {
        let chord = Chord::of(stroke);
        if self.dialogs.is_empty() && self.tab == Tab::Sessions {
            match self.sessions.panes.keys() {
                sessions::Keys::Session if is_leader(chord, self.leader()) => {
                    self.sessions.panes.lead();
                    return Vec::new();
                }
                sessions::Keys::Session => return self.type_in(|pane| pane.key(stroke)),
                sessions::Keys::Led => return self.led(chord, stroke),
                sessions::Keys::List => {}
            }
        }
        let place = self.place();
        let action = self.keymap.action(place, chord);
        if !self.dialogs.is_empty() {
            return self.dialog_key(chord, action);
        }
        self.press(chord, action)
    }

    /// A key that isn't typed in a session.
    pub(super) fn press(&mut self, chord: Chord, action: Option<Action>) -> Vec<Effect> {
        if let Some(action) = action
            && let Some(effects) = self.act_everywhere(action)
        {
            return effects;
        }
        let (screen, world) = self.screen_mut();
        let reaction = screen.press(chord, action, world);
        self.react(reaction)
    }

    /// The key after the leader.
    pub(super) fn led(&mut self, chord: Chord, stroke: Stroke) -> Vec<Effect> {
        self.sessions.panes.enter();
        if is_leader(chord, self.leader()) {
            return self.type_in(|pane| pane.key(stroke));
        }
        match self.keymap.action(Place::Leader, chord) {
            Some(Action::Leave) => {
                self.sessions.panes.leave();
                Vec::new()
            }
            Some(action @ (Action::ScrollUp | Action::ScrollDown)) => {
                let page = i16::try_from(self.body().height / 2).unwrap_or(1);
                let lines = if action == Action::ScrollUp { -page } else { page };
                self.sessions.panes.selected_mut().into_iter().for_each(|pane| pane.scroll(lines));
                // The next key may scroll on.
                self.sessions.panes.lead();
                Vec::new()
            }
            Some(action) => self.act(action),
            None => Vec::new(),
        }
    }

    pub(super) fn dialog_key(&mut self, chord: Chord, action: Option<Action>) -> Vec<Effect> {
        let Some(dialog) = self.dialogs.last_mut() else { return Vec::new() };
        match dialog.press(chord, action, &self.world) {
            Outcome::Stays => Vec::new(),
            Outcome::Closes => self.close(),
            Outcome::Does(effects) => effects,
            Outcome::Ends(effects) => {
                self.close();
                effects
            }
            Outcome::Acts(action) => {
                self.close();
                self.act(action)
            }
            Outcome::Shows(session) => {
                self.dialogs.clear();
                self.show(session)
            }
        }
    }

    pub(super) fn close(&mut self) -> Vec<Effect> {
        self.dialogs.pop();
        Vec::new()
    }

    pub(super) fn paste(&mut self, text: &str) -> Vec<Effect> {
        if let Some(dialog) = self.dialogs.last_mut() {
            dialog.paste(text);
            return Vec::new();
        }
        if self.tab != Tab::Sessions || self.sessions.panes.keys() == sessions::Keys::List {
            let (screen, world) = self.screen_mut();
            screen.paste(text);
            let reaction = screen.pasted(world);
            return self.react(reaction);
        }
        self.type_in(|pane| pane.paste(text))
    }

    pub(super) fn mouse(&mut self, mouse: Mouse) -> Vec<Effect> {
        let at = Position { x: mouse.column, y: mouse.row };
        if !self.dialogs.is_empty() || self.tab != Tab::Sessions {
            return Vec::new();
        }
        let places = sessions::Places::of(self.body(), self.sessions.panes.keys());
        let list = widget::inner(places.list);
        let is_press =
            matches!(mouse.did, input::Did::Button(crate::launch::screen::input::Action::Press(_)));
        if list.contains(at) && is_press {
            self.sessions.panes.leave();
            self.sessions.click(mouse.row - list.y, list.height, &self.world);
            return Vec::new();
        }
        let over = self.sessions.panes.places(places.panes).into_iter().find(|(_, place)| place.contains(at));
        let Some((session, place)) = over.map(|(pane, place)| (pane.session, widget::inner(place))) else {
            return Vec::new();
        };
        if is_press && self.sessions.panes.keys() == sessions::Keys::List {
            self.sessions.want(session);
            self.sessions.relisted(None, &self.world);
            self.sessions.panes.enter();
        }
        let Some(pane) = self.sessions.panes.of(session) else { return Vec::new() };
        typed(session, pane.mouse(mouse, place))
    }

    /// What is typed in the session that has the keys.
    pub(super) fn type_in(&mut self, bytes: impl FnOnce(&mut pane::Pane) -> Vec<u8>) -> Vec<Effect> {
        if self.sessions.panes.keys() == sessions::Keys::List {
            return Vec::new();
        }
        let Some(pane) = self.sessions.panes.selected_mut() else { return Vec::new() };
        let session = pane.session;
        typed(session, bytes(pane))
    }
}

fn typed(session: Uuid, bytes: Vec<u8>) -> Vec<Effect> {
    if bytes.is_empty() { Vec::new() } else { vec![Effect::Type { session, bytes }] }
}

fn is_leader(chord: Chord, leader: Leader) -> bool {
    chord == Chord(Key::Character(leader.sign()), Modifiers::CONTROL)
}
