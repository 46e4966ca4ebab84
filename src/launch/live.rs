//! Which sessions live on this machine, whatever terminal or host they are in.
//!
//! Each has two files in one folder: `ID.lock`, locked for as long as it lives, and `ID.json`, which says where it
//! is. The lock goes with its process however that ends, so a crash leaves nothing that could be taken for life,
//! and there are no process ids to go stale.

use std::fs::{self, File, OpenOptions, TryLockError};
use std::io;
use std::os::unix::fs::{MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::time::Duration;

use serde::{Deserialize, Serialize};
use uuid::Uuid;

use crate::config::write::{create_private_folder, write_private_file};

/// Somebody who only looks holds a lock for as long as it takes to see it.
const TRIES: usize = 20;
const PAUSE: Duration = Duration::from_millis(5);

/// Where a living session is.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Live {
    pub session: Uuid,
    /// What the person calls it; unique among the living when it began.
    pub name: String,
    pub process: u32,
    /// Where Claude Code runs.
    pub folder: PathBuf,
    /// Milliseconds since 1970.
    pub started: i64,
    /// The host's socket; `None`: it runs in a terminal of its own.
    pub socket: Option<PathBuf>,
}

/// A session's life, as long as this is held.
#[derive(Debug)]
pub struct Claim {
    folder: PathBuf,
    session: Uuid,
    /// Locked.
    _lock: File,
}

/// Why a session can't begin to live.
#[derive(Debug, thiserror::Error)]
pub enum ClaimError {
    #[error("session {session} runs already{}: `subagents attach {session}`, or `subagents stop {session}`", place(live.as_deref()))]
    Taken { session: Uuid, live: Option<Box<Live>> },
    #[error("the session can't be entered among the living in {}: {source}", folder.display())]
    File { folder: PathBuf, source: io::Error },
}

impl Claim {
    /// Makes a session this process's own.
    pub fn take(folder: &Path, session: Uuid) -> Result<Self, ClaimError> {
        let failed = |source| ClaimError::File { folder: folder.to_owned(), source };
        create_private_folder(folder).map_err(failed)?;
        for attempt in 0.. {
            match lock(&lock_file(folder, session)).map_err(failed)? {
                Some(lock) => return Ok(Self { folder: folder.to_owned(), session, _lock: lock }),
                None if attempt >= TRIES => break,
                None => std::thread::sleep(PAUSE),
            }
        }
        let live = read(&live_file(folder, session)).map(Box::new);
        Err(ClaimError::Taken { session, live })
    }

    /// Where the living are entered.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    pub fn session(&self) -> Uuid {
        self.session
    }

    /// Lets others find the session.
    pub fn publish(&self, live: &Live) -> io::Result<()> {
        write_private_file(&live_file(&self.folder, self.session), &serde_json::to_vec(live)?)
    }
}

impl Drop for Claim {
    fn drop(&mut self) {
        // While it is locked, so that it is still ours to remove.
        remove(&self.folder, self.session);
    }
}

/// A name for a session in this folder that no living one has: the folder's own, with a number where that is taken.
pub fn name(living: &[Live], folder: &Path) -> String {
    let name = folder.file_name().map_or_else(|| "session".into(), |name| name.to_string_lossy());
    free_name(living, &name)
}

/// This name, with a number where a living session has it.
pub fn free_name(living: &[Live], name: &str) -> String {
    let is_taken = |name: &str| living.iter().any(|live| live.name == name);
    let numbered = (2..).map(|number| format!("{name}-{number}"));
    std::iter::once(name.to_owned()).chain(numbered).find(|name| !is_taken(name)).unwrap_or_default()
}

/// All sessions that live, the oldest first. What the dead have left is removed.
pub fn living(folder: &Path) -> Vec<Live> {
    let files = fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path());
    let files = files.filter(|file| file.extension().is_some_and(|extension| extension == "json"));
    let mut living: Vec<Live> =
        files.filter_map(|file| read(&file)).filter(|live| is_living(folder, live.session)).collect();
    living.sort_by_key(|live| (live.started, live.session));
    living
}

