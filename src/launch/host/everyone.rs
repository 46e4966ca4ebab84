//! Asks all living hosts at once. One that hangs costs no more than [`PATIENCE`].

use std::io;
use std::time::Duration;

use tokio::task::JoinSet;
use tokio::time::timeout;

use super::connection::{Connection, ConnectionError, Sender};
use super::protocol::{Ask, Tell};
use crate::launch::live::Live;

/// How long a host may take to answer.
const PATIENCE: Duration = Duration::from_secs(1);

/// Why a host said nothing.
#[derive(Debug, thiserror::Error)]
pub enum Silence {
    #[error(transparent)]
    Connection(#[from] ConnectionError),
    #[error("the connection broke: {0}")]
    Io(#[from] io::Error),
    #[error("it doesn't answer")]
    Late,
}

/// What each of these sessions answers to these questions, in their order. Of a session in a terminal of its own
/// nothing is asked, and so it isn't among them.
pub async fn ask_all(living: &[Live], asks: &[Ask]) -> Vec<(Live, Result<Vec<Tell>, Silence>)> {
    let hosts = living.iter().filter(|live| live.socket.is_some()).cloned();
    let mut asking: JoinSet<_> = hosts
        .map(|live| {
            let asks = asks.to_vec();
            async move {
                let answers = ask(&live, &asks).await;
                (live, answers)
            }
        })
        .collect();
    let mut answers = Vec::new();
    while let Some(answered) = asking.join_next().await {
        // None of them panics, and none is stopped.
        answers.extend(answered.ok());
    }
    answers.sort_by_key(|(live, _)| (live.started, live.session));
    answers
}

/// What one session answers.
pub async fn ask(live: &Live, asks: &[Ask]) -> Result<Vec<Tell>, Silence> {
    let answers = async {
        let (mut connection, mut sender): (Connection, Sender) = Connection::open(live).await?;
        let mut told = Vec::new();
        for ask in asks {
            sender.ask(ask).await?;
            told.push(connection.told().await?);
        }
        Ok(told)
    };
    timeout(PATIENCE, answers).await.unwrap_or(Err(Silence::Late))
}
