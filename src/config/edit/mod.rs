//! Changes to what the user owns: one value at a time, everything else as the person wrote it.
//!
//! A [`Transaction`] holds the lock, reads what is there, and writes all of its files or none. Before that the
//! whole folder is read with the change: one that breaks something is refused. Each can be undone.

mod change;
mod document;
mod draft;
mod history;
mod lock;
pub mod policy;
mod store;
#[cfg(test)]
mod tests;
mod unsaved;

use std::io;
use std::path::PathBuf;

pub use change::Change;
pub use document::{Document, DocumentError};
pub use draft::Draft;
pub use history::{Stage, Version};
pub use store::{Store, Transaction, TurnedBack};
pub use unsaved::{NEW_AGENT, Unsaved, unsaved_key};

use super::Problem;
pub use super::agent::{FieldError, set_field};

/// Why nothing was changed.
#[derive(Debug, thiserror::Error)]
pub enum EditError {
    #[error("{} can't be read: {source}", file.display())]
    Read { file: PathBuf, source: io::Error },
    #[error("{} is not UTF-8: save it as UTF-8 first", .0.display())]
    NotText(PathBuf),
    #[error("{} can't be written: {source}; nothing was changed", file.display())]
    Write { file: PathBuf, source: io::Error },
    #[error("the lock {} can't be taken: {source}", file.display())]
    Lock { file: PathBuf, source: io::Error },
    #[error("somebody else has been changing the configuration for 10 s: try again, or end who holds {}", .0.display())]
    Busy(PathBuf),
    #[error("{} has changed since it was read: nothing was written over it; look at it and try again", .0.display())]
    Changed(PathBuf),
    #[error("nothing was changed, because then this would be wrong:\n{}", listed(.0))]
    Breaks(Vec<Problem>),
    #[error("the history in {} can't be kept: {source}; nothing was changed", folder.display())]
    History { folder: PathBuf, source: io::Error },
    #[error("{} is no file: nothing was read or changed", .0.display())]
    NoFile(PathBuf),
    #[error(
        "{} was changed by hand since `{what}`: nothing was written over it; `subagents config undo --force` puts back \
         what stood there before all the same, and can be undone in turn", file.display()
    )]
    ChangedByHand { file: PathBuf, what: String },
    #[error("the draft {} is gone: nothing was changed", .0.display())]
    DraftGone(PathBuf),
    #[error("there is nothing to undo")]
    NothingToUndo,
    #[error("there is nothing to redo")]
    NothingToRedo,
}

fn listed(problems: &[Problem]) -> String {
    problems.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n")
}
