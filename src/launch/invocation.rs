//! What of a command line is remembered, so that the session can be taken up again. Pure.
//!
//! Options last; what was said to the model doesn't, and neither does what chose this one conversation or belonged to
//! one answer that was printed. An option that may hold a key is left out, and its name kept.

use super::arguments::{Arguments, NAMED_SESSION};
use super::snapshot::may_hold_a_key;
use crate::ledger::Invocation;

/// Options that mean something with `-p` only, or begin something anew.
const ONCE: [&str; 15] = [
    "fork-session",
    "forward-subagent-text",
    "include-hook-events",
    "include-partial-messages",
    "input-format",
    "json-schema",
    "max-budget-usd",
    "max-turns",
    "no-session-persistence",
    "output-format",
    "permission-prompt-tool",
    "print",
    "prompt-suggestions",
    "replay-user-messages",
    "worktree",
];

/// What is remembered of a launch with this profile, these agents by name, the profile's words and the person's own.
pub fn invocation(
    profile: Option<&str>,
    agents: &[String],
    profile_words: &[String],
    words: &[String],
) -> Invocation {
    let mut withheld = Vec::new();
    Invocation {
        profile: profile.map(str::to_owned),
        agents: agents.to_vec(),
        profile_words: remembered(profile_words, &mut withheld),
        words: remembered(words, &mut withheld),
        withheld,
    }
}

/// The options that mean the same when the session is taken up again.
pub fn lasting(words: &[String]) -> Vec<String> {
    options(&Arguments::parse(words)).flat_map(|(_, words)| words.iter().cloned()).collect()
}

/// Those of them that hold no key; the names of the others are added to `withheld`.
fn remembered(words: &[String], withheld: &mut Vec<String>) -> Vec<String> {
    let arguments = Arguments::parse(words);
    let (kept, out): (Vec<_>, Vec<_>) = options(&arguments).partition(|(_, words)| !hold_a_key(words));
    withheld.extend(out.into_iter().filter_map(|(names, _)| names.last()).map(|name| format!("--{name}")));
    kept.into_iter().flat_map(|(_, words)| words.iter().cloned()).collect()
}

fn options(arguments: &Arguments) -> impl Iterator<Item = (&[String], &[String])> {
    let is_once = |name: &String| ONCE.contains(&name.as_str()) || NAMED_SESSION.contains(&name.as_str());
    arguments.options().filter(move |(names, _)| !names.iter().any(is_once))
}

fn hold_a_key(words: &[String]) -> bool {
    words.iter().any(|word| {
        may_hold_a_key(word) || word.split_once('=').is_some_and(|(_, value)| may_hold_a_key(value))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(line: &str) -> Vec<String> {
        shlex::split(line).unwrap()
    }

    fn check(line: &str, kept: &str, withheld: &[&str]) {
        let invocation = invocation(None, &[], &[], &words(line));
        assert_eq!(invocation.words, words(kept), "{line}");
        assert_eq!(invocation.withheld, withheld, "{line}");
    }

    #[test]
    fn options_last_and_what_was_said_does_not() {
        for (line, kept) in [
            ("", ""),
            ("'Please do it.'", ""),
            ("--permission-mode plan 'Please do it.' --model opus", "--permission-mode plan --model opus"),
            ("--model=opus -- --verbose", "--model=opus"),
            ("-p --output-format json --max-turns 3 --verbose 'Do it.'", "--verbose"),
            ("--add-dir ../a ../b --settings own.json", "--add-dir ../a ../b --settings own.json"),
            ("--session-id 7 --resume x --continue -c --fork-session --worktree w", ""),
            ("-pc --append-system-prompt 'Be brief.'", "--append-system-prompt 'Be brief.'"),
            (
                "--agents '{\"a\":{\"description\":\"d\"}}' hello",
                "--agents '{\"a\":{\"description\":\"d\"}}'",
            ),
        ] {
            check(line, kept, &[]);
        }
    }

    #[test]
    fn i03_an_option_that_may_hold_a_key_is_named_and_left_out() {
        let key = "sk-canary-0123456789abcdef";
        for (line, kept, withheld) in [
            ("--settings '{\"env\":{\"X\":\"canary\"}}' --model opus", "--model opus", "--settings"),
            ("--mcp-config '{\"s\":{\"headers\":{\"a\":\"canary\"}}}' x.json", "", "--mcp-config"),
            (&format!("--append-system-prompt='The key is {key}'"), "", "--append-system-prompt"),
        ] {
            check(line, kept, &[withheld]);
        }
    }

    #[test]
    fn the_profile_and_the_person_are_told_apart() {
        let found =
            invocation(Some("work"), &["rev".to_owned()], &words("--verbose hi"), &words("--model opus"));
        assert_eq!((found.profile.as_deref(), found.agents), (Some("work"), vec!["rev".to_owned()]));
        assert_eq!((found.profile_words, found.words), (words("--verbose"), words("--model opus")));
    }
}
