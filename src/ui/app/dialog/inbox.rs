//! What waits for a person in all sessions, answered one by one.

use ratatui::layout::{Constraint, Layout, Rect};
use ratatui::text::{Line, Span};
use uuid::Uuid;

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
    /// What is selected, wherever it stands: an answer is never for another one that has come into its place.
    held: Option<Key>,
    /// Why the selected one is refused; `None`: nothing is typed.
    reason: Option<Field>,
    /// What is asked.
    page: Page,
    /// What was answered here, and is listed until that is known.
    answered: Vec<DialogId>,
}

/// What tells one that waits from the others.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Key {
    Dialog(DialogId),
    Session(Uuid),
}

/// One that waits.
#[derive(Clone, Copy)]
enum Item<'w> {
    Asked(&'w Waiting),
    /// What it waits for isn't known.
    Unseen(&'w Listed),
}

impl Item<'_> {
    fn key(self) -> Key {
        match self {
            Self::Asked(waiting) => Key::Dialog(waiting.dialog.id.clone()),
            Self::Unseen(listed) => Key::Session(listed.session),
        }
    }

    fn session(self) -> Uuid {
        match self {
            Self::Asked(waiting) => waiting.live.session,
            Self::Unseen(listed) => listed.session,
        }
    }

    /// If it can be answered here, to what.
    fn answerable(self) -> Option<DialogId> {
        match self {
            Self::Asked(waiting) => {
                waiting.dialog.reach.hindrance().is_none().then(|| waiting.dialog.id.clone())
            }
            Self::Unseen(_) => None,
        }
    }
}

impl Inbox {
    /// With the first one selected.
    pub fn new(world: &World) -> Self {
        let mut inbox = Self::default();
        inbox.hold(world);
        inbox
    }

    pub fn place(&self) -> Place {
        if self.reason.is_some() { Place::Line } else { Place::Inbox }
    }

    pub fn press(&mut self, chord: Chord, action: Option<Action>, world: &World) -> Outcome {
        let outcome = self.pressed(chord, action, world);
        self.hold(world);
        outcome
    }

    fn pressed(&mut self, chord: Chord, action: Option<Action>, world: &World) -> Outcome {
        let items = self.items(world);
        let selected = self.selected(&items);
        let is_gone = self.held.is_some() && self.held != selected.map(|at| items[at].key());
        if let Some(at) = selected {
            self.list.select(at);
        }
        // What was looked at is gone; the one in its place wasn't.
        let selected = selected.filter(|_| !is_gone).map(|at| items[at]);
        match action {
            Some(Action::Back) if self.reason.take().is_some() => Outcome::Stays,
            Some(Action::Back | Action::Inbox | Action::Quit) => Outcome::Closes,
            Some(Action::Accept) => match (self.reason.take(), selected.and_then(Item::answerable)) {
                (Some(reason), Some(id)) => self.answer(id, "deny", reason.text()),
                _ => Outcome::Stays,
            },
            Some(Action::Allow) => match selected.and_then(Item::answerable) {
                Some(id) => self.answer(id, "allow", ""),
                None => Outcome::Stays,
            },
            Some(Action::Deny) => {
                self.reason = selected.and_then(Item::answerable).map(|_| Field::default());
                Outcome::Stays
            }
            Some(Action::Open) => selected.map_or(Outcome::Stays, |item| Outcome::Shows(item.session())),
            Some(Action::PageUp | Action::PageDown) => {
                self.page.press(action);
                Outcome::Stays
            }
            Some(action) if self.reason.is_none() => {
                if let Some(step) = Step::of(action) {
                    self.list.step(step, items.len());
                    // Another one is selected.
                    self.held = None;
                }
                Outcome::Stays
            }
            _ => {
                self.reason.as_mut().map(|reason| reason.press(chord));
                Outcome::Stays
            }
        }
    }

    /// Holds what is selected now; another one is read from its beginning.
    fn hold(&mut self, world: &World) {
        let items = self.items(world);
        let held = self.selected(&items).map(|at| items[at].key());
        if held != self.held {
            self.page = Page::default();
        }
        self.held = held;
    }

    /// Where the held one is; if it is gone, what stands in its place.
    fn selected(&self, items: &[Item<'_>]) -> Option<usize> {
        let held = items.iter().position(|item| Some(item.key()) == self.held);
        held.or_else(|| self.list.selected(items.len()))
    }

    pub fn paste(&mut self, text: &str) {
        if let Some(reason) = &mut self.reason {
            reason.insert(text);
        }
    }

    /// Those that nothing was said to yet.
    fn items<'w>(&self, world: &'w World) -> Vec<Item<'w>> {
        let asked = world.waiting.iter().filter(|waiting| !self.answered.contains(&waiting.dialog.id));
        asked.map(Item::Asked).chain(world.unseen().map(Item::Unseen)).collect()
    }

    fn answer(&mut self, id: DialogId, decision: &str, reason: &str) -> Outcome {
        let mut arguments = vec!["inbox", decision, &id.0];
        if !reason.trim().is_empty() {
            arguments.extend(["--reason", reason]);
        }
        let task = Task::new(Purpose::Tell, &arguments);
        self.answered.push(id);
        Outcome::Does(vec![Effect::Run(task)])
    }

    pub fn page_mut(&mut self) -> &mut Page {
        &mut self.page
    }

    pub fn draw(&self, world: &World, canvas: &mut Canvas<'_>, area: Rect) {
        let items = self.items(world);
        let length = items.len();
        let title = format!("Inbox {} {length} wait", canvas.glyphs().dot);
        let place = centred(area, 100, area.height.saturating_sub(2));
        let room = canvas.panel(&title, Role::Waiting, place);
        let Some(at) = self.selected(&items) else {
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
        let line = |at: usize| match items[at] {
            Item::Asked(waiting) => summary(waiting, look, columns),
            Item::Unseen(listed) => {
                Line::from(cut(&format!("{}  waits", visible(&listed.name)), columns, look))
            }
        };
        let mut shown = self.list;
        shown.select(at);
        canvas.list(shown, length, line, list);
        canvas.spots.wheel(detail, [Action::PageUp.into()], [Action::PageDown.into()]);
        if let Item::Asked(waiting) = items[at] {
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
    let mut lines = asked(&waiting.dialog.input).into_iter();
    let mut what = lines.next().unwrap_or_default();
    if what.ends_with(':') {
        // The name of a field whose text is below it.
        what = format!("{what} {}", lines.next().unwrap_or_default().trim());
    }
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
