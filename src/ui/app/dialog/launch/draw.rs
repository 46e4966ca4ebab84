//! How the form looks.

use ratatui::layout::{Constraint, Layout, Rect};
use ratatui::text::{Line, Span};

use super::agents::{Choice, Part};
use super::sight::Sight;
use super::{Focus, Launch, Preview};
use crate::launch::screen::input::{Key, Modifiers};
use crate::ui::app::action::Action;
use crate::ui::app::input::Chord;
use crate::ui::app::look::Role;
use crate::ui::app::widget::{Canvas, Field, centred, mark, width, wrapped};
use crate::ui::app::world::World;
use crate::ui::table::visible;

/// Columns of the labels.
const LABEL: u16 = 13;

/// Columns of an agent's name at least.
const NAME: usize = 18;

/// What chooses.
const SPACE: Chord = Chord(Key::Character(' '), Modifiers::NONE);

/// Rows that everything but the agents and what the permission mode means takes.
const OTHERS: u16 = 6;

/// Rows for what the permission mode means at most.
const MEANING: usize = 4;

/// Rows for the preview with its box at least.
const PREVIEW: u16 = 4;

/// From so many rows on one of them is the preview's, whatever else there is.
const LOW: u16 = 6;

pub(super) fn draw(form: &Launch, world: &World, canvas: &mut Canvas<'_>, area: Rect) {
    let place = centred(area, 100, area.height.saturating_sub(2));
    let room = canvas.panel("New session", Role::Focus, place);
    let meaning = form.mode.meaning(&world.configuration.config.main);
    let mut meaning = wrapped(&meaning, room.width.saturating_sub(LABEL).into());
    meaning.truncate(MEANING);
    let others = OTHERS + u16::try_from(meaning.len()).unwrap_or(0);
    let most = room.height.saturating_sub(others + PREVIEW + 1).max(1);
    let agents = u16::try_from(form.agents.len().max(1)).unwrap_or(u16::MAX).min(most);
    let least = u16::from(room.height >= LOW);
    let rows = [Constraint::Max(others + agents), Constraint::Min(least), Constraint::Length(1)];
    let [fields, preview, foot] = Layout::vertical(rows).areas(room);
    let rows = Rows::new(form.focus, (agents, others), fields);
    draw_fields(form, meaning, canvas, &rows);
    mark(rows.below().into(), Action::NextField.into(), place, canvas);
    draw_preview(form, canvas, preview);
    canvas.hints(keys(form.focus), foot);
}

/// What the keys do now.
fn keys(focus: Focus) -> &'static str {
    match focus {
        Focus::Agent(_) => "space take/leave/hide   enter start   tab next   esc cancel",
        _ => "enter start   tab next   space choose   ctrl-r recent folder   esc cancel",
    }
}

/// The rows of the form, of which a small terminal shows those around what has the keys.
struct Rows {
    area: Rect,
    /// Those of the agents.
    agents: u16,
    /// Those of everything else.
    others: u16,
    /// Above the first one that is shown.
    above: u16,
}

impl Rows {
    fn new(focus: Focus, (agents, others): (u16, u16), area: Rect) -> Self {
        let below = 3 + agents;
        let last = others + agents - 1;
        let (first, last) = match focus {
            Focus::Folder | Focus::Name | Focus::Profile => (0, 2),
            Focus::Agent(_) => (3, below - 1),
            Focus::Sight => (below, below),
            Focus::Mode => (below + 1, last - 1),
            Focus::Arguments => (last, last),
        };
        let above = (last + 1).saturating_sub(area.height).min(first);
        Self { area, agents, others, above }
    }

    /// How many there are below those that are shown.
    fn below(&self) -> u16 {
        (self.others + self.agents).saturating_sub(self.above + self.area.height)
    }

    /// So many rows from this one on, as far as they are shown.
    fn of(&self, at: u16, rows: u16) -> Rect {
        let gone = self.above.saturating_sub(at).min(rows);
        let y = (at + gone).saturating_sub(self.above).min(self.area.height);
        Rect { y: self.area.y + y, height: (rows - gone).min(self.area.height - y), ..self.area }
    }
}

fn draw_fields(form: &Launch, meaning: Vec<String>, canvas: &mut Canvas<'_>, rows: &Rows) {
    let row = |at: u16| rows.of(at, 1);
    let (below, last) = (3 + rows.agents, rows.others + rows.agents - 1);
    let stops = [Focus::Folder, Focus::Name, Focus::Profile, Focus::Sight, Focus::Mode, Focus::Arguments];
    for (stop, at) in stops.into_iter().zip([0, 1, 2, below, below + 1, last]) {
        // A choice that has the keys already goes on to the next one.
        let is_choice = matches!(stop, Focus::Profile | Focus::Sight | Focus::Mode);
        let press = if stop == form.focus && is_choice { SPACE.into() } else { form.way_to(stop) };
        canvas.spots.click(row(at), [press]);
    }
    field(("Folder", &form.folder), form.focus == Focus::Folder, canvas, row(0));
    field(("Name", &form.name), form.focus == Focus::Name, canvas, row(1));
    choice(("Profile", &form.profiles[form.profile]), form.focus == Focus::Profile, canvas, row(2));
    draw_agents(form, rows, canvas);
    choice(("Main model", form.sight.words()), form.focus == Focus::Sight, canvas, row(below));
    choice(("Permissions", form.mode.name()), form.focus == Focus::Mode, canvas, row(below + 1));
    for (at, line) in (below + 2..).zip(meaning) {
        let room = label("", false, canvas, row(at));
        canvas.put(0, [Span::styled(line, canvas.style(Role::Faint))], room);
    }
    field(("Arguments", &form.arguments), form.focus == Focus::Arguments, canvas, row(last));
}

