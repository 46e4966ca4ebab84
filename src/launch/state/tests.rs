//! Sequences recorded from the real Claude Code, replayed: what is concluded from each, and when.
//!
//! Contents are made up, moments are real.

mod desk;
mod rules;

use std::fmt::Write as _;

use jiff::Timestamp;
use serde::Deserialize;
use serde_json::Value;

use super::super::hook::HookEvent;
use super::super::screen::Event;
use super::*;

/// One line of a recording.
#[derive(Deserialize)]
struct Line {
    /// Milliseconds since the first.
    at: i64,
    #[serde(flatten)]
    heard: Heard,
}

#[derive(Deserialize)]
#[serde(rename_all = "snake_case")]
enum Heard {
    Hook(Value),
    Title(String),
    Requests(u64),
    Bell(serde::de::IgnoredAny),
    /// The child has drawn; `true`: as it is before a session, what takes keys.
    Drawn(bool),
    Key(serde::de::IgnoredAny),
    Focus(bool),
    Answer {
        id: DialogId,
        #[serde(flatten)]
        decision: Decision,
    },
    Gone(DialogId),
    Exit(u8),
}

/// A machine with a log of what it said.
struct Replay {
    machine: Machine,
    dialogs: usize,
    now: Timestamp,
    log: Vec<String>,
}

impl Replay {
    fn new() -> Self {
        Self { machine: Machine::new(moment(0)), dialogs: 0, now: moment(0), log: Vec::new() }
    }

    fn of(lines: &[Line]) -> Self {
        let mut replay = Self::new();
        for line in lines {
            replay.hear(&line.heard, line.at);
        }
        replay.pass_until(lines.last().map_or(0, |line| line.at) + 5_000);
        replay
    }

    /// What time alone does before that comes first.
    fn pass_until(&mut self, at: i64) {
        while let Some(due) = self.machine.deadline(self.now).filter(|due| *due < moment(at)) {
            self.feed(Input::Time, due);
        }
    }

    fn hear(&mut self, heard: &Heard, at: i64) {
        self.pass_until(at);
        let at = moment(at);
        match heard {
            Heard::Hook(posted) => match HookEvent::read(posted.to_string().as_bytes()) {
                HookEvent::PermissionAsked(asked) => {
                    self.dialogs += 1;
                    self.feed(Input::Asked { id: DialogId(format!("d{}", self.dialogs)), asked: &asked }, at);
                }
                event => self.feed(Input::Hook(&event), at),
            },
            Heard::Title(title) => self.feed(Input::Screen(&Event::Title(title.clone())), at),
            Heard::Requests(in_flight) => self.feed(Input::Requests(*in_flight), at),
            Heard::Bell(_) => self.feed(Input::Screen(&Event::Bell), at),
            Heard::Drawn(is_question) => self.feed(Input::Drawn { is_question: *is_question }, at),
            Heard::Key(_) => self.feed(Input::Key, at),
            Heard::Focus(has_focus) => self.feed(Input::Focus(*has_focus), at),
            Heard::Answer { id, decision } => {
                self.machine.check(id).unwrap();
                let (id, decision) = (id.clone(), decision.clone());
                self.feed(Input::Answered { id, decision, by: Answerer::Inbox }, at);
            }
            Heard::Gone(id) => self.feed(Input::GivenUp { id: id.clone() }, at),
            Heard::Exit(code) => self.feed(Input::Ended(State::Exited { code: *code }), at),
        }
    }

    fn feed(&mut self, input: Input<'_>, at: Timestamp) {
        self.now = at;
        let before = self.machine.status().clone();
        for effect in self.machine.feed(input, at) {
            self.log.push(format!("{} {}", at.as_millisecond(), told(&effect)));
        }
        let status = self.machine.status();
        if status.state != before.state {
            self.log.push(format!("{} {}", at.as_millisecond(), drawn(status)));
        }
    }
}

fn moment(at: i64) -> Timestamp {
    Timestamp::from_millisecond(at).unwrap()
}

fn told(effect: &Effect) -> String {
    match effect {
        Effect::Begins(None) => "begins: something".to_owned(),
        Effect::Begins(Some(dialog)) => {
            format!("begins: {} of {}", dialog.tool, dialog.agent.as_deref().unwrap_or("main"))
        }
        Effect::Left(id) => format!("left: {id}"),
        Effect::Settled(Answer { dialog, outcome, by, at }) => {
            let since = at.duration_since(Timestamp::UNIX_EPOCH).as_millis();
            format!("settled: {} {outcome:?} by {by:?} at {since}", dialog.id)
        }
    }
}

