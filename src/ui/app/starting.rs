//! A session that is being started or taken up again: what is typed meanwhile is for it.

use uuid::Uuid;

use super::App;
use super::dialog::{Dialog, Launch};
use super::event::{Effect, Purpose};
use super::input::{Chord, Did, Input, Mouse};
use super::look::Role;
use super::pane;
use super::screen::Tab;
use super::typing::is_leader;
use crate::launch::screen::input::Action as Button;

/// What was typed for a session that can't take it yet.
#[derive(Default)]
pub(super) struct Starting {
    /// Which; `None`: the command that starts it hasn't told.
    pub(super) session: Option<Uuid>,
    /// Keys and pasted texts, the first one first.
    typed: Vec<Input>,
    /// What it is started from, to be mended if it can't be.
    pub(super) form: Option<Box<Launch>>,
}

impl App {
    /// If a session is to be taken up again, what is typed from now on is kept for it.
    pub(super) fn expect(&mut self, effects: &[Effect]) {
        let resumes =
            |effect: &Effect| matches!(effect, Effect::Run(task) if task.purpose == Purpose::Resume);
        if effects.iter().any(resumes) {
            self.starting = Some(Starting::default());
        }
    }

    /// The form that is shown starts a session: it goes, and comes back if that fails.
    pub(super) fn start(&mut self) {
        let form = match self.dialogs.pop() {
            Some(Dialog::Launch(form)) => Some(form),
            _ => None,
        };
        self.starting = Some(Starting { form, ..Starting::default() });
    }

    /// The session can't be started, for this reason: its form is there again.
    pub(super) fn refuse(&mut self, reason: &str) {
        let form = self.starting.as_mut().and_then(|starting| starting.form.take());
        self.give_up();
        if let Some(mut form) = form {
            form.refuse(reason);
            self.dialogs.push(Dialog::Launch(form));
        }
    }

    /// Keeps what is typed for the session that is being started; gives back what isn't for it. The leader ends that.
    pub(super) fn hold(&mut self, input: Input) -> Option<Input> {
        let leader = self.leader();
        let Some(starting) = self.starting.as_mut().filter(|_| self.dialogs.is_empty()) else {
            return Some(input);
        };
        match input {
            Input::Key(stroke) if is_leader(Chord::of(stroke), leader) => self.give_up(),
            Input::Key(_) | Input::Paste(_) => starting.typed.push(input),
            Input::Mouse(Mouse { did: Did::Button(Button::Press(_)), .. }) => {
                // Whoever clicks has found something else to do.
                self.give_up();
                return Some(input);
            }
            input => return Some(input),
        }
        None
    }

    /// The session doesn't come, or isn't waited for any more.
    pub(super) fn give_up(&mut self) {
        if self.starting.take().is_some_and(|starting| !starting.typed.is_empty()) {
            let text = "What was typed for the session is forgotten.";
            self.messages.tell(self.world.now, Role::Waiting, text);
        }
    }

    /// Gives the session the keys once it is there, and what was typed for it once it can take it.
    pub(super) fn deliver(&mut self) -> Vec<Effect> {
        let Some(session) = self.starting.as_ref().and_then(|starting| starting.session) else {
            return Vec::new();
        };
        match self.world.session(session) {
            None => return Vec::new(),
            Some(listed) if listed.place.is_none() => {
                self.give_up();
                return Vec::new();
            }
            Some(_) => {}
        }
        self.tab = Tab::Sessions;
        self.sessions.panes.enter();
        // Before it has drawn anything, nothing says how it wants its keys.
        let takes = |pane: &pane::Pane| pane.session == session && *pane.state() != pane::State::Asked;
        if !self.sessions.panes.selected().is_some_and(takes) {
            return Vec::new();
        }
        let typed = self.starting.take().map(|starting| starting.typed).unwrap_or_default();
        typed.into_iter().flat_map(|input| self.input(input)).collect()
    }
}
