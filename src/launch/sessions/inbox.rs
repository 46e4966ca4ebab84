//! What waits for a person in all sessions, and the answers to it.

use serde_json::Value;

use super::talk::{TalkError, ask_all};
use crate::launch::host::protocol::{Ask, Tell};
use crate::launch::live::Live;
use crate::launch::state::{Decision, Dialog, DialogId, State, Status, Wait};

/// How much of an id must be given, so that a slip of the finger decides nothing.
const SHORTEST: usize = 4;

/// What waits, and who didn't tell.
#[derive(Debug, Default)]
pub struct Inbox {
    /// The oldest first.
    pub waiting: Vec<Waiting>,
    /// Sessions that wait, and Claude Code doesn't tell what for.
    pub unseen: Vec<Live>,
    pub silent: Vec<(Live, String)>,
}

/// A dialog and where it is.
#[derive(Debug, Clone, PartialEq)]
pub struct Waiting {
    pub live: Live,
    pub dialog: Dialog,
    /// The route of whoever asks, as the figures name it; `None`: it has made no request that would show it.
    pub route: Option<String>,
}

impl Waiting {
    /// With the figures of its session, as `--stats-file` writes them.
    pub fn of(live: &Live, dialog: &Dialog, stats: &Value) -> Self {
        let route = route(stats, dialog.agent.as_deref());
        Self { live: live.clone(), dialog: dialog.clone(), route }
    }
}

/// Why an answer isn't given.
#[derive(Debug, thiserror::Error)]
pub enum AnswerRefusal {
    #[error("no dialog `{0}` waits in any session; `subagents inbox` lists those that do")]
    NoSuch(String),
    #[error(
        "`{0}` is too little of a dialog's id: give {SHORTEST} characters or more; `subagents inbox` lists them"
    )]
    Short(String),
    #[error("`{id}` begins the ids of {} dialogs: {}", ids.len(), ids.join(", "))]
    Ambiguous { id: String, ids: Vec<String> },
    #[error("{0}")]
    Refused(String),
    #[error(transparent)]
    Silent(#[from] TalkError),
}

/// Asks all of these sessions.
pub async fn inbox(living: &[Live]) -> Inbox {
    let mut inbox = Inbox::default();
    for (live, answers) in ask_all(living, &[Ask::Dialogs, Ask::Stats, Ask::About]).await {
        match answers.as_deref() {
            Ok([Tell::Dialogs { dialogs }, Tell::Stats { stats }, Tell::About(about)]) => {
                inbox.waiting.extend(dialogs.iter().map(|dialog| Waiting::of(&live, dialog, stats)));
                inbox.unseen.extend(waits_unseen(&about.status).then_some(live));
            }
            Ok(_) => inbox.silent.push((live, "it answers something else than what it was asked".to_owned())),
            Err(error) => inbox.silent.push((live, error.to_string())),
        }
    }
    inbox.waiting.sort_by_key(|waiting| waiting.dialog.since);
    inbox
}

/// Answers the dialog with this id, or whose id alone begins so, by four characters or more. Gives what was answered, if it was still listed.
///
/// # Errors
/// Nobody asks that; or it is settled, can't be answered from outside, or its session doesn't answer.
pub async fn answer(
    living: &[Live],
    id: &str,
    decision: &Decision,
) -> Result<Option<Waiting>, AnswerRefusal> {
    let listed = inbox(living).await.waiting;
    let waiting = chosen(&listed, id)?.cloned();
    let (whole, hosts) = match &waiting {
        Some(waiting) => (waiting.dialog.id.clone(), std::slice::from_ref(&waiting.live)),
        // It may be settled already, which its session can tell.
        None => (DialogId(id.to_owned()), living),
    };
    let ask = Ask::Answer { dialog: whole, decision: decision.clone() };
    for (_, told) in ask_all(hosts, &[ask]).await {
        match told {
            Ok(told) if told == [Tell::Answered] => return Ok(waiting),
            Err(TalkError::Refused { reason, .. }) => return Err(AnswerRefusal::Refused(reason)),
            Err(error) if waiting.is_some() => return Err(error.into()),
            Ok(_) | Err(_) => {}
        }
    }
    Err(AnswerRefusal::NoSuch(id.to_owned()))
}

