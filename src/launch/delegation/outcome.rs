//! What comes back from a child (D2, D3, D6): a line about it, and its last words. Pure.

use std::path::PathBuf;
use std::time::Duration;

use serde_json::{Value, json};

use super::limits::{Limits, OUTPUT_LIMIT};
use super::stream::Run;
use crate::router::Spent;

/// What a child said when it said nothing.
const NOTHING: &str = "[subagent produced no output]";

/// How a child ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Ending {
    Success,
    /// It used up its turns.
    Turns(u64),
    /// It used up its time, in seconds.
    Time(u64),
    /// It used up its budget.
    Budget,
    Cancelled,
    Failed(String),
}

/// What is handed to the caller.
#[derive(Debug, Clone, PartialEq)]
pub struct Outcome {
    /// By which it can be continued.
    pub id: String,
    pub agent: String,
    pub description: Option<String>,
    /// `provider/model`, or `default`.
    pub route: String,
    pub effort: Option<String>,
    /// What kept it from writing: `landlock` or `none`.
    pub sandbox: &'static str,
    /// At most [`OUTPUT_LIMIT`] bytes.
    pub text: String,
    /// Where all of a longer text is.
    pub whole: Option<PathBuf>,
    pub structured: Option<Value>,
    pub tool_calls: u64,
    pub turns: u64,
    pub spent: Spent,
    pub elapsed: Duration,
    pub ending: Ending,
    /// What the caller should know besides.
    pub notes: Vec<String>,
}

impl Ending {
    /// From what the child said, how much it used, and how its process ended.
    pub fn of(run: &Run, spent: &Spent, limits: &Limits, code: Option<i32>, complaint: &str) -> Self {
        let finish = run.result.as_ref();
        match finish {
            _ if spent.exhausted => Self::Budget,
            Some(finish) if finish.subtype == "error_max_turns" => Self::Turns(limits.turns),
            Some(finish) if finish.is_error || finish.subtype != "success" => {
                let text = if finish.text.trim().is_empty() { &finish.subtype } else { &finish.text };
                Self::Failed(text.clone())
            }
            Some(_) => Self::Success,
            None => Self::Failed(died(code, complaint)),
        }
    }

    /// For a program.
    pub fn word(&self) -> &'static str {
        match self {
            Self::Success => "success",
            Self::Turns(_) => "max_turns",
            Self::Time(_) => "timeout",
            Self::Budget => "budget",
            Self::Cancelled => "cancelled",
            Self::Failed(_) => "failed",
        }
    }

    /// What it means for the text; `None`: nothing, it is whole.
    fn remark(&self) -> Option<String> {
        match self {
            Self::Success => None,
            Self::Turns(turns) => Some(format!("partial: stopped after {turns} turns")),
            Self::Time(seconds) => Some(format!("partial: stopped after {seconds} s")),
            Self::Budget => Some("partial: the budget is used up".to_owned()),
            Self::Cancelled => Some("partial: cancelled".to_owned()),
            Self::Failed(reason) => Some(format!("failed: {}", one_line(reason))),
        }
    }
}

fn died(code: Option<i32>, complaint: &str) -> String {
    let how = code.map_or("it was killed".to_owned(), |code| format!("exit code {code}"));
    let complaint = one_line(complaint);
    if complaint.is_empty() { how } else { format!("{how}: {complaint}") }
}

fn one_line(text: &str) -> String {
    let words: Vec<&str> = text.split_whitespace().collect();
    let line = words.join(" ");
    line.chars().take(400).collect()
}

impl Outcome {
    /// `[subagent result — description="…", tool_calls=N, elapsed=3.2s]`, and what else there is to say of it.
    pub fn header(&self) -> String {
        let description = self.description.as_deref().unwrap_or(&self.agent).replace('"', "'");
        let description = one_line(&description);
        let (calls, elapsed) = (self.tool_calls, self.elapsed.as_secs_f64());
        let remark = self.ending.remark().map(|remark| format!(", {remark}")).unwrap_or_default();
        format!(
            "[subagent result — description=\"{description}\", tool_calls={calls}, elapsed={elapsed:.1}s{remark}]"
        )
    }

    /// The header, the text, and where the rest is.
    pub fn text(&self) -> String {
        let said = if self.text.trim().is_empty() { NOTHING } else { self.text.trim_end() };
        let mut parts = vec![self.header(), String::new(), said.to_owned()];
        if let Some(whole) = &self.whole {
            let limit = OUTPUT_LIMIT;
            parts.push(format!("\n[cut after {limit} bytes; all of it is in {}]", whole.display()));
        }
        parts.extend(self.notes.iter().map(|note| format!("\n[{note}]")));
        parts.join("\n")
    }

