//! What waits for a person in all sessions, answered one by one.

use ratatui::layout::{Constraint, Layout, Rect};
use ratatui::text::{Line, Span};

use super::Outcome;
use crate::launch::sessions::{Listed, Waiting};
use crate::launch::state::DialogId;
use crate::ui::app::action::{Action, Place};
use crate::ui::app::event::{Effect, Purpose, Task};
use crate::ui::app::input::Chord;
use crate::ui::app::look::{Look, Role};
use crate::ui::app::widget::{Canvas, Field, List, Page, Step, centred, cut, folded, placed, wrapped};
use crate::ui::app::world::World;
use crate::ui::inbox::{asked, who};
use crate::ui::table::visible;
use crate::ui::text::duration;

/// Rows for the list at most.
const ROWS: u16 = 8;

/// Columns before what is asked: there a sign says that a line goes on, and nobody takes it for a part of the line.
const MARGIN: usize = 2;

/// Which one is selected, and what is said to it.
#[derive(Default)]
pub struct Inbox {
    list: List,
    /// Why the selected one is refused; `None`: nothing is typed.
    reason: Option<Field>,
    /// What is asked.
    page: Page,
    /// What was answered here, and is listed until that is known.
    answered: Vec<DialogId>,
}

impl Inbox {
    pub fn place(&self) -> Place {
        if self.reason.is_some() { Place::Line } else { Place::Inbox }
    }

    pub fn press(&mut self, chord: Chord, action: Option<Action>, world: &World) -> Outcome {
        let waiting = self.waiting(world);
        let unseen: Vec<&Listed> = world.unseen().collect();
        let length = waiting.len() + unseen.len();
        let at = self.list.selected(length);
        let selected = at.and_then(|at| waiting.get(at).copied());
        if let Some(listed) = at.and_then(|at| unseen.get(at.checked_sub(waiting.len())?))
            && matches!(action, Some(Action::Allow | Action::Deny | Action::Open))
        {
            return Outcome::Shows(listed.session);
        }
        match (action, selected) {
            (Some(Action::Back), _) if self.reason.take().is_some() => Outcome::Stays,
            (Some(Action::Back | Action::Inbox | Action::Quit), _) => Outcome::Closes,
            (Some(Action::Accept), Some(selected)) if self.reason.is_some() => {
                let reason = self.reason.take().unwrap_or_default();
                self.answer(selected, "deny", reason.text())
            }
            (Some(Action::Allow), Some(selected)) => {
                self.decide(selected, |inbox| inbox.answer(selected, "allow", ""))
            }
            (Some(Action::Deny), Some(selected)) => self.decide(selected, |inbox| {
                inbox.reason = Some(Field::default());
                Outcome::Stays
            }),
            (Some(Action::Open), Some(selected)) => Outcome::Shows(selected.live.session),
            (Some(Action::PageUp | Action::PageDown), _) => {
                self.page.press(action);
                Outcome::Stays
            }
            (Some(action), _) if self.reason.is_none() => {
                if let Some(step) = Step::of(action) {
                    self.list.step(step, length);
                }
                self.page = Page::default();
                Outcome::Stays
            }
            _ => {
                self.reason.as_mut().map(|reason| reason.press(chord));
                Outcome::Stays
            }
        }
    }

    pub fn paste(&mut self, text: &str) {
        if let Some(reason) = &mut self.reason {
            reason.insert(text);
        }
    }

    /// Those that nothing was said to yet.
    fn waiting<'w>(&self, world: &'w World) -> Vec<&'w Waiting> {
        world.waiting.iter().filter(|waiting| !self.answered.contains(&waiting.dialog.id)).collect()
    }

    /// Some can be answered in their session only.
    fn decide(&mut self, selected: &Waiting, answer: impl FnOnce(&mut Self) -> Outcome) -> Outcome {
        match selected.dialog.reach.hindrance() {
            Some(_) => Outcome::Shows(selected.live.session),
            None => answer(self),
        }
    }

    fn answer(&mut self, selected: &Waiting, decision: &str, reason: &str) -> Outcome {
        let id = selected.dialog.id.clone();
        let mut arguments = vec!["inbox", decision, &id.0];
        if !reason.trim().is_empty() {
            arguments.extend(["--reason", reason]);
        }
        let task = Task::new(Purpose::Tell, &arguments);
        self.answered.push(id);
        self.page = Page::default();
        Outcome::Does(vec![Effect::Run(task)])
    }

    pub fn page_mut(&mut self) -> &mut Page {
        &mut self.page
    }

    pub fn draw(&self, world: &World, canvas: &mut Canvas<'_>, area: Rect) {
        let waiting = self.waiting(world);
        let unseen: Vec<&Listed> = world.unseen().collect();
        let length = waiting.len() + unseen.len();
        let title = format!("Inbox {} {length} wait", canvas.glyphs().dot);
        let place = centred(area, 100, area.height.saturating_sub(2));
        let room = canvas.panel(&title, Role::Waiting, place);
        let Some(at) = self.list.selected(length) else {
            return canvas.text("Nothing waits for you.\n\nEsc closes this.", Role::Faint, room);
        };
        // What is asked has as much room as the list, at least.
        let most = ROWS.min(room.height.saturating_sub(2) / 2).max(1);
        let rows = u16::try_from(length).unwrap_or(most).min(most);
        let parts =
            [Constraint::Length(rows), Constraint::Length(1), Constraint::Fill(1), Constraint::Length(1)];
        let [list, _, detail, foot] = Layout::vertical(parts).areas(room);
        let look = canvas.look;
        let columns = usize::from(list.width);
        let line = |at: usize| match waiting.get(at) {
            Some(waiting) => summary(waiting, look, columns),
            None => Line::from(cut(
                &format!("{}  waits", visible(&unseen[at - waiting.len()].name)),
                columns,
                look,
            )),
        };
        canvas.list(self.list, length, line, list);
        canvas.spots.wheel(detail, [Action::PageUp.into()], [Action::PageDown.into()]);
        if let Some(waiting) = waiting.get(at) {
            let lines = lines(waiting, world, canvas.look, detail.width.into());
            self.page.draw(lines, Action::PageDown, (detail, place), canvas);
            self.draw_foot(waiting, canvas, foot);
        } else {
            canvas.text("Claude Code doesn't tell what it asks.", Role::Text, detail);
            canvas.hints("o opens the session", foot);
        }
    }

    fn draw_foot(&self, waiting: &Waiting, canvas: &mut Canvas<'_>, area: Rect) {
        let Some(reason) = &self.reason else {
            return match waiting.dialog.reach.hindrance() {
                Some(why) => canvas.hints(&format!("o opens the session: {why}"), area),
                None => canvas.hints("a allow   d deny   o open", area),
            };
        };
        let text = "Refuse, because: ";
        let columns = u16::try_from(text.len()).unwrap_or(u16::MAX).min(area.width);
        canvas.put(0, [Span::styled(text, canvas.style(Role::Waiting))], area);
        reason.draw(true, Rect { x: area.x + columns, width: area.width - columns, ..area }, canvas);
    }
}

