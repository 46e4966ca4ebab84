//! What a save would change in the file, line by line, to be confirmed.

use std::borrow::Cow;

use ratatui::layout::{Constraint, Layout, Rect};
use ratatui::style::{Modifier, Style};
use ratatui::text::{Line, Span};
use similar::{ChangeTag, TextDiff};
use unicode_segmentation::UnicodeSegmentation;

use crate::ui::app::action::Action;
use crate::ui::app::input::Chord;
use crate::ui::app::look::{Look, Role};
use crate::ui::app::widget::{Canvas, Page, Step, centred, width};
use crate::ui::table::visible;

/// Unchanged lines around a change.
const AROUND: usize = 3;

/// The widest that it is drawn, with its box.
const COLUMNS: u16 = 100;

/// Columns of what stands before a line.
const SIGN: usize = 2;

/// The changed lines, and where they are read.
pub(super) struct Diff {
    title: String,
    lines: Vec<Changed>,
    page: Page,
}

/// One line of the file, before or after.
struct Changed {
    tag: ChangeTag,
    parts: Vec<Part>,
}

/// Some of a line, and whether the other side of the change has something else there.
struct Part {
    text: String,
    differs: bool,
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
                lines.push(Changed { tag: ChangeTag::Equal, parts: Vec::new() });
            }
            for change in group.iter().flat_map(|op| diff.iter_inline_changes(op)) {
                let part = |(differs, text): (bool, Cow<'_, str>)| Part {
                    text: visible(text.trim_end_matches(['\n', '\r'])),
                    differs,
                };
                let parts = change.iter_strings_lossy().map(part).collect();
                lines.push(Changed { tag: change.tag(), parts });
            }
        }
        Self { title, lines, page: Page::default() }
    }

    pub(super) fn press(&mut self, chord: Chord, action: Option<Action>) -> Decided {
        match (action, chord.typed()) {
            (Some(Action::Back), _) | (_, Some('n')) => return Decided::Closed,
            (Some(Action::Accept), _) | (_, Some('y')) => return Decided::Save,
            (_, Some('k')) => self.page.step(Step::Up),
            (_, Some('j')) => self.page.step(Step::Down),
            (_, Some(' ')) => self.page.step(Step::PageDown),
            (action, _) => self.page.press(action),
        }
        Decided::Nothing
    }

    pub(super) fn page_mut(&mut self) -> &mut Page {
        &mut self.page
    }

    pub(super) fn draw(&self, canvas: &mut Canvas<'_>, area: Rect) {
        let count = |tag| self.lines.iter().filter(|line| line.tag == tag).count();
        let (added, gone) = (count(ChangeTag::Insert), count(ChangeTag::Delete));
        let title = format!("{} +{added} -{gone}", self.title);
        let columns = usize::from(COLUMNS.min(area.width).saturating_sub(2));
        let look = canvas.look;
        let lines: Vec<Line<'static>> =
            self.lines.iter().flat_map(|line| line.folded(columns, look)).collect();
        let rows = u16::try_from(lines.len() + 4).unwrap_or(u16::MAX);
        let place = centred(area, COLUMNS, rows);
        let room = canvas.panel(&title, Role::Waiting, place);
        let [text, foot] = Layout::vertical([Constraint::Fill(1), Constraint::Length(1)]).areas(room);
        canvas.spots.scroll(room);
        self.page.draw(lines, Action::NextField, (text, place), canvas);
        canvas.hints("enter saves   esc goes on writing   arrows scroll", foot);
    }
}

impl Changed {
    /// In rows of so many columns. Each after the first begins with a sign that the line goes on, so that it isn't taken
    /// for another line of the file.
    fn folded(&self, columns: usize, look: &Look) -> Vec<Line<'static>> {
        let (sign, role) = match self.tag {
            ChangeTag::Equal => (" ", Role::Faint),
            ChangeTag::Insert => ("+", Role::Good),
            ChangeTag::Delete => ("-", Role::Bad),
        };
        let room = columns.saturating_sub(SIGN).max(1);
        let style = look.style(role);
        let mut rows = vec![vec![Span::styled(format!("{sign} "), style)]];
        let mut used = 0;
        for part in &self.parts {
            let style =
                if part.differs { style.add_modifier(Modifier::UNDERLINED | Modifier::BOLD) } else { style };
            for cluster in part.text.graphemes(true) {
                if used > 0 && used + width(cluster) > room {
                    rows.push(vec![Span::styled(format!("{} ", look.glyphs.more), look.style(role))]);
                    used = 0;
                }
                used += width(cluster);
                if let Some(row) = rows.last_mut() {
                    write(row, cluster, style);
                }
            }
        }
        rows.into_iter().map(Line::from).collect()
    }
}

/// With more text at its end.
fn write(row: &mut Vec<Span<'static>>, text: &str, style: Style) {
    match row.last_mut() {
        Some(last) if last.style == style => last.content.to_mut().push_str(text),
        _ => row.push(Span::styled(text.to_owned(), style)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_line_is_folded_and_what_differs_in_it_is_marked() {
        let diff = Diff::new(String::new(), "one two three\nsame\n", "one two four \u{6f22}\u{5b57}\nsame\n");
        let look = Look::default();
        let rows: Vec<Line<'_>> = diff.lines.iter().flat_map(|line| line.folded(9, &look)).collect();
        let text: Vec<String> = rows.iter().map(Line::to_string).collect();
        assert_eq!(text, ["- one two", "…  three", "+ one two", "…  four ", "… \u{6f22}\u{5b57}", "  same"]);
        let marked = |line: &Line<'_>| -> String {
            let is_marked = |span: &&Span<'_>| span.style.add_modifier.contains(Modifier::UNDERLINED);
            line.spans.iter().filter(is_marked).map(|span| span.content.as_ref()).collect()
        };
        let marked: Vec<String> = rows.iter().map(marked).collect();
        assert_eq!(marked, ["", "three", "", "four ", "\u{6f22}\u{5b57}", ""]);
    }
}
