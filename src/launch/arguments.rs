//! Claude Code's command line, read as Claude Code reads it: which word is an option, which is its value.
//!
//! Pure. It knows only what a launch must know, and gives every other word back as it was written.

/// Options that take exactly one value, whatever it looks like.
const ONE_VALUE: &[&str] = &[
    "agent",
    "agents",
    "append-system-prompt",
    "append-system-prompt-file",
    "autocompact",
    "debug-file",
    "effort",
    "environment",
    "fallback-model",
    "input-format",
    "json-schema",
    "max-budget-usd",
    "max-turns",
    "model",
    "name",
    "output-format",
    "permission-mode",
    "permission-prompt-tool",
    "permission-prompts",
    "plugin-dir",
    "plugin-url",
    "remote-control-session-name-prefix",
    "session-id",
    "setting-sources",
    "settings",
    "system-prompt",
    "system-prompt-file",
    "system-prompt-snapshot",
];

/// Options that take a value only if the next word is no option.
const MAYBE_VALUE: &[&str] =
    &["cloud", "debug", "from-pr", "prompt-suggestions", "remote-control", "resume", "teleport", "worktree"];

/// Options that take every word up to the next option.
const MANY_VALUES: &[&str] = &[
    "add-dir",
    "allowed-tools",
    "allowedTools",
    "betas",
    "disallowed-tools",
    "disallowedTools",
    "file",
    "mcp-config",
    "tools",
];

/// First words that are a command of Claude Code's own and open no session here.
const COMMANDS: &[&str] = &[
    "agents",
    "attach",
    "auth",
    "auto-mode",
    "doctor",
    "gateway",
    "import",
    "install",
    "kill",
    "logs",
    "mcp",
    "plugin",
    "plugins",
    "purge",
    "respawn",
    "rm",
    "setup-token",
    "stop",
    "ultrareview",
    "update",
    "upgrade",
];

/// Options after which Claude Code itself decides which conversation it is.
pub(super) const NAMED_SESSION: &[&str] =
    &["session-id", "resume", "continue", "from-pr", "teleport", "cloud", "desktop", "background"];

/// A command line for Claude Code, understood as far as a launch needs it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Arguments {
    items: Vec<Item>,
}

/// One option with its values, or one other word.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
struct Item {
    /// The option's long name without dashes; empty for a plain word. `-pc` has two.
    names: Vec<String>,
    value: Option<String>,
    /// As written.
    words: Vec<String>,
}

impl Arguments {
    /// Reads the words in their order; nothing after `--` is an option.
    pub fn parse(words: &[String]) -> Self {
        let mut items = Vec::new();
        let mut rest = words;
        while let Some((word, after)) = rest.split_first() {
            if word == "--" {
                items.extend(rest.iter().map(|word| Item::word(word)));
                break;
            }
            let item = Item::option(word, after);
            rest = &rest[item.words.len()..];
            items.push(item);
        }
        Self { items }
    }

    /// Is the option there? `name` is its long name without dashes.
    pub fn has(&self, name: &str) -> bool {
        self.items.iter().any(|item| item.is(name))
    }

    /// The value of the last such option: the one that Claude Code obeys.
    pub fn last(&self, name: &str) -> Option<&str> {
        self.items.iter().rev().find(|item| item.is(name))?.value.as_deref()
    }

    /// All words but those of the named options and their values.
    pub fn without(&self, names: &[&str]) -> Vec<String> {
        let kept = self.items.iter().filter(|item| !names.iter().any(|name| item.is(name)));
        kept.flat_map(|item| item.words.iter().cloned()).collect()
    }

    /// Every option in its order: its long names without dashes, and all its words as written.
    pub(super) fn options(&self) -> impl Iterator<Item = (&[String], &[String])> {
        let options = self.items.iter().filter(|item| !item.names.is_empty());
        options.map(|item| (item.names.as_slice(), item.words.as_slice()))
    }

    /// `-p`: no person at a screen.
    pub fn headless(&self) -> bool {
        self.has("print")
    }

    /// Whether a session starts at all; `claude mcp list` or `claude --help` start none.
    pub fn opens_session(&self) -> bool {
        let first = self.items.iter().find(|item| item.names.is_empty()).and_then(|item| item.words.first());
        let command = first.is_some_and(|word| COMMANDS.contains(&word.as_str()));
        !command && !self.has("help") && !self.has("version")
    }

    /// Whether the user already says which conversation it is, so that an id of ours would be refused.
    pub fn names_session(&self) -> bool {
        NAMED_SESSION.iter().any(|name| self.has(name))
    }

    /// Whether the user chose how permissions are asked for.
    pub fn chooses_permissions(&self) -> bool {
        self.has("permission-mode") || self.has("dangerously-skip-permissions")
    }
}

impl Item {
    fn word(word: &str) -> Self {
        Self { words: vec![word.to_owned()], ..Self::default() }
    }

