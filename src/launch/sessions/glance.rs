//! How the living sessions are at this moment: all are asked at once, and one that hangs holds up nobody for long.

use std::time::Duration;

use tokio::task::JoinSet;

use super::talk::{TalkError, ask};
use super::tally::Tally;
use crate::launch::host::protocol::{About, Ask, Tell};
use crate::launch::live::Live;

/// How long a host may take.
const PATIENCE: Duration = Duration::from_secs(1);

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

/// Asks all of them; in the same order. Takes a second at most.
pub async fn glance(living: Vec<Live>) -> Vec<Glance> {
    let mut asking = JoinSet::new();
    for (at, live) in living.into_iter().enumerate() {
        asking.spawn(async move { (at, one(live).await) });
    }
    let mut seen = asking.join_all().await;
    seen.sort_by_key(|(at, _)| *at);
    seen.into_iter().map(|(_, glance)| glance).collect()
}

async fn one(live: Live) -> Glance {
    let answer = match &live.socket {
        None => Answer::Alone,
        Some(_) => about(&live).await.unwrap_or_else(|error| Answer::Silent(error.to_string())),
    };
    Glance { live, answer }
}

async fn about(live: &Live) -> Result<Answer, TalkError> {
    let told = ask(live, &[Ask::About, Ask::Stats], PATIENCE).await?;
    let (mut about, mut tally) = (None, Tally::default());
    for tell in told {
        match tell {
            Tell::About(told) => about = Some(told),
            Tell::Stats { stats } => tally = Tally::of(&stats),
            _ => {}
        }
    }
    let silent = || TalkError::Silent(live.name.clone());
    Ok(Answer::Told(about.ok_or_else(silent)?, tally))
}
