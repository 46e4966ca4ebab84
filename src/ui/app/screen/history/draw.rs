//! Bars, figures, and what they leave out.

use ratatui::layout::Rect;
use ratatui::text::Span;

use super::sums::{Measure, State, Sums, VIEWS, tokens};
use super::{History, Opened};
use crate::ledger::{By, Report, Sum};
use crate::ui::app::look::{Look, Role};
use crate::ui::app::screen::log::{self, Frame};
use crate::ui::app::screen::names::{named, widened};
use crate::ui::app::widget::{Canvas, Cell, Column, Side, columns, row};
use crate::ui::app::world::World;
use crate::ui::table::visible;
use crate::ui::text::{dollars, short};
use crate::ui::usage::notes;

const fn column(head: &'static str, width: usize, rank: u8, side: Side) -> Column {
    Column { head, width, rank, side }
}

/// In the order in which they stand.
const ALL: [Column; 12] = [
    column("", 12, 0, Side::Wide),
    column("", 10, 3, Side::Wide),
    column("ALL", 7, 1, Side::Right),
    column("REQ", 6, 2, Side::Right),
    column("ERR", 5, 5, Side::Right),
    column("CANC", 5, 9, Side::Right),
    column("IN", 7, 6, Side::Right),
    column("OUT", 7, 7, Side::Right),
    column("CREAD", 7, 8, Side::Right),
    column("CWRITE", 7, 10, Side::Right),
    column("COST", 9, 4, Side::Right),
    column("UNPRICED", 8, 11, Side::Right),
];

/// The column of what is summed up by; it is never left out.
const KEY: usize = 0;

const BAR: usize = 1;

pub(super) fn draw(screen: &History, world: &World, canvas: &mut Canvas<'_>, area: Rect) {
    match &screen.opened {
        Some(opened) => draw_opened(opened, world, canvas, area),
        None => draw_sums(screen, world, canvas, area),
    }
    if let Some(file) = &screen.file {
        canvas.spots.cover(area);
        let rows = 4.min(area.height);
        let place = Rect { y: area.bottom() - rows, height: rows, ..area };
        let room = canvas.panel("Write to which file?", Role::Focus, place);
        if !room.is_empty() {
            file.draw(true, Rect { height: 1, ..room }, canvas);
        }
        let hint = "NAME.csv: these sums; any other name: the whole ledger as lines of JSON";
        canvas.put(1, [Span::styled(hint, canvas.look.style(Role::Faint))], room);
    }
}

fn draw_opened(opened: &Opened, world: &World, canvas: &mut Canvas<'_>, area: Rect) {
    let frame = Frame { title: &opened.title, empty: "None is remembered.", role: Role::Focus };
    if let Some(log) = &opened.log {
        return log::draw(log, &frame, world, canvas, area);
    }
    let room = canvas.panel(&opened.title, Role::Focus, area);
    canvas.text("Reading…", Role::Faint, room);
}

fn draw_sums(screen: &History, world: &World, canvas: &mut Canvas<'_>, area: Rect) {
    let sums = &screen.sums[screen.view];
    let room = canvas.panel(&title(screen, sums, canvas.look.glyphs.dot), Role::Focus, area);
    canvas.views(names(screen), screen.view, area);
    match &sums.report {
        Some(report) if !report.rows.is_empty() => draw_report(screen, report, canvas, room),
        _ => {
            let (text, role) = nothing(&sums.state, world);
            canvas.text(&text, role, room);
        }
    }
}

fn nothing(state: &State, world: &World) -> (String, Role) {
    match state {
        State::Unasked | State::Asked => ("Adding up…".to_owned(), Role::Faint),
        State::Failed(why) => (format!("{}\n\nR asks again.", visible(why)), Role::Bad),
        State::Fresh | State::Old => {
            let text =
                "No request is remembered yet.\n\n1 and then n starts a session; what it uses stands here.";
            world.mistake().map_or((text.to_owned(), Role::Faint), |mistake| (mistake, Role::Bad))
        }
    }
}

/// The views, the one in brackets that is shown.
fn names(screen: &History) -> Vec<String> {
    let name = |(at, (_, name)): (usize, &(By, &str))| {
        if at == screen.view { format!("[{name}]") } else { (*name).to_owned() }
    };
    VIEWS.iter().enumerate().map(name).collect()
}

fn title(screen: &History, sums: &Sums, dot: &str) -> String {
    let state = match &sums.state {
        State::Unasked | State::Fresh => String::new(),
        State::Asked => format!(" {dot} adding up…"),
        State::Failed(why) => format!(" {dot} {}", visible(why)),
        State::Old => format!(" {dot} there is more since: R"),
    };
    let views = screen.filter.title(&names(screen).join(" "));
    format!("{views}{state} {dot} bars: {}", screen.measure.word())
}

