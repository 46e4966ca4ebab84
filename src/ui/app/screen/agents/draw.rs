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
use ratatui::text::{Line, Span};

use super::details::{details, weight};
use super::roster::Row;
use super::{Agents, Mode, Told};
use crate::config::Severity;
use crate::ui::app::action::Action;
use crate::ui::app::look::{Look, Role};
use crate::ui::app::widget::{Canvas, Filter, cut, width};
use crate::ui::app::world::World;
use crate::ui::table::visible;

/// Below this many columns there is only the list.
const NARROW: u16 = 80;

/// Columns of a list's line with which it also tells tools and who sees it.
const WIDE: usize = 56;

/// The widest a name is drawn beside other things.
const NAME: usize = 24;

pub(super) fn draw(screen: &Agents, world: &World, canvas: &mut Canvas<'_>, area: Rect) {
    let [body, foot] = Layout::vertical([Constraint::Fill(1), Constraint::Length(1)]).areas(area);
    let (list, beside) = if area.width < NARROW {
        (body, Rect { width: 0, ..body })
    } else {
        let [list, beside] =
            Layout::horizontal([Constraint::Percentage(52), Constraint::Fill(1)]).areas(body);
        (list, beside)
    };
    draw_list(screen, canvas, list);
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

fn draw_list(screen: &Agents, canvas: &mut Canvas<'_>, area: Rect) {
    let room = canvas.panel(&screen.filter.title("Agents"), Role::Focus, area);
    let shown = screen.shown();
    if shown.is_empty() {
        let (text, role) = match (&screen.told, &screen.filter) {
            (Told::Unasked | Told::Asked, _) => ("Reading the agents…".to_owned(), Role::Faint),
            (Told::Failed(why), _) => {
                (format!("The agents can't be read; R tries again.\n\n{}", lines(why)), Role::Bad)
            }
            (Told::Listed(..), Filter::Off) => (NOTHING.to_owned(), Role::Text),
            (Told::Listed(..), _) => ("None has that. Esc shows all.".to_owned(), Role::Faint),
        };
        return canvas.text(&text, role, room);
    }
    let names = shown.iter().map(|row| width(&visible(&row.name))).max().unwrap_or(0).min(NAME);
    let (look, columns) = (canvas.look, usize::from(room.width));
    let [head, below] = Layout::vertical([Constraint::Length(1), Constraint::Fill(1)]).areas(room);
    let (head, list) = if room.height > 3 { (head, below) } else { (Rect { height: 0, ..head }, room) };
    canvas.put(0, heads(names, look, columns).spans, head);
    canvas.list(screen.list, shown.len(), |at| line(shown[at], names, look, columns), list);
}

/// Above the columns.
fn heads(names: usize, look: &Look, columns: usize) -> Line<'static> {
    let end = end(["tools", "seen by", "from"], columns);
    let [name, model] = cells(["name", "runs on"], &end, (names, columns), look);
    Line::styled(format!("  {name} {model}{end}"), look.style(Role::Faint))
}

/// The name and what it runs on, in what the rest of the line leaves.
fn cells(texts: [&str; 2], end: &str, (names, columns): (usize, usize), look: &Look) -> [String; 2] {
    let names = names.min(columns / 2).min(columns.saturating_sub(width(end) + 3));
    let model = columns.saturating_sub(names + width(end) + 3);
    [padded(texts[0], names, look), padded(texts[1], model, look)]
}

/// Tools and who sees it where there is room, and where it is from.
fn end([tools, seen, source]: [&str; 3], columns: usize) -> String {
    if columns >= WIDE { format!(" {tools:>5} {seen:<8} {source:<7}") } else { format!(" {source:<7}") }
}

const NOTHING: &str = "No agent yet.\n\nn makes one, from a sample or from nothing.\nI imports those of Claude Code \
                       and other programs.";

fn lines(text: &str) -> String {
    text.lines().map(visible).collect::<Vec<_>>().join("\n")
}

/// Sign, name, what it runs on; with room also tools and who sees it; where it is from.
fn line(row: &Row, names: usize, look: &Look, columns: usize) -> Line<'static> {
    let (sign, role) = sign(row, look);
    let end = end([&row.tools_in_short(), row.seen.word(), row.source.word()], columns);
    let texts = [visible(&row.name), visible(row.model.as_deref().unwrap_or_default())];
    let [name, model] = cells([&texts[0], &texts[1]], &end, (names, columns), look);
    let style = look.style(if row.counts { Role::Text } else { Role::Faint });
    Line::from_iter([
        Span::styled(format!("{sign} "), look.style(role)),
        Span::styled(format!("{name} {model}"), style),
        Span::styled(end, look.style(Role::Faint)),
    ])
}

/// The text in so many columns, cut or with blanks.
pub(super) fn padded(text: &str, columns: usize, look: &Look) -> String {
    let text = cut(text, columns, look);
    let blanks = columns.saturating_sub(width(&text));
    text + &" ".repeat(blanks)
}

fn sign(row: &Row, look: &Look) -> (&'static str, Role) {
    match row.worst() {
        Some(Severity::Error) => (look.glyphs.broken, Role::Bad),
        Some(Severity::Warning) => ("!", Role::Waiting),
        _ => (" ", Role::Text),
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
