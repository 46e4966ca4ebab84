//! The form: fields with what is wrong beside them, the prompt or the preview, and what the focused field means.
//!
//! ```text
//! ┌ reviewer · not saved ──────────────────┬──────────────────────────────┐
//! │ name         reviewer                  │ You review code.             │
//! │ description  Reviews changes.          │                              │
//! │  ~12 tokens                            │                              │
//! │ max turns    many                      │                              │
//! │              ✕ takes a whole number …  │                              │
//! │ what the field means                                                  │
//! └───────────────────────────────────────────────────────────────────────┘
//! ```

use ratatui::layout::{Constraint, Layout, Rect};
use ratatui::text::{Line, Span};

use super::super::catalogue::Catalogue;
use super::super::draw::padded;
use super::field::{FieldId, Kind};
use super::form::Input;
use super::over::Over;
use super::preview::preview;
use super::{Demand, Editor, Side, Stage, Target};
use crate::config::Severity;
use crate::config::agent::description_tokens;
use crate::launch::screen::input::{Key, Modifiers};
use crate::ui::app::action::Action;
use crate::ui::app::input::Chord;
use crate::ui::app::look::Role;
use crate::ui::app::widget::{Canvas, NOTCH, Page, Press, centred, folded, wrapped};
use crate::ui::app::world::World;
use crate::ui::table::visible;
use crate::ui::text::{counted, wrap};

/// Columns of a field's name.
const LABEL: u16 = 13;

/// From this many columns on the prompt stands beside the fields.
const WIDE: u16 = 100;

/// Rows of a description.
const DESCRIPTION: u16 = 3;

/// Rows that a prompt below other fields has at least.
const PROMPT: u16 = 4;

impl Editor {
    pub(in super::super) fn draw(
        &self,
        (world, catalogue): (&World, &Catalogue),
        canvas: &mut Canvas<'_>,
        area: Rect,
    ) {
        let room = canvas.panel(&self.title(canvas.glyphs().dot), Role::Focus, area);
        let [body, foot] = Layout::vertical([Constraint::Fill(1), Constraint::Length(2)]).areas(room);
        self.draw_body(world, canvas, (body, area));
        self.draw_foot((world, catalogue), canvas, foot);
        self.draw_over((world, catalogue), canvas, area);
    }

    fn title(&self, dot: &str) -> String {
        let name = visible(&self.name());
        let name = if name.is_empty() { "a new agent".to_owned() } else { name };
        let state = match (&self.target, self.stage) {
            (_, Stage::Saving) => "saving…",
            (Target::New, _) => "new, not saved",
            _ if self.is_changed() => "not saved",
            _ => "saved",
        };
        format!("{name} {dot} {state}")
    }

    fn draw_body(&self, world: &World, canvas: &mut Canvas<'_>, (area, frame): (Rect, Rect)) {
        if area.width >= WIDE {
            let parts = [Constraint::Percentage(54), Constraint::Length(1), Constraint::Fill(1)];
            let [fields, rule, beside] = Layout::horizontal(parts).areas(area);
            self.draw_fields(FieldId::ALL.split_last().map_or(&[], |(_, fields)| fields), canvas, fields);
            let border = canvas.style(Role::Border);
            for row in 0..rule.height {
                canvas.put(row, [Span::styled(canvas.look.glyphs.border.vertical_left, border)], rule);
            }
            return match self.side {
                Side::Prompt => self.draw_field(FieldId::Prompt, canvas, beside),
                Side::Preview(page) => self.draw_preview(page, world, canvas, (beside, frame)),
            };
        }
        match (self.side, self.focus) {
            (Side::Preview(page), _) => self.draw_preview(page, world, canvas, (area, frame)),
            (_, FieldId::Prompt) => self.draw_field(FieldId::Prompt, canvas, area),
            _ => self.draw_fields(&FieldId::ALL, canvas, area),
        }
    }

    /// As many as fit, the focused one among them.
    fn draw_fields(&self, fields: &[FieldId], canvas: &mut Canvas<'_>, area: Rect) {
        let focus = fields.iter().position(|field| *field == self.focus).unwrap_or(0);
        let rows = |fields: &[FieldId]| fields.iter().map(|field| self.rows(*field)).sum::<u16>();
        let first = (0..=focus).find(|first| rows(&fields[*first..=focus]) <= area.height).unwrap_or(focus);
        let mut y = area.y;
        for (at, field) in fields.iter().enumerate().skip(first) {
            let left = area.bottom().saturating_sub(y);
            let is_last = at + 1 == fields.len();
            let height = if is_last { left } else { self.rows(*field).min(left) };
            if height == 0 {
                break;
            }
            self.draw_field(*field, canvas, Rect { y, height, ..area });
            y += height;
        }
    }