    fn option(word: &String, after: &[String]) -> Self {
        if let Some(long) = word.strip_prefix("--") {
            return Self::long(word, long, after);
        }
        match word.strip_prefix('-') {
            Some(letters) if !letters.is_empty() => Self::short(word, letters, after),
            _ => Self::word(word),
        }
    }

    fn long(word: &String, long: &str, after: &[String]) -> Self {
        let Some((name, value)) = long.split_once('=') else {
            return Self::with_values(vec![long_name(long).to_owned()], word, after);
        };
        let names = vec![long_name(name).to_owned()];
        Self { names, value: Some(value.to_owned()), words: vec![word.clone()] }
    }

    /// `-p`, `-pc`, `-rID`, `-r ID`.
    fn short(word: &String, letters: &str, after: &[String]) -> Self {
        let mut names = Vec::new();
        for (at, letter) in letters.char_indices() {
            let name = short_name(letter);
            names.push(name.to_owned());
            let attached = &letters[at + letter.len_utf8()..];
            if takes_value(name) && !attached.is_empty() {
                return Self { names, value: Some(attached.to_owned()), words: vec![word.clone()] };
            }
        }
        Self::with_values(names, word, after)
    }

    fn with_values(names: Vec<String>, word: &String, after: &[String]) -> Self {
        let count = names.last().map_or(0, |name| value_count(name, after));
        let words = std::iter::once(word).chain(&after[..count]).cloned().collect();
        Self { names, value: after[..count].first().cloned(), words }
    }

    fn is(&self, name: &str) -> bool {
        self.names.iter().any(|own| own == name)
    }
}

fn value_count(name: &str, after: &[String]) -> usize {
    let plain = after.iter().take_while(|word| !word.starts_with('-')).count();
    if ONE_VALUE.contains(&name) {
        after.len().min(1)
    } else if MAYBE_VALUE.contains(&name) {
        plain.min(1)
    } else if MANY_VALUES.contains(&name) {
        plain.max(after.len().min(1))
    } else {
        0
    }
}

fn takes_value(name: &str) -> bool {
    ONE_VALUE.contains(&name) || MAYBE_VALUE.contains(&name)
}

/// Names that mean the same are read as one.
fn long_name(name: &str) -> &str {
    if name == "bg" { "background" } else { name }
}

fn short_name(letter: char) -> &'static str {
    match letter {
        'p' => "print",
        'c' => "continue",
        'r' => "resume",
        'n' => "name",
        'd' => "debug",
        'w' => "worktree",
        'h' => "help",
        'v' => "version",
        _ => "",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(line: &str) -> Arguments {
        Arguments::parse(&shlex::split(line).unwrap())
    }

    #[test]
    fn the_last_of_two_wins_whole_in_either_form() {
        for (line, last) in [
            ("--settings a", Some("a")),
            ("--settings=a --settings b", Some("b")),
            ("--settings b --settings=a=c", Some("a=c")),
            ("--append-system-prompt --settings x", None),
            ("-- --settings x", None),
            ("--model --settings --settings y", Some("y")),
            ("--settings", None),
        ] {
            assert_eq!(parse(line).last("settings"), last, "{line}");
        }
    }

    #[test]
    fn l3_taken_out_options_leave_the_rest_as_written() {
        let line = "--settings=a -p --add-dir x y --agents {} 'say hi' -- --agents z";
        let rest = parse(line).without(&["settings", "agents"]);
        assert_eq!(rest, ["-p", "--add-dir", "x", "y", "say hi", "--", "--agents", "z"]);
        assert_eq!(parse(line).without(&[]), shlex::split(line).unwrap());
    }

    #[test]
    fn short_options_are_read_with_and_without_values() {
        for (line, name, has) in [
            ("-pc hi", "print", true),
            ("-pc hi", "continue", true),
            ("-rpc", "print", false),
            ("-r abc", "resume", true),
            ("-n -p", "print", false),
            ("- -p", "print", true),
            ("hi -x -p", "print", true),
        ] {
            assert_eq!(parse(line).has(name), has, "{line} {name}");
        }
        assert_eq!(parse("-rID").last("resume"), Some("ID"));
    }

    #[test]
    fn a_session_is_opened_unless_a_command_or_help_is_asked_for() {
        for (line, opens) in [
            ("", true),
            ("'fix it'", true),
            ("--model mcp", true),
            ("mcp list", false),
            ("--debug=x doctor", false),
            ("--version", false),
            ("-h", false),
            ("-p update", false),
            ("say mcp", true),
        ] {
            assert_eq!(parse(line).opens_session(), opens, "{line}");
        }
    }

    #[test]
    fn a_session_named_by_the_user_is_known() {
        for line in ["-c", "-r", "--resume=x", "--session-id x", "--from-pr 3", "--bg hi", "-pc"] {
            assert!(parse(line).names_session(), "{line}");
        }
        assert!(!parse("-p 'go on'").names_session());
    }
}
