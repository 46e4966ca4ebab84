//! The figures above, the log below; one of them where there is no room for both.

use ratatui::layout::{Constraint, Layout, Rect};
use uuid::Uuid;

use super::columns::{AGENT, ALL, ROUTE, Seen, shown};
use super::figures::{self, Freshness, Stray, View};
use super::{Focus, Monitor, Scope, bind};
use crate::config::Config;
use crate::launch::sessions::Place;
use crate::ui::app::look::{Look, Role};
use crate::ui::app::screen::log::{self, Frame};
use crate::ui::app::screen::names::{named, widened};
use crate::ui::app::widget::{Canvas, Cell, Column, Side, columns, heads, row};
use crate::ui::app::world::World;
use crate::ui::table::visible;
use crate::ui::text::counted;

/// Below so many rows there is one list only.
const LOW: u16 = 15;

/// Rows of the box and the heads.
const FRAME: usize = 3;

const STRAYS: [Column; 5] = [
    Column { head: "AGENT", width: 10, rank: 2, side: Side::Wide },
    Column { head: "ASKED FOR", width: 14, rank: 0, side: Side::Wide },
    Column { head: "CALLS", width: 5, rank: 1, side: Side::Right },
    Column { head: "REFUSED", width: 7, rank: 3, side: Side::Right },
    Column { head: "NEXT", width: 24, rank: 4, side: Side::Left },
];

/// The column of the model that was asked for.
const ASKED: usize = 1;

pub(super) fn draw(screen: &Monitor, world: &World, canvas: &mut Canvas<'_>, area: Rect) {
    let sessions = screen.sessions(world);
    let notes = notes(screen, world);
    let role = |focus: Focus| if screen.focus == focus { Role::Focus } else { Role::Border };
    let (mut above, mut below) = (Some(area), Some(area));
    if area.height < LOW {
        match screen.focus {
            Focus::Figures => below = None,
            Focus::Log => above = None,
        }
    } else {
        let wanted = screen.length(world).max(2) + FRAME + notes.len();
        let rows = u16::try_from(wanted).unwrap_or(u16::MAX).min(area.height / 2);
        let [figures, log] = Layout::vertical([Constraint::Length(rows), Constraint::Fill(1)]).areas(area);
        (above, below) = (Some(figures), Some(log));
    }
    if let Some(area) = above {
        let room = canvas.panel(&title(screen, world, canvas.look), role(Focus::Figures), area);
        let shown = View::ALL.iter().position(|(view, _)| *view == screen.view).unwrap_or(0);
        canvas.views(names(screen, world), shown, area);
        let room = under_notes(&notes, canvas, room);
        match screen.view {
            View::Strays => draw_strays(screen, world, &sessions, canvas, room),
            _ => draw_figures(screen, world, &sessions, canvas, room),
        }
    }
    if let Some(area) = below {
        let (empty, role) = (empty_log(screen), role(Focus::Log));
        let frame = Frame { title: "Requests", empty: &empty, role };
        log::draw(&screen.log, &frame, world, canvas, area);
    }
}

fn empty_log(screen: &Monitor) -> String {
    let tab = if screen.log.is_empty() { "" } else { " a shows all sessions." };
    format!("No request has ended yet. Each stands here once it has, whatever session it is of.{tab}")
}

/// What is to be read beside the figures.
fn notes(screen: &Monitor, world: &World) -> Vec<(String, Role)> {
    let in_scope = |session: Uuid| screen.scope == Scope::All || world.selected == Some(session);
    let mut notes = Vec::new();
    let alone = world.living().filter(|listed| listed.place == Some(Place::Terminal));
    let alone = alone.filter(|listed| in_scope(listed.session)).count();
    if alone > 0 {
        let sessions = counted(alone as u64, "session");
        let (place, whose) =
            if alone == 1 { ("its own terminal", "its") } else { ("their own terminals", "their") };
        let text = format!("{sessions} in {place}: {whose} requests count once they have ended.");
        notes.push((text, Role::Faint));
    }
    let circuit = |(key, row): (figures::Key, figures::Row)| {
        let told = row.circuit.told()?;
        Some((format!("{} is {told}.", key.route), Role::Bad))
    };
    notes.extend(figures::rows(world, View::Routes, &screen.sessions(world)).into_iter().filter_map(circuit));
    for listed in world.living().filter(|listed| in_scope(listed.session)) {
        let bypass = world.stats.get(&listed.session).and_then(|stats| stats["bypass"].as_str());
        notes.extend(bypass.map(|why| (format!("{}: {why}", listed.name), Role::Bad)));
    }
    notes
}

/// Draws the notes at the bottom, and gives the room over them.
fn under_notes(notes: &[(String, Role)], canvas: &mut Canvas<'_>, room: Rect) -> Rect {
    let rows = u16::try_from(notes.len()).unwrap_or(u16::MAX).min(room.height.saturating_sub(2));
    let over = Rect { height: room.height - rows, ..room };
    for (at, (text, role)) in (0..rows).zip(notes) {
        let text = canvas.cut(&visible(text), room.width.into());
        let span = ratatui::text::Span::styled(text, canvas.style(*role));
        canvas.put(over.height + at, [span], room);
    }
    over
}

/// The views, the one in brackets that is shown.
fn names(screen: &Monitor, world: &World) -> [String; View::ALL.len()] {
    let strays = figures::strays(world, &screen.sessions(world)).len();
    View::ALL.map(|(view, name)| {
        let name =
            if view == View::Strays && strays > 0 { format!("{name} {strays}") } else { name.to_owned() };
        if view == screen.view { format!("[{name}]") } else { name }
    })
}

