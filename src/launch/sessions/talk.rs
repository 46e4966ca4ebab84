//! One question to a host, and its answer within a time.

use std::io;
use std::time::Duration;

use tokio::task::JoinSet;
use tokio::time::timeout;

use crate::launch::host::protocol::{Ask, Part, Tell};
use crate::launch::host::{Connection, ConnectionError};
use crate::launch::live::Live;

/// How long a host may take to say how it is.
const GLANCE: Duration = Duration::from_secs(1);

/// How long a text of ten thousand lines may take.
const PATIENCE: Duration = Duration::from_secs(5);

/// Why there is no answer.
#[derive(Debug, thiserror::Error)]
pub enum TalkError {
    #[error(transparent)]
    Connection(#[from] ConnectionError),
    #[error("session `{0}` doesn't answer: try again, or end it by `subagents stop {0}`")]
    Silent(String),
    #[error("session `{name}` has hung up: {source}")]
    Broken { name: String, source: io::Error },
    #[error("session `{name}` refuses: {reason}")]
    Refused { name: String, reason: String },
}

/// What is on a session's screen, or also what has gone above it, a line for each row.
pub async fn text(live: &Live, part: Part) -> Result<String, TalkError> {
    let told = ask(live, &[Ask::Text { part }], PATIENCE).await?;
    let texts = told.into_iter().filter_map(|tell| match tell {
        Tell::Text { text } => Some(text),
        _ => None,
    });
    Ok(texts.collect())
}

/// Asks all of these sessions the same, at once, and gives what each answers, in the same order. One that hangs costs a
/// second. Those in terminals of their own can't be asked.
pub(super) async fn ask_all(living: &[Live], asks: &[Ask]) -> Vec<(Live, Result<Vec<Tell>, TalkError>)> {
    let mut asking = JoinSet::new();
    let hosts = living.iter().filter(|live| live.socket.is_some()).cloned();
    for (at, live) in hosts.enumerate() {
        let asks = asks.to_vec();
        asking.spawn(async move {
            let told = ask(&live, &asks, GLANCE).await;
            (at, live, told)
        });
    }
    let mut told = asking.join_all().await;
    told.sort_by_key(|(at, ..)| *at);
    told.into_iter().map(|(_, live, told)| (live, told)).collect()
}

/// Asks all this, and gives as many answers, in their order.
pub(super) async fn ask(live: &Live, asks: &[Ask], within: Duration) -> Result<Vec<Tell>, TalkError> {
    let silent = |_| TalkError::Silent(live.name.clone());
    timeout(within, answers(live, asks)).await.map_err(silent)?
}

async fn answers(live: &Live, asks: &[Ask]) -> Result<Vec<Tell>, TalkError> {
    let name = || live.name.clone();
    let broken = |source| TalkError::Broken { name: name(), source };
    let (mut connection, mut sender) = Connection::open(live).await?;
    for ask in asks {
        sender.say(ask);
    }
    sender.send().await.map_err(broken)?;
    let mut told = Vec::new();
    while told.len() < asks.len() {
        match connection.told().await.map_err(broken)? {
            Tell::Refused { reason } => return Err(TalkError::Refused { name: name(), reason }),
            tell => told.push(tell),
        }
    }
    Ok(told)
}
