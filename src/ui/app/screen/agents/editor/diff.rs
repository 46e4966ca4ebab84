//! What a save would change in the file, line by line, to be confirmed.

use ratatui::layout::{Constraint, Layout, Rect};
use ratatui::text::Line;
use similar::{ChangeTag, TextDiff};

use crate::ui::app::action::Action;
use crate::ui::app::input::Chord;
use crate::ui::app::look::{Look, Role};
use crate::ui::app::widget::{Canvas, Page, Step, centred};
use crate::ui::table::visible;

/// Unchanged lines around a change.
const AROUND: usize = 3;

/// The changed lines, and where they are read.
pub(super) struct Diff {
    title: String,
    lines: Vec<(ChangeTag, String)>,
    page: Page,
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
        let count = |tag| self.lines.iter().filter(|(is, _)| *is == tag).count();
        let (added, gone) = (count(ChangeTag::Insert), count(ChangeTag::Delete));
        let title = format!("{} +{added} -{gone}", self.title);
        let rows = u16::try_from(self.lines.len() + 4).unwrap_or(u16::MAX);
        let place = centred(area, 100, rows);
        let room = canvas.panel(&title, Role::Waiting, place);
        let [text, foot] = Layout::vertical([Constraint::Fill(1), Constraint::Length(1)]).areas(room);
        let lines = self.lines.iter().map(|(tag, text)| painted(*tag, text, canvas.look)).collect();
        canvas.spots.scroll(room);
        self.page.draw(lines, Action::NextField, (text, place), canvas);
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
