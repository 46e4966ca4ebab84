//! The list, the routes of the selected session, and the panes.

use ratatui::layout::{Constraint, Layout, Position, Rect};
use ratatui::text::{Line, Span};
use serde_json::Value;

use super::Sessions;
use super::panes::Keys;
use crate::launch::sessions::{Listed, Place, State};
use crate::launch::state;
use crate::ui::app::action::Action;
use crate::ui::app::look::{Look, Role};
use crate::ui::app::pane::{self, Pane};
use crate::ui::app::widget::{Canvas, Filter, cut, width};
use crate::ui::app::world::World;
use crate::ui::table::visible;
use crate::ui::text::counted;

/// Columns of the list, if there is room for more.
const SIDE: u16 = 30;

/// Below this many columns there is one column only.
const NARROW: u16 = 60;

/// Rows for the routes.
const ROUTES: u16 = 8;

/// Where the list, the routes and the panes go.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Places {
    pub list: Rect,
    pub routes: Rect,
    pub panes: Rect,
}

impl Places {
    pub fn of(area: Rect, keys: Keys) -> Self {
        let nothing = Rect { width: 0, height: 0, ..area };
        if area.width < NARROW {
            // One at a time.
            return match keys {
                Keys::List => Self { list: area, routes: nothing, panes: nothing },
                Keys::Session | Keys::Led => Self { list: nothing, routes: nothing, panes: area },
            };
        }
        let [side, panes] = Layout::horizontal([Constraint::Length(SIDE), Constraint::Fill(1)]).areas(area);
        let below = if side.height > 2 * ROUTES { ROUTES } else { 0 };
        let [list, routes] = Layout::vertical([Constraint::Fill(1), Constraint::Length(below)]).areas(side);
        Self { list, routes, panes }
    }
}

/// Draws the screen; where the cursor of the session that has the keys is.
pub(super) fn draw(
    screen: &Sessions,
    world: &World,
    canvas: &mut Canvas<'_>,
    area: Rect,
) -> Option<Position> {
    let keys = screen.panes.keys();
    let places = Places::of(area, keys);
    if !places.list.is_empty() {
        draw_list(screen, world, canvas, places.list);
    }
    if !places.routes.is_empty() {
        draw_routes(screen, world, canvas, places.routes);
    }
    if places.panes.is_empty() {
        return None;
    }
    if screen.panes.all().is_empty() {
        let room = canvas.panel("", Role::Border, places.panes);
        canvas.text(&visible_lines(&why_nothing(screen, world)), Role::Text, room);
    }
    let selected = screen.panes.selected().filter(|_| keys != Keys::List).map(|pane| pane.session);
    let mut cursor = None;
    for (pane, place) in screen.panes.places(places.panes) {
        let has_keys = selected == Some(pane.session);
        let role = if has_keys { Role::Focus } else { Role::Border };
        let room = canvas.panel(&title(pane, world, canvas.look), role, place);
        let drawn = draw_pane(pane, canvas, room);
        cursor = cursor.or(drawn.filter(|_| has_keys));
    }
    cursor
}

fn draw_list(screen: &Sessions, world: &World, canvas: &mut Canvas<'_>, area: Rect) {
    let role = if screen.panes.keys() == Keys::List { Role::Focus } else { Role::Border };
    let room = canvas.panel(&screen.filter.title("Sessions"), role, area);
    let shown = screen.shown(world);
    if shown.is_empty() {
        if let Some(why) = &world.unlisted {
            let text = format!("{}\n\n`subagents ledger check` looks into it.", visible(why));
            return canvas.text(&text, Role::Bad, room);
        }
        if let (Some(_), Filter::Off, Some(mistake)) = (&world.sessions, &screen.filter, world.mistake()) {
            return canvas.text(&mistake, Role::Bad, room);
        }
        let text = match (&world.sessions, &screen.filter) {
            (None, _) => "Looking for sessions…",
            (Some(_), Filter::Off) => "No session yet.\n\nn starts one.",
            (Some(_), _) => "None has that. Esc shows all.",
        };
        return canvas.text(text, Role::Faint, room);
    }
    let look = canvas.look;
    let line =
        |at: usize| session(shown[at], screen.panes.is_tiled(shown[at].session), look, room.width.into());
    canvas.list(screen.list, shown.len(), line, room);
    if screen.panes.keys() != Keys::List {
        canvas.reach(screen.list, shown.len(), Some(Action::Leave), room);
    }
}

/// Sign, name, state.
fn session(listed: &Listed, is_tiled: bool, look: &Look, columns: usize) -> Line<'static> {
    let (sign, role) = sign(listed, look);
    let word = match &listed.state {
        State::Ended(code) => format!("exited {code}"),
        state => state.word().to_owned(),
    };
    let tile = if is_tiled { "+" } else { " " };
    let room = columns.saturating_sub(width(&word) + 4);
    let name = cut(&visible(&listed.name), room, look);
    let gap = " ".repeat(room.saturating_sub(width(&name)) + 1);
    Line::from_iter([
        Span::styled(format!("{sign}{tile}"), look.style(role)),
        Span::raw(name),
        Span::raw(gap),
        Span::styled(word, look.style(role)),
    ])
}