fn drawn(status: &Status) -> String {
    let mut text = match &status.state {
        State::Waiting(Wait { dialog, more, reach }) => {
            let id = dialog.as_ref().map_or("-", |dialog| dialog.id.0.as_str());
            format!("waiting for {id} +{more} {reach:?}")
        }
        state => format!("{state:?}").to_lowercase(),
    };
    match &status.evidence {
        Evidence::Hook { event } => write!(text, " ({event})").unwrap(),
        evidence => write!(text, " ({evidence:?})").unwrap(),
    }
    text
}

macro_rules! recorded {
    ($name:ident, $recording:literal, $expect:expr) => {
        #[test]
        fn $name() {
            let lines: Vec<Line> =
                serde_json::from_str(include_str!(concat!("recordings/", $recording, ".json"))).unwrap();
            assert_eq!(Replay::of(&lines).log, $expect);
        }
    };
}

recorded!(a_plain_turn, "plain_turn", ["495 working (UserPromptSubmit)", "1338 idle (Stop)"]);

recorded!(
    a_dialog_that_is_allowed_from_the_inbox,
    "allowed_from_the_inbox",
    [
        "270 working (UserPromptSubmit)",
        "1303 begins: Bash of main",
        "1303 waiting for d1 +0 Inbox (PermissionRequest)",
        "3814 settled: d1 Allowed by Inbox at 3814",
        "3814 working (Answer { by: Inbox })",
        "6146 idle (Stop)"
    ]
);

recorded!(
    a_dialog_that_is_denied_from_the_inbox,
    "denied_from_the_inbox",
    [
        "497 working (UserPromptSubmit)",
        "1717 begins: Bash of main",
        "1717 waiting for d1 +0 Inbox (PermissionRequest)",
        "4222 settled: d1 Denied { reason: Some(\"Use the door.\") } by Inbox at 4222",
        "4222 working (Answer { by: Inbox })",
        "4599 idle (Stop)"
    ]
);

recorded!(
    a_key_that_allows_is_seen_by_the_title_long_before_the_tool_has_run,
    "allowed_by_key",
    [
        "406 working (UserPromptSubmit)",
        "1031 begins: Bash of main",
        "1031 waiting for d1 +0 Inbox (PermissionRequest)",
        "4155 left: d1",
        "4155 working (Title)",
        "6606 settled: d1 Allowed by Terminal at 3655",
        "6887 idle (Stop)"
    ]
);

recorded!(
    a_key_that_denies_makes_claude_code_give_the_dialog_up,
    "denied_by_key",
    [
        "513 working (UserPromptSubmit)",
        "1691 begins: Bash of main",
        "1691 waiting for d1 +0 Inbox (PermissionRequest)",
        "4898 settled: d1 Denied { reason: None } by Terminal at 4898",
        "4898 idle (GivenUp)"
    ]
);

recorded!(
    a_key_that_denies_with_a_reason_lets_the_turn_go_on,
    "denied_by_key_with_a_reason",
    [
        "463 working (UserPromptSubmit)",
        "2943 begins: Bash of main",
        "2943 waiting for d1 +0 Inbox (PermissionRequest)",
        "7611 settled: d1 Denied { reason: None } by Terminal at 7611",
        "7611 working (PostToolBatch)",
        "8358 idle (Stop)"
    ]
);

recorded!(
    esc_at_a_dialog_ends_the_turn_without_a_stop,
    "esc_at_a_dialog",
    [
        "319 working (UserPromptSubmit)",
        "878 begins: Bash of main",
        "878 waiting for d1 +0 Inbox (PermissionRequest)",
        "3518 settled: d1 Denied { reason: None } by Terminal at 3518",
        "3518 idle (GivenUp)"
    ]
);

recorded!(
    esc_in_the_middle_of_a_turn_is_seen_by_the_title,
    "esc_while_working",
    ["387 working (UserPromptSubmit)", "3535 idle (Title)"]
);

