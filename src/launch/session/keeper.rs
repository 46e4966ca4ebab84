//! What stands beside a session's child: its router, its files, its record, its place among the living.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use jiff::Timestamp;
use tokio::sync::broadcast;
use tokio::sync::broadcast::error::RecvError;

use super::Routing;
use super::folder::Folder;
use crate::config::WireId;
use crate::config::write::write_private_file;
use crate::launch::background::Background;
use crate::launch::live::{Claim, Live};
use crate::launch::state::{Answer, Answerer, Outcome};
use crate::launch::stats::{Observer, Stats};
use crate::launch::today::follow;
use crate::ledger::{self, Draft, Ending, Scribe};

/// What a shell says of a program that can't be started.
const NO_CHILD: u8 = 126;

/// How long requests may still take once the child has ended.
const GRACE: Duration = Duration::from_secs(2);

/// Everything of a session but its child. Dropping it ends all of it.
pub struct Keeper {
    pub(super) routing: Option<Routing>,
    pub(super) folder: Option<Folder>,
    /// What will be remembered of it once its child is there.
    pub(super) draft: Option<Draft>,
    pub(super) scribe: Option<Scribe>,
    pub(super) life: Option<(Claim, Live)>,
    pub(super) background: Background,
    /// To permission dialogs; `None`: nobody but the session itself takes them.
    pub(super) answers: Option<broadcast::Receiver<Answer>>,
}

/// How a session ended.
#[derive(Debug)]
pub struct Ended {
    /// The child's exit code.
    pub code: u8,
    /// `None`: there was no router, and nothing to count.
    pub stats: Option<Stats>,
    /// Whether the figures could be written where they were wanted.
    pub written: io::Result<()>,
    /// Requests that the ledger could not keep; `None`: the disk was too slow to say.
    pub unkept: Option<u64>,
}

impl Keeper {
    /// The child is there. The session is remembered from now on, and others find it.
    ///
    /// # Errors
    /// Others can't find it.
    pub async fn begin(&mut self) -> io::Result<()> {
        let published = self.life.as_ref().map_or(Ok(()), |(claim, live)| claim.publish(live));
        if let Some(draft) = self.draft.take() {
            self.scribe = Some(draft.begin().await);
        }
        published
    }

    /// Where its figures come from; `None`: there is no router.
    pub fn observer(&self) -> Option<Arc<Observer>> {
        self.routing.as_ref().map(|routing| Arc::clone(&routing.observer))
    }

    /// Where it is found what Claude Code has moved into its own background, and what needs the router for as long.
    pub fn background(&self) -> Background {
        self.background.clone()
    }

    /// The figures so far; `None`: there is no router.
    pub fn stats(&self) -> Option<Stats> {
        self.routing.as_ref().map(|routing| routing.observer.stats())
    }

    /// Passes requests and answers to dialogs on to the ledger, and what others used today to the router, for as long
    /// as it is polled. Never ends.
    pub async fn work(&mut self) {
        let today = self.routing.as_mut().and_then(|routing| routing.today.as_mut());
        tokio::select! {
            () = remember(self.scribe.as_mut(), &mut self.answers) => {}
            () = follow(today) => {}
        }
    }

    /// Writes the figures so far, beside the requests: the disk may take its time.
    pub async fn write_stats(&self, file: Option<&Path>) -> io::Result<()> {
        match (file, self.stats()) {
            (Some(file), Some(stats)) => write(file.to_owned(), stats).await,
            _ => Ok(()),
        }
    }

    /// Ends everything because the child can't be started. Nothing is remembered of it.
    pub async fn give_up(self) {
        self.end(NO_CHILD, None).await;
    }

    /// Ends the router (L8), and tells what was counted. To be called once the child has ended with `code`.
    pub async fn end(mut self, code: u8, stats_file: Option<&Path>) -> Ended {
        let observer = self.observer();
        if let Some(Routing { engine, delegator, .. }) = self.routing.take() {
            delegator.end().await;
            engine.stop(GRACE).await;
        }
        drop(self.folder);
        let stats = observer.map(|observer| observer.stats());
        let written = match (stats_file, &stats) {
            (Some(file), Some(stats)) => write(file.to_owned(), stats.clone()).await,
            _ => Ok(()),
        };
        if let (Some(scribe), Some(answers)) = (&self.scribe, &mut self.answers) {
            while let Ok(answer) = answers.try_recv() {
                scribe.answer(kept(&answer));
            }
        }
        let ending = Ending { at: Timestamp::now().as_millisecond(), exit_code: code };
        let scribe = self.scribe;
        // The disk may take its time, and others are to be told the end meanwhile.
        let finish =
            tokio::task::spawn_blocking(move || scribe.map_or(Some(0), |scribe| scribe.finish(ending)));
        let unkept = finish.await.unwrap_or_default();
        Ended { code, stats, written, unkept }
    }
}

async fn remember(scribe: Option<&mut Scribe>, answers: &mut Option<broadcast::Receiver<Answer>>) {
    let Some(scribe) = scribe else { return std::future::pending().await };
    loop {
        tokio::select! {
            () = scribe.work() => {}
            answer = next(answers) => scribe.answer(kept(&answer)),
        }
    }
}

/// The next answer. Those that came too fast to be kept are lost with a word in the log.
async fn next(answers: &mut Option<broadcast::Receiver<Answer>>) -> Answer {
    let Some(answers) = answers else { return std::future::pending().await };
    loop {
        match answers.recv().await {
            Ok(answer) => return answer,
            Err(RecvError::Lagged(count)) => {
                tracing::warn!(count, "answers to dialogs are not in the ledger");
            }
            Err(RecvError::Closed) => std::future::pending().await,
        }
    }
}

/// As the ledger has it: without what the tool would have done.
fn kept(answer: &Answer) -> ledger::Answer {
    ledger::Answer {
        at: answer.at.as_millisecond(),
        tool: answer.dialog.tool.clone(),
        agent: answer.dialog.agent.clone().unwrap_or_else(|| WireId::MAIN.to_owned()),
        decision: match answer.outcome {
            Outcome::Allowed => ledger::Decision::Allow,
            Outcome::Denied { .. } => ledger::Decision::Deny,
            Outcome::Unknown => ledger::Decision::Unknown,
        },
        by: match answer.by {
            Answerer::Terminal => ledger::Answerer::Terminal,
            Answerer::Inbox => ledger::Answerer::Inbox,
            Answerer::Elsewhere => ledger::Answerer::Elsewhere,
        },
    }
}

async fn write(file: PathBuf, stats: Stats) -> io::Result<()> {
    let write = move || {
        let text = serde_json::to_vec_pretty(&stats).map_err(io::Error::other)?;
        let named = |error: io::Error| io::Error::new(error.kind(), format!("{}: {error}", file.display()));
        write_private_file(&file, &text).map_err(named)
    };
    tokio::task::spawn_blocking(write).await?
}