/// Session, who asks, what for, in one line.
fn summary(waiting: &Waiting, look: &Look, columns: usize) -> Line<'static> {
    let what = asked(&waiting.dialog.input).into_iter().next().unwrap_or_default();
    let text = format!("{}  {}  {what}", visible(&waiting.live.name), visible(&waiting.dialog.tool));
    Line::from(cut(&text, columns, look))
}

/// Who asks, and the whole of what for.
fn lines(waiting: &Waiting, world: &World, look: &Look, columns: usize) -> Vec<Line<'static>> {
    let age = world.now.duration_since(waiting.dialog.since).as_millis();
    let age = duration(u64::try_from(age).unwrap_or(0));
    let folder = world.short(&waiting.live.folder);
    let head = visible(&format!("{} in {folder}, for {age}", who(waiting)));
    let head = wrapped(&head, columns).into_iter().map(|line| Line::styled(line, look.style(Role::Faint)));
    let asked = asked(&waiting.dialog.input);
    let asked = asked.iter().flat_map(|line| faithful(line, look, columns));
    head.chain([Line::default()]).chain(asked).collect()
}

/// One line of what is asked, folded where it is too long: in what is about to be run every blank counts.
fn faithful(line: &str, look: &Look, columns: usize) -> impl Iterator<Item = Line<'static>> {
    let (role, sign, faint) = (look.style(role(line)), look.glyphs.folded, look.style(Role::Faint));
    folded(&placed(line), columns.saturating_sub(MARGIN)).into_iter().enumerate().map(move |(at, part)| {
        let sign = if at == 0 { "" } else { sign };
        Line::from_iter([Span::styled(format!("{sign:<MARGIN$}"), faint), Span::styled(part, role)])
    })
}

/// What goes and what comes of a changed text.
fn role(line: &str) -> Role {
    match line.as_bytes() {
        [b'+', b' ', ..] => Role::Good,
        [b'-', b' ', ..] => Role::Bad,
        _ => Role::Text,
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use ratatui::buffer::{Buffer, Cell, CellWidth};

    use super::*;

    /// What a cell has that nothing is drawn in.
    const UNTOUCHED: &str = "#";

    /// What is seen beside the margin.
    fn seen(lines: Vec<Line<'static>>, columns: u16) -> String {
        let room = Rect::new(0, 0, columns, u16::try_from(lines.len()).unwrap());
        let mut buffer = Buffer::filled(room, Cell::new(UNTOUCHED));
        let look = Look::default();
        let canvas = &mut Canvas::new(&look, &mut buffer);
        Page::default().draw(lines, Action::PageDown, (room, room), canvas);
        let mut seen = String::new();
        for y in 0..room.height {
            let mut x = 2;
            while x < columns {
                let symbol = buffer[(x, y)].symbol();
                seen.push_str(if symbol == UNTOUCHED { "" } else { symbol });
                x += symbol.cell_width().max(1);
            }
        }
        seen
    }

    proptest! {
        #[test]
        fn nothing_that_is_asked_is_lost_or_added_where_it_is_folded(
            text in "(\\PC|[a-c 模🙂ﾞلا]|\u{301}|\u{200d}){0,40}",
            columns in 4_u16..14,
        ) {
            let text = placed(&visible(&text).replace(UNTOUCHED, ""));
            let lines: Vec<Line<'static>> = faithful(&text, &Look::default(), columns.into()).collect();
            let joined: String = lines.iter().map(|line| &*line.spans[1].content).collect();
            prop_assert_eq!(joined, &*text);
            prop_assert_eq!(seen(lines, columns), text);
        }
    }
}