    /// With a row for what is wrong.
    fn rows(&self, field: FieldId) -> u16 {
        let told = u16::from(self.shown_problem(field).is_some());
        told + match field {
            FieldId::Description => DESCRIPTION,
            FieldId::Prompt => PROMPT,
            _ => 1,
        }
    }

    fn shown_problem(&self, field: FieldId) -> Option<(Severity, &str)> {
        self.told(field).filter(|(severity, _)| *severity > Severity::Info)
    }

    fn told(&self, field: FieldId) -> Option<(Severity, &str)> {
        let is_waited_for = self.demand == Demand::Patient && self.form.value(field).is_empty();
        self.checked.told(field).filter(|_| !is_waited_for)
    }

    /// Its name, what stands in it, and below what is wrong with it.
    fn draw_field(&self, field: FieldId, canvas: &mut Canvas<'_>, area: Rect) {
        let is_focused = self.focus == field && matches!(self.over, Over::None | Over::Find(_));
        let role = if is_focused { Role::Title } else { Role::Faint };
        let mark = if is_focused { canvas.glyphs().cursor } else { " " };
        let label =
            [Span::styled(mark, canvas.style(Role::Focus)), Span::styled(field.label(), canvas.style(role))];
        canvas.put(0, label, area);
        canvas.spots.click(area, [self.way_to(field)]);
        if field.kind() == Kind::Text {
            let step = |key| Press::Types(Chord(key, Modifiers::NONE), NOTCH);
            canvas.spots.wheel(
                area,
                [self.way_to(field), step(Key::Up)],
                [self.way_to(field), step(Key::Down)],
            );
        }
        let problem = self.shown_problem(field);
        let below = u16::from(problem.is_some()).min(area.height.saturating_sub(1));
        let is_beside = field != FieldId::Prompt;
        let indent = if is_beside { LABEL.min(area.width) } else { 1.min(area.width) };
        let top = u16::from(!is_beside).min(area.height);
        let value = Rect {
            x: area.x + indent,
            y: area.y + top,
            width: area.width - indent,
            height: area.height.saturating_sub(below + top),
        };
        self.draw_value(field, is_focused, canvas, value);
        if field == FieldId::Description && area.height > below + 1 {
            let tokens = description_tokens(&self.name(), &self.form.value(field));
            let text = format!(" ~{}", counted(tokens as u64, "token"));
            canvas.put(1, [Span::styled(text, canvas.style(Role::Faint))], Rect { width: indent, ..area });
        }
        if let Some((severity, text)) = problem.filter(|_| below > 0) {
            let (sign, role) = mark_of(severity, canvas);
            let text = canvas.cut(&format!("{sign} {}", visible(text)), usize::from(value.width));
            let row = Rect { y: area.bottom() - 1, height: 1, ..value };
            canvas.put(0, [Span::styled(text, canvas.style(role))], row);
        }
    }

    fn draw_value(&self, field: FieldId, is_focused: bool, canvas: &mut Canvas<'_>, area: Rect) {
        if area.is_empty() {
            return;
        }
        match self.form.input(field) {
            Some(Input::Line(line)) if is_focused => line.draw(true, area, canvas),
            Some(Input::Line(line)) => {
                let text = match (field, line.text()) {
                    // As the list and the details call it.
                    (FieldId::Tools, "*") => "all".to_owned(),
                    (_, text) => visible(text),
                };
                canvas.put(0, [Span::raw(text)], area);
            }
            Some(Input::Text(text)) => text.draw(canvas, area),
            Some(Input::Choice(choice)) => {
                let word = match (field, choice.word()) {
                    (_, "") => "-".to_owned(),
                    (FieldId::ReadOnly, "true") => "yes".to_owned(),
                    (FieldId::ReadOnly, "false") => "no".to_owned(),
                    (_, word) => visible(word),
                };
                let word = if is_focused { format!("< {word} >") } else { word };
                let meaning = Span::styled(format!(" {}", choice.meaning()), canvas.style(Role::Faint));
                canvas.put(
                    0,
                    [
                        Span::raw(padded(&word, 8.max(crate::ui::app::widget::width(&word)), canvas.look)),
                        meaning,
                    ],
                    area,
                );
            }
            None => {}
        }
    }

