//! One line that is asked for: a new name, a folder.

use ratatui::layout::Rect;

use crate::config::agent::check_name;
use crate::ui::app::action::Action;
use crate::ui::app::input::Chord;
use crate::ui::app::look::Role;
use crate::ui::app::widget::{Canvas, Field, centred};
use crate::ui::app::world::World;
use crate::ui::table::visible;

/// Where an export goes if nothing else is said: what Claude Code reads in this folder.
const FOLDER: &str = ".claude/agents";

/// What is asked, and what was typed.
pub(super) struct Asked {
    agent: String,
    what: What,
    field: Field,
    /// Why what was typed can't be taken.
    refusal: Option<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum What {
    Name,
    Folder,
}

/// What comes of a key.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Answer {
    None,
    Closed,
    Rename { old: String, new: String },
    Export { name: String, folder: String },
}

impl Asked {
    pub(super) fn rename(agent: &str) -> Self {
        Self { agent: agent.to_owned(), what: What::Name, field: Field::new(agent), refusal: None }
    }

    pub(super) fn export(agent: &str) -> Self {
        Self { agent: agent.to_owned(), what: What::Folder, field: Field::new(FOLDER), refusal: None }
    }

    /// `taken` are the names of our agents.
    pub(super) fn press(
        &mut self,
        chord: Chord,
        action: Option<Action>,
        taken: &[String],
        world: &World,
    ) -> Answer {
        match action {
            Some(Action::Back) => Answer::Closed,
            Some(Action::Accept) => self.accept(taken, world),
            _ => {
                self.field.press(chord);
                self.refusal = self.refused(taken);
                Answer::None
            }
        }
    }

    pub(super) fn paste(&mut self, text: &str) {
        self.field.insert(text);
    }

    fn accept(&mut self, taken: &[String], world: &World) -> Answer {
        self.refusal = self.refused(taken);
        let (text, agent) = (self.field.text().to_owned(), self.agent.clone());
        match self.what {
            _ if self.refusal.is_some() => Answer::None,
            What::Name if text == agent => Answer::Closed,
            What::Name => Answer::Rename { old: agent, new: text },
            What::Folder => Answer::Export { name: agent, folder: whole(&text, world) },
        }
    }

    fn refused(&self, taken: &[String]) -> Option<String> {
        let text = self.field.text();
        match self.what {
            What::Name if text == self.agent => None,
            What::Name if taken.iter().any(|taken| taken == text) => {
                Some(format!("there is an agent `{text}` already"))
            }
            What::Name => check_name(text).err().map(|error| error.to_string()),
            What::Folder => text.trim().is_empty().then(|| "name a folder".to_owned()),
        }
    }

    pub(super) fn draw(&self, canvas: &mut Canvas<'_>, area: Rect) {
        let title = match self.what {
            What::Name => format!("New name of {}", visible(&self.agent)),
            What::Folder => format!("Folder to write {} to", visible(&self.agent)),
        };
        let room = canvas.panel(&title, Role::Focus, centred(area, 64, 6));
        if room.is_empty() {
            return;
        }
        self.field.draw(true, Rect { height: 1, ..room }, canvas);
        let below = Rect { y: room.y + 1, height: room.height - 1, ..room };
        let hint = match self.what {
            What::Name => "Profiles that name it follow. enter renames, esc leaves it.",
            What::Folder => "A file that says something else stays as it is. enter writes, esc leaves it.",
        };
        match &self.refusal {
            Some(refusal) => canvas.text(&visible(refusal), Role::Bad, below),
            None => canvas.text(hint, Role::Faint, below),
        }
    }
}

/// With the home folder for `~`, which no shell puts in its place here.
fn whole(folder: &str, world: &World) -> String {
    let home = world.configuration.home.as_deref();
    match (folder.strip_prefix("~/"), home) {
        (Some(rest), Some(home)) => home.join(rest).display().to_string(),
        _ => folder.to_owned(),
    }
}
