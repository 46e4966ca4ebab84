//! What is drawn over the form and has the keys.

use super::diff::Diff;
use super::picker::Picker;
use super::tools::Tools;
use crate::ui::app::action::Place;
use crate::ui::app::widget::Field;

/// One of them, or nothing.
pub(super) enum Over {
    None,
    /// What it runs on.
    Picker(Picker),
    Tools(Tools),
    /// A text is looked for in the focused field.
    Find(Field),
    /// What a save would change.
    Diff(Diff),
    /// It is to be left, and isn't saved.
    Leave,
    /// Something unsaved was found from before.
    Found,
    /// $EDITOR left a text that has no fields.
    Broken,
}

impl Over {
    pub(super) fn place(&self) -> Place {
        match self {
            Self::None => Place::Editor,
            Self::Picker(_) | Self::Find(_) => Place::Line,
            Self::Tools(_) => Place::Choice,
            Self::Diff(_) => Place::Form,
            Self::Leave | Self::Found | Self::Broken => Place::Question,
        }
    }

    /// The question that is asked, and the keys that answer it.
    pub(super) fn question(&self) -> Option<(&'static str, &'static str)> {
        match self {
            Self::Leave => Some((
                "What you wrote isn't saved.",
                "s saves it   x throws it away   k keeps it for later   esc goes on writing",
            )),
            Self::Found => Some((
                "There is unsaved work on this agent from before.",
                "y takes it up again   n throws it away   esc leaves it for later",
            )),
            Self::Broken => Some((
                "What was written in the editor has no front matter between two lines `---`, so it can't be shown \
                 in fields. It is kept.",
                "e opens it in the editor again   x goes back to what stood here before",
            )),
            _ => None,
        }
    }
}
