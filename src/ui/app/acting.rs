//! What actions do, whatever key or command they come from.

use uuid::Uuid;

use super::App;
use super::action::Action;
use super::dialog::{Confirm, Dialog, Inbox, Palette, Reading, Themes};
use super::event::{Effect, Purpose, Task};
use super::input::Chord;
use super::look::Role;
use super::screen::{Reaction, Tab, Wish};
use crate::launch::screen::input::{Key, Modifiers};
use crate::ui::text::counted;

impl App {
    /// The session gets the keys, if it is one that can be shown.
    pub(super) fn show(&mut self, session: Uuid) -> Vec<Effect> {
        self.give_up();
        self.tab = Tab::Sessions;
        self.sessions.want(session);
        self.sessions.relisted(None, &self.world);
        let reaction = self.sessions.act(Action::Open, &self.world);
        self.react(reaction)
    }

    /// What an action does that isn't a key of its own.
    pub(super) fn act(&mut self, action: Action) -> Vec<Effect> {
        let nothing = Chord(Key::Function(0), Modifiers::NONE);
        if self.dialogs.is_empty() {
            self.press(nothing, Some(action))
        } else {
            self.dialog_key(nothing, Some(action))
        }
    }

    /// `None`: it means something else on each screen.
    pub(super) fn act_everywhere(&mut self, action: Action) -> Option<Vec<Effect>> {
        match action {
            Action::Quit => return Some(self.quit()),
            Action::Redraw => return Some(vec![Effect::Redraw]),
            Action::Help => {
                self.dialogs.push(Dialog::Reading(Reading::help(
                    self.place(),
                    &self.keymap,
                    self.leader(),
                    self.look(),
                )));
            }
            Action::Palette => self.dialogs.push(Dialog::Palette(Palette::new(self.place(), &self.keymap))),
            Action::Messages => {
                let clock = self.world.clock();
                let messages = Reading::messages(&self.messages, clock.time_zone(), self.look());
                self.dialogs.push(Dialog::Reading(messages));
            }
            Action::Theme => {
                let config = &self.world.configuration.config;
                self.dialogs.push(Dialog::Themes(Themes::new(config, &self.appearance)));
            }
            Action::Inbox => self.dialogs.push(Dialog::Inbox(Inbox::new(&self.world))),
            Action::Undo if !self.place().is_typed_in() => {
                return Some(vec![Effect::Run(Task::new(Purpose::Tell, &["config", "undo"]))]);
            }
            Action::ShowSessions => return Some(self.turn_to(Tab::Sessions)),
            Action::ShowAgents => return Some(self.turn_to(Tab::Agents)),
            Action::ShowRoutes => return Some(self.turn_to(Tab::Routes)),
            Action::ShowMonitor => return Some(self.turn_to(Tab::Monitor)),
            Action::ShowHistory => return Some(self.turn_to(Tab::History)),
            Action::NextTab => return Some(self.turn(1)),
            Action::PreviousTab => return Some(self.turn(Tab::ALL.len() - 1)),
            _ => return None,
        }
        Some(Vec::new())
    }

    pub(super) fn turn(&mut self, by: usize) -> Vec<Effect> {
        let at = Tab::ALL.iter().position(|(tab, _)| *tab == self.tab).unwrap_or(0);
        self.turn_to(Tab::ALL[(at + by) % Tab::ALL.len()].0)
    }

    /// At once, unless something would be lost.
    pub(super) fn quit(&mut self) -> Vec<Effect> {
        let unsaved: Vec<String> = self.screens().0.iter().filter_map(|screen| screen.unsaved()).collect();
        if unsaved.is_empty() {
            return vec![Effect::Quit];
        }
        let question = format!("{} Leave, and lose that?", unsaved.join(" "));
        self.dialogs.push(Dialog::Confirm(Confirm::new(question, Effect::Quit)));
        Vec::new()
    }

    pub(super) fn turn_to(&mut self, tab: Tab) -> Vec<Effect> {
        if let Some(unsaved) = self.screen().unsaved().filter(|_| tab != self.tab) {
            let text = format!("{unsaved} It stays there until it is saved.");
            self.messages.tell(self.world.now, Role::Waiting, text);
        }
        self.tab = tab;
        let (screen, world) = self.screen_mut();
        let reaction = screen.enter(world);
        self.react(reaction)
    }

    /// Nothing else is seen of a copy, and whether it reaches the clipboard only the terminal knows.
    pub(super) fn tell_copies(&mut self, effects: &[Effect]) {
        for effect in effects {
            let Effect::Copy(text) = effect else { continue };
            let lines = counted(text.lines().count() as u64, "line");
            let text = format!("Copied {lines}, if your terminal allows it (OSC 52)");
            self.messages.tell(self.world.now, Role::Text, text);
        }
    }

    /// Does what a screen wants, and gives the rest.
    pub(super) fn react(&mut self, reaction: Reaction) -> Vec<Effect> {
        let mut effects = reaction.effects;
        match reaction.wish {
            Wish::Nothing => {}
            Wish::Say(text) => self.messages.tell(self.world.now, Role::Text, text),
            Wish::Warn(text) => self.messages.tell(self.world.now, Role::Bad, text),
            Wish::Open(dialog) => self.dialogs.push(*dialog),
            Wish::Session(session) => effects.extend(self.show(session)),
        }
        effects
    }
}
