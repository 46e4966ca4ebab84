//! Claude Code's permission modes, and what each means.

use crate::config::MainSession;

/// What Claude Code may do without asking.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Mode {
    /// What the person's own settings say.
    Own,
    Default,
    AcceptEdits,
    Plan,
    Auto,
    DontAsk,
}

/// In the order of the form, with Claude Code's own names.
const ALL: [(Mode, &str, &str); 6] = [
    (
        Mode::Own,
        "as your settings say",
        "Your own settings decide; where they say nothing, Claude Code takes auto.",
    ),
    (Mode::Default, "default", "Asks before it changes files or runs commands."),
    (Mode::AcceptEdits, "acceptEdits", "Changes files without asking; asks before it runs commands."),
    (Mode::Plan, "plan", "Reads and plans; changes nothing."),
    (
        Mode::Auto,
        "auto",
        "A check by Anthropic's servers lets through what looks harmless, and asks for the rest.",
    ),
    (Mode::DontAsk, "dontAsk", "Never asks: what your rules don't allow is refused."),
];

impl Mode {
    pub(super) fn next(self, by: isize) -> Self {
        let at = ALL.iter().position(|(mode, ..)| *mode == self).unwrap_or(0);
        let step = if by > 0 { 1 } else { ALL.len() - 1 };
        ALL[(at + step) % ALL.len()].0
    }

    pub(super) fn name(self) -> &'static str {
        ALL.iter().find(|(mode, ..)| *mode == self).map_or("", |(_, name, _)| name)
    }

    /// What it means, and whether it can work.
    pub(super) fn meaning(self, main: &MainSession) -> String {
        let meaning = ALL.iter().find(|(mode, ..)| *mode == self).map_or("", |(.., meaning)| meaning);
        if matches!(self, Self::Own | Self::Auto) && !is_anthropic(main) {
            return format!(
                "{meaning} The main session's upstream isn't Anthropic's, where that check can't work: choose another."
            );
        }
        meaning.to_owned()
    }

    /// For Claude Code.
    pub(super) fn arguments(self) -> Vec<String> {
        match self {
            Self::Own => Vec::new(),
            mode => vec!["--permission-mode".to_owned(), mode.name().to_owned()],
        }
    }
}

/// As far as the configuration says.
fn is_anthropic(main: &MainSession) -> bool {
    let is_theirs = |upstream: &String| upstream.starts_with("https://api.anthropic.com");
    main.route.is_none() && main.upstream.as_ref().is_none_or(is_theirs)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn modes_go_round_and_say_what_they_mean() {
        let mut mode = Mode::Own;
        for _ in 0..ALL.len() {
            mode = mode.next(1);
        }
        assert_eq!(mode, Mode::Own);
        assert_eq!(mode.next(-1), Mode::DontAsk);
        assert_eq!(Mode::Own.arguments(), [""; 0]);
        assert_eq!(Mode::Plan.arguments(), ["--permission-mode", "plan"]);
        let elsewhere = MainSession { upstream: Some("http://127.0.0.1:1".to_owned()), route: None };
        assert!(Mode::Auto.meaning(&elsewhere).contains("can't work"));
        assert!(!Mode::Auto.meaning(&MainSession::default()).contains("can't work"));
        assert!(!Mode::Plan.meaning(&elsewhere).contains("can't work"));
    }
}
