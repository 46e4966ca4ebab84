//! Agents that were handed over and of which nothing has been seen since: no request, no call, no start. Pure.
//!
//! That is no mistake in itself: nobody may have needed them. It is also how a Claude Code looks that lists agents and
//! can't call them.

use super::arguments::Arguments;
use super::bind::Bound;
use super::claude::{TRIED, Version};
use super::settings::Settings;
use crate::router::{Callers, Figures};

/// The names of these agents ([`super::agents_json::handed_over`]) that can be seen as agents: not the one that the main session is, by
/// `--agent` or by a setting.
pub fn expected(agents: &[Bound<'_>], arguments: &Arguments, settings: &Settings) -> Vec<String> {
    let of_settings = || settings.values("agent").find_map(|(_, name)| name.as_str());
    let main = arguments.last("agent").or_else(of_settings);
    let names = agents.iter().map(|bound| &bound.agent.name);
    names.filter(|name| main != Some(name.as_str())).cloned().collect()
}

/// Those that were never seen; `None` where it can't be told, because no hook was heard: an agent off its route then
/// has no name.
pub fn unseen(expected: &[String], figures: &Figures, callers: &Callers) -> Option<Vec<String>> {
    let is_unseen = |name: &&String| {
        let has_row = figures.agents.iter().any(|row| row.agent.as_ref() == Some(*name));
        let has_strayed = figures.strays.iter().any(|stray| stray.agent.as_ref() == Some(*name));
        !has_row && !has_strayed && !callers.has_started(name)
    };
    callers.hooks().then(|| expected.iter().filter(is_unseen).cloned().collect())
}

/// What may be the cause where none of them was seen, for the user.
pub fn hint(version: Version) -> Option<String> {
    (version < TRIED).then(|| {
        format!(
            "Claude Code {version} is older than {TRIED}, the oldest that this program was tried with; of an older \
             one it was reported that it lists such agents and can't call them (anthropics/claude-code#33513)"
        )
    })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::launch::bind::bind;
    use crate::launch::bind::tests::{agent, config};
    use crate::launch::settings::Layer;
    use crate::launch::settings::tests::settings_of;
    use crate::router::{Meter, Stray};

    #[test]
    fn f13_the_agent_that_the_main_session_is_can_not_be_missed() {
        let config = config(vec![agent("a", "ollama/m"), agent("b", "inherit")]);
        let check = |line: &[&str], setting: serde_json::Value, expect: &[&str]| {
            let words: Vec<String> = line.iter().map(|word| (*word).to_owned()).collect();
            let settings = settings_of([(Layer::User, setting)]);
            assert_eq!(expected(&bind(&config).0, &Arguments::parse(&words), &settings), expect);
        };
        check(&[], json!({}), &["a", "b"]);
        check(&["--agent", "b"], json!({}), &["a"]);
        check(&[], json!({"agent": "a"}), &["b"]);
        check(&["--agent", "b"], json!({"agent": "a"}), &["a"]);
    }

    #[test]
    fn f13_a_request_a_stray_or_a_start_is_enough_to_be_seen() {
        let names = ["asked", "counted", "strayed", "refused", "started", "never"].map(str::to_owned);
        let meter = Meter::new(vec!["default".to_owned()]);
        let callers = Callers::default();
        meter.other("counted", "p/m");
        meter.stray(Some("strayed"), "opus", false);
        meter.stray(Some("refused"), "opus", true);
        let mut figures = meter.figures();
        assert_eq!(unseen(&names, &figures, &callers), None, "without hooks nobody can tell");
        callers.started("1", "started");
        let never = unseen(&names, &figures, &callers).unwrap();
        assert_eq!(never, ["asked", "never"]);
        let mut row = figures.agents[0].clone();
        row.agent = Some("asked".to_owned());
        figures.agents.push(row);
        figures.strays.push(Stray { agent: None, model: "x".to_owned(), requests: 1, refused: 1 });
        assert_eq!(unseen(&names, &figures, &callers).unwrap(), ["never"]);
    }

    #[test]
    fn f13_only_a_version_that_nobody_tried_is_suspected() {
        let hint = |version: &str| hint(version.parse().unwrap());
        assert!(hint("2.1.74").is_some_and(|text| text.contains("2.1.74") && text.contains("#33513")));
        assert_eq!((hint("2.1.332"), hint("2.2.0")), (None, None));
    }
}
