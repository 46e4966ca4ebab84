//! Tools as a checklist, each with what it lets an agent do.

use ratatui::layout::Rect;
use ratatui::text::{Line, Span};

use super::super::draw::padded;
use crate::launch::agents_json::WRITE_TOOLS;
use crate::ui::app::action::Action;
use crate::ui::app::look::{Look, Role};
use crate::ui::app::widget::{Canvas, List, Step, centred};
use crate::ui::table::visible;

/// Those that people mean by a list of tools.
pub(super) const KNOWN: [(&str, &str); 16] = [
    ("Read", "read any file"),
    ("Grep", "search in files"),
    ("Glob", "find files by their names"),
    ("LSP", "ask the language server: definitions, uses, errors"),
    ("Edit", "change files"),
    ("Write", "make files, and write over whole ones"),
    ("NotebookEdit", "change notebooks' cells"),
    ("Bash", "run any command in a shell"),
    ("WebFetch", "read a page of the web"),
    ("WebSearch", "search the web"),
    ("Agent", "start further agents"),
    ("Skill", "use skills"),
    ("TaskCreate", "keep a list of its tasks"),
    ("TaskUpdate", "tick its tasks off"),
    ("AskUserQuestion", "ask you a question"),
    ("ToolSearch", "find further tools, of MCP servers too"),
];

/// Columns for a tool's name.
const NAME: usize = 18;

/// Rows before the tools: all, and read-only.
const HEAD: usize = 2;

/// What is ticked.
pub(super) struct Tools {
    list: List,
    /// What there is to tick: those that are known, then whatever else the file names.
    offered: Vec<String>,
    ticked: Ticked,
    writing: Writing,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum Ticked {
    All,
    These(Vec<String>),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Writing {
    Allowed,
    /// Read-only.
    Denied,
}

/// What comes of a key.
pub(super) enum Chosen {
    Nothing,
    Closed,
    /// The tools and the read-only switch, as their fields say them.
    These(String, String),
}

impl Tools {
    /// From what the two fields say.
    pub(super) fn new(tools: &str, read_only: &str) -> Self {
        let names = crate::config::agent::entries(&tools.into()).unwrap_or_default();
        let mut offered: Vec<String> = KNOWN.iter().map(|(name, _)| (*name).to_owned()).collect();
        let is_all = names == ["*"];
        offered.extend(
            names.iter().filter(|name| !is_all && !KNOWN.iter().any(|(known, _)| known == name)).cloned(),
        );
        Self {
            list: List::default(),
            offered,
            ticked: if is_all { Ticked::All } else { Ticked::These(names) },
            writing: if read_only == "true" { Writing::Denied } else { Writing::Allowed },
        }
    }

    pub(super) fn press(&mut self, action: Option<Action>) -> Chosen {
        match action {
            Some(Action::Back) => return Chosen::Closed,
            Some(Action::Accept) => return Chosen::These(self.tools(), self.read_only()),
            Some(Action::Toggle) => self.toggle(),
            action => {
                if let Some(step) = action.and_then(Step::of) {
                    self.list.step(step, self.length());
                }
            }
        }
        Chosen::Nothing
    }

    fn length(&self) -> usize {
        self.offered.len() + HEAD
    }

    fn tools(&self) -> String {
        match &self.ticked {
            Ticked::All => "*".to_owned(),
            // In the order of the list, which is easier to read than that of the ticks.
            Ticked::These(names) => {
                let kept: Vec<&str> =
                    self.offered.iter().filter(|name| names.contains(name)).map(String::as_str).collect();
                kept.join(", ")
            }
        }
    }

    fn read_only(&self) -> String {
        (self.writing == Writing::Denied).to_string()
    }

    fn toggle(&mut self) {
        match (self.list.selected(self.length()), &mut self.ticked) {
            (Some(0), ticked @ Ticked::All) => *ticked = Ticked::These(Vec::new()),
            (Some(0), ticked) => *ticked = Ticked::All,
            (Some(1), _) => {
                self.writing =
                    if self.writing == Writing::Denied { Writing::Allowed } else { Writing::Denied };
            }
            (Some(at), ticked) => {
                let name = self.offered[at - HEAD].clone();
                match ticked {
                    // All but this one, as far as they are known here.
                    Ticked::All => {
                        let others = self.offered.iter().filter(|other| **other != name);
                        *ticked = Ticked::These(others.cloned().collect());
                    }
                    Ticked::These(names) if names.contains(&name) => names.retain(|other| *other != name),
                    Ticked::These(names) => names.push(name),
                }
            }
            (None, _) => {}
        }
    }

    pub(super) fn draw(&self, canvas: &mut Canvas<'_>, area: Rect) {
        let rows = u16::try_from(self.length() + 3).unwrap_or(u16::MAX).min(area.height);
        let room = canvas.panel("Tools", Role::Focus, centred(area, 72, rows));
        if room.height < 2 {
            return;
        }
        let [list, foot] = ratatui::layout::Layout::vertical([
            ratatui::layout::Constraint::Fill(1),
            ratatui::layout::Constraint::Length(1),
        ])
        .areas(room);
        let look = canvas.look;
        canvas.list(self.list, self.length(), |at| self.line(at, look), list);
        canvas.parts(self.list, self.length(), |_| Some((0..3, Action::Toggle)), list);
        canvas.put(0, [Span::styled(self.summary(), look.style(Role::Faint))], foot);
    }

    fn summary(&self) -> String {
        match &self.ticked {
            Ticked::All => "all tools, those of MCP servers too".to_owned(),
            Ticked::These(names) if names.is_empty() => "no tool: it can only answer".to_owned(),
            Ticked::These(names) => format!("{} ticked; enter takes them, esc leaves them", names.len()),
        }
    }

    fn line(&self, at: usize, look: &Look) -> Line<'static> {
        match at {
            0 => entry(self.ticked == Ticked::All, "all tools", "whatever there is, now and later", look),
            1 => entry(
                self.writing == Writing::Denied,
                "read-only",
                "nothing that writes files, runs commands or starts agents",
                look,
            ),
            at => {
                let name = &self.offered[at - HEAD];
                let is_ticked = match &self.ticked {
                    Ticked::All => true,
                    Ticked::These(names) => names.contains(name),
                };
                let meaning = KNOWN.iter().find(|(known, _)| known == name).map(|(_, meaning)| *meaning);
                let is_denied = self.writing == Writing::Denied && WRITE_TOOLS.contains(&name.as_str());
                let meaning =
                    if is_denied { "taken away by read-only" } else { meaning.unwrap_or(elsewhere(name)) };
                entry(is_ticked && !is_denied, name, meaning, look)
            }
        }
    }
}

fn elsewhere(name: &str) -> &'static str {
    if name.starts_with("mcp__") {
        "of an MCP server"
    } else if name.contains('(') {
        "only what is in parentheses"
    } else {
        "as the file names it"
    }
}