recorded!(
    an_agents_dialog_begins_one_wait_although_a_notification_follows,
    "dialog_of_an_agent",
    [
        "492 working (UserPromptSubmit)",
        "1872 begins: Bash of reviewer",
        "1872 waiting for d1 +0 Agent (PermissionRequest)",
        "10444 left: d1",
        "10444 working (Title)",
        "11910 settled: d1 Allowed by Terminal at 9944",
        "12033 idle (SubagentStop)",
        "12225 working (UserPromptSubmit)",
        "12275 idle (Stop)"
    ]
);

recorded!(
    an_agents_dialog_that_is_denied_leaves_the_agent_at_work,
    "dialog_of_an_agent_denied",
    [
        "294 working (UserPromptSubmit)",
        "1184 begins: Bash of reviewer",
        "1184 waiting for d1 +0 Agent (PermissionRequest)",
        "3757 settled: d1 Denied { reason: None } by Terminal at 3757",
        "3757 working (PostToolBatch)",
        "3905 idle (SubagentStop)",
        "4064 working (UserPromptSubmit)",
        "4183 idle (Stop)"
    ]
);

recorded!(
    two_agents_wait_while_the_main_session_has_stopped,
    "two_agents_in_the_background",
    [
        "341 working (UserPromptSubmit)",
        "1167 begins: Bash of reviewer",
        "1167 waiting for d1 +0 Agent (PermissionRequest)",
        "1519 begins: Bash of painter",
        "1519 waiting for d1 +1 Agent (PermissionRequest)",
        "7072 left: d1",
        "7072 left: d2",
        "7072 working (Title)",
        "8550 settled: d2 Allowed by Terminal at 6572",
        "8580 settled: d1 Allowed by Terminal at 6572",
        "9078 idle (Stop)",
        "9191 working (UserPromptSubmit)",
        "9239 idle (Stop)"
    ]
);

recorded!(
    two_dialogs_at_once_are_answered_from_two_places,
    "two_dialogs_at_once",
    [
        "500 idle (Title)",
        "663 working (UserPromptSubmit)",
        "1400 begins: WebFetch of main",
        "1400 waiting for d1 +0 Inbox (PermissionRequest)",
        "1560 begins: WebFetch of main",
        "1560 waiting for d1 +1 Inbox (PermissionRequest)",
        "4195 settled: d1 Allowed by Terminal at 4195",
        "4195 waiting for d2 +0 Inbox (PermissionRequest)",
        "6083 settled: d2 Allowed by Inbox at 6083",
        "6083 working (Answer { by: Inbox })",
        "6916 idle (Stop)"
    ]
);

recorded!(
    a_question_waits_in_the_session,
    "question",
    [
        "450 working (UserPromptSubmit)",
        "1176 begins: AskUserQuestion of main",
        "1176 waiting for d1 +0 Question (PermissionRequest)",
        "9211 settled: d1 Allowed by Terminal at 9211",
        "9211 working (PostToolUse)",
        "9641 idle (Stop)"
    ]
);

recorded!(
    a_cleared_conversation_is_idle,
    "cleared",
    [
        "500 idle (Title)",
        "598 working (UserPromptSubmit)",
        "1245 idle (Stop)",
        "5800 working (UserPromptSubmit)",
        "6166 idle (Stop)"
    ]
);

recorded!(
    without_hooks_the_title_tells_and_a_dialog_looks_idle,
    "hooks_off",
    [
        "500 idle (Title)",
        "1157 working (Title)",
        "2035 idle (Title)",
        "5382 working (Title)",
        "7543 idle (Title)"
    ]
);

recorded!(
    an_end_while_waiting_leaves_the_answer_unknown,
    "ended_while_waiting",
    [
        "500 idle (Title)",
        "658 working (UserPromptSubmit)",
        "1581 begins: Bash of main",
        "1581 waiting for d1 +0 Inbox (PermissionRequest)",
        "4184 settled: d1 Unknown by Elsewhere at 4184",
        "4184 working (PermissionRequest)",
        "4201 idle (SessionEnd)",
        "4263 exited { code: 129 } (Child)"
    ]
);

recorded!(
    a_dialog_that_nothing_tells_of_is_over_once_it_blinks_no_more,
    "refused_in_auto_mode",
    [
        "610 working (UserPromptSubmit)",
        "6370 idle (Title)",
        "7380 begins: something",
        "7380 waiting for - +0 Unseen (Notification)",
        // The first key has led to another dialog, the second one has refused that.
        "23790 idle (Screen)"
    ]
);
