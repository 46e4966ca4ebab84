//! The list of requests, with its heads and what it leaves out.

use jiff::{Timestamp, ZonedDateTime};
use ratatui::layout::Rect;
use ratatui::text::Line;

use super::columns::{ALL, MODEL, cell};
use super::{Flow, Log};
use crate::ui::app::look::Role;
use crate::ui::app::screen::names::named;
use crate::ui::app::widget::{Canvas, columns, heads, row};
use crate::ui::app::world::World;

/// What is around the list.
pub struct Frame<'f> {
    pub title: &'f str,
    /// What is said where there is nothing.
    pub empty: &'f str,
    /// [`Role::Focus`] where it has the keys.
    pub role: Role,
}

/// Draws it in a box.
pub fn draw(log: &Log, frame: &Frame<'_>, world: &World, canvas: &mut Canvas<'_>, area: Rect) {
    let title = full_title(log, frame.title, canvas.look.glyphs.dot);
    let room = canvas.panel(&title, frame.role, area);
    if room.is_empty() {
        return;
    }
    if log.shown.is_empty() {
        let text = if log.is_empty() { frame.empty } else { "None of them fits. Esc forgets the filter." };
        return canvas.text(text, Role::Faint, room);
    }
    let (look, kept) = (canvas.look, columns(&ALL, room.width.into()));
    canvas.put(0, heads(&ALL, &kept, look).spans, room);
    let below = Rect { y: room.y + 1, height: room.height - 1, ..room };
    let now = world.clock();
    let line = |at: usize| match log.row(log.shown[at]) {
        Some(request) => row(&ALL, &kept, look, |column| {
            let cell = cell(request, column, &now, look);
            if column == MODEL { named(&cell, (&kept, MODEL), look) } else { cell }
        }),
        None => Line::default(),
    };
    if frame.role == Role::Focus {
        canvas.list(log.list, log.shown.len(), line, below);
    } else {
        canvas.rows(log.list, log.shown.len(), line, below);
    }
}

/// What is shown, how, and what isn't.
fn full_title(log: &Log, title: &str, dot: &str) -> String {
    let (shown, all) = (log.shown.len(), log.rows.len());
    let count = if shown == all { all.to_string() } else { format!("{shown} of {all}") };
    let mut parts = vec![format!("{} {count}", log.filter.title(title))];
    match log.flow {
        Flow::Follows => parts.push("following".to_owned()),
        Flow::Stays => {}
        Flow::Paused { from } => parts.push(format!("paused, {} new", log.end().saturating_sub(from))),
    }
    if log.lost > 0 {
        parts.push(format!("{} not shown: they could not be kept", log.lost));
    }
    if log.older > 0 {
        parts.push(format!("{} older not shown", log.older));
    }
    parts.extend(log.order.word().map(str::to_owned));
    parts.join(&format!(" {dot} "))
}

/// The time of day as the person's clock has it; of other days the day.
pub fn time(at: i64, now: &ZonedDateTime) -> String {
    let Ok(at) = Timestamp::from_millisecond(at) else { return "-".to_owned() };
    let at = at.to_zoned_datetime(now.time_zone().clone());
    let format = if at.date() == now.date() { "%H:%M:%S" } else { "%b %d" };
    at.strftime(format).to_string()
}
