//! A text that is read: the help, what was told.

use jiff::tz::TimeZone;
use ratatui::layout::Rect;
use ratatui::text::Line;

use super::Outcome;
use crate::config::Leader;
use crate::ui::app::action::{Action, Place, TABLE};
use crate::ui::app::event::Effect;
use crate::ui::app::keymap::Keymap;
use crate::ui::app::look::{Look, Role};
use crate::ui::app::toast::Messages;
use crate::ui::app::widget::{Canvas, Page, centred, wrapped};

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

    /// All keys that count at this place: its own, and those that are the same everywhere.
    pub fn help(place: Place, keymap: &Keymap, leader: Leader, look: &Look) -> Self {
        let led = (Place::Leader, format!("after {leader}, in a session"));
        let everywhere = (Place::Everywhere, "everywhere".to_owned());
        let mut sections = match place {
            Place::Leader => vec![led],
            Place::Sessions => vec![(place, place.name().to_owned()), led],
            place => vec![(place, place.name().to_owned())],
        };
        sections.extend((!place.is_alone()).then_some(everywhere));
        let mut lines = Vec::new();
        for (place, title) in sections {
            lines.push(Line::styled(title, look.style(Role::Title)));
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
        let within = usize::from(COLUMNS.min(area.width).saturating_sub(2));
        let rows: usize = self.lines.iter().map(|line| whole(line, within).len()).sum();
        let rows = u16::try_from(rows + 2).unwrap_or(u16::MAX);
        let place = centred(area, COLUMNS, rows.min(area.height.saturating_sub(2)));
        let room = canvas.panel(&self.title, Role::Focus, place);
        canvas.spots.scroll(room);
        let lines = self.lines.iter().flat_map(|line| whole(line, room.width.into())).collect();
        self.page.draw(lines, Action::PageDown, (room, place), canvas);
    }
}

/// In as many lines as it takes.
fn whole(line: &Line<'static>, columns: usize) -> Vec<Line<'static>> {
    if line.width() <= columns {
        return vec![line.clone()];
    }
    wrapped(&line.to_string(), columns).into_iter().map(|part| Line::styled(part, line.style)).collect()
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
