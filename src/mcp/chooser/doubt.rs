//! Why nobody was chosen, and what to ask then.

use super::excerpt::line;
use super::{Candidates, Scored};

/// Candidates that a question names; there may be hundreds.
const NAMED: usize = 12;

/// Characters of a description that a question quotes.
const QUOTED: usize = 100;

/// Why nobody was chosen.
#[derive(Debug, Clone, PartialEq)]
pub enum Doubt {
    /// The task's words speak for nobody, or for nobody enough.
    NoEvidence,
    /// The best two are too near to each other.
    Close(Scored, Scored),
    /// The model that was asked is unsure itself, and says why.
    Declined(String),
    /// The model that was asked named somebody who is no candidate.
    Stranger(String),
    /// The model's answer is none, and why.
    Unreadable(String),
}

/// Scores are never NaN.
impl Eq for Doubt {}

impl Doubt {
    /// Asks back: what is unclear, who could be meant, and what would make it clear. Several lines.
    pub fn question(&self, candidates: &Candidates) -> String {
        let mut lines = vec![format!("No agent was chosen: {self}.")];
        match self {
            Self::Close(first, second) => {
                let both = [first, second];
                let both = both.into_iter().filter_map(|scored| candidates.named(&scored.name));
                lines.extend(both.map(|candidate| entry(&candidate.name, &candidate.description)));
            }
            _ => lines.extend(some(candidates)),
        }
        lines.push(
            "Name the agent, or say more of what is to be done, in words of its description.".to_owned(),
        );
        lines.join("\n")
    }
}

impl std::fmt::Display for Doubt {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::NoEvidence => {
                write!(f, "the task says too little that an agent's name or description says")
            }
            Self::Close(first, second) => write!(f, "two fit about equally ({first}, {second})"),
            Self::Declined(why) => write!(f, "the model that was asked is unsure ({})", line(why, QUOTED)),
            Self::Stranger(name) => {
                write!(f, "the model that was asked named no agent of the list ({})", line(name, QUOTED))
            }
            Self::Unreadable(why) => write!(f, "the model's answer can't be read ({why})"),
        }
    }
}

fn some(candidates: &Candidates) -> Vec<String> {
    let named = candidates.all().take(NAMED);
    let mut lines: Vec<String> =
        named.map(|candidate| entry(&candidate.name, &candidate.description)).collect();
    let left = candidates.all().count().saturating_sub(NAMED);
    if left > 0 {
        lines.push(format!("- and {left} more"));
    }
    lines
}

/// The description's first sentence, as one line: somebody else may have written it.
fn entry(name: &str, description: &str) -> String {
    let first = description.split_once(". ").map_or(description, |(first, _)| first);
    format!("- {}: {}", line(name, QUOTED), line(first.trim_end_matches('.'), QUOTED))
}

#[cfg(test)]
mod tests {
    use super::super::Candidate;
    use super::*;

    fn candidates(pairs: &[(&str, &str)]) -> Candidates {
        let candidate = |(name, description): &(&str, &str)| Candidate {
            name: (*name).into(),
            description: (*description).into(),
        };
        Candidates::new(pairs.iter().map(candidate).collect()).unwrap()
    }

    #[test]
    fn the_two_that_are_near_are_named_and_nobody_else() {
        let team = candidates(&[
            ("reviewer", "Reviews. Use after edits."),
            ("tester", "Tests\ncode."),
            ("other", ""),
        ]);
        let scored = |name: &str, score| Scored { name: name.into(), score };
        let doubt = Doubt::Close(scored("tester", 7.42), scored("reviewer", 7.0));
        insta::assert_snapshot!(doubt.question(&team), @"
        No agent was chosen: two fit about equally (tester 7.42, reviewer 7.00).
        - tester: Tests code
        - reviewer: Reviews
        Name the agent, or say more of what is to be done, in words of its description.
        ");
    }

    #[test]
    fn of_hundreds_a_dozen_are_named() {
        let names: Vec<String> = (100..800).map(|number| format!("agent-{number}")).collect();
        let pairs: Vec<(&str, &str)> = names.iter().map(|name| (name.as_str(), "Does it.")).collect();
        let question = Doubt::NoEvidence.question(&candidates(&pairs));
        assert_eq!(question.lines().count(), 1 + NAMED + 2);
        assert!(
            question.contains("- agent-100: Does it\n") && question.contains("\n- and 688 more\n"),
            "{question}"
        );
    }

    #[test]
    fn what_a_model_said_is_quoted_in_one_short_line() {
        let long = "x\u{1b}[2J\n".repeat(1000);
        for doubt in [Doubt::Declined(long.clone()), Doubt::Stranger(long.clone())] {
            let said = doubt.to_string();
            assert!(said.chars().count() < 200 && !said.contains(['\n', '\u{1b}']), "{said}");
        }
    }
}