    /// For a program.
    pub fn json(&self) -> Value {
        let usage = self.spent.usage;
        json!({
            "id": self.id,
            "agent": self.agent,
            "description": self.description,
            "route": self.route,
            "effort": self.effort,
            "sandbox": self.sandbox,
            "ended": self.ending.word(),
            "reason": self.ending.remark(),
            // Clients that take this show the model nothing else, so the line about it is in it.
            "text": self.text(),
            "whole_text_file": self.whole,
            "structured": self.structured,
            "tool_calls": self.tool_calls,
            "turns": self.turns,
            "requests": self.spent.requests,
            "tokens": {
                "input": usage.input.unwrap_or_default(),
                "output": usage.output.unwrap_or_default(),
                "cache_read": usage.cache_read.unwrap_or_default(),
                "cache_write": usage.cache_write.unwrap_or_default(),
            },
            "cost_usd": self.spent.cost,
            "elapsed_ms": u64::try_from(self.elapsed.as_millis()).unwrap_or(u64::MAX),
            "notes": self.notes,
        })
    }
}

/// The beginning of a text that fits, cut where a character ends; `None`: all of it fits.
pub fn cut(text: &str) -> Option<&str> {
    (text.len() > OUTPUT_LIMIT).then(|| &text[..text.floor_char_boundary(OUTPUT_LIMIT)])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::launch::delegation::stream::Finish;

    fn outcome(ending: Ending, text: &str) -> Outcome {
        Outcome {
            id: "7".to_owned(),
            agent: "reviewer".to_owned(),
            description: Some("analyze \"metrics\"".to_owned()),
            route: "glm/glm-5".to_owned(),
            effort: None,
            sandbox: "landlock",
            text: text.to_owned(),
            whole: None,
            structured: None,
            tool_calls: 4,
            turns: 3,
            spent: Spent::default(),
            elapsed: Duration::from_millis(3170),
            ending,
            notes: Vec::new(),
        }
    }

    #[test]
    fn d3_a_line_and_the_last_words() {
        assert_eq!(
            outcome(Ending::Success, "Three files.\n").text(),
            "[subagent result — description=\"analyze 'metrics'\", tool_calls=4, elapsed=3.2s]\n\nThree files."
        );
        let silent = outcome(Ending::Success, " \n").text();
        assert!(silent.ends_with("\n\n[subagent produced no output]"), "{silent}");
        let json = outcome(Ending::Success, "Three files.").json();
        assert!(json["text"].as_str().unwrap().starts_with("[subagent result — "), "{json}");
    }

    #[test]
    fn d6_every_end_is_told_from_success() {
        for (ending, part) in [
            (Ending::Turns(15), "partial: stopped after 15 turns]"),
            (Ending::Time(7200), "partial: stopped after 7200 s]"),
            (Ending::Budget, "partial: the budget"),
            (Ending::Cancelled, "partial: cancelled]"),
            (Ending::Failed("no\nroute".to_owned()), "failed: no route]"),
        ] {
            let outcome = outcome(ending.clone(), "so far");
            assert!(outcome.header().contains(part), "{}", outcome.header());
            assert!(outcome.text().contains("so far"));
            assert_ne!(outcome.json()["ended"], "success", "{ending:?}");
        }
    }

    #[test]
    fn an_end_is_read_from_what_is_known() {
        let limits = Limits { turns: 15, seconds: None, tokens: None };
        let check = |finish: Option<Finish>, exhausted: bool| {
            let spent = Spent { exhausted, ..Spent::default() };
            Ending::of(&Run { result: finish, ..Run::default() }, &spent, &limits, Some(1), "API\nError")
        };
        let finish =
            |subtype: &str, is_error| Finish { subtype: subtype.to_owned(), is_error, ..Finish::default() };
        assert_eq!(check(Some(finish("success", false)), false), Ending::Success);
        assert_eq!(check(Some(finish("error_max_turns", true)), false), Ending::Turns(15));
        assert_eq!(check(Some(finish("success", true)), false), Ending::Failed("success".to_owned()));
        assert_eq!(check(Some(finish("success", true)), true), Ending::Budget);
        assert_eq!(check(None, false), Ending::Failed("exit code 1: API Error".to_owned()));
    }

    #[test]
    fn d4_a_long_text_is_cut_between_characters() {
        assert_eq!(cut("short"), None);
        let long = format!("{}ü{}", "x".repeat(OUTPUT_LIMIT - 1), "y".repeat(9));
        assert_eq!(cut(&long).unwrap().len(), OUTPUT_LIMIT - 1);
    }
}
