//! What a session has left running whose own process was killed: nobody else looks for it then.
//!
//! Each process of a session has the session's id in its environment. Where that can't be read, nothing is found.

use std::fs;
use std::time::Duration;

use rustix::process::{Pid, Signal, kill_process};
use tokio::time::sleep;
use uuid::Uuid;

use crate::launch::child_environment::SESSION;

/// How often it is looked: some may be starting others.
const ROUNDS: usize = 40;
const PAUSE: Duration = Duration::from_millis(5);

/// Kills all of it; their command lines.
pub(super) async fn sweep(session: Uuid) -> Vec<String> {
    let mut swept: Vec<(i32, String)> = Vec::new();
    for _ in 0..ROUNDS {
        let found = of(session);
        if found.is_empty() {
            break;
        }
        for process in found {
            Pid::from_raw(process.0).map(|id| kill_process(id, Signal::KILL));
            if !swept.contains(&process) {
                swept.push(process);
            }
        }
        sleep(PAUSE).await;
    }
    swept.into_iter().map(|(_, command)| command).collect()
}

/// The ids and command lines of its processes, without our own.
fn of(session: Uuid) -> Vec<(i32, String)> {
    let mark = format!("{SESSION}={session}");
    let own = i32::try_from(std::process::id()).unwrap_or(0);
    let folders = fs::read_dir("/proc").into_iter().flatten().flatten();
    let ids = folders.filter_map(|folder| folder.file_name().to_str()?.parse::<i32>().ok());
    let is_of_it = |id: &i32| {
        let environment = fs::read(format!("/proc/{id}/environ")).unwrap_or_default();
        *id != own && environment.split(|byte| *byte == 0).any(|variable| variable == mark.as_bytes())
    };
    ids.filter(is_of_it).map(|id| (id, command(id))).collect()
}

fn command(id: i32) -> String {
    let line = fs::read(format!("/proc/{id}/cmdline")).unwrap_or_default();
    String::from_utf8_lossy(&line).replace('\0', " ").trim_end().to_owned()
}

#[cfg(test)]
mod tests {
    use std::process::Command;

    use super::*;

    #[tokio::test]
    #[cfg(target_os = "linux")]
    async fn h01_whatever_has_the_sessions_mark_is_ended() {
        let session = Uuid::new_v4();
        let sleeper =
            |mark: Uuid| Command::new("sleep").arg("1000").env(SESSION, mark.to_string()).spawn().unwrap();
        let (mut ours, mut others) = (sleeper(session), sleeper(Uuid::new_v4()));
        // Its environment is the new one once it runs.
        while of(session).iter().all(|(_, command)| command != "sleep 1000") {
            sleep(PAUSE).await;
        }
        let swept = tokio::task::spawn_blocking(move || ours.wait().unwrap());
        assert_eq!(sweep(session).await, ["sleep 1000"]);
        assert!(!swept.await.unwrap().success());
        assert_eq!(others.try_wait().unwrap(), None);
        others.kill().unwrap();
        others.wait().unwrap();
    }
}
