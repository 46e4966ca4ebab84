//! Keys, pasted texts and the mouse: whom each is for.

use ratatui::layout::{Position, Rect};
use uuid::Uuid;

use super::action::{Action, Place};
use super::dialog::Outcome;
use super::event::Effect;
use super::input::{Chord, Did, Input, Mouse};
use super::screen::{Tab, sessions};
use super::widget::{Press, inner};
use super::{App, pane};
use crate::config::Leader;
use crate::launch::screen::input::{self, Action as Button, Key, Modifiers, Stroke};

impl App {
    pub(super) fn input(&mut self, input: Input) -> Vec<Effect> {
        self.settle();
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

    /// Whoever went beyond the end of a text goes on from there, and so does whoever it has become shorter for.
    fn settle(&mut self) {
        if self.page_mut().is_some_and(|page| !page.is_at_its_top())
            && let (_, Some(seen)) = self.sketch()
        {
            self.page_mut().into_iter().for_each(|page| *page = seen);
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
        self.messages.go_on();
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
            Outcome::Stays => self.act_over(action),
            Outcome::Closes => self.close(),
            Outcome::Does(effects) => effects,
            Outcome::Ends(effects) => {
                self.close();
                effects
            }
            Outcome::Starts(effect) => {
                self.start();
                vec![effect]
            }
            Outcome::Acts(action) => {
                self.close();
                self.act(action)
            }
            Outcome::Tries(theme) => self.try_on(Some(theme)),
            Outcome::Looks(theme) => {
                self.close();
                self.try_on(theme)
            }
            Outcome::Shows(session) => {
                self.dialogs.clear();
                self.show(session)
            }
        }
    }

    /// What can be had over whatever has the keys.
    fn act_over(&mut self, action: Option<Action>) -> Vec<Effect> {
        let anywhere = [Action::Help, Action::Palette, Action::Messages, Action::Redraw];
        let action = action.filter(|action| anywhere.contains(action));
        action.and_then(|action| self.act_everywhere(action)).unwrap_or_default()
    }

    fn try_on(&mut self, theme: Option<String>) -> Vec<Effect> {
        self.appearance.try_on(theme, &self.world.configuration.config);
        Vec::new()
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
        if let Some((session, place)) = self.pane_at(at) {
            return self.mouse_in(session, mouse, place);
        }
        let presses = match mouse.did {
            Did::Button(Button::Press(input::Button::Left)) => self.sketch().0.clicked(at),
            Did::Wheel(lines) => self.sketch().0.turned(at, lines),
            Did::Button(_) => Vec::new(),
        };
        presses.into_iter().flat_map(|press| self.stand_in(press)).collect()
    }

    /// The pane that is drawn there, and its room.
    fn pane_at(&self, at: Position) -> Option<(Uuid, Rect)> {
        if !self.dialogs.is_empty() || self.tab != Tab::Sessions {
            return None;
        }
        let places = sessions::Places::of(self.body(), self.sessions.panes.keys());
        let panes = self.sessions.panes.places(places.panes).into_iter();
        panes.filter(|(_, place)| place.contains(at)).map(|(pane, place)| (pane.session, inner(place))).next()
    }

    fn mouse_in(&mut self, session: Uuid, mouse: Mouse, place: Rect) -> Vec<Effect> {
        let is_press = matches!(mouse.did, Did::Button(Button::Press(_)));
        if is_press && self.sessions.panes.keys() == sessions::Keys::List {
            self.sessions.want(session);
            self.sessions.relisted(None, &self.world);
            self.sessions.panes.enter();
        }
        let Some(pane) = self.sessions.panes.of(session) else { return Vec::new() };
        typed(session, pane.mouse(mouse, place))
    }

    /// What the mouse stands in for.
    fn stand_in(&mut self, press: Press) -> Vec<Effect> {
        match press {
            Press::Does(action, times) => (0..times).flat_map(|_| self.act(action)).collect(),
            Press::Types(Chord(key, modifiers), times) => {
                (0..times).flat_map(|_| self.key(Stroke::new(key, modifiers))).collect()
            }
        }
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

pub(super) fn is_leader(chord: Chord, leader: Leader) -> bool {
    chord == Chord(Key::Character(leader.sign()), Modifiers::CONTROL)
}
