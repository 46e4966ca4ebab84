//! All that is known of the selected line.

mod limits;
mod provider;
mod route;
mod trial;

use std::fmt::Display;

use jiff::Timestamp;
use ratatui::text::{Line, Span};

pub(super) use route::route;

use super::Routes;
use super::tree::Row;
use crate::ui::app::look::{Look, Role};
use crate::ui::app::widget::wrapped;
use crate::ui::app::world::World;
use crate::ui::table::visible;

/// What others wrote is in it as it is.
pub(super) struct Paragraph {
    role: Role,
    /// What the text is the value of; empty: it stands for itself.
    name: &'static str,
    text: String,
}

/// Columns of a name.
const NAME: usize = 11;

/// Of whatever line it is.
pub(super) fn of(screen: &Routes, row: &Row, world: &World) -> Vec<Paragraph> {
    match row {
        Row::Provider(name) | Row::Catalogue(name) => provider::provider(screen, name, world),
        Row::Route(id) => route(screen, id, world),
    }
}

/// As lines of so many columns.
pub(super) fn lines(paragraphs: &[Paragraph], columns: usize, look: &Look) -> Vec<Line<'static>> {
    paragraphs.iter().flat_map(|paragraph| paragraph.lines(columns, look)).collect()
}

impl Paragraph {
    fn lines(&self, columns: usize, look: &Look) -> Vec<Line<'static>> {
        let (name, style) = (self.name, look.style(self.role));
        let indent = if name.is_empty() { 0 } else { NAME };
        let texts = wrapped(&visible(&self.text), columns.saturating_sub(indent));
        let line = |(at, text): (usize, String)| {
            let name = if at == 0 { name } else { "" };
            let name = Span::styled(format!("{name:<indent$}"), look.style(Role::Faint));
            Line::from_iter([name, Span::styled(text, style)])
        };
        texts.into_iter().enumerate().map(line).collect()
    }
}

/// How long ago something was, roughly.
pub(super) fn age(now: Timestamp, then: Timestamp) -> String {
    let minutes = now.duration_since(then).as_mins();
    match minutes {
        ..1 => "just now".to_owned(),
        1..60 => format!("{minutes} min ago"),
        60..1440 => format!("{} h ago", minutes / 60),
        _ => format!("{} d ago", minutes / 1440),
    }
}

fn named(name: &'static str, value: impl Display) -> Paragraph {
    marked(Role::Text, name, value)
}

fn marked(role: Role, name: &'static str, value: impl Display) -> Paragraph {
    Paragraph { role, name, text: value.to_string() }
}

fn said(role: Role, text: impl Into<String>) -> Paragraph {
    Paragraph { role, name: "", text: text.into() }
}
