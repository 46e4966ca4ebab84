//! The first steps, for whoever has nothing configured yet: what was found, and the ways to a first session.

use ratatui::layout::Rect;
use ratatui::text::{Line, Span};
use serde_json::Value;

use super::Outcome;
use crate::ui::app::action::Action;
use crate::ui::app::event::{Effect, News, Purpose, Task};
use crate::ui::app::input::Chord;
use crate::ui::app::look::{Look, Role};
use crate::ui::app::widget::{Canvas, Page, centred, wrapped};
use crate::ui::table::visible;

const WHAT: &str = "Sub-agents of Claude Code on models of your choice; the main session stays as it is.";

/// What is known so far.
#[derive(Default)]
pub struct Guide {
    /// What the doctor says; `None`: it hasn't said it yet.
    findings: Option<Vec<Told>>,
    /// Providers on this machine that answer, by their presets' names.
    answering: Vec<String>,
    /// Those that were added from here.
    added: Vec<String>,
    page: Page,
}

/// A paragraph, and the key that it begins with, with blanks behind it: a click does what that key does.
#[derive(Debug, Clone)]
struct Told {
    lead: &'static str,
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
                let lines: Vec<String> =
                    self.told().iter().map(|told| [told.lead, &told.text].concat()).collect();
                Outcome::Does(vec![Effect::Copy(lines.join("\n"))])
            }
            (_, action) => {
                self.page.press(action);
                Outcome::Stays
            }
        }
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

    pub fn page_mut(&mut self) -> &mut Page {
        &mut self.page
    }

    pub fn draw(&self, canvas: &mut Canvas<'_>, area: Rect) {
        let told = self.told();
        let rows = u16::try_from(told.len() + 4).unwrap_or(u16::MAX);
        let place = centred(area, 84, rows.max(20));
        let room = canvas.panel("Welcome to subagents", Role::Focus, place);
        canvas.spots.scroll(room);
        let (mut leads, mut lines) = (Vec::new(), Vec::new());
        for told in &told {
            lines.extend(told.lines(canvas.look, room.width.into()));
            leads.resize(lines.len(), told.lead);
        }
        let seen = self.page.draw(lines, Action::Down, (room, place), canvas);
        for (y, lead) in (room.y..).zip(&leads[seen]) {
            if let Ok(chord) = lead.trim_end().parse::<Chord>() {
                canvas.spots.click(Rect { y, height: 1, ..room }, [chord.into()]);
            }
        }
    }

    fn told(&self) -> Vec<Told> {
        let mut told = vec![
            Told::text(Role::Text, WHAT.to_owned()),
            Told::text(Role::Text, String::new()),
            Told::key("n  ", "launch a session now"),
            Told::key("m  ", "make or import sub-agents (there: n makes one, I imports what you have)"),
            Told::key(
                "d  ",
                "see the demonstration: the real Claude Code on two routes, offline, no account",
            ),
            Told::key("esc  ", "close this; ? shows all keys"),
            Told::text(Role::Text, String::new()),
        ];
        told.extend(self.answering.iter().map(|name| {
            let is_added = self.added.contains(name);
            let state = if is_added { "added; the screen Routes has its models" } else { "a adds it" };
            Told::text(Role::Good, format!("{name} answers on this machine: {state}"))
        }));
        match &self.findings {
            None => told.push(Told::text(Role::Faint, "Looking at this machine…".to_owned())),
            Some(findings) => told.extend(findings.iter().cloned()),
        }
        told
    }
}

impl Told {
    fn text(role: Role, text: String) -> Self {
        Self { lead: "", role, text }
    }

    fn key(lead: &'static str, text: &str) -> Self {
        Self { lead, role: Role::Text, text: text.to_owned() }
    }

    /// In so many columns.
    fn lines(&self, look: &Look, columns: usize) -> Vec<Line<'static>> {
        let lines = wrapped(&self.text, columns.saturating_sub(self.lead.len())).into_iter().enumerate();
        let line = |(at, line)| {
            let lead = if at == 0 { self.lead.to_owned() } else { " ".repeat(self.lead.len()) };
            Line::from_iter([
                Span::styled(lead, look.style(Role::Key)),
                Span::styled(line, look.style(self.role)),
            ])
        };
        lines.map(line).collect()
    }
}

fn finding(told: &Value) -> Told {
    let text = |key: &str| visible(told[key].as_str().unwrap_or_default());
    let (sign, role) = match told["severity"].as_str() {
        Some("ok") => ("ok", Role::Good),
        Some("breaks") => ("!!", Role::Bad),
        _ => ("! ", Role::Waiting),
    };
    let remedy = if told["remedy"].is_string() { format!(": {}", text("remedy")) } else { String::new() };
    Told::text(role, format!("{sign} {}: {}{remedy}", text("subject"), text("message")))
}
