//! What keys do in the form, and in what is over it.

use super::diff::Decided;
use super::field::{FieldId, Kind};
use super::over::Over;
use super::picker::{Picked, Picker};
use super::tools::{Chosen, Tools};
use super::{Around, Editor, Side, Stage, Step};
use crate::launch::screen::input::{Key, Modifiers};
use crate::ui::app::action::Action;
use crate::ui::app::event::Effect;
use crate::ui::app::input::Chord;
use crate::ui::app::screen::{Reaction, Wish};
use crate::ui::app::widget::{self, Field, Page};
use crate::ui::app::world::World;

impl Editor {
    pub(in super::super) fn press(
        &mut self,
        chord: Chord,
        action: Option<Action>,
        around: &mut Around<'_>,
    ) -> Step {
        if self.stage == Stage::Saving {
            return Step::Open(Reaction::default());
        }
        let world = around.world;
        let step = match &mut self.over {
            Over::None => self.write(chord, action, around),
            Over::Leave => return self.leave(chord, action),
            Over::Found => return self.found(chord, action, around),
            Over::Broken => self.mend(chord),
            Over::Picker(_) => Step::Open(self.pick(chord, action, around)),
            Over::Tools(_) => Step::Open(self.tick(action)),
            Over::Find(_) => Step::Open(self.find(chord, action)),
            Over::Diff(diff) => match diff.press(chord, action) {
                Decided::Nothing => Step::Open(Reaction::default()),
                Decided::Closed => Step::Open(self.close_over()),
                Decided::Save => return Step::Open(self.save()),
            },
        };
        self.check(world);
        match step {
            Step::Open(mut reaction) => {
                // Before whatever else is to be done, which may need it.
                reaction.effects.splice(0..0, self.keep());
                Step::Open(reaction)
            }
            closed @ Step::Closed(_) => closed,
        }
    }

    pub(in super::super) fn paste(&mut self, text: &str) {
        match &mut self.over {
            Over::None => self.form.paste(self.focus, text),
            Over::Picker(picker) => picker.paste(text),
            Over::Find(field) => field.insert(text),
            _ => {}
        }
    }

    /// What follows a paste.
    pub(in super::super) fn pasted(&mut self, world: &World) -> Option<Effect> {
        self.check(world);
        self.keep()
    }

    fn close_over(&mut self) -> Reaction {
        self.over = Over::None;
        Reaction::default()
    }

    /// A key in the form itself.
    fn write(&mut self, chord: Chord, action: Option<Action>, around: &mut Around<'_>) -> Step {
        let mut reaction = Reaction::default();
        match action {
            Some(Action::Back) if self.is_changed() => self.over = Over::Leave,
            Some(Action::Back) => return Step::Closed(self.forget().into_iter().collect::<Vec<_>>().into()),
            Some(Action::Save) => reaction = self.ask_to_save(),
            Some(Action::NextField) => self.focus(self.focus.next()),
            Some(Action::PreviousField) => self.focus(self.focus.previous()),
            Some(Action::External) => reaction = self.hand_over(),
            Some(Action::Pick) => reaction = self.choose(around),
            Some(Action::Preview) => {
                self.side =
                    if self.side == Side::Prompt { Side::Preview(Page::default()) } else { Side::Prompt };
            }
            Some(Action::Find) if self.focus.kind() == Kind::Text => self.over = Over::Find(Field::default()),
            Some(Action::UndoTyping) => self.undo(),
            Some(Action::RedoTyping) => _ = self.form.text_mut(self.focus).map(super::text::Text::redo),
            _ => reaction = self.type_in(chord, around),
        }
        Step::Open(reaction)
    }

    /// What is read now.
    pub(in super::super) fn page_mut(&mut self) -> Option<&mut Page> {
        match (&mut self.over, &mut self.side) {
            (Over::Diff(diff), _) => Some(diff.page_mut()),
            (Over::None, Side::Preview(page)) => Some(page),
            _ => None,
        }
    }

    fn undo(&mut self) {
        match self.form.text_mut(self.focus) {
            Some(text) => text.undo(),
            None => self.form.restore(self.focus),
        }
    }

    /// A key that is no action: a line's neighbours are reached by arrows, a text has its own.
    fn type_in(&mut self, chord: Chord, around: &mut Around<'_>) -> Reaction {
        let is_text = self.focus.kind() == Kind::Text;
        match (chord, &mut self.side) {
            (Chord(Key::PageUp, Modifiers::NONE), Side::Preview(page)) => page.step(widget::Step::PageUp),
            (Chord(Key::PageDown, Modifiers::NONE), Side::Preview(page)) => page.step(widget::Step::PageDown),
            (Chord(Key::Up, Modifiers::NONE), _) if !is_text => self.focus(self.focus.previous()),
            (Chord(Key::Down, Modifiers::NONE), _) if !is_text => self.focus(self.focus.next()),
            (Chord(Key::Enter, Modifiers::NONE), _) if self.focus.kind() == Kind::Line => {
                return self.choose(around);
            }
            (chord, _) => self.form.press(self.focus, chord),
        }
        Reaction::default()
    }

