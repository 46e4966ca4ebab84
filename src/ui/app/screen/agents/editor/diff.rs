//! What a save would change in the file, line by line, to be confirmed.

use ratatui::layout::Rect;
use ratatui::text::Line;
use ratatui::widgets::{Paragraph, Widget};
use similar::{ChangeTag, TextDiff};

use crate::ui::app::action::Action;
use crate::ui::app::input::Chord;
use crate::ui::app::look::{Look, Role};
use crate::ui::app::widget::{Canvas, centred};
use crate::ui::table::visible;

/// Unchanged lines around a change.
const AROUND: usize = 3;

/// Lines that a page goes.
const PAGE: usize = 10;

/// The changed lines, and the first that is seen.
pub(super) struct Diff {
    title: String,
    lines: Vec<(ChangeTag, String)>,
    top: usize,
}

/// What comes of a key.
pub(super) enum Decided {
    Nothing,
    Closed,
    Save,
}

impl Diff {
    pub(super) fn new(title: String, before: &str, after: &str) -> Self {
        let diff = TextDiff::from_lines(before, after);
        let mut lines = Vec::new();
        for (at, group) in diff.grouped_ops(AROUND).iter().enumerate() {
            if at > 0 {
                lines.push((ChangeTag::Equal, String::new()));
            }
            for change in group.iter().flat_map(|op| diff.iter_changes(op)) {
                lines.push((change.tag(), visible(change.value().trim_end_matches(['\n', '\r']))));
            }
        }
        Self { title, lines, top: 0 }
    }

    pub(super) fn press(&mut self, chord: Chord, action: Option<Action>) -> Decided {
        let last = self.lines.len().saturating_sub(1);
        match (action, chord.typed()) {
            (Some(Action::Back), _) | (_, Some('n')) => return Decided::Closed,
            (Some(Action::Accept), _) | (_, Some('y')) => return Decided::Save,
            (Some(Action::PreviousField | Action::Up), _) | (_, Some('k')) => {
                self.top = self.top.saturating_sub(1);
            }
            (Some(Action::NextField | Action::Down), _) | (_, Some('j')) => {
                self.top = (self.top + 1).min(last);
            }
            (_, Some(' ')) => self.top = (self.top + PAGE).min(last),
            _ => {}
        }
        Decided::Nothing
    }

    pub(super) fn draw(&self, canvas: &mut Canvas<'_>, area: Rect) {
        let count = |tag| self.lines.iter().filter(|(is, _)| *is == tag).count();
        let (added, gone) = (count(ChangeTag::Insert), count(ChangeTag::Delete));
        let title = format!("{} +{added} -{gone}", self.title);
        let rows = u16::try_from(self.lines.len() + 4).unwrap_or(u16::MAX).min(area.height);
        let room = canvas.panel(&title, Role::Waiting, centred(area, 100, rows));
        let seen = usize::from(room.height.saturating_sub(1));
        let top = self.top.min(self.lines.len().saturating_sub(seen));
        let look = canvas.look;
        let lines: Vec<Line<'static>> =
            self.lines.iter().skip(top).take(seen).map(|(tag, text)| painted(*tag, text, look)).collect();
        Paragraph::new(lines).render(Rect { height: room.height.saturating_sub(1), ..room }, canvas.buffer);
        canvas.spots.scroll(room);
        let foot =
            Rect { y: room.bottom().saturating_sub(1).max(room.y), height: room.height.min(1), ..room };
        canvas.hints("enter saves   esc goes on writing   arrows scroll", foot);
    }
}

fn painted(tag: ChangeTag, text: &str, look: &Look) -> Line<'static> {
    let (sign, role) = match tag {
        ChangeTag::Equal => (' ', Role::Faint),
        ChangeTag::Insert => ('+', Role::Good),
        ChangeTag::Delete => ('-', Role::Bad),
    };
    Line::styled(format!("{sign} {text}"), look.style(role))
}
