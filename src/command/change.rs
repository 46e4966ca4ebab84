//! Changes to the configuration by command: made under the lock, told in the same form everywhere.

use clap::Args;
use serde_json::json;

use super::{Context, Failure, print};
use crate::config::changes::KeyError;
use crate::config::edit::{Change, Document, DocumentError, EditError, Store};

impl Context {
    /// What changes the configuration's files.
    pub(super) fn store(&self) -> Store {
        Store::new(&self.places)
    }

    /// One change of config.toml, checked and written whole. `what` is what an undo tells.
    pub(super) fn change_config<E>(
        &self,
        what: &str,
        change: impl FnOnce(&mut Document) -> Result<(), E>,
    ) -> Result<Vec<Change>, Failure>
    where
        Failure: From<E>,
    {
        let file = self.places.config_file();
        let store = self.store();
        let mut transaction = store.begin()?;
        let mut document = Document::parse(&transaction.read(&file)?.unwrap_or_default())?;
        change(&mut document)?;
        transaction.put(&file, Some(document.to_string()))?;
        Ok(transaction.commit(what)?)
    }
}

/// Settings that are to be taken out of the file again.
#[derive(Debug, Args)]
pub(super) struct Unset {
    /// Take a setting out of the file, as config.toml names it; again for the next one.
    #[arg(long, value_name = "KEY")]
    unset: Vec<String>,
}

impl Unset {
    pub(super) fn is_empty(&self) -> bool {
        self.unset.is_empty()
    }

    /// Takes them out of the table that `path` leads to.
    ///
    /// # Errors
    /// One of them isn't set there, or is written in a form from which nothing can be taken.
    pub(super) fn write(&self, path: [&str; 2], document: &mut Document) -> Result<(), Failure> {
        for key in &self.unset {
            let whole: Vec<&str> = path.into_iter().chain(key.split('.')).collect();
            if !document.remove(&whole)? {
                let [_, name] = path.map(str::escape_debug);
                let key = key.escape_debug();
                return Err(Failure::failed(format!("`{key}` isn't set for `{name}` in config.toml")));
            }
        }
        Ok(())
    }
}

/// How a person takes a change back.
pub(super) const UNDO: &str = "`subagents config undo` takes it back.";

/// How a person takes that back in turn.
pub(super) const REDO: &str = "`subagents config undo --redo` does it again.";

/// What was changed, and how it is taken back.
pub(super) fn tell(what: &str, changes: &[Change], json: bool) {
    tell_with(UNDO, what, changes, json);
}

/// `--json`: `{"version":1,"what":"…","files":[…]}`; else the files, and the way back.
pub(super) fn tell_with(way_back: &str, what: &str, changes: &[Change], json: bool) {
    if json {
        let files: Vec<_> = changes.iter().map(|change| change.file.to_string_lossy()).collect();
        print::json(&json!({"version": 1, "what": what, "files": files}));
    } else if changes.is_empty() {
        print::line("Nothing had to be changed.");
    } else {
        for change in changes {
            let verb = match (&change.before, &change.after) {
                (None, _) => "Wrote",
                (_, None) => "Removed",
                _ => "Changed",
            };
            print::line(&format!("{verb} {}", change.file.display()));
        }
        print::line_to_stderr(way_back);
    }
}

/// What is wrong with the files is the configuration's fault; what keeps them from being written isn't.
impl From<EditError> for Failure {
    fn from(error: EditError) -> Self {
        match error {
            EditError::Breaks(_) | EditError::NotText(_) => Self::configuration(error),
            _ => Self::failed(error),
        }
    }
}

impl From<DocumentError> for Failure {
    fn from(error: DocumentError) -> Self {
        Self::configuration(error)
    }
}

/// A wrong key or value is the command line's fault, a form that can't be changed the file's.
impl From<KeyError> for Failure {
    fn from(error: KeyError) -> Self {
        match error {
            KeyError::Document(error) => error.into(),
            other => Self::usage(other),
        }
    }
}
