//! How far a delegation may go (D4, E6). Pure.

use std::time::Duration;

use crate::config::{DelegationSettings, Environment};

/// Bytes of an answer that are handed back; the rest stays in a file.
pub const OUTPUT_LIMIT: usize = 30 * 1024;

/// How long a child has to end by itself once it is told to: while somebody waits for it, and in the background.
pub const GRACE: Duration = Duration::from_secs(30);
pub const GRACE_IN_BACKGROUND: Duration = Duration::from_secs(10);

/// What a call asks for; `None`: it doesn't say.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, serde::Deserialize, serde::Serialize)]
pub struct Asked {
    pub turns: Option<u64>,
    pub seconds: Option<u64>,
    /// That weren't read from a cache.
    pub tokens: Option<u64>,
}

/// What holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Deserialize, serde::Serialize)]
pub struct Limits {
    pub turns: u64,
    /// `None`: none.
    pub seconds: Option<u64>,
    pub tokens: Option<u64>,
}

impl Limits {
    /// Argument, else variable, else configuration, and never more than `caller` has.
    pub fn of(
        asked: Asked,
        settings: &DelegationSettings,
        environment: &Environment,
        caller: Option<&Self>,
    ) -> Self {
        let turns = asked
            .turns
            .or_else(|| variable(environment, "SUBAGENTS_MAX_TURNS"))
            .unwrap_or(settings.max_turns);
        let limits = Self {
            turns,
            seconds: asked.seconds.or(settings.timeout.map(|timeout| timeout.as_secs())),
            tokens: asked.tokens,
        };
        caller.map_or(limits, |caller| limits.within(caller))
    }

    /// As a call that asks for just these.
    pub fn asked(&self) -> Asked {
        Asked { turns: Some(self.turns), seconds: self.seconds, tokens: self.tokens }
    }

    fn within(self, caller: &Self) -> Self {
        let least = |ours: Option<u64>, theirs: Option<u64>| match (ours, theirs) {
            (Some(ours), Some(theirs)) => Some(ours.min(theirs)),
            (ours, theirs) => ours.or(theirs),
        };
        Self {
            turns: self.turns.min(caller.turns),
            seconds: least(self.seconds, caller.seconds),
            tokens: least(self.tokens, caller.tokens),
        }
    }
}

/// How deep delegations may be nested; the main agent's are depth 0.
pub fn max_depth(settings: &DelegationSettings, environment: &Environment) -> u32 {
    let named = variable(environment, "SUBAGENTS_MAX_DEPTH").and_then(|depth| u32::try_from(depth).ok());
    named.unwrap_or(settings.max_depth)
}

/// A variable counts only if it is a whole number above 0.
fn variable(environment: &Environment, name: &str) -> Option<u64> {
    environment.get(name)?.trim().parse().ok().filter(|count| *count > 0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn environment(variables: &[(&str, &str)]) -> Environment {
        variables.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect()
    }

    #[test]
    fn d4_argument_beats_variable_beats_default() {
        let settings = DelegationSettings::default();
        for (asked, set, want) in [
            (None, "", 15),
            (None, "7", 7),
            (None, "0", 15),
            (None, "-1", 15),
            (None, "2.5", 15),
            (None, "many", 15),
            (Some(3), "7", 3),
        ] {
            let variables = environment(&[("SUBAGENTS_MAX_TURNS", set)]);
            let asked = Asked { turns: asked, ..Asked::default() };
            assert_eq!(Limits::of(asked, &settings, &variables, None).turns, want, "{asked:?} {set}");
        }
        for (set, want) in [("", 2), ("1", 1), ("0", 2), ("x", 2), ("5000000000", 2)] {
            assert_eq!(max_depth(&settings, &environment(&[("SUBAGENTS_MAX_DEPTH", set)])), want, "{set}");
        }
    }

    #[test]
    fn e6_a_call_has_two_hours_unless_it_says_otherwise() {
        let limits =
            |asked, settings: &DelegationSettings| Limits::of(asked, settings, &environment(&[]), None);
        assert_eq!(limits(Asked::default(), &DelegationSettings::default()).seconds, Some(7200));
        let endless = DelegationSettings { timeout: None, ..DelegationSettings::default() };
        assert_eq!(limits(Asked::default(), &endless).seconds, None);
        let asked = Asked { seconds: Some(60), ..Asked::default() };
        assert_eq!(limits(asked, &endless).seconds, Some(60));
    }

    #[test]
    fn a_child_hands_on_no_more_than_it_has() {
        let caller = Limits { turns: 5, seconds: Some(100), tokens: Some(1000) };
        let asked = Asked { turns: Some(50), seconds: None, tokens: Some(10) };
        let limits = Limits::of(asked, &DelegationSettings::default(), &environment(&[]), Some(&caller));
        assert_eq!(limits, Limits { turns: 5, seconds: Some(100), tokens: Some(10) });
    }
}
