//! How the living sessions are at this moment: all are asked at once, and one that hangs holds up nobody for long.

use super::talk::{TalkError, ask_all};
use super::tally::Tally;
use crate::launch::host::protocol::{About, Ask, Tell};
use crate::launch::live::Live;

/// A living session, and what it says of itself.
#[derive(Debug, Clone, PartialEq)]
pub struct Glance {
    pub live: Live,
    pub answer: Answer,
}

/// What a session says of itself.
#[derive(Debug, Clone, PartialEq)]
pub enum Answer {
    Told(Box<About>, Tally),
    /// It runs in a terminal of its own, where nobody can be asked.
    Alone,
    /// Why it says nothing.
    Silent(String),
}

/// Asks all of them; those first that run in a terminal of their own. Takes a second at most.
pub async fn glance(living: &[Live]) -> Vec<Glance> {
    let alone = living.iter().filter(|live| live.socket.is_none());
    let alone = alone.map(|live| Glance { live: live.clone(), answer: Answer::Alone });
    let told = ask_all(living, &[Ask::About, Ask::Stats]).await;
    alone.chain(told.into_iter().map(|(live, told)| Glance { live, answer: answer(&told) })).collect()
}

fn answer(told: &Result<Vec<Tell>, TalkError>) -> Answer {
    let told = match told.as_deref() {
        Ok([Tell::About(about), Tell::Stats { stats }]) => Some((about.clone(), Tally::of(stats))),
        Ok(_) => None,
        Err(error) => return Answer::Silent(error.to_string()),
    };
    let strange = || Answer::Silent("it answers something else than what it was asked".to_owned());
    told.map_or_else(strange, |(about, tally)| Answer::Told(about, tally))
}
