//! What the main model sees of the agents in one launch, each choice with the option that says it.

/// How it reaches agents.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Sight {
    Usual,
    Delegation,
    NoTool,
}

/// In the order of the form.
const ALL: [(Sight, &str, Option<&str>); 3] = [
    (Sight::Usual, "sees the agents as usual", None),
    (Sight::Delegation, "delegates only (--only-hidden)", Some("--only-hidden")),
    (Sight::NoTool, "has no Agent tool (--no-agent-tool)", Some("--no-agent-tool")),
];

impl Sight {
    pub(super) fn next(self, by: isize) -> Self {
        let step = if by > 0 { 1 } else { ALL.len() - 1 };
        ALL[(self.at() + step) % ALL.len()].0
    }

    /// What follows `Main model`.
    pub(super) fn words(self) -> &'static str {
        ALL[self.at()].1
    }

    /// For `subagents run`.
    pub(super) fn option(self) -> Option<&'static str> {
        ALL[self.at()].2
    }

    fn at(self) -> usize {
        ALL.iter().position(|(sight, ..)| *sight == self).unwrap_or(0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn choices_go_round_both_ways() {
        let ahead = [Sight::Usual, Sight::Delegation, Sight::NoTool, Sight::Usual];
        for two in ahead.windows(2) {
            assert_eq!((two[0].next(1), two[1].next(-1)), (two[1], two[0]));
        }
    }
}
