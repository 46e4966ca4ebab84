//! The list, what is known of the selected agent beside it, and how much all descriptions weigh.
//!
//! ```text
//! ┌ Agents ─────────────────────────────┐┌ reviewer · ours ─────────────────┐
//! │  reviewer   glm/glm-5   3  model    ││Reviews changes for correctness.  │
//! │✕ broken                    not used ││about 12 tokens of all sessions   │
//! └─────────────────────────────────────┘└──────────────────────────────────┘
//!  descriptions: about 240 of 15,000 tokens (4 agents)
//! ```

use ratatui::layout::{Constraint, Layout, Rect};
use ratatui::text::Span;

use super::details::{details, weight};
use super::roster::Row;
use super::{Agents, Mode, Told};
use crate::config::Severity;
use crate::config::edit::NEW_AGENT;
use crate::ui::app::action::Action;
use crate::ui::app::look::{Look, Role};
use crate::ui::app::screen::names::{named, shared};
use crate::ui::app::widget::{Canvas, Cell, Column, Filter, Side, columns, cut, heads, row, width};
use crate::ui::app::world::World;
use crate::ui::table::visible;

/// Below this many columns there is only the list.
const NARROW: u16 = 80;

/// The widest a name is drawn beside other things.
const WIDEST: usize = 24;

/// In the order in which they stand.
const COLUMNS: [Column; 6] = [
    Column::new("", 1, 2, Side::Left),
    Column::new("name", 4, 0, Side::Left),
    Column::new("runs on", 7, 1, Side::Wide),
    Column::new("tools", 5, 5, Side::Right),
    Column::new("seen by", 8, 4, Side::Left),
    Column::new("from", 7, 3, Side::Left),
];

const SIGN: usize = 0;

/// The columns of what tells agents apart.
const NAME: usize = 1;
const MODEL: usize = 2;

pub(super) fn draw(screen: &Agents, world: &World, canvas: &mut Canvas<'_>, area: Rect) {
    let [body, foot] = Layout::vertical([Constraint::Fill(1), Constraint::Length(1)]).areas(area);
    let (list, beside) = if area.width < NARROW {
        (body, Rect { width: 0, ..body })
    } else {
        let [list, beside] =
            Layout::horizontal([Constraint::Percentage(52), Constraint::Fill(1)]).areas(body);
        (list, beside)
    };
    draw_list(screen, world, canvas, list);
    if !beside.is_empty() {
        draw_details(screen, world, canvas, beside);
    }
    if !screen.rows().is_empty() {
        let line = weight(screen.rows(), canvas.look);
        canvas.put(0, [Span::styled(format!(" {line}"), line.style)], foot);
    }
    if !matches!(screen.mode, Mode::List) {
        canvas.spots.cover(area);
    }
    match &screen.mode {
        Mode::Asked(asked) => asked.draw(canvas, area),
        Mode::Begin(begin) => begin.draw(canvas, area),
        // The last two are drawn in the list's place.
        Mode::List | Mode::Editor(_) | Mode::Import(_) => {}
    }
}

