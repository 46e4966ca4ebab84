//! Everything that is known of the selected agent, in lines.

use ratatui::text::{Line, Span};

use super::catalogue::Catalogue;
use super::roster::{Power, Row};
use crate::config::agent::DESCRIPTIONS_LIMIT;
use crate::config::{Problem, RouteId, Severity};
use crate::ui::app::look::{Look, Role};
use crate::ui::app::widget::folded;
use crate::ui::app::world::World;
use crate::ui::table::visible;
use crate::ui::text::{counted, wrap};

/// Columns of what stands before a value.
const LABEL: usize = 9;

/// What is told of the row, in lines of `width` columns.
pub(super) fn details(
    row: &Row,
    (world, catalogue): (&World, &Catalogue),
    look: &Look,
    width: usize,
) -> Vec<Line<'static>> {
    let mut page = Page { lines: Vec::new(), look, width: width.max(12) };
    // What has to be mended must not be below the page's end.
    row.problems.iter().for_each(|problem| page.problem(problem));
    if row.is_unsaved(world) {
        page.text(
            &format!("{} Work on it isn't saved: enter goes on with it.", look.glyphs.waiting),
            Role::Waiting,
        );
        page.gap();
    }
    page.fact("runs on", row.model.as_deref().unwrap_or("nothing: its file is broken"), Role::Text);
    let route = row.model.as_deref().and_then(|model| model.parse::<RouteId>().ok());
    let is_told = row.worst() == Some(Severity::Error);
    if let Some(route) = route.filter(|_| row.is_ours() && !is_told) {
        let (text, role) = catalogue.about(&route, &world.configuration.config);
        page.fact("", &text, role);
    }
    page.fact("tools", &tools(row), Role::Text);
    page.fact("called", row.seen.sentence(), Role::Text);
    page.fact("from", row.source.word(), Role::Text);
    page.fact("file", &world.short(&row.file), Role::Text);
    if row.bytes > 0 {
        page.fact("size", &format!("{} bytes of --agents", thousands(row.bytes)), Role::Text);
    }
    page.gap();
    // The last, as it may be as long as somebody likes.
    page.text(&row.description, Role::Text);
    page.text(&format!("about {} in every session", counted(row.tokens() as u64, "token")), Role::Faint);
    if !row.is_ours() {
        page.gap();
        page.text(
            "Only read here: it is Claude Code's own. enter imports a copy that you can edit.",
            Role::Faint,
        );
    }
    page.lines
}

/// How much of Claude Code's attention all descriptions take.
pub(super) fn weight(rows: &[Row], look: &Look) -> Line<'static> {
    let counted: Vec<&Row> = rows.iter().filter(|row| row.counts).collect();
    let tokens: usize = counted.iter().map(|row| row.tokens()).sum();
    let text = format!(
        "descriptions: about {} of {} tokens ({} agents)",
        thousands(tokens),
        thousands(DESCRIPTIONS_LIMIT),
        counted.len()
    );
    if tokens > DESCRIPTIONS_LIMIT {
        let text = format!("{} {text}: too many, shorten or hide some", look.glyphs.broken);
        return Line::styled(text, look.style(Role::Bad));
    }
    Line::styled(text, look.style(Role::Faint))
}

/// `15,000`
pub(super) fn thousands(count: usize) -> String {
    let digits = count.to_string();
    let mut text = String::new();
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

fn tools(row: &Row) -> String {
    let listed = match row.tools.as_deref() {
        None if row.model.is_none() => return "unknown".to_owned(),
        None => "all".to_owned(),
        Some([]) => "none: it can only answer".to_owned(),
        Some(tools) => tools.join(", "),
    };
    match row.power {
        Power::ReadOnly => format!("{listed}; read-only, so nothing that writes"),
        Power::AsListed => listed,
    }
}

/// Lines of one width.
struct Page<'l> {
    lines: Vec<Line<'static>>,
    look: &'l Look,
    width: usize,
}

impl Page<'_> {
    fn gap(&mut self) {
        self.lines.push(Line::default());
    }

    fn text(&mut self, text: &str, role: Role) {
        for line in broken(text, self.width) {
            self.lines.push(Line::styled(line, self.look.style(role)));
        }
    }

    fn fact(&mut self, label: &'static str, value: &str, role: Role) {
        let lines = broken(value, self.width.saturating_sub(LABEL));
        for (at, line) in lines.into_iter().enumerate() {
            let label = if at == 0 { label } else { "" };
            let label = Span::styled(format!("{label:<LABEL$}"), self.look.style(Role::Faint));
            self.lines.push(Line::from_iter([label, Span::styled(line, self.look.style(role))]));
        }
    }

    fn problem(&mut self, problem: &Problem) {
        let (sign, word, role) = match problem.severity {
            Severity::Error => (self.look.glyphs.broken, "error", Role::Bad),
            Severity::Warning => ("!", "warning", Role::Waiting),
            Severity::Info => (self.look.glyphs.dot, "note", Role::Faint),
        };
        let line = problem.line.map(|line| format!(", line {line}")).unwrap_or_default();
        self.text(&format!("{sign} {word}{line}: {}", problem.message), role);
        if !problem.remedy.is_empty() {
            self.text(&format!("to mend it: {}", problem.remedy), Role::Text);
        }
        self.gap();
    }
}

/// In lines of a width; a word that is longer is cut in pieces, as nothing is to be hidden.
fn broken(text: &str, width: usize) -> Vec<String> {
    let lines = text.split('\n').flat_map(|line| wrap(&visible(line), width));
    lines.flat_map(|line| folded(&line, width)).collect()
}
