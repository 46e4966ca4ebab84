//! The database file: made private, brought up to date, opened so that several processes can write at once.

use std::fs::OpenOptions;
use std::io;
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};
use std::time::Duration;

use rusqlite::{Connection, ErrorCode, OpenFlags, TransactionBehavior};

use crate::config::write::create_private_folder;

/// In their order; a database's `user_version` says how many of them it has seen.
pub(super) const MIGRATIONS: [&str; 3] = [
    include_str!("../../assets/ledger/0001.sql"),
    include_str!("../../assets/ledger/0002.sql"),
    include_str!("../../assets/ledger/0003.sql"),
];

/// Another session's write takes milliseconds.
const PATIENCE: Duration = Duration::from_secs(5);

/// Why nothing can be remembered, or asked.
#[derive(Debug, thiserror::Error)]
pub enum LedgerError {
    #[error("the ledger {} can't be made: {source}", file.display())]
    File { file: PathBuf, source: io::Error },
    #[error("the ledger {}: {source}", file.display())]
    Database { file: PathBuf, source: rusqlite::Error },
    #[error("the lines of the ledger {} can't be written: {source}", file.display())]
    Export { file: PathBuf, source: io::Error },
    #[error("the ledger {} was written by a newer version of this program: use that one, or move the file away", .0.display())]
    Newer(PathBuf),
}

impl LedgerError {
    /// Somebody else's lock goes, and room can be made on a disk.
    pub(super) fn may_pass(&self) -> bool {
        match self {
            Self::Database { source, .. } => may_pass(source),
            Self::File { source, .. } => matches!(
                source.kind(),
                io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded | io::ErrorKind::FileTooLarge
            ),
            Self::Export { .. } | Self::Newer(_) => false,
        }
    }
}

/// The same of an error of the database.
pub(super) fn may_pass(error: &rusqlite::Error) -> bool {
    let code = error.sqlite_error_code();
    code.is_some_and(|code| {
        matches!(
            code,
            ErrorCode::DatabaseBusy
                | ErrorCode::DatabaseLocked
                | ErrorCode::DiskFull
                | ErrorCode::SystemIoFailure
                | ErrorCode::CannotOpen
        )
    })
}

/// An open ledger.
#[derive(Debug)]
pub struct Ledger {
    pub(super) connection: Connection,
    file: PathBuf,
}

impl Ledger {
    /// Opens the file, or makes it (0600, in a folder 0700).
    ///
    /// # Errors
    /// The file can't be made or read, is no database, or is a newer version's.
    pub fn open(file: &Path) -> Result<Self, LedgerError> {
        Self::open_within(file, PATIENCE)
    }

    /// The same, where somebody else's lock is waited for as long as this each time.
    pub(super) fn open_within(file: &Path, patience: Duration) -> Result<Self, LedgerError> {
        let failed = |source| LedgerError::File { file: file.to_owned(), source };
        create_private_folder(file.parent().unwrap_or(Path::new("."))).map_err(failed)?;
        // SQLite would make it readable by everybody; its journals take the file's own mode.
        OpenOptions::new().create(true).append(true).mode(0o600).open(file).map_err(failed)?;
        let connection = Connection::open(file);
        let mut ledger =
            Self { connection: connection.map_err(|source| database(file, source))?, file: file.to_owned() };
        ledger.prepare(patience).map_err(|source| database(file, source))?;
        ledger.migrate()?;
        Ok(ledger)
    }

    /// Opens a file to read it: makes none, and brings none up to date. `None`: there is none that could be read so.
    pub fn look(file: &Path) -> Option<Self> {
        let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        let connection = Connection::open_with_flags(file, flags).ok()?;
        let ledger = Self { connection, file: file.to_owned() };
        ledger.version().is_ok_and(|version| version == newest()).then_some(ledger)
    }

    pub(super) fn file(&self) -> &Path {
        &self.file
    }

    pub(super) fn unwritten(&self, source: io::Error) -> LedgerError {
        LedgerError::Export { file: self.file.clone(), source }
    }

    pub(super) fn told(&self, source: rusqlite::Error) -> LedgerError {
        database(&self.file, source)
    }

    fn prepare(&self, patience: Duration) -> rusqlite::Result<()> {
        self.connection.busy_timeout(patience)?;
        self.connection.pragma_update(None, "journal_mode", "wal")?;
        self.connection.pragma_update(None, "synchronous", "normal")?;
        self.connection.pragma_update(None, "foreign_keys", true)
    }

    fn migrate(&mut self) -> Result<(), LedgerError> {
        let seen = self.version().map_err(|source| self.told(source))?;
        if seen > newest() {
            return Err(LedgerError::Newer(self.file.clone()));
        }
        if seen < newest() {
            self.apply().map_err(|source| self.told(source))?;
        }
        Ok(())
    }

    /// Under the write lock, because another process may be doing the same.
    fn apply(&mut self) -> rusqlite::Result<()> {
        let transaction = self.connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
        let seen: u32 = transaction.pragma_query_value(None, "user_version", |row| row.get(0))?;
        for migration in MIGRATIONS.iter().skip(seen as usize) {
            transaction.execute_batch(migration)?;
        }
        transaction.pragma_update(None, "user_version", newest())?;
        transaction.commit()
    }

    fn version(&self) -> rusqlite::Result<u32> {
        self.connection.pragma_query_value(None, "user_version", |row| row.get(0))
    }
}

/// The `user_version` of a database that has seen all migrations.
fn newest() -> u32 {
    u32::try_from(MIGRATIONS.len()).unwrap_or(u32::MAX)
}

fn database(file: &Path, source: rusqlite::Error) -> LedgerError {
    LedgerError::Database { file: file.to_owned(), source }
}