/// Whether it waits for something that isn't known.
pub fn waits_unseen(status: &Status) -> bool {
    matches!(&status.state, State::Waiting(Wait { dialog: None, .. }))
}

fn chosen<'a>(listed: &'a [Waiting], id: &str) -> Result<Option<&'a Waiting>, AnswerRefusal> {
    if let Some(whole) = listed.iter().find(|waiting| waiting.dialog.id.0 == id) {
        return Ok(Some(whole));
    }
    if id.chars().count() < SHORTEST {
        return Err(AnswerRefusal::Short(id.to_owned()));
    }
    let named: Vec<&Waiting> = listed.iter().filter(|waiting| waiting.dialog.id.0.starts_with(id)).collect();
    match named[..] {
        [] => Ok(None),
        [one] => Ok(Some(one)),
        _ => {
            let ids = named.iter().map(|waiting| waiting.dialog.id.to_string()).collect();
            Err(AnswerRefusal::Ambiguous { id: id.to_owned(), ids })
        }
    }
}

/// The route that this agent's requests took last, from the figures of its session.
fn route(stats: &Value, agent: Option<&str>) -> Option<String> {
    let rows = stats["agents"].as_array()?.iter();
    let of_agent = rows.filter(|row| row["agent"] == agent.unwrap_or("main"));
    let most = of_agent.max_by_key(|row| row["requests"].as_u64())?;
    most["route"].as_str().map(str::to_owned)
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use serde_json::json;
    use uuid::Uuid;

    use super::*;
    use crate::launch::state::Reach;

    fn waiting(id: &str) -> Waiting {
        let dialog = Dialog {
            id: DialogId(id.to_owned()),
            tool: "Bash".to_owned(),
            input: Arc::new(json!({"command": "ls"})),
            agent: None,
            agent_id: None,
            since: jiff::Timestamp::UNIX_EPOCH,
            reach: Reach::Inbox,
        };
        let live = Live {
            session: Uuid::nil(),
            name: "shop".to_owned(),
            process: 1,
            folder: "/work/shop".into(),
            started: 0,
            socket: None,
        };
        Waiting { live, dialog, route: None }
    }

    #[test]
    fn an_id_may_be_shortened_to_four_characters_as_long_as_it_is_one() {
        let listed = [waiting("abcde1"), waiting("abcdf2"), waiting("abx")];
        let id = |id: &str| {
            chosen(&listed, id)
                .map(|found| found.map(|waiting| waiting.dialog.id.0.clone()))
                .map_err(|e| e.to_string())
        };
        assert_eq!(id("abcde"), Ok(Some("abcde1".to_owned())));
        assert_eq!(id("abcdf2"), Ok(Some("abcdf2".to_owned())));
        assert_eq!(id("abx"), Ok(Some("abx".to_owned())), "a whole one is never too short");
        assert_eq!(id("xxxx"), Ok(None));
        assert_eq!(id("abcd").unwrap_err(), "`abcd` begins the ids of 2 dialogs: abcde1, abcdf2");
        for short in ["", "a", "abc", "x"] {
            let refused = chosen(&listed[..1], short);
            assert!(matches!(refused, Err(AnswerRefusal::Short(_))), "{short}");
        }
    }

    #[test]
    fn the_route_is_the_one_that_carried_most() {
        let stats = json!({"agents": [
            {"agent": "main", "route": "default", "requests": 3},
            {"agent": "rev", "route": "default", "requests": 1},
            {"agent": "rev", "route": "glm/glm-5", "requests": 4},
        ]});
        assert_eq!(route(&stats, None).as_deref(), Some("default"));
        assert_eq!(route(&stats, Some("rev")).as_deref(), Some("glm/glm-5"));
        assert_eq!(route(&stats, Some("new")), None);
        assert_eq!(route(&Value::Null, None), None);
    }
}
