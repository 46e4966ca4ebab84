//! What a description says an agent is for, and what it says it is not for.

use super::excerpt::excerpt;

/// Bytes of a description that are read. Real ones with several examples have up to 3 KiB.
const MOST: usize = 4 * 1024;

/// From one of these to the end of its sentence a description speaks of what the agent is not for.
const AGAINST: [&str; 12] = [
    "not for ",
    "not use ",
    "don't use ",
    "don’t use ",
    "never use ",
    "avoid using ",
    "not be used ",
    "not call ",
    "not intended ",
    "not meant ",
    "not suitable ",
    "not invoke ",
];

/// A description, taken apart.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Purpose {
    pub(super) wanted: String,
    pub(super) against: String,
}

impl Purpose {
    /// Of an `<example>` only what the user says in it is read: the rest is the same in all descriptions.
    pub(super) fn read(description: &str) -> Self {
        let text = excerpt(description, MOST).replace("\\n", "\n");
        let mut purpose = Self::default();
        for sentence in sentences(&without_examples(&text)) {
            let (wanted, against) = sentence.split_at(turn(sentence));
            purpose.wanted.push_str(wanted);
            purpose.wanted.push('\n');
            purpose.against.push_str(against);
            purpose.against.push('\n');
        }
        purpose
    }
}

/// Where a sentence begins to speak of what is not wanted: its end, where it doesn't.
fn turn(sentence: &str) -> usize {
    // ASCII only, so that places stay the same.
    let lower = sentence.to_ascii_lowercase();
    AGAINST.iter().filter_map(|marker| lower.find(marker)).min().unwrap_or(sentence.len())
}

fn sentences(text: &str) -> impl Iterator<Item = &str> {
    text.split(['\n', ';', '!']).flat_map(|line| line.split(". "))
}

fn without_examples(text: &str) -> String {
    let mut kept = String::new();
    for (at, part) in text.split("<example>").enumerate() {
        let (example, after) = match part.split_once("</example>") {
            _ if at == 0 => ("", part),
            Some(parts) => parts,
            None => (part, ""),
        };
        for said in example.lines().filter_map(|line| line.trim_start().strip_prefix("user:")) {
            kept.push_str(said);
            kept.push('\n');
        }
        kept.push_str(after);
    }
    kept
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parts(description: &str) -> (String, String) {
        let Purpose { wanted, against } = Purpose::read(description);
        let tidy = |text: String| text.split_whitespace().collect::<Vec<_>>().join(" ");
        (tidy(wanted), tidy(against))
    }

    #[test]
    fn what_it_is_not_for_stands_apart() {
        for (description, wanted, against) in [
            ("Reviews code. Use after edits.", "Reviews code Use after edits.", ""),
            ("Reviews code. Do NOT use for tests. Fast.", "Reviews code Do Fast.", "NOT use for tests"),
            ("Audits, not for review; use another", "Audits, use another", "not for review"),
            ("Never use for comments", "", "Never use for comments"),
            ("Tidies config.toml! Don’t use to fix bugs", "Tidies config.toml", "Don’t use to fix bugs"),
            ("İ not for é", "İ", "not for é"),
            ("", "", ""),
        ] {
            assert_eq!(parts(description), (wanted.to_owned(), against.to_owned()), "{description}");
        }
    }

    #[test]
    fn of_examples_only_the_user_counts() {
        let one = "Builds.<example>\nContext: c\nuser: \"Add a tab\"\nassistant: \"a\"\n</example> Well.";
        for (description, wanted) in [
            (one.to_owned(), "\"Add a tab\" Well."),
            (one.replace('\n', "\\n"), "\"Add a tab\" Well."),
            ("A <example>\nuser: hi".to_owned(), "A hi"),
            ("A </example> b".to_owned(), "A </example> b"),
        ] {
            assert!(parts(&description).0.ends_with(wanted), "{description}: {:?}", parts(&description));
        }
    }
}