/// The label, and the room beside it.
fn label(text: &str, is_focused: bool, canvas: &mut Canvas<'_>, area: Rect) -> Rect {
    let role = if is_focused { Role::Focus } else { Role::Faint };
    let cursor = if is_focused { canvas.glyphs().cursor } else { " " };
    canvas.put(0, [Span::styled(format!("{cursor}{text}"), canvas.style(role))], area);
    let columns = LABEL.min(area.width);
    Rect { x: area.x + columns, width: area.width - columns, ..area }
}

fn field((name, field): (&str, &Field), is_focused: bool, canvas: &mut Canvas<'_>, area: Rect) {
    let room = label(name, is_focused, canvas, area);
    if name == "Name" && field.text().is_empty() && !is_focused {
        return canvas.put(0, [Span::styled("as its folder", canvas.style(Role::Faint))], room);
    }
    if !room.is_empty() {
        field.draw(is_focused, room, canvas);
    }
}

fn choice((name, value): (&str, &str), is_focused: bool, canvas: &mut Canvas<'_>, area: Rect) {
    let room = label(name, is_focused, canvas, area);
    let text = if is_focused { format!("< {} >", visible(value)) } else { visible(value) };
    canvas.put(0, [Span::raw(canvas.cut(&text, room.width.into()))], room);
}

fn draw_agents(form: &Launch, rows: &Rows, canvas: &mut Canvas<'_>) {
    if form.agents.is_empty() {
        let room = label("Agents", false, canvas, rows.of(3, 1));
        return canvas.put(
            0,
            [Span::styled("none yet: the screen Agents makes or imports some", canvas.style(Role::Faint))],
            room,
        );
    }
    let height = usize::from(rows.agents);
    let focused = if let Focus::Agent(at) = form.focus { at } else { 0 };
    let top = focused.saturating_sub(height / 2).min(form.agents.len().saturating_sub(height));
    for (row, (at, choice)) in (0..rows.agents).zip(form.agents.iter().enumerate().skip(top)) {
        let place = rows.of(3 + row, 1);
        let room = label(if at == 0 { "Agents" } else { "" }, form.focus == Focus::Agent(at), canvas, place);
        let spans = agent(choice, form.sight, canvas);
        canvas.put(0, fitting(spans, room.width.into(), canvas), room);
        let way = form.way_to(Focus::Agent(at));
        canvas.spots.click(place, [way]);
        canvas.spots.click(Rect { width: 3.min(room.width), ..room }, [way, SPACE.into()]);
    }
}

fn agent(choice: &Choice, sight: Sight, canvas: &Canvas<'_>) -> Vec<Span<'static>> {
    let glyphs = canvas.glyphs();
    let (tick, word) = match (choice.part, sight) {
        (Part::LeftOut, _) => (glyphs.unticked, ""),
        (Part::Hidden, _) | (Part::Seen, Sight::Delegation) => ("h", "hidden  "),
        (Part::Seen, Sight::Usual | Sight::NoTool) => (glyphs.ticked, ""),
    };
    let name = visible(&choice.name);
    let mut spans = vec![
        Span::raw(format!("[{tick}] {name}{} {word}", " ".repeat(NAME.saturating_sub(width(&name))))),
        Span::styled(visible(&choice.model), canvas.style(Role::Busy)),
    ];
    if let Some(problem) = &choice.problem {
        spans.push(Span::styled(format!("  {}", visible(problem)), canvas.style(Role::Bad)));
    }
    spans
}

/// What of them has room, with a sign where that isn't all.
fn fitting(spans: Vec<Span<'static>>, columns: usize, canvas: &Canvas<'_>) -> Vec<Span<'static>> {
    let all: String = spans.iter().map(|span| span.content.as_ref()).collect();
    let kept = canvas.cut(&all, columns);
    let mut rest = kept.chars();
    let part = |span: Span<'static>| {
        let text: String = rest.by_ref().take(span.content.chars().count()).collect();
        Span::styled(text, span.style)
    };
    spans.into_iter().map(part).collect()
}

fn draw_preview(form: &Launch, canvas: &mut Canvas<'_>, area: Rect) {
    let (role, text) = match &form.preview {
        Preview::Asked => (Role::Faint, "…"),
        // Its files are for those who read on: `subagents run --dry-run` shows them.
        Preview::Told(text) => (Role::Text, text.split("\n\n").next().unwrap_or_default()),
        Preview::Refused(text) => (Role::Bad, text.as_str()),
    };
    if area.height < 3 {
        // A reason matters more than what it is about.
        let line = if role == Role::Bad { visible(text) } else { visible(&form.command()) };
        let line = canvas.cut(&line, area.width.into());
        return canvas.put(0, [Span::styled(line, canvas.style(role))], area);
    }
    let room = canvas.panel("What runs", Role::Border, area);
    let lines = format!("{}\n{text}", form.command());
    let lines = lines.split('\n').flat_map(|line| wrapped(&visible(line), room.width.into()));
    let lines = lines.map(|line| Line::styled(line, canvas.style(role))).collect();
    form.page.draw(lines, Action::PageDown, (room, area), canvas);
}
