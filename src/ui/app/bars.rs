//! The first and the last line.

use ratatui::layout::Rect;
use ratatui::text::Span;

use super::App;
use super::action::{Action, Place};
use super::input::Chord;
use super::look::Role;
use super::screen::Tab;
use super::screen::sessions::Keys;
use super::widget::{Canvas, cut, width};
use crate::ui::table::visible;
use crate::ui::text::{counted, dollars};

/// So many keys of a place stay in the footer while other places' keys still take room.
const FIRST: usize = 3;

/// The screens, and how everything is. What matters most stays where there is little room: what waits, then the screens.
pub(super) fn title(app: &App, canvas: &mut Canvas<'_>, area: Rect) {
    let room = usize::from(area.width);
    let waiting = waiting(app);
    let left = [tabs(app, Tabs::Branded), tabs(app, Tabs::Named), tabs(app, Tabs::Short)];
    let fits = |left: &Vec<Span<'_>>| sum(left) + sum(&waiting) <= room;
    let left = left.iter().find(|left| fits(left)).unwrap_or(&left[2]).clone();
    let used = sum(&left);
    tab_spots(&left, canvas, area);
    canvas.put(0, left, area);
    let help =
        app.keymap.key(app.place(), Action::Help).map_or_else(String::new, |key| format!(" {key} help "));
    let help = [Span::styled(help, app.look().style(Role::Key))];
    let totals = [Span::styled(totals(app), app.look().style(Role::Faint))];
    let parts = [waiting.clone(), [totals.as_slice(), help.as_slice()].concat()].concat();
    let right = [parts, [waiting.as_slice(), help.as_slice()].concat(), waiting];
    if let Some(right) = right.into_iter().find(|right| used + sum(right) <= room) {
        let columns = u16::try_from(sum(&right)).unwrap_or(u16::MAX).min(area.width);
        let place = Rect { x: area.right() - columns, width: columns, ..area };
        for (spot, span) in places(&right, place) {
            let action = if span.content == help[0].content { Action::Help } else { Action::Inbox };
            // The totals lead nowhere.
            if span.content != totals[0].content {
                canvas.spots.click(spot, [action.into()]);
            }
        }
        canvas.put(0, right, place);
    }
}

/// A click on a screen's name shows it.
fn tab_spots(tabs: &[Span<'_>], canvas: &mut Canvas<'_>, area: Rect) {
    const SHOWS: [Action; Tab::ALL.len()] = [
        Action::ShowSessions,
        Action::ShowAgents,
        Action::ShowRoutes,
        Action::ShowMonitor,
        Action::ShowHistory,
    ];
    // The last ones are the screens; our own name may stand before them.
    for ((place, _), action) in places(tabs, area).skip(tabs.len() - SHOWS.len()).zip(SHOWS) {
        canvas.spots.click(place, [action.into()]);
    }
}

/// Each span with the place where it is drawn.
fn places<'s>(spans: &'s [Span<'s>], area: Rect) -> impl Iterator<Item = (Rect, &'s Span<'s>)> {
    spans.iter().scan(area.x, move |x, span| {
        let columns = u16::try_from(width(&span.content)).unwrap_or(u16::MAX);
        let place = Rect { x: *x, width: columns, ..area }.intersection(area);
        *x = x.saturating_add(columns);
        Some((place, span))
    })
}

/// How much of the screens' names is shown.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Tabs {
    Branded,
    Named,
    /// The shown one alone is named.
    Short,
}

fn tabs(app: &App, tabs: Tabs) -> Vec<Span<'static>> {
    let mut spans = Vec::new();
    if tabs == Tabs::Branded {
        spans.push(Span::styled(" subagents  ", app.look().style(Role::Title)));
    }
    for (number, (tab, name)) in (1..).zip(Tab::ALL) {
        let is_shown = tab == app.tab;
        let role = if is_shown { Role::Selected } else { Role::Text };
        let text = if tabs == Tabs::Short && !is_shown {
            format!(" {number} ")
        } else {
            format!(" {number} {name} ")
        };
        spans.push(Span::styled(text, app.look().style(role)));
    }
    spans
}

/// Nothing, where nothing waits.
fn waiting(app: &App) -> Vec<Span<'static>> {
    let count = app.world.waits();
    let key =
        app.keymap.key(Place::Everywhere, Action::Inbox).map(|key| format!(": {key}")).unwrap_or_default();
    let text = format!(" {} {count} wait{key} ", app.look().glyphs.waiting);
    let span = (count > 0).then(|| Span::styled(text, app.look().style(Role::Waiting)));
    span.into_iter().collect()
}