fn draw_list(screen: &Agents, world: &World, canvas: &mut Canvas<'_>, area: Rect) {
    let is_new_unsaved = world.is_unsaved(NEW_AGENT);
    let more = if is_new_unsaved {
        format!(" {} a new one isn't saved: n", canvas.glyphs().dot)
    } else {
        String::new()
    };
    let room = canvas.panel(&format!("{}{more}", screen.filter.title("Agents")), Role::Focus, area);
    let shown = screen.shown();
    if shown.is_empty() {
        let (text, role) = match (&screen.told, &screen.filter) {
            (Told::Unasked | Told::Asked, _) => ("Reading the agents…".to_owned(), Role::Faint),
            (Told::Failed(why), _) => {
                (format!("The agents can't be read; R tries again.\n\n{}", lines(why)), Role::Bad)
            }
            (Told::Listed(..), Filter::Off) => {
                world.mistake().map_or((NOTHING.to_owned(), Role::Text), |mistake| (mistake, Role::Bad))
            }
            (Told::Listed(..), _) => ("None has that. Esc shows all.".to_owned(), Role::Faint),
        };
        return canvas.text(&text, role, room);
    }
    let look = canvas.look;
    let all = sized(&shown, room.width.into());
    let kept = columns(&all, room.width.into());
    let [head, below] = Layout::vertical([Constraint::Length(1), Constraint::Fill(1)]).areas(room);
    let (head, list) = if room.height > 3 { (head, below) } else { (Rect { height: 0, ..head }, room) };
    canvas.put(0, heads(&all, &kept, look).spans, head);
    let line = |at: usize| {
        row(&all, &kept, look, |column| match column {
            SIGN => sign(shown[at], world, look),
            NAME | MODEL => named(&cell(shown[at], column), (&kept, column), look),
            _ => cell(shown[at], column),
        })
    };
    canvas.list(screen.list, shown.len(), line, list);
}

const NOTHING: &str = "No agent yet.\n\nn makes one, from a sample or from nothing.\nI imports those of Claude Code \
                       and other programs.";

fn lines(text: &str) -> String {
    text.lines().map(visible).collect::<Vec<_>>().join("\n")
}

/// The columns of the list, with room for what tells these agents apart.
fn sized(shown: &[&Row], room: usize) -> [Column; 6] {
    let longest = |text: fn(&Row) -> String| shown.iter().map(|row| width(&text(row))).max().unwrap_or(0);
    // The sign and two blanks take the rest.
    let room = room.saturating_sub(3);
    let [name, model] = shared([longest(name).min(WIDEST), longest(model).min(room / 2)], room);
    let mut all = COLUMNS;
    all[NAME].width = all[NAME].width.max(name);
    all[MODEL].width = all[MODEL].width.max(model);
    all
}

fn name(row: &Row) -> String {
    visible(&row.name)
}

fn model(row: &Row) -> String {
    visible(row.model.as_deref().unwrap_or_default())
}

fn cell(row: &Row, at: usize) -> Cell {
    let role = if row.counts { Role::Text } else { Role::Faint };
    match at {
        NAME => Cell::new(name(row), role),
        MODEL => Cell::new(model(row), role),
        3 => Cell::new(row.tools_in_short(), Role::Faint),
        4 => Cell::new(row.seen.word(), Role::Faint),
        _ => Cell::new(row.source.word(), Role::Faint),
    }
}

/// The text in so many columns, cut or with blanks.
pub(super) fn padded(text: &str, columns: usize, look: &Look) -> String {
    let text = cut(text, columns, look);
    let blanks = columns.saturating_sub(width(&text));
    text + &" ".repeat(blanks)
}

/// What is to be seen to first.
fn sign(row: &Row, world: &World, look: &Look) -> Cell {
    match row.worst() {
        Some(Severity::Error) => Cell::new(look.glyphs.broken, Role::Bad),
        _ if row.is_unsaved(world) => Cell::new(look.glyphs.waiting, Role::Waiting),
        Some(Severity::Warning) => Cell::new("!", Role::Waiting),
        _ => Cell::plain(""),
    }
}

fn draw_details(screen: &Agents, world: &World, canvas: &mut Canvas<'_>, area: Rect) {
    let Some(selected) = screen.selected() else {
        canvas.panel("", Role::Border, area);
        return;
    };
    let title = format!("{} {} {}", visible(&selected.name), canvas.glyphs().dot, selected.source.word());
    let room = canvas.panel(&title, Role::Border, area);
    let lines = details(selected, (world, &screen.catalogue), canvas.look, room.width.into());
    canvas.spots.wheel(room, [Action::ScrollUp.into()], [Action::ScrollDown.into()]);
    screen.page.draw(lines, Action::ScrollDown, (room, area), canvas);
}
