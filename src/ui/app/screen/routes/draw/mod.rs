//! The switch, the tree, and what is known of the selected line.

mod line;

use ratatui::layout::{Constraint, Layout, Rect};
use ratatui::text::Span;

use super::tree::Row;
use super::{Routes, detail, meant};
use crate::ui::app::action::Action;
use crate::ui::app::look::Role;
use crate::ui::app::widget::{Canvas, Filter, Page, wrapped};
use crate::ui::app::world::World;
use crate::ui::table::visible;

/// Below this many columns there is one column only.
const NARROW: u16 = 60;

/// From this many rows on there is room for a box around the switch.
const HIGH: u16 = 14;

/// What stands in no file and holds nevertheless.
const BINDING: &str = "what a person binds in an agent file counts in any case";

/// Rows of what is wrong with a route that is typed, at most.
const TOLD: usize = 4;

pub(super) fn draw(screen: &Routes, world: &World, canvas: &mut Canvas<'_>, area: Rect) {
    let (_, sentence) = sentence(screen, world, canvas, area.width.saturating_sub(2).into());
    // With its box, and a line for what isn't saved.
    let boxed = u16::try_from(sentence.len() + 3).unwrap_or(HIGH);
    let above = if area.height < HIGH { 1 } else { boxed };
    let [policy, below] = Layout::vertical([Constraint::Length(above), Constraint::Fill(1)]).areas(area);
    draw_policy(screen, world, canvas, policy);
    if let Some(page) = screen.opened {
        return draw_detail(screen, world, canvas, (page, Role::Focus), below);
    }
    if area.width < NARROW {
        return draw_tree(screen, world, canvas, below);
    }
    let parts = [Constraint::Percentage(55), Constraint::Fill(1)];
    let [tree, detail] = Layout::horizontal(parts).areas(below);
    draw_tree(screen, world, canvas, tree);
    draw_detail(screen, world, canvas, (Page::default(), Role::Border), detail);
}

fn draw_policy(screen: &Routes, world: &World, canvas: &mut Canvas<'_>, area: Rect) {
    let unsaved = (!screen.draft.is_empty()).then(|| format!("not saved: {}", screen.draft.words()));
    if area.height == 1 {
        // What is to be done comes before what it means.
        let (role, sentence) = sentence(screen, world, canvas, usize::MAX);
        let (role, text) = unsaved.map_or((role, sentence.concat()), |unsaved| (Role::Waiting, unsaved));
        let text = canvas.cut(&text, area.width.into());
        return canvas.put(0, [Span::styled(text, canvas.style(role))], area);
    }
    let room = canvas.panel("Policy", Role::Border, area);
    canvas.spots.click(Rect { height: room.height.min(1), ..room }, [Action::Policy.into()]);
    let (role, sentence) = sentence(screen, world, canvas, room.width.into());
    let unsaved = unsaved.map(|unsaved| (Role::Waiting, format!("{unsaved}. s saves it, esc forgets it.")));
    for (row, (role, line)) in (0..).zip(sentence.into_iter().map(|line| (role, line)).chain(unsaved)) {
        let line = canvas.cut(&line, room.width.into());
        canvas.put(row, [Span::styled(line, canvas.style(role))], room);
    }
}

/// What the switch means as it is, in lines of so many columns.
fn sentence(screen: &Routes, world: &World, canvas: &Canvas<'_>, columns: usize) -> (Role, Vec<String>) {
    let glyphs = canvas.glyphs();
    let (tick, meaning, role) = if screen.draft.enabled(&world.configuration.config.policy) {
        (glyphs.ticked, "on: a model may choose the ticked routes for itself", Role::Good)
    } else {
        (glyphs.unticked, "off: no model may choose a route", Role::Text)
    };
    (role, wrapped(&format!("[{tick}] {meaning}; {BINDING}."), columns))
}

fn draw_tree(screen: &Routes, world: &World, canvas: &mut Canvas<'_>, area: Rect) {
    let room = canvas.panel(&visible(&screen.filter.title("Routes")), Role::Focus, area);
    let room = draw_adding(screen, world, canvas, room);
    let rows = &screen.tree.rows;
    if rows.is_empty() {
        if let Some(mistake) = world.mistake() {
            return canvas.text(&mistake, Role::Bad, room);
        }
        let text = if screen.filter == Filter::Off {
            "No provider yet.\n\nn adds one of those that are known by name; `subagents provider add NAME --base-url \
             URL` adds any other."
        } else {
            "None has that. Esc shows all."
        };
        return canvas.text(text, Role::Faint, room);
    }
    let look = canvas.look;
    let line = |at: usize| line::line(screen, world, &rows[at], look, room.width.into());
    canvas.list(screen.list, rows.len(), line, room);
    canvas.parts(screen.list, rows.len(), |at| Some(line::part(&rows[at])), room);
}

/// The line that is typed in, with what is wrong with it; the room that is left.
fn draw_adding(screen: &Routes, world: &World, canvas: &mut Canvas<'_>, area: Rect) -> Rect {
    let Some(field) = &screen.adding else { return area };
    let is_begun = field.text().ends_with('/') || field.text().is_empty();
    let (role, told) = match meant(field.text(), world) {
        Ok(_) => (Role::Good, "enter ticks it".to_owned()),
        Err(_) if is_begun => (Role::Faint, "any model, written PROVIDER/MODEL".to_owned()),
        Err(why) => (Role::Bad, why),
    };
    let mut told = wrapped(&visible(&told), area.width.into());
    told.truncate(TOLD.min(area.height.saturating_sub(1).into()));
    let rows = u16::try_from(told.len() + 1).unwrap_or(1).min(area.height);
    let [rest, place] = Layout::vertical([Constraint::Fill(1), Constraint::Length(rows)]).areas(area);
    let label = "Authorise: ";
    let columns = u16::try_from(label.len()).unwrap_or(0).min(place.width);
    canvas.put(0, [Span::styled(label, canvas.style(Role::Waiting))], place);
    let height = place.height.min(1);
    field.draw(true, Rect { x: place.x + columns, width: place.width - columns, height, ..place }, canvas);
    for (row, line) in (1..).zip(told) {
        canvas.put(row, [Span::styled(line, canvas.style(role))], place);
    }
    rest
}

fn draw_detail(
    screen: &Routes,
    world: &World,
    canvas: &mut Canvas<'_>,
    (page, role): (Page, Role),
    area: Rect,
) {
    let Some(row) = screen.selected() else {
        canvas.panel("", role, area);
        return;
    };
    let title = match &row {
        Row::Route(route) => route.to_string(),
        row => row.provider().to_string(),
    };
    let room = canvas.panel(&visible(&title), role, area);
    if role == Role::Focus {
        canvas.spots.scroll(room);
    }
    let lines = detail::lines(&detail::of(screen, row, world), room.width.into(), canvas.look);
    // Beside the list, the whole of it is to be had by opening it.
    let further = if role == Role::Focus { Action::PageDown } else { Action::Open };
    page.draw(lines, further, (room, area), canvas);
}