fn sum(spans: &[Span<'_>]) -> usize {
    spans.iter().map(|span| width(&span.content)).sum()
}

fn totals(app: &App) -> String {
    let (living, working, cost) = app.world.totals();
    let dot = app.look().glyphs.dot;
    let mut text = format!("{} {dot} {working} working", counted(living as u64, "session"));
    if let Some(cost) = cost {
        text = format!("{text} {dot} {}", dollars(cost));
    }
    text
}

/// What was told last while it stands, else what keys mean here.
pub(super) fn footer(app: &App, canvas: &mut Canvas<'_>, area: Rect) {
    let look = app.look();
    if let Some(message) = app.messages.standing(app.world.now) {
        let first = visible(message.text.lines().next().unwrap_or_default());
        let is_whole = message.text.lines().count() < 2 && width(&first) < usize::from(area.width);
        // Where one types, that key is a letter.
        let more = if is_whole || app.place().is_typed_in() { "" } else { " (! shows all)" };
        let room = usize::from(area.width).saturating_sub(width(more) + 1);
        let text = format!(" {}{more}", cut(&first, room, look));
        canvas.spots.click(area, [Action::Messages.into()]);
        return canvas.put(0, [Span::styled(text, look.style(message.role))], area);
    }
    if app.dialogs.is_empty() && app.starting.is_some() {
        let text = format!(" starting: what is typed goes to the session; {} gives that up", app.leader());
        return canvas.put(0, [Span::styled(text, look.style(Role::Busy))], area);
    }
    if app.dialogs.is_empty() && app.sessions.panes.keys() == Keys::Session && app.tab == Tab::Sessions {
        let text = format!(" all keys go to the session; {} and then d comes back, ? helps", app.leader());
        canvas.spots.click(area, [Action::Leave.into()]);
        return canvas.put(0, [Span::styled(text, look.style(Role::Faint))], area);
    }
    let mut spans = vec![Span::raw(" ")];
    for key in keys(app, area.width.into()) {
        let [chord, label] = entry(key);
        let x = area.x + u16::try_from(sum(&spans)).unwrap_or(u16::MAX).min(area.width);
        let columns = u16::try_from(width(&chord) + width(label.trim_end())).unwrap_or(u16::MAX);
        canvas.spots.click(Rect { x, width: columns, ..area }.intersection(area), [key.0.into()]);
        spans.extend([Span::styled(chord, canvas.style(Role::Key)), Span::raw(label)]);
    }
    canvas.put(0, spans, area);
}

/// The keys of this place, in the keymap's order, each action once, and those that are the same everywhere. Help finds
/// whatever has no room; it stays longest, then the first few of this place.
fn keys(app: &App, room: usize) -> Vec<(Chord, Action)> {
    let place = app.place();
    let common: &[Action] = match place {
        _ if place.is_alone() => &[],
        // Nothing is filtered there.
        Place::Inbox | Place::Reading => &[Action::Palette, Action::Help],
        _ => &[Action::Filter, Action::Palette, Action::Help, Action::Quit],
    };
    let common =
        common.iter().filter_map(|action| Some((app.keymap.key(Place::Everywhere, *action)?, *action)));
    let mut common: Vec<(Chord, Action)> = common.collect();
    // Everybody knows what arrows do.
    let can = |action: Action| !action.is_a_step() && (!action.is_about_a_line() || has_line(app));
    let mut own: Vec<(Chord, Action)> = Vec::new();
    for (chord, action) in app.keymap.of(place) {
        let is_shown = own.iter().chain(&common).any(|(_, shown)| shown == action);
        own.extend((!is_shown && can(*action)).then_some((*chord, *action)));
    }
    let columns =
        |keys: &[(Chord, Action)]| keys.iter().map(|key| width(&entry(*key).concat())).sum::<usize>();
    // After the last one nothing needs to be blank.
    while columns(&own) + columns(&common) > room + 1 {
        match common.iter().rposition(|(_, action)| *action != Action::Help) {
            Some(last) if own.len() <= FIRST => _ = common.remove(last),
            _ if own.pop().is_none() => break,
            _ => {}
        }
    }
    own.into_iter().chain(common).collect()
}

/// Whether there is a line for the keys that are about one.
fn has_line(app: &App) -> bool {
    !app.dialogs.is_empty() || app.screen().has_line(&app.world)
}

/// A key, and what it does.
fn entry((chord, action): (Chord, Action)) -> [String; 2] {
    [chord.to_string(), format!(" {}  ", action.label())]
}