    /// Opens what there is to choose from; the next field, where there is nothing.
    fn choose(&mut self, around: &mut Around<'_>) -> Reaction {
        match self.focus {
            FieldId::Model => {
                self.over = Over::Picker(Picker::default());
                return around.catalogue.ask(&around.world.configuration.config).into();
            }
            FieldId::Tools | FieldId::ReadOnly => {
                let (tools, read_only) =
                    (self.form.value(FieldId::Tools), self.form.value(FieldId::ReadOnly));
                self.over = Over::Tools(Tools::new(&tools, &read_only));
            }
            field => self.focus(field.next()),
        }
        Reaction::default()
    }

    /// The whole text goes to $EDITOR, as it is kept, and comes back from there.
    fn hand_over(&mut self) -> Reaction {
        let (agent, text) = (self.key().to_owned(), self.checked.text.clone());
        self.kept = Some(text.clone());
        let arguments = ["agent", "edit", "--unsaved", "--", &agent].map(str::to_owned).to_vec();
        vec![Effect::Keep { agent, text: Some(text) }, Effect::HandOver { arguments }].into()
    }

    fn pick(&mut self, chord: Chord, action: Option<Action>, around: &Around<'_>) -> Reaction {
        let Over::Picker(picker) = &mut self.over else { return Reaction::default() };
        match picker.press(chord, action, (around.world, around.catalogue)) {
            Picked::Nothing => Reaction::default(),
            Picked::Closed => self.close_over(),
            Picked::Model(model) => {
                self.form.set(FieldId::Model, &model);
                self.close_over()
            }
        }
    }

    fn tick(&mut self, action: Option<Action>) -> Reaction {
        let Over::Tools(tools) = &mut self.over else { return Reaction::default() };
        match tools.press(action) {
            Chosen::Nothing => Reaction::default(),
            Chosen::Closed => self.close_over(),
            Chosen::These(tools, read_only) => {
                self.form.set(FieldId::Tools, &tools);
                self.form.set(FieldId::ReadOnly, &read_only);
                self.close_over()
            }
        }
    }

    fn find(&mut self, chord: Chord, action: Option<Action>) -> Reaction {
        let Over::Find(field) = &mut self.over else { return Reaction::default() };
        let text = field.text().to_owned();
        match action {
            Some(Action::Back) => {
                if let Some(text) = self.form.text_mut(self.focus) {
                    text.end_find();
                }
                return self.close_over();
            }
            Some(Action::Accept) => {
                let is_found = self.form.text_mut(self.focus).is_some_and(|field| field.find(&text));
                if !is_found {
                    return Wish::Say(format!("There is no `{text}`")).into();
                }
            }
            _ => _ = field.press(chord),
        }
        Reaction::default()
    }

    fn leave(&mut self, chord: Chord, action: Option<Action>) -> Step {
        match (chord.typed(), action) {
            (Some('s'), _) => {
                self.over = Over::None;
                Step::Open(self.ask_to_save())
            }
            (Some('x'), _) => Step::Closed(self.forget().into_iter().collect::<Vec<_>>().into()),
            (Some('k'), _) => Step::Closed(Wish::Say(format!("Kept for later: {}", self.name())).into()),
            (_, Some(Action::Back | Action::Accept)) => Step::Open(self.close_over()),
            _ => Step::Open(Reaction::default()),
        }
    }

    fn found(&mut self, chord: Chord, action: Option<Action>, around: &Around<'_>) -> Step {
        match (chord.typed(), action) {
            (Some('y'), _) => {
                let kept = self.kept.clone().unwrap_or_default();
                self.over = Over::None;
                self.load(&kept, around.world);
                Step::Open(Reaction::default())
            }
            (Some('n'), _) => {
                self.over = Over::None;
                Step::Open(self.forget().into_iter().collect::<Vec<_>>().into())
            }
            (_, Some(Action::Back)) => Step::Closed(Reaction::default()),
            _ => Step::Open(Reaction::default()),
        }
    }

    fn mend(&mut self, chord: Chord) -> Step {
        match chord.typed() {
            Some('e') => {
                let arguments = ["agent", "edit", "--unsaved", "--", self.key()].map(str::to_owned).to_vec();
                Step::Open(Effect::HandOver { arguments }.into())
            }
            Some('x') => {
                self.over = Over::None;
                Step::Open(Reaction::default())
            }
            _ => Step::Open(Reaction::default()),
        }
    }
}
