//! A text that is read: the help, what was told.

use jiff::tz::TimeZone;
use ratatui::layout::Rect;
use ratatui::text::Line;

use super::Outcome;
use crate::ui::app::action::{Action, Place, TABLE};
use crate::ui::app::event::Effect;
use crate::ui::app::keymap::Keymap;
use crate::ui::app::look::{Look, Role};
use crate::ui::app::toast::Messages;
use crate::ui::app::widget::{Canvas, Page, centred};

/// The widest that a text is drawn, with its box.
const COLUMNS: u16 = 84;

/// A text, and where it is read.
pub struct Reading {
    title: String,
    lines: Vec<Line<'static>>,
    page: Page,
}

impl Reading {
    pub fn new(title: impl Into<String>, lines: Vec<Line<'static>>) -> Self {
        Self { title: title.into(), lines, page: Page::default() }
    }

    /// All keys of this place, then those that are the same everywhere.
    pub fn help(place: Place, keymap: &Keymap, look: &Look) -> Self {
        let mut lines = Vec::new();
        for (place, title) in
            [(place, place.name()), (Place::Leader, "after the leader"), (Place::Everywhere, "everywhere")]
        {
            if keymap.of(place).is_empty() || lines.iter().any(|line: &Line<'_>| line.to_string() == title) {
                continue;
            }
            lines.push(Line::styled(title.to_owned(), look.style(Role::Title)));
            lines.extend(keys(place, keymap));
            lines.push(Line::default());
        }
        lines.push(Line::from("A click on a line, box, tab or key does what keys do; the wheel scrolls."));
        lines.push(Line::from("Shift with the mouse selects text, as your terminal does it."));
        Self::new("Keys", lines)
    }

    /// Everything that was told, the newest first.
    pub fn messages(messages: &Messages, zone: &TimeZone, look: &Look) -> Self {
        let mut lines: Vec<Line<'static>> = Vec::new();
        for message in messages.all().iter().rev() {
            let time = message.at.to_zoned_datetime(zone.clone()).strftime("%H:%M:%S").to_string();
            for (at, text) in message.text.split('\n').enumerate() {
                let time = if at == 0 { time.as_str() } else { "        " };
                let text = format!("{time}  {}", crate::ui::table::visible(text));
                lines.push(Line::styled(text, look.style(message.role)));
            }
        }
        if lines.is_empty() {
            lines.push(Line::from("Nothing was told yet."));
        }
        Self::new("Messages", lines)
    }

    pub fn press(&mut self, action: Option<Action>) -> Outcome {
        match action {
            Some(Action::Copy) => {
                let lines: Vec<String> = self.lines.iter().map(Line::to_string).collect();
                let text = lines.join("\n");
                Outcome::Does(vec![Effect::Copy(text)])
            }
            Some(Action::Back | Action::Help | Action::Quit | Action::Accept | Action::Messages) => {
                Outcome::Closes
            }
            action => {
                self.page.press(action);
                Outcome::Stays
            }
        }
    }

    pub fn page_mut(&mut self) -> &mut Page {
        &mut self.page
    }

    pub fn draw(&self, canvas: &mut Canvas<'_>, area: Rect) {
        let rows = u16::try_from(self.lines.len() + 2).unwrap_or(u16::MAX);
        let place = centred(area, COLUMNS, rows.min(area.height.saturating_sub(2)));
        let room = canvas.panel(&self.title, Role::Focus, place);
        canvas.spots.scroll(room);
        self.page.draw(self.lines.clone(), Action::PageDown, (room, place), canvas);
    }
}

/// The actions of a place, each with all its keys.
fn keys(place: Place, keymap: &Keymap) -> Vec<Line<'static>> {
    let bound = keymap.of(place);
    let line = |row: &crate::ui::app::action::Described| {
        let keys: Vec<String> = bound
            .iter()
            .filter(|(_, action)| *action == row.action)
            .map(|(chord, _)| chord.to_string())
            .collect();
        (!keys.is_empty()).then(|| Line::from(format!("  {:<22} {}", keys.join(" "), row.text)))
    };
    TABLE.iter().filter_map(line).collect()
}