fn is_living(folder: &Path, session: Uuid) -> bool {
    match lock(&lock_file(folder, session)) {
        Ok(Some(_lock)) => {
            remove(folder, session);
            false
        }
        Ok(None) => true,
        Err(_) => false,
    }
}

/// The file, made and locked; `None`: somebody else has it.
fn lock(path: &Path) -> io::Result<Option<File>> {
    let file = OpenOptions::new().create(true).append(true).mode(0o600).open(path)?;
    match file.try_lock() {
        Ok(()) => {}
        Err(TryLockError::WouldBlock) => return Ok(None),
        Err(TryLockError::Error(error)) => return Err(error),
    }
    // Whoever had it may have removed it meanwhile, and then this lock guards nothing.
    let is_there =
        fs::metadata(path).is_ok_and(|there| file.metadata().is_ok_and(|ours| ours.ino() == there.ino()));
    Ok(is_there.then_some(file))
}

fn remove(folder: &Path, session: Uuid) {
    // Somebody else has removed them then.
    let _ = fs::remove_file(live_file(folder, session));
    let _ = fs::remove_file(lock_file(folder, session));
}

fn read(file: &Path) -> Option<Live> {
    serde_json::from_slice(&fs::read(file).ok()?).ok()
}

fn lock_file(folder: &Path, session: Uuid) -> PathBuf {
    folder.join(format!("{session}.lock"))
}

fn live_file(folder: &Path, session: Uuid) -> PathBuf {
    folder.join(format!("{session}.json"))
}

fn place(live: Option<&Live>) -> String {
    live.map(|live| format!(" (process {})", live.process)).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn live(session: Uuid) -> Live {
        let (folder, socket) = ("/work".into(), Some("/run/s".into()));
        Live { session, name: "work".to_owned(), process: 7, folder, started: 1, socket }
    }

    #[test]
    fn a_session_lives_once_and_as_long_as_it_is_claimed() {
        let root = tempfile::tempdir().unwrap();
        let folder = root.path().join("live");
        assert_eq!(living(&folder), []);
        let session = Uuid::new_v4();
        let claim = Claim::take(&folder, session).unwrap();
        claim.publish(&live(session)).unwrap();
        assert_eq!(living(&folder), [live(session)]);
        let message = Claim::take(&folder, session).unwrap_err().to_string();
        assert!(message.contains("runs already (process 7)"), "{message}");
        drop(claim);
        assert_eq!(living(&folder), []);
        assert_eq!(fs::read_dir(&folder).unwrap().count(), 0, "nothing is left behind");
        Claim::take(&folder, session).unwrap();
    }

    #[test]
    fn names_are_the_folders_and_never_twice() {
        let named = |name: &str| Live { name: name.to_owned(), ..live(Uuid::nil()) };
        for (living, expect) in [
            (vec![], "shop"),
            (vec![named("shop-2")], "shop"),
            (vec![named("shop")], "shop-2"),
            (vec![named("shop"), named("shop-2")], "shop-3"),
        ] {
            assert_eq!(name(&living, Path::new("/work/shop")), expect);
        }
        assert_eq!(name(&[], Path::new("/")), "session");
    }

    #[test]
    fn what_a_crash_leaves_is_no_life() {
        let root = tempfile::tempdir().unwrap();
        let session = Uuid::new_v4();
        fs::write(live_file(root.path(), session), serde_json::to_vec(&live(session)).unwrap()).unwrap();
        fs::write(lock_file(root.path(), session), "").unwrap();
        assert_eq!(living(root.path()), []);
        assert_eq!(fs::read_dir(root.path()).unwrap().count(), 0);
    }

    #[test]
    fn looking_takes_no_life() {
        let root = tempfile::tempdir().unwrap();
        let folder = root.path().to_owned();
        let looking = std::thread::spawn({
            let folder = folder.clone();
            move || (0..2000).for_each(|_| _ = living(&folder))
        });
        while !looking.is_finished() {
            let session = Uuid::new_v4();
            let claim = Claim::take(&folder, session).unwrap();
            claim.publish(&live(session)).unwrap();
            assert!(living(&folder).contains(&live(session)));
        }
        looking.join().unwrap();
    }
}