    fn draw_preview(&self, page: Page, world: &World, canvas: &mut Canvas<'_>, (area, frame): (Rect, Rect)) {
        let json = match preview(&self.checked, &world.configuration.config) {
            Ok(json) => json,
            Err(why) => return canvas.text(why, Role::Faint, area),
        };
        let lines = json.lines().flat_map(|line| folded(&visible(line), area.width.into()));
        let turn = |key| Press::Types(Chord(key, Modifiers::NONE), 1);
        canvas.spots.wheel(area, [turn(Key::PageUp)], [turn(Key::PageDown)]);
        page.draw(lines.map(Line::from).collect(), turn(Key::PageDown), (area, frame), canvas);
    }

    /// What is wrong with the focused field in full, else what it means.
    fn draw_foot(&self, (world, catalogue): (&World, &Catalogue), canvas: &mut Canvas<'_>, area: Rect) {
        let (text, role) = match self.told(self.focus) {
            Some((severity, text)) => {
                let (sign, role) = mark_of(severity, canvas);
                (format!("{sign} {text}"), role)
            }
            None => self.hint(world, catalogue),
        };
        for (row, line) in
            (0..).zip(wrap(&visible(&text), usize::from(area.width).max(1)).into_iter().take(2))
        {
            canvas.put(row, [Span::styled(line, canvas.style(role))], area);
        }
    }

    fn hint(&self, world: &World, catalogue: &Catalogue) -> (String, Role) {
        let config = &world.configuration.config;
        let route = self.checked.agent.as_ref().and_then(|agent| agent.model.route());
        match (self.focus, route) {
            (FieldId::Model, Some(route)) => {
                let (text, role) = catalogue.about(route, config);
                (format!("{} It is {text}.", self.focus.help()), role)
            }
            (FieldId::Effort, Some(route)) => {
                let efforts = catalogue.efforts(route, config);
                let known = if efforts.is_empty() {
                    String::new()
                } else {
                    format!(" {route} takes {}.", efforts.join(", "))
                };
                (format!("{}{known}", self.focus.help()), Role::Faint)
            }
            _ => (self.focus.help().to_owned(), Role::Faint),
        }
    }

    /// What leads there from what has the keys.
    fn way_to(&self, field: FieldId) -> Press {
        let at = |field: FieldId| FieldId::ALL.iter().position(|there| *there == field).unwrap_or(0);
        let count = FieldId::ALL.len();
        Press::Does(Action::NextField, (at(field) + count - at(self.focus)) % count)
    }

    fn draw_over(&self, known: (&World, &Catalogue), canvas: &mut Canvas<'_>, area: Rect) {
        if !matches!(self.over, Over::None) {
            canvas.spots.cover(area);
        }
        match &self.over {
            Over::Picker(picker) => picker.draw(known, canvas, area),
            Over::Tools(tools) => tools.draw(canvas, area),
            Over::Diff(diff) => diff.draw(canvas, area),
            Over::Find(field) => {
                let room = canvas.panel(
                    "Find, then enter for the next",
                    Role::Focus,
                    Rect {
                        y: area.bottom().saturating_sub(3).max(area.y),
                        height: 3.min(area.height),
                        ..area
                    },
                );
                if !room.is_empty() {
                    field.draw(true, room, canvas);
                }
            }
            over => {
                let Some((question, keys)) = over.question() else { return };
                let room = canvas.panel("", Role::Waiting, centred(area, 64, 7));
                let asked = wrapped(question, room.width.into()).len() + 1;
                let below = u16::try_from(asked).unwrap_or(u16::MAX).min(room.height.saturating_sub(1));
                canvas.text(question, Role::Text, room);
                canvas.hints(keys, Rect { y: room.y + below, height: room.height - below, ..room });
            }
        }
    }
}

fn mark_of(severity: Severity, canvas: &Canvas<'_>) -> (&'static str, Role) {
    match severity {
        Severity::Error => (canvas.glyphs().broken, Role::Bad),
        Severity::Warning => ("!", Role::Waiting),
        Severity::Info => (canvas.glyphs().dot, Role::Faint),
    }
}
