//! What waits for a person, as text: who asks, and the whole of what would be done. Pure.
//!
//! Whoever asks wrote all of it, so nothing is shown as it is: neither control characters nor what turns the direction
//! of a line could make a command look like another one.

use jiff::Timestamp;
use serde_json::Value;

use super::colour::{Colour, Tone};
use super::table::visible;
use super::text::duration;
use crate::launch::sessions::Waiting;

/// How far what is asked stands in.
const INDENT: &str = "    ";

/// One dialog, several lines long, without a line break at the end.
pub fn waiting(waiting: &Waiting, now: Timestamp, colour: Colour) -> String {
    let dialog = &waiting.dialog;
    let who = who(waiting);
    let age = u64::try_from(now.duration_since(dialog.since).as_millis()).unwrap_or(0);
    let folder = visible(&waiting.live.folder.display().to_string());
    let mut lines = vec![
        format!(
            "{}  {}",
            colour.paint(&dialog.id.0, Tone::Doubtful),
            colour.paint(&visible(&dialog.tool), Tone::Doubtful)
        ),
        format!("  {} in {} ({folder}), for {}", who, visible(&waiting.live.name), duration(age)),
    ];
    lines.extend(asked(&dialog.input).into_iter().map(|line| format!("{INDENT}{line}")));
    lines.push(colour.paint(&format!("  {}", way(waiting)), Tone::Faint));
    lines.join("\n")
}

/// Who asks, and on which route.
pub(super) fn who(waiting: &Waiting) -> String {
    match (&waiting.dialog.agent, &waiting.route) {
        (None, _) => "the main session".to_owned(),
        (Some(agent), None) => format!("agent {}", visible(agent)),
        (Some(agent), Some(route)) => format!("agent {} on {}", visible(agent), visible(route)),
    }
}

/// A session waits for something that isn't known.
pub fn waits_unseen(name: &str) -> String {
    let name = visible(name);
    format!("{name} waits for you, and Claude Code doesn't tell what for: subagents attach {name}")
}

/// How it is answered.
fn way(waiting: &Waiting) -> String {
    let (id, name) = (&waiting.dialog.id, visible(&waiting.live.name));
    match waiting.dialog.reach.hindrance() {
        None => format!("subagents inbox allow {id}  |  subagents inbox deny {id} --reason \"…\""),
        Some(why) => format!("{why}: subagents attach {name}"),
    }
}

/// What the tool would do, in full: a change of a file as lines that go and come, everything else field by field.
pub(super) fn asked(input: &Value) -> Vec<String> {
    let Some(fields) = input.as_object() else { return block("", &plain(input)) };
    let text = |key: &str| fields.get(key).and_then(Value::as_str);
    let mut lines = Vec::new();
    for (key, value) in fields {
        match (key.as_str(), text("old_string"), text("new_string")) {
            ("old_string", Some(old), Some(_)) => lines.extend(signed('-', old)),
            ("new_string", Some(_), Some(new)) => lines.extend(signed('+', new)),
            _ => lines.extend(block(&visible(key), &plain(value))),
        }
    }
    lines
}

fn plain(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        value => value.to_string(),
    }
}

fn signed(sign: char, text: &str) -> Vec<String> {
    text.lines().map(|line| format!("{sign} {}", visible(line))).collect()
}

/// `key: text`, or the text below the key where it has several lines.
fn block(key: &str, text: &str) -> Vec<String> {
    let lines: Vec<String> = text.split('\n').map(visible).collect();
    match &lines[..] {
        [one] if key.is_empty() => vec![one.clone()],
        [one] => vec![format!("{key}: {one}")],
        lines => {
            let below = lines.iter().map(|line| format!("{INDENT}{line}"));
            std::iter::once(format!("{key}:")).chain(below).collect()
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use serde_json::json;

    use super::*;
    use crate::launch::live::Live;
    use crate::launch::state::{Dialog, DialogId, Reach};

    fn shown(tool: &str, input: Value, agent: Option<&str>, reach: Reach) -> String {
        let dialog = Dialog {
            id: DialogId("d7d4620597".to_owned()),
            tool: tool.to_owned(),
            input: Arc::new(input),
            agent: agent.map(str::to_owned),
            agent_id: None,
            since: Timestamp::UNIX_EPOCH,
            reach,
        };
        let live = Live {
            session: uuid::Uuid::nil(),
            name: "shop".to_owned(),
            process: 1,
            folder: "/work/shop".into(),
            started: 0,
            socket: None,
        };
        let route = agent.map(|_| "glm/glm-5".to_owned());
        waiting(&Waiting { live, dialog, route }, Timestamp::from_second(75).unwrap(), Colour::Never)
    }

    #[test]
    fn a_command_is_shown_whole_and_nothing_in_it_is_hidden() {
        let input =
            json!({"command": "echo safe\n\u{1b}[2Krm -rf \u{202e}txt.\u{200b}x", "description": "Says so"});
        insta::assert_snapshot!(shown("Bash", input, None, Reach::Inbox), @r#"
        d7d4620597  Bash
          the main session in shop (/work/shop), for 75.0s
            command:
                echo safe
                \u{1b}[2Krm -rf \u{202e}txt.\u{200b}x
            description: Says so
          subagents inbox allow d7d4620597  |  subagents inbox deny d7d4620597 --reason "…"
        "#);
    }

    #[test]
    fn an_edit_is_shown_as_what_goes_and_what_comes() {
        let input = json!({"file_path": "/w/a.rs", "old_string": "one\ntwo", "new_string": "one\nthree", "replace_all": false});
        insta::assert_snapshot!(shown("Edit", input, Some("rev"), Reach::Agent), @r#"
        d7d4620597  Edit
          agent rev on glm/glm-5 in shop (/work/shop), for 75.0s
            file_path: /w/a.rs
            - one
            - two
            + one
            + three
            replace_all: false
          Claude Code shows an agent's dialog in the session only: subagents attach shop
        "#);
    }
}
