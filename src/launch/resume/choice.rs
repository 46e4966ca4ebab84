//! Which remembered session a person means. Pure.

use crate::launch::live::Live;
use crate::ledger::Session;

/// Stands for the session that was heard of last.
const LATEST: &str = "latest";

/// Why no session is meant, or none that could be taken up again.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ChoiceError {
    #[error(
        "no session is remembered as `{given}`, whether by name or by id{}. It may have been forgotten: `[ledger]` in \
         config.toml says for how long sessions are remembered",
        recent(known)
    )]
    Unknown { given: String, known: Vec<String> },
    #[error("no session is remembered that has ended: `subagents run` begins one")]
    None,
    #[error("session {name} runs already, {place}")]
    Lives { name: String, place: String },
    #[error("`{given}` begins the ids of several sessions: {}", meant.join(", "))]
    Ambiguous { given: String, meant: Vec<String> },
}

impl ChoiceError {
    /// Nothing is known of it, or of any other.
    pub(super) fn unknown(given: &str) -> Self {
        Self::Unknown { given: given.to_owned(), known: Vec::new() }
    }
}

/// The one that has this id, the last that had this name, or the only one whose id begins so. `sessions` begin with the
/// one that was heard of last.
pub fn choose<'s>(sessions: &'s [Session], living: &[Live], given: &str) -> Result<&'s Session, ChoiceError> {
    let life = |session: &Session| living.iter().find(|live| live.session == session.id);
    if given == LATEST && !sessions.iter().any(|session| is_called(session, LATEST)) {
        let mut ended = sessions.iter().filter(|session| life(session).is_none());
        return ended.find(|session| session.has_conversation()).ok_or(ChoiceError::None);
    }
    // The name of one that lives is its own, whoever had it before.
    if let Some(live) = living.iter().find(|live| live.name == given) {
        return Err(lives(live));
    }
    let session = match sessions.iter().find(|session| is(session, given) || is_called(session, given)) {
        Some(session) => session,
        None => beginning(sessions, given)?,
    };
    life(session).map_or(Ok(session), |live| Err(lives(live)))
}

fn is(session: &Session, id: &str) -> bool {
    id.parse() == Ok(session.id)
}

fn is_called(session: &Session, name: &str) -> bool {
    session.name.as_deref() == Some(name)
}

fn beginning<'s>(sessions: &'s [Session], given: &str) -> Result<&'s Session, ChoiceError> {
    let start = given.to_lowercase();
    let begins = |session: &&Session| !start.is_empty() && session.id.to_string().starts_with(&start);
    let meant: Vec<&Session> = sessions.iter().filter(begins).collect();
    match meant.as_slice() {
        [only] => Ok(only),
        [] => Err(ChoiceError::Unknown {
            given: given.escape_debug().to_string(),
            known: sessions.iter().take(3).map(shown).collect(),
        }),
        several => Err(ChoiceError::Ambiguous {
            given: given.to_owned(),
            meant: several.iter().map(|session| shown(session)).collect(),
        }),
    }
}

fn lives(live: &Live) -> ChoiceError {
    let Live { name, process, socket, .. } = live;
    let name = name.escape_debug().to_string();
    let place = match socket {
        Some(_) => format!("in the background: `subagents attach {name}`, or `subagents stop {name}`"),
        None => format!("in another terminal (process {process})"),
    };
    ChoiceError::Lives { name, place }
}

fn shown(session: &Session) -> String {
    let name = session.name.as_deref().unwrap_or("unnamed").escape_debug();
    format!("{name} ({})", session.id)
}

fn recent(known: &[String]) -> String {
    if known.is_empty() { String::new() } else { format!(" (the last were {})", known.join(", ")) }
}

#[cfg(test)]
mod tests {
    use uuid::Uuid;

    use super::*;

    fn session(name: &str, id: u128) -> Session {
        Session {
            id: Uuid::from_u128(id),
            name: Some(name.to_owned()),
            kind: None,
            folder: "/p".into(),
            started: 1,
            heard: 1,
            ending: None,
            requests: 0,
            cost_usd: None,
            conversations: vec!["c".to_owned()],
        }
    }

    fn live(name: &str, id: u128, socket: Option<&str>) -> Live {
        Live {
            session: Uuid::from_u128(id),
            name: name.to_owned(),
            process: 7,
            folder: "/p".into(),
            started: 1,
            socket: socket.map(Into::into),
        }
    }

    #[test]
    fn an_id_a_name_the_beginning_of_an_id_or_the_latest_is_enough() {
        let sessions = [
            session("busy", 0xb0 << 120),
            session("shop", 0xa1 << 120),
            session("shop", 0xa2 << 120),
            session("blog", 0xc1 << 120),
            session("again", 0xd1 << 120),
        ];
        let living = [
            live("busy", 0xb0 << 120, Some("/s")),
            live("blog", 0xff << 120, None),
            live("x", 0xd1 << 120, None),
        ];
        for (given, expect) in [
            ("latest", Ok(0xa1_u128)),
            ("shop", Ok(0xa1)),
            ("a2", Ok(0xa2)),
            ("A2000000-0000-0000-0000-000000000000", Ok(0xa2)),
            ("c1", Ok(0xc1)),
            ("busy", Err("`subagents attach busy`")),
            ("b0", Err("`subagents attach busy`")),
            ("blog", Err("in another terminal (process 7)")),
            ("again", Err("session x runs already")),
            ("a", Err("several sessions: shop (a1")),
            ("nobody", Err("the last were busy (b0")),
            ("", Err("no session is remembered")),
        ] {
            match (choose(&sessions, &living, given), expect) {
                (Ok(session), Ok(id)) => assert_eq!(session.id.as_u128() >> 120, id, "{given}"),
                (Err(error), Err(part)) => assert!(error.to_string().contains(part), "{given}: {error}"),
                (found, _) => panic!("{given}: {found:?}"),
            }
        }
    }

    #[test]
    fn where_none_has_ended_there_is_no_latest() {
        assert_eq!(choose(&[], &[], LATEST), Err(ChoiceError::None));
        let living = [live("busy", 1, None)];
        assert_eq!(choose(&[session("busy", 1)], &living, LATEST), Err(ChoiceError::None));
    }
}