fn title(screen: &Monitor, world: &World, look: &Look) -> String {
    let views = names(screen, world).join(" ");
    let whose = match (screen.scope, world.selected.and_then(|session| world.session(session))) {
        (Scope::All, _) => "all sessions".to_owned(),
        (Scope::Selected, Some(listed)) => visible(&listed.name),
        (Scope::Selected, None) => "no session is selected".to_owned(),
    };
    let several = screen.scope == Scope::All && world.stats.len() > 1 && screen.view != View::Strays;
    let worst = if several { format!(" {} ttfb of the slowest", look.glyphs.dot) } else { String::new() };
    format!("{views} {} {whose}{worst}", look.glyphs.dot)
}

fn draw_figures(screen: &Monitor, world: &World, sessions: &[Uuid], canvas: &mut Canvas<'_>, room: Rect) {
    let rows = figures::rows(world, screen.view, sessions);
    if rows.is_empty() {
        if let Some(mistake) = world.mistake().filter(|_| world.living().next().is_none()) {
            return canvas.text(&mistake, Role::Bad, room);
        }
        return canvas.text(nothing(screen, world), Role::Faint, room);
    }
    if room.is_empty() {
        return;
    }
    let look = canvas.look;
    let shown = shown(screen.view, &rows, look.motion);
    let all: Vec<Column> = shown.iter().map(|at| wide_enough(*at, &rows, room.width.into())).collect();
    let kept = columns(&all, room.width.into());
    canvas.put(0, heads(&all, &kept, look).spans, room);
    let below = Rect { y: room.y + 1, height: room.height - 1, ..room };
    let line = |at: usize| {
        let (key, figures) = &rows[at];
        let minute = screen.paces.minute(sessions, screen.view, key, world.now);
        let failure = screen.errors.last(sessions, key);
        let seen = Seen { key, row: figures, minute: &minute, failure, now: world.clock() };
        row(&all, &kept, look, |column| {
            let cell = seen.cell(shown[column], look);
            match shown[column] {
                AGENT | ROUTE => named(&cell, (&kept, column), look),
                _ => cell,
            }
        })
    };
    if screen.focus == Focus::Figures {
        canvas.list(screen.list, rows.len(), line, below);
    } else {
        canvas.rows(screen.list, rows.len(), line, below);
    }
}

/// The column with this number, with room for what tells these rows apart.
fn wide_enough(at: usize, rows: &[(figures::Key, figures::Row)], columns: usize) -> Column {
    let keys = rows.iter().map(|(key, _)| key);
    match at {
        AGENT => widened(ALL[at], keys.map(|key| visible(key.agent.as_deref().unwrap_or("-"))), columns / 4),
        // With the sign of one that is left alone.
        ROUTE => widened(ALL[at], keys.map(|key| visible(&format!("  {}", key.route))), columns / 2),
        _ => ALL[at],
    }
}

fn nothing(screen: &Monitor, world: &World) -> &'static str {
    match (&world.sessions, screen.scope) {
        (None, _) => "Looking for sessions…",
        (_, Scope::Selected) => "This session tells no figures. a shows all sessions.",
        _ if world.living().next().is_none() => {
            "Nothing runs. 1 and then n starts a session, whose requests are counted here."
        }
        _ => "No request yet.",
    }
}

fn draw_strays(screen: &Monitor, world: &World, sessions: &[Uuid], canvas: &mut Canvas<'_>, room: Rect) {
    let strays = figures::strays(world, sessions);
    if strays.is_empty() {
        return canvas.text("No agent has left its route.", Role::Faint, room);
    }
    if room.is_empty() {
        return;
    }
    let look = canvas.look;
    let mut all = STRAYS;
    let models = strays.iter().map(|stray| visible(&stray.model));
    all[ASKED] = widened(all[ASKED], models, usize::from(room.width) / 2);
    let kept = columns(&all, room.width.into());
    canvas.put(0, heads(&all, &kept, look).spans, room);
    let below = Rect { y: room.y + 1, height: room.height - 1, ..room };
    let config = &world.configuration.config;
    let line = |at: usize| {
        row(&all, &kept, look, |column| {
            let cell = stray(&strays[at], column, config);
            if column == ASKED { named(&cell, (&kept, ASKED), look) } else { cell }
        })
    };
    if screen.focus == Focus::Figures {
        canvas.list(screen.list, strays.len(), line, below);
    } else {
        canvas.rows(screen.list, strays.len(), line, below);
    }
}

fn stray(stray: &Stray, at: usize, config: &Config) -> Cell {
    let cell = match at {
        0 => Cell::plain(visible(stray.agent.as_deref().unwrap_or("-"))),
        ASKED => Cell::new(visible(&stray.model), Role::Waiting),
        2 => Cell::plain(stray.requests.to_string()),
        3 => Cell::plain(stray.refused.to_string()),
        _ => match bind::route(&stray.model, config) {
            Ok(_) => Cell::new("b makes a route of it", Role::Key),
            Err(bind::Unbound::NoRoute(_)) => Cell::new("no route", Role::Faint),
            Err(bind::Unbound::NoProvider(_)) => Cell::new("no such provider", Role::Faint),
            Err(bind::Unbound::Known(_)) => Cell::new("a route already", Role::Faint),
        },
    };
    if stray.freshness == Freshness::Stale { Cell { role: Role::Stale, ..cell } } else { cell }
}

/// Everything that is known of it.
pub(super) fn stray_lines(stray: &Stray) -> Vec<String> {
    vec![
        format!("agent      {}", visible(stray.agent.as_deref().unwrap_or("one without a route"))),
        format!("asked for  {}", visible(&stray.model)),
        format!("calls      {}", stray.requests),
        format!("refused    {}", stray.refused),
    ]
}
