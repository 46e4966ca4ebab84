//! What a session has left running whose own process was killed: nobody else looks for it then.
//!
//! Each process of a session has the session's id in its environment. Where that can't be read, nothing is found.

use std::path::Path;
use std::time::Duration;

use tokio::time::sleep;
use uuid::Uuid;

use crate::launch::background::is_daemon;
use crate::launch::child_environment::SESSION;
use crate::launch::live::{self, Claim};
use crate::launch::pty::{self, Process};

/// How often it is looked: some may be starting others.
const ROUNDS: usize = 40;
const PAUSE: Duration = Duration::from_millis(5);

/// Kills all that a session has left which doesn't live; their command lines. `folder` is where the living are entered.
pub(super) async fn sweep(session: Uuid, folder: &Path) -> Vec<String> {
    // While this is held, nobody takes it up again. Whoever has it already has swept.
    let Ok(claim) = Claim::take(folder, session) else { return Vec::new() };
    sweep_claimed(&claim).await
}

/// Kills all that the session has left; their command lines.
pub(in crate::launch) async fn sweep_claimed(claim: &Claim) -> Vec<String> {
    let mut swept: Vec<Process> = Vec::new();
    for _ in 0..ROUNDS {
        let found = left(claim.session(), claim.folder());
        if found.is_empty() {
            break;
        }
        for process in found {
            pty::kill(&process);
            if !swept.contains(&process) {
                swept.push(process);
            }
        }
        sleep(PAUSE).await;
    }
    swept.into_iter().map(|process| process.command).collect()
}

/// Its processes, without what serves others: Claude Code's daemon, and the sessions that were begun in it and live.
fn left(session: Uuid, folder: &Path) -> Vec<Process> {
    let others = live::living(folder).into_iter().filter(|live| live.session != session);
    let others: Vec<i32> = others.filter_map(|live| live.process.try_into().ok()).collect();
    pty::with_variable(&format!("{SESSION}={session}"), &others, is_daemon)
}

#[cfg(test)]
mod tests {
    use std::process::{Child, Command};

    use super::*;

    fn sleeper(mark: Uuid) -> Child {
        Command::new("sleep").arg("1000").env(SESSION, mark.to_string()).spawn().unwrap()
    }

    /// Its environment is the new one once it runs.
    async fn until_found(session: Uuid, folder: &Path) {
        while left(session, folder).iter().all(|process| process.command != "sleep 1000") {
            sleep(PAUSE).await;
        }
    }

    #[tokio::test]
    #[cfg(target_os = "linux")]
    async fn h01_whatever_has_the_sessions_mark_is_ended() {
        let folder = tempfile::tempdir().unwrap();
        let session = Uuid::new_v4();
        let (mut ours, mut others) = (sleeper(session), sleeper(Uuid::new_v4()));
        until_found(session, folder.path()).await;
        let claim = Claim::take(folder.path(), session).unwrap();
        assert_eq!(sweep(session, folder.path()).await, [""; 0], "it lives");
        drop(claim);
        let ended = tokio::task::spawn_blocking(move || ours.wait().unwrap());
        assert_eq!(sweep(session, folder.path()).await, ["sleep 1000"]);
        assert!(!ended.await.unwrap().success());
        assert_eq!(others.try_wait().unwrap(), None);
        others.kill().unwrap();
        others.wait().unwrap();
    }
}