fn draw_report(screen: &History, report: &Report, canvas: &mut Canvas<'_>, room: Rect) {
    if room.is_empty() {
        return;
    }
    let look = canvas.look;
    let keys = report.rows.iter().map(|sum| visible(&key(sum, screen.by())));
    let mut all = ALL;
    all[KEY] = widened(all[KEY], keys, usize::from(room.width) / 2);
    let kept = columns(&all, room.width.into());
    let bar = kept.iter().find(|(at, _)| *at == BAR).map_or(0, |(_, width)| *width);
    let most = report.rows.iter().map(|sum| screen.measure.of(sum)).fold(0.0, f64::max);
    let seen = Seen { by: screen.by(), measure: screen.measure, most, bar };
    let head = |at: usize| match at {
        KEY => Cell::new(seen.by.word().to_uppercase(), Role::Faint),
        BAR => Cell::new(seen.measure.word().to_uppercase(), Role::Faint),
        at => Cell::new(all[at].head, Role::Faint),
    };
    canvas.put(0, row(&all, &kept, look, head).spans, room);
    let notes = notes(report);
    let below = u16::try_from(notes.len() + 1).unwrap_or(u16::MAX).min(room.height.saturating_sub(2));
    let list = Rect { y: room.y + 1, height: room.height - 1 - below, ..room };
    let rows = screen.rows();
    if rows.is_empty() {
        canvas.text("None has that. Esc shows all.", Role::Faint, list);
    }
    let line = |at: usize| {
        row(&all, &kept, look, |column| {
            let cell = seen.cell(rows[at], column, look);
            if column == KEY { named(&cell, (&kept, KEY), look) } else { cell }
        })
    };
    canvas.list(screen.list, rows.len(), line, list);
    let foot = Rect { y: list.bottom(), height: below, ..room };
    canvas.put(0, row(&all, &kept, look, |column| total(report, column)).spans, foot);
    for (at, note) in (1..).zip(notes) {
        canvas.put(at, [Span::styled(note, look.style(Role::Faint))], foot);
    }
}

/// What all rows are drawn by.
struct Seen {
    by: By,
    measure: Measure,
    /// The longest bar's.
    most: f64,
    /// Columns of the bars.
    bar: usize,
}

impl Seen {
    fn cell(&self, sum: &Sum, at: usize, look: &Look) -> Cell {
        match at {
            KEY => Cell::plain(visible(&key(sum, self.by))),
            BAR => Cell::new(self.bar(sum, look), Role::Busy),
            at => figure(sum, at),
        }
    }

    /// Whatever there is can be seen.
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "it is between 0 and the width"
    )]
    #[expect(clippy::cast_precision_loss, reason = "a terminal's width is small")]
    fn bar(&self, sum: &Sum, look: &Look) -> String {
        let value = self.measure.of(sum);
        if value <= 0.0 || self.most <= 0.0 {
            return String::new();
        }
        let columns = (value / self.most * self.bar as f64).round() as usize;
        look.glyphs.bars[look.glyphs.bars.len() - 1].repeat(columns.clamp(1, self.bar.max(1)))
    }
}

/// A session has a name, and an id that `resume` takes.
fn key(sum: &Sum, by: By) -> String {
    match &sum.name {
        Some(name) if by == By::Session => format!("{name} {}", sum.key.get(..8).unwrap_or(&sum.key)),
        _ => sum.key.clone(),
    }
}

fn total(report: &Report, at: usize) -> Cell {
    match at {
        KEY => Cell::new("total", Role::Title),
        BAR => Cell::plain(""),
        at => figure(&report.total, at),
    }
}

fn figure(sum: &Sum, at: usize) -> Cell {
    let failed = sum.client_error + sum.upstream_error;
    let count = match at {
        2 => tokens(sum),
        3 => sum.requests,
        4 => return Cell::new(short(failed), if failed > 0 { Role::Bad } else { Role::Text }),
        5 => sum.cancelled,
        6 => sum.input_tokens,
        7 => sum.output_tokens,
        8 => sum.cache_read_tokens,
        9 => sum.cache_write_tokens,
        10 => return cost(sum),
        _ => sum.unpriced,
    };
    Cell::plain(short(count))
}

/// No sum hides that a price is missing.
fn cost(sum: &Sum) -> Cell {
    match sum.cost_usd {
        Some(cost) if sum.unpriced > 0 => Cell::plain(format!("{}+?", dollars(cost))),
        Some(cost) => Cell::plain(dollars(cost)),
        None => Cell::new("no price", Role::Faint),
    }
}
