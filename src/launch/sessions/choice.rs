//! Which living session a person means, or which one that was interrupted.

use crate::launch::live::Live;
use crate::launch::resume;
use crate::ledger::Session;

/// Why no session is meant, or more than one.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ChoiceError {
    #[error("no session lives: `subagents run --detach` starts one")]
    None,
    #[error("which session? There are {}", listed(.0))]
    Several(Vec<Live>),
    #[error("no living session is called `{given}`, and none has an id that begins so{}", known(living))]
    Unknown { given: String, living: Vec<Live> },
    #[error("`{given}` begins the ids of several sessions: {}", listed(meant))]
    Ambiguous { given: String, meant: Vec<Live> },
}

/// The one that has this name, or this id, or alone has an id that begins so; the only one where nothing is given.
pub fn choose<'l>(living: &'l [Live], given: Option<&str>) -> Result<&'l Live, ChoiceError> {
    let Some(given) = given else {
        return match living {
            [only] => Ok(only),
            [] => Err(ChoiceError::None),
            several => Err(ChoiceError::Several(several.to_vec())),
        };
    };
    if let Some(named) = living.iter().find(|live| live.name == given) {
        return Ok(named);
    }
    let begins =
        |live: &&Live| !given.is_empty() && live.session.to_string().starts_with(&given.to_lowercase());
    let meant: Vec<&Live> = living.iter().filter(begins).collect();
    match meant.as_slice() {
        [only] => Ok(only),
        [] => Err(ChoiceError::Unknown { given: given.to_owned(), living: living.to_vec() }),
        several => Err(ChoiceError::Ambiguous {
            given: given.to_owned(),
            meant: several.iter().map(|live| (*live).clone()).collect(),
        }),
    }
}

/// The interrupted session that has this name, or this id, or alone has an id that begins so: as it was when it lived.
pub fn interrupted(sessions: Vec<Session>, living: &[Live], given: &str) -> Option<Live> {
    let past: Vec<Session> = sessions.into_iter().filter(|session| session.ending.is_none()).collect();
    let session = resume::choose(&past, living, given).ok()?;
    Some(Live {
        session: session.id,
        name: session.name.clone().unwrap_or_else(|| session.id.to_string()),
        process: 0,
        folder: session.folder.clone(),
        started: session.started,
        socket: None,
    })
}

fn listed(sessions: &[Live]) -> String {
    let one = |live: &Live| format!("{} ({})", live.name.escape_debug(), live.session);
    sessions.iter().map(one).collect::<Vec<_>>().join(", ")
}

fn known(living: &[Live]) -> String {
    if living.is_empty() { ": no session lives".to_owned() } else { format!(": there is {}", listed(living)) }
}

#[cfg(test)]
mod tests {
    use uuid::Uuid;

    use super::*;

    fn live(name: &str, id: u128) -> Live {
        Live {
            session: Uuid::from_u128(id),
            name: name.to_owned(),
            process: 1,
            folder: "/work".into(),
            started: 1,
            socket: None,
        }
    }

    #[test]
    fn a_name_an_id_or_the_beginning_of_one_is_enough() {
        let living = [live("shop", 0xa1 << 120), live("a1", 0xa2 << 120), live("blog", 0xb1 << 120)];
        for (given, expect) in [
            ("shop", Ok("shop")),
            ("a1", Ok("a1")),
            ("A2", Ok("a1")),
            ("b", Ok("blog")),
            ("a1000000-0000-0000-0000-000000000000", Ok("shop")),
            ("a", Err("begins the ids of several sessions: shop (a1")),
            ("c", Err("there is shop (a1")),
            ("", Err("no living session")),
            ("Shop", Err("no living session")),
        ] {
            let found = choose(&living, Some(given)).map(|live| live.name.as_str());
            match (found, expect) {
                (Ok(name), Ok(expect)) => assert_eq!(name, expect, "{given}"),
                (Err(error), Err(part)) => assert!(error.to_string().contains(part), "{given}: {error}"),
                (found, _) => panic!("{given}: {found:?}"),
            }
        }
    }

    #[test]
    fn the_only_one_needs_no_name() {
        assert_eq!(choose(&[live("shop", 1)], None).unwrap().name, "shop");
        assert_eq!(choose(&[], None), Err(ChoiceError::None));
        let message = choose(&[live("shop", 1), live("blog", 2)], None).unwrap_err().to_string();
        assert!(message.contains("shop (") && message.contains("blog ("), "{message}");
    }
}
