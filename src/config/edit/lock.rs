//! One writer at a time, over all processes of this user.

use std::fs::{File, OpenOptions, TryLockError};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};
use std::thread;
use std::time::{Duration, Instant};

use super::EditError;
use crate::config::write::create_private_folder;

/// A change takes milliseconds; who holds the lock for longer has stopped.
const PATIENCE: Duration = Duration::from_secs(10);
const PAUSE: Duration = Duration::from_millis(5);

/// Held until dropped, also by a process that is killed.
#[derive(Debug)]
pub(super) struct Lock {
    _file: File,
}

impl Lock {
    /// Waits for whoever changes something now.
    pub(super) fn take(file: &Path) -> Result<Self, EditError> {
        let failed = |source| EditError::Lock { file: file.to_owned(), source };
        create_private_folder(file.parent().unwrap_or(Path::new("."))).map_err(failed)?;
        let lock = open(file).map_err(failed)?;
        let given_up = Instant::now() + PATIENCE;
        loop {
            match lock.try_lock() {
                Ok(()) => return Ok(Self { _file: lock }),
                Err(TryLockError::Error(source)) => return Err(failed(source)),
                Err(TryLockError::WouldBlock) if Instant::now() > given_up => {
                    return Err(EditError::Busy(PathBuf::from(file)));
                }
                Err(TryLockError::WouldBlock) => thread::sleep(PAUSE),
            }
        }
    }
}

fn open(file: &Path) -> std::io::Result<File> {
    OpenOptions::new().create(true).truncate(false).write(true).mode(0o600).open(file)
}
