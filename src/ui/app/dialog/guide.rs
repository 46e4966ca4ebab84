//! The first steps, for whoever has nothing configured yet: what was found, and the ways to a first session.

use ratatui::layout::Rect;
use ratatui::text::Line;
use ratatui::widgets::{Paragraph, Widget, Wrap};
use serde_json::Value;

use super::Outcome;
use crate::ui::app::action::Action;
use crate::ui::app::event::{Effect, News, Purpose, Task};
use crate::ui::app::input::Chord;
use crate::ui::app::look::{Look, Role};
use crate::ui::app::widget::{Canvas, centred, wrapped};
use crate::ui::table::visible;

/// What a line begins with that a click takes for its key.
const KEYS: [&str; 4] = ["n", "m", "d", "esc"];

/// What is known so far.
#[derive(Default)]
pub struct Guide {
    /// What the doctor says; `None`: it hasn't said it yet.
    findings: Option<Vec<Finding>>,
    /// Providers on this machine that answer, by their presets' names.
    answering: Vec<String>,
    /// Those that were added from here.
    added: Vec<String>,
    /// The first line that is seen.
    top: u16,
}

struct Finding {
    role: Role,
    text: String,
}

impl Guide {
    /// The guide, and what it asks.
    pub fn new() -> (Self, Vec<Effect>) {
        let doctor = Task::new(Purpose::Doctor, &["doctor", "--json"]);
        (Self::default(), vec![Effect::Run(doctor), Effect::Probe])
    }

    pub fn press(&mut self, chord: Chord, action: Option<Action>) -> Outcome {
        match (chord.typed(), action) {
            (Some('n'), _) => Outcome::Acts(Action::New),
            (Some('m'), _) => Outcome::Acts(Action::ShowAgents),
            (Some('d'), _) => {
                Outcome::Does(vec![Effect::HandOverToRead { arguments: vec!["demo".to_owned()] }])
            }
            (Some('a'), _) => self.add(),
            (_, Some(Action::Back | Action::Quit | Action::Accept)) => Outcome::Closes,
            (_, Some(Action::Copy)) => {
                let lines: Vec<String> = self.lines(&Look::default()).iter().map(Line::to_string).collect();
                Outcome::Does(vec![Effect::Copy(lines.join("\n"))])
            }
            (_, Some(Action::Up | Action::PageUp)) => self.read(self.top.saturating_sub(1)),
            (_, Some(Action::Down | Action::PageDown)) => self.read(self.top + 1),
            _ => Outcome::Stays,
        }
    }

    fn read(&mut self, top: u16) -> Outcome {
        self.top = top;
        Outcome::Stays
    }

    pub fn learn(&mut self, news: &News) {
        match news {
            News::Answering(presets) => self.answering.clone_from(presets),
            News::Done(done) if done.task.purpose == Purpose::Doctor => {
                let told: Value = serde_json::from_str(&done.stdout).unwrap_or_default();
                self.findings =
                    Some(told["findings"].as_array().into_iter().flatten().map(finding).collect());
            }
            _ => {}
        }
    }

    /// Adds the providers that answer.
    fn add(&mut self) -> Outcome {
        let new: Vec<String> =
            self.answering.iter().filter(|name| !self.added.contains(name)).cloned().collect();
        let add = |name: &String| Effect::Run(Task::new(Purpose::Tell, &["provider", "add", name]));
        let effects = new.iter().map(add).collect();
        self.added.extend(new);
        Outcome::Does(effects)
    }

    pub fn draw(&self, canvas: &mut Canvas<'_>, area: Rect) {
        let lines = self.lines(canvas.look);
        let rows = u16::try_from(lines.len() + 4).unwrap_or(u16::MAX);
        let place = centred(area, 84, rows.max(20));
        let room = canvas.panel("Welcome to subagents", Role::Focus, place);
        canvas.spots.scroll(room);
        let height = |line: &Line<'_>| {
            u16::try_from(wrapped(&line.to_string(), room.width.into()).len()).unwrap_or(u16::MAX)
        };
        let all = lines.iter().map(height).fold(0, u16::saturating_add);
        let top = self.top.min(all.saturating_sub(room.height));
        let mut row = 0_u16;
        for line in &lines {
            let (text, rows) = (line.to_string(), height(line));
            let key = KEYS.iter().find(|key| text.starts_with(&format!("{key}  ")));
            if let (Some(chord), Some(row)) =
                (key.and_then(|key| key.parse::<Chord>().ok()), row.checked_sub(top))
            {
                let line = Rect { y: room.y.saturating_add(row), height: rows, ..room };
                canvas.spots.click(line.intersection(room), [chord.into()]);
            }
            row = row.saturating_add(rows);
        }
        Paragraph::new(lines).wrap(Wrap { trim: false }).scroll((top, 0)).render(room, canvas.buffer);
        canvas.more(all.saturating_sub(top + room.height).into(), Action::Down, place);
    }

    fn lines(&self, look: &Look) -> Vec<Line<'static>> {
        let mut lines = vec![
            Line::from(
                "Sub-agents of Claude Code on models of your choice; the main session stays as it is.",
            ),
            Line::default(),
        ];
        let key = |key: &'static str, text: &'static str| {
            let key = ratatui::text::Span::styled(format!("{key}  "), look.style(Role::Key));
            Line::from_iter([key, text.into()])
        };
        lines.extend([
            key("n", "launch a session now"),
            key("m", "make or import sub-agents (there: n makes one, I imports what you have)"),
            key("d", "see the demonstration: the real Claude Code on two routes, offline, no account"),
            key("esc", "close this; ? shows all keys"),
            Line::default(),
        ]);
        for name in &self.answering {
            let state = if self.added.contains(name) {
                "added; the screen Routes has its models"
            } else {
                "a adds it"
            };
            lines.push(Line::styled(
                format!("{name} answers on this machine: {state}"),
                look.style(Role::Good),
            ));
        }
        match &self.findings {
            None => lines.push(Line::styled("Looking at this machine…", look.style(Role::Faint))),
            Some(findings) => {
                lines.extend(
                    findings.iter().map(|found| Line::styled(found.text.clone(), look.style(found.role))),
                );
            }
        }
        lines
    }
}

fn finding(told: &Value) -> Finding {
    let text = |key: &str| visible(told[key].as_str().unwrap_or_default());
    let (sign, role) = match told["severity"].as_str() {
        Some("ok") => ("ok", Role::Good),
        Some("breaks") => ("!!", Role::Bad),
        _ => ("! ", Role::Waiting),
    };
    let remedy = if told["remedy"].is_string() { format!(": {}", text("remedy")) } else { String::new() };
    Finding { role, text: format!("{sign} {}: {}{remedy}", text("subject"), text("message")) }
}
