//! The doctor's findings as text: one block each, a line that sums up at the end. Pure.

use super::colour::{Colour, Tone};
use super::text::{columns, counted, wrap};
use crate::launch::doctor::{Finding, Severity};

/// A finding is a sentence or two; this much is read at a glance.
const WIDTH: usize = 100;

/// Columns of the severity, and the most that a subject may take beside its message.
const SEVERITY: usize = 8;
const SUBJECT: usize = 24;

/// All findings in their order, without a line break at the end.
pub fn checkup(findings: &[Finding], colour: Colour) -> String {
    let subjects = findings.iter().map(|finding| columns(&finding.subject));
    let column = subjects.filter(|width| *width <= SUBJECT).max().unwrap_or(0) + 2;
    let mut lines: Vec<String> = findings.iter().flat_map(|finding| block(finding, column, colour)).collect();
    lines.push(String::new());
    lines.push(verdict(findings));
    lines.join("\n")
}

/// ```text
/// breaks  provider glm  agent `reviewer` on route `glm/glm-5` needs …
///                       fix: export ZAI_API_KEY=…
/// ```
fn block(finding: &Finding, column: usize, colour: Colour) -> Vec<String> {
    let indent = " ".repeat(SEVERITY + column);
    let room = WIDTH.saturating_sub(indent.len());
    let mut body = wrap(&finding.message, room);
    if let Some(remedy) = &finding.remedy {
        body.extend(wrap(&format!("fix: {remedy}"), room));
    }
    let subject = &finding.subject;
    let head = format!("{}{}", severity(finding.severity, colour), subject);
    if columns(subject) + 2 > column {
        return std::iter::once(head).chain(body.iter().map(|line| format!("{indent}{line}"))).collect();
    }
    let mut lines: Vec<String> = body.iter().map(|line| format!("{indent}{line}")).collect();
    if let (Some(first), Some(text)) = (lines.first_mut(), body.first()) {
        *first = format!("{head}{}{text}", " ".repeat(column - columns(subject)));
    }
    lines
}

fn severity(severity: Severity, colour: Colour) -> String {
    let (word, tone) = match severity {
        Severity::Breaks => ("breaks", Tone::Bad),
        Severity::Warns => ("warns", Tone::Doubtful),
        Severity::Notes => ("notes", Tone::Note),
        Severity::Ok => ("ok", Tone::Good),
    };
    format!("{}{}", colour.paint(word, tone), " ".repeat(SEVERITY - word.len()))
}

fn verdict(findings: &[Finding]) -> String {
    let count = |severity| findings.iter().filter(|finding| finding.severity == severity).count() as u64;
    let breaks = match count(Severity::Breaks) {
        0 => "Nothing would break the next launch".to_owned(),
        1 => "1 finding would break the next launch".to_owned(),
        more => format!("{more} findings would break the next launch"),
    };
    let (warnings, notes) = (count(Severity::Warns), count(Severity::Notes));
    format!("{breaks}; {}, {}.", counted(warnings, "warning"), counted(notes, "note"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn finding(severity: Severity, subject: &str, message: &str, remedy: Option<&str>) -> Finding {
        let remedy = remedy.map(str::to_owned);
        Finding { severity, subject: subject.to_owned(), message: message.to_owned(), remedy }
    }

    fn findings() -> Vec<Finding> {
        let long =
            "agent `reviewer` on route `glm/glm-5` needs the secret `env:KEY`: the variable KEY is not set";
        vec![
            finding(Severity::Breaks, "provider glm", long, Some("export KEY=…")),
            finding(Severity::Warns, "/home/u/.config/subagents/config.toml:3", "unknown key", None),
            finding(Severity::Ok, "Claude Code", "2.1.332 at /usr/bin/claude", None),
        ]
    }

    #[test]
    fn findings_are_aligned_and_summed_up() {
        let expect = "\
breaks  provider glm  agent `reviewer` on route `glm/glm-5` needs the secret `env:KEY`: the variable
                      KEY is not set
                      fix: export KEY=…
warns   /home/u/.config/subagents/config.toml:3
                      unknown key
ok      Claude Code   2.1.332 at /usr/bin/claude

1 finding would break the next launch; 1 warning, 0 notes.";
        assert_eq!(checkup(&findings(), Colour::Never), expect);
    }

    #[test]
    fn colours_change_no_column() {
        let plain = checkup(&findings(), Colour::Never);
        let coloured = checkup(&findings(), Colour::Ansi);
        assert!(coloured.contains("\x1b[31mbreaks\x1b[0m"));
        let stripped = ["31", "33", "32", "0"]
            .iter()
            .fold(coloured, |text, code| text.replace(&format!("\x1b[{code}m"), ""));
        assert_eq!(stripped, plain);
    }

    #[test]
    fn nothing_found_is_said() {
        let text = checkup(&[], Colour::Never);
        assert_eq!(text.trim(), "Nothing would break the next launch; 0 warnings, 0 notes.");
    }
}
