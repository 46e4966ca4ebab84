//! How much is remembered: by age, and by the size of the file.

use rusqlite::{TransactionBehavior, params};

use uuid::Uuid;

use super::session::forget_unused;
use super::{Ledger, LedgerError};
use crate::config::Retention;

const DAY: i64 = 24 * 60 * 60 * 1000;

/// Rows that are forgotten in one step where the file is too large.
const STEP: u32 = 1000;

impl Ledger {
    /// Forgets what is too old at the time `now` (milliseconds since 1970), and the oldest of what is too much. Gives
    /// how many requests are gone. The sessions of `living` stay, though nothing is left of them.
    ///
    /// # Errors
    /// The database can't be written.
    pub fn forget(&mut self, retention: Retention, now: i64, living: &[Uuid]) -> Result<u64, LedgerError> {
        self.forgotten(retention, now, living).map_err(|source| self.told(source))
    }

    /// Whether the file is sound; else what is wrong with it.
    ///
    /// # Errors
    /// The database can't be read at all.
    pub fn check(&self) -> Result<Vec<String>, LedgerError> {
        let mut statement =
            self.connection.prepare("PRAGMA integrity_check").map_err(|source| self.told(source))?;
        let found = statement.query_map([], |row| row.get(0)).and_then(Iterator::collect);
        let found: Vec<String> = found.map_err(|source| self.told(source))?;
        Ok(found.into_iter().filter(|line| line != "ok").collect())
    }

    /// Gives the space of what was forgotten back to the disk.
    ///
    /// # Errors
    /// The database can't be written, or another session is writing.
    pub fn vacuum(&self) -> Result<(), LedgerError> {
        let done = self.connection.execute_batch("VACUUM; PRAGMA wal_checkpoint(TRUNCATE)");
        done.map_err(|source| self.told(source))
    }

    fn forgotten(&mut self, retention: Retention, now: i64, living: &[Uuid]) -> rusqlite::Result<u64> {
        let mut gone = 0;
        if let Some(days) = retention.days {
            let then = now - i64::from(days.get()) * DAY;
            gone += self.delete("requests WHERE at < ?1", then)?;
            self.delete_interrupted(then, living)?;
        }
        while retention.bytes.is_some_and(|bytes| self.used().is_ok_and(|used| used > bytes.get())) {
            let oldest = "requests WHERE id IN (SELECT id FROM requests ORDER BY at LIMIT ?1)";
            match self.delete(oldest, i64::from(STEP))? {
                0 => break,
                some => gone += some,
            }
        }
        Ok(gone)
    }

    /// Sessions that are over and have no request left go with their requests.
    fn delete(&mut self, what: &str, value: i64) -> rusqlite::Result<u64> {
        let transaction = self.connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
        let gone = transaction.execute(&format!("DELETE FROM {what}"), params![value])?;
        if gone > 0 {
            let empty = "DELETE FROM sessions WHERE ended IS NOT NULL \
                         AND NOT EXISTS (SELECT 1 FROM requests WHERE session = sessions.id)";
            transaction.execute(empty, [])?;
            forget_unused(&transaction)?;
        }
        transaction.commit()?;
        Ok(gone as u64)
    }

    /// Those that began before `then`, have no end and no request left, and don't live.
    fn delete_interrupted(&mut self, then: i64, living: &[Uuid]) -> rusqlite::Result<()> {
        let living: Vec<String> = living.iter().map(|session| format!("'{session}'")).collect();
        let sql = format!(
            "DELETE FROM sessions WHERE ended IS NULL AND started < ?1 AND id NOT IN ({}) \
             AND NOT EXISTS (SELECT 1 FROM requests WHERE session = sessions.id)",
            living.join(", ")
        );
        if self.connection.execute(&sql, [then])? > 0 {
            forget_unused(&self.connection)?;
        }
        Ok(())
    }

    /// Bytes of the pages that hold something.
    fn used(&self) -> rusqlite::Result<u64> {
        let sql = "SELECT (page_count - freelist_count) * page_size \
                   FROM pragma_page_count, pragma_freelist_count, pragma_page_size";
        self.connection.query_row(sql, [], |row| row.get::<_, i64>(0)).map(i64::cast_unsigned)
    }
}