fn entry(is_ticked: bool, name: &str, meaning: &str, look: &Look) -> Line<'static> {
    let tick = if is_ticked { look.glyphs.ticked } else { look.glyphs.unticked };
    let name = padded(&visible(name), NAME, look);
    Line::from_iter([
        Span::raw(format!("[{tick}] {name} ")),
        Span::styled(meaning.to_owned(), look.style(Role::Faint)),
    ])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::agent::resolves;

    #[test]
    fn what_can_be_ticked_is_a_tool() {
        for (name, meaning) in KNOWN {
            assert!(resolves(name) && !meaning.is_empty(), "{name}");
        }
    }

    #[test]
    fn ticks_become_the_field_again() {
        let said = |tools: &mut Tools| match tools.press(Some(Action::Accept)) {
            Chosen::These(tools, read_only) => (tools, read_only),
            Chosen::Nothing | Chosen::Closed => panic!("nothing was chosen"),
        };
        let mut tools = Tools::new("Grep, Bash(git log:*, x), Read", "false");
        assert_eq!(said(&mut tools), ("Read, Grep, Bash(git log:*, x)".to_owned(), "false".to_owned()));
        for _ in 0..2 {
            tools.press(Some(Action::NextField));
        }
        tools.press(Some(Action::Toggle));
        assert_eq!(said(&mut tools).0, "Grep, Bash(git log:*, x)");
        tools.press(Some(Action::PreviousField));
        tools.press(Some(Action::Toggle));
        tools.press(Some(Action::PreviousField));
        tools.press(Some(Action::Toggle));
        assert_eq!(said(&mut tools), ("*".to_owned(), "true".to_owned()));
        tools.press(Some(Action::Toggle));
        assert_eq!(said(&mut tools).0, "", "none at all");
    }
}