fn sign(listed: &Listed, look: &Look) -> (&'static str, Role) {
    let glyphs = &look.glyphs;
    match &listed.state {
        State::Live(status) => match &status.state {
            state::State::Working | state::State::Starting => (glyphs.working, Role::Busy),
            state::State::Waiting(_) => (glyphs.waiting, Role::Waiting),
            state::State::Idle => (glyphs.idle, Role::Good),
            state::State::Failed { .. } => (glyphs.broken, Role::Bad),
            state::State::Exited { .. } => (glyphs.ended, Role::Faint),
            state::State::Unknown => (glyphs.unknown, Role::Text),
        },
        State::Running | State::Background(_) => (glyphs.idle, Role::Text),
        State::Silent(_) => (glyphs.unknown, Role::Stale),
        State::Ended(_) => (glyphs.ended, Role::Faint),
        State::Interrupted => (glyphs.broken, Role::Bad),
    }
}

fn draw_routes(screen: &Sessions, world: &World, canvas: &mut Canvas<'_>, area: Rect) {
    let room = canvas.panel("Routes, this session", Role::Border, area);
    let Some(selected) = screen.selected(world) else { return };
    let stats = world.stats.get(&selected.session);
    let rows = stats.and_then(|stats| stats["routes"].as_array()).map(Vec::as_slice).unwrap_or_default();
    let mut lines: Vec<Line<'static>> =
        rows.iter().map(|row| route(row, canvas.look, room.width.into())).collect();
    if rows.is_empty() {
        lines.push(Line::styled(counted(selected.tally.requests, "request"), canvas.style(Role::Faint)));
    }
    let refused = stats.map_or(0, |stats| refused(stats));
    if refused > 0 {
        lines.push(Line::styled(format!("strays: {refused} refused"), canvas.style(Role::Bad)));
    }
    for (row, line) in (0..).zip(lines) {
        canvas.put(row, line.spans, room);
    }
}

/// How many requests of agents off their route were refused.
fn refused(stats: &Value) -> u64 {
    let strays = stats["strays"].as_array().into_iter().flatten();
    strays.filter_map(|stray| stray["refused"].as_u64()).sum()
}

/// Name, requests, how many are on their way.
fn route(row: &Value, look: &Look, columns: usize) -> Line<'static> {
    let count = |name: &str| row[name].as_u64().unwrap_or(0);
    let flight = match count("in_flight") {
        0 => "   ".to_owned(),
        flying => format!("{flying:>2}{}", look.glyphs.flight),
    };
    let figures = format!("{:>5} {flight}", count("requests"));
    let room = columns.saturating_sub(width(&figures) + 1);
    let name = cut(&visible(row["route"].as_str().unwrap_or_default()), room, look);
    let gap = " ".repeat(room.saturating_sub(width(&name)) + 1);
    let failed = count("client_error") + count("upstream_error");
    let role = if failed > 0 { Role::Bad } else { Role::Text };
    Line::from_iter([Span::styled(name, look.style(role)), Span::raw(gap), Span::raw(figures)])
}

/// Why there is no session to be seen, and what to do next.
fn why_nothing(screen: &Sessions, world: &World) -> String {
    match screen.selected(world) {
        // The list tells what has to be mended first.
        None if world.sessions.is_none() || world.mistake().is_some() => String::new(),
        None if world.listed().is_empty() => {
            "Nothing runs here yet.\n\nn launches Claude Code with your sub-agents; ? shows all keys."
                .to_owned()
        }
        None => String::new(),
        Some(listed) => why_unseen(listed),
    }
}

fn why_unseen(listed: &Listed) -> String {
    match (&listed.state, listed.place) {
        (State::Background(jobs), _) => {
            let ids = jobs.join(", ");
            format!(
                "{} goes on in Claude Code's own background.\n\nSee it by `claude attach {ids}`.",
                listed.name
            )
        }
        (State::Ended(code), _) => {
            format!("{} has ended with exit code {code}.\n\nr takes it up again.", listed.name)
        }
        (State::Interrupted, _) => {
            format!("{} was interrupted: whatever ran it has gone.\n\nr takes it up again.", listed.name)
        }
        (_, Some(Place::Terminal)) => {
            format!("{} runs in a terminal of its own, and is seen there.\n\nx ends it.", listed.name)
        }
        _ => String::new(),
    }
}

fn visible_lines(text: &str) -> String {
    text.split('\n').map(visible).collect::<Vec<_>>().join("\n")
}

fn draw_pane(pane: &Pane, canvas: &mut Canvas<'_>, room: Rect) -> Option<Position> {
    match pane.state() {
        pane::State::Asked => canvas.text("Waiting for the session…", Role::Faint, room),
        pane::State::Shown => return pane.draw(room, canvas.buffer),
        pane::State::Closed(reason) => canvas.text(&visible_lines(reason), Role::Text, room),
    }
    None
}

fn title(pane: &Pane, world: &World, look: &Look) -> String {
    let dot = look.glyphs.dot;
    let Some(listed) = world.session(pane.session) else { return String::new() };
    let title = visible(&format!("{} {dot} {}", listed.name, world.short(&listed.folder)));
    match pane.scrolled() {
        0 => title,
        lines => format!("{title} {dot} {lines} lines up"),
    }
}
