//! The first and the last line.

use ratatui::layout::Rect;
use ratatui::text::Span;

use super::App;
use super::action::{Action, Place};
use super::look::Role;
use super::screen::Tab;
use super::screen::sessions::Keys;
use super::widget::{Canvas, cut, width};
use crate::ui::table::visible;
use crate::ui::text::{counted, dollars};

/// The screens, and how everything is.
pub(super) fn title(app: &App, canvas: &mut Canvas<'_>, area: Rect) {
    let look = &app.look;
    let mut spans = vec![Span::styled(" subagents  ", look.style(Role::Title))];
    for (number, (tab, name)) in (1..).zip(Tab::ALL) {
        let role = if tab == app.tab { Role::Selected } else { Role::Text };
        spans.push(Span::styled(format!(" {number} {name} "), look.style(role)));
    }
    let used: usize = spans.iter().map(|span| width(&span.content)).sum();
    canvas.put(0, spans, area);
    let mut right = Vec::new();
    let waiting = app.world.waiting.len();
    if waiting > 0 {
        right.push(Span::styled(
            format!(" {} {waiting} wait: i ", look.glyphs.waiting),
            look.style(Role::Waiting),
        ));
    }
    right.push(Span::styled(totals(app), look.style(Role::Faint)));
    right.push(Span::styled(" ? help ", look.style(Role::Key)));
    // What is more important stays longest.
    while used + sum(&right) > usize::from(area.width) && right.len() > 1 {
        right.remove(if right.len() == 3 { 1 } else { right.len() - 1 });
    }
    let columns = u16::try_from(sum(&right)).unwrap_or(u16::MAX).min(area.width);
    if used + usize::from(columns) <= usize::from(area.width) {
        canvas.put(0, right, Rect { x: area.right() - columns, width: columns, ..area });
    }
}

fn sum(spans: &[Span<'_>]) -> usize {
    spans.iter().map(|span| width(&span.content)).sum()
}

fn totals(app: &App) -> String {
    let (living, working, cost) = app.world.totals();
    let dot = app.look.glyphs.dot;
    let mut text = format!("{} {dot} {working} working", counted(living as u64, "session"));
    if let Some(cost) = cost {
        text = format!("{text} {dot} {}", dollars(cost));
    }
    text
}

/// What was told last while it stands, else what keys mean here.
pub(super) fn footer(app: &App, canvas: &mut Canvas<'_>, area: Rect) {
    let look = &app.look;
    if let Some(message) = app.messages.standing(app.world.now) {
        let first = message.text.lines().next().unwrap_or_default();
        let more = if message.text.lines().count() > 1 { " (! shows all)" } else { "" };
        let room = usize::from(area.width).saturating_sub(width(more) + 1);
        let text = format!(" {}{more}", cut(&visible(first), room, look));
        return canvas.put(0, [Span::styled(text, look.style(message.role))], area);
    }
    if app.dialogs.is_empty() && app.sessions.panes.keys() == Keys::Session && app.tab == Tab::Sessions {
        let text = format!(" all keys go to the session; {} and then d comes back, ? helps", app.leader());
        return canvas.put(0, [Span::styled(text, look.style(Role::Faint))], area);
    }
    canvas.put(0, keys(app), area);
}

/// The keys of this place, in the keymap's order, each action once.
fn keys(app: &App) -> Vec<Span<'static>> {
    let place = app.place();
    let mut shown: Vec<Action> = Vec::new();
    let mut spans = vec![Span::raw(" ")];
    let everywhere = [Action::Filter, Action::Palette, Action::Help, Action::Quit];
    let common = everywhere.iter().filter(|_| !place.is_typed_in() && place != Place::Leader);
    let common = common.filter_map(|action| Some((app.keymap.key(Place::Everywhere, *action)?, *action)));
    for (chord, action) in app.keymap.of(place).iter().copied().chain(common) {
        if !shown.contains(&action) {
            shown.push(action);
            spans.push(Span::styled(chord.to_string(), app.look.style(Role::Key)));
            spans.push(Span::raw(format!(" {}  ", action.label())));
        }
    }
    spans
}
