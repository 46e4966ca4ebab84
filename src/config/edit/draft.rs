//! A copy of a file that a person edits: checked when they are done, kept when it can't be taken over.

use std::fs;
use std::path::{Path, PathBuf};

use super::change::text_of;
use super::{Change, EditError, Store};
use crate::config::Problem;
use crate::config::agent;
use crate::config::write::{create_private_folder, write_private_file};

/// What somebody is writing, apart from the file that it is meant for.
#[derive(Debug)]
pub struct Draft {
    file: PathBuf,
    /// What the file held when the person began.
    before: Option<String>,
    copy: PathBuf,
}

impl Draft {
    /// A copy of the file, or `blank` where there is none. Drafts stand in `folder` under the file's own name,
    /// so that an editor knows what it is.
    ///
    /// # Errors
    /// The file can't be read, or the copy can't be written.
    pub fn begin(file: &Path, blank: &str, folder: &Path) -> Result<Self, EditError> {
        let before = text_of(file)?;
        let copy = free_name(folder, file);
        create_private_folder(folder)
            .and_then(|()| write_private_file(&copy, before.as_deref().unwrap_or(blank).as_bytes()))
            .map_err(|source| EditError::Write { file: copy.clone(), source })?;
        Ok(Self { file: file.to_owned(), before, copy })
    }

    /// What is edited.
    pub fn copy(&self) -> &Path {
        &self.copy
    }

    /// Whether there is nothing to take over: the copy holds what the file does, or nothing for one that isn't there.
    pub fn is_untouched(&self) -> bool {
        let before = self.before.as_deref().unwrap_or_default();
        text_of(&self.copy).is_ok_and(|text| text.as_deref() == Some(before))
    }

    /// Takes the copy over, checked like every change.
    ///
    /// # Errors
    /// As [`super::Transaction::commit`]; the copy is kept then.
    pub fn finish(&self, store: &Store, what: &str) -> Result<Vec<Change>, EditError> {
        let text = text_of(&self.copy)?.ok_or_else(|| EditError::DraftGone(self.copy.clone()))?;
        if let Some(problems) = self.lost_agent(&text) {
            return Err(EditError::Breaks(problems));
        }
        let mut transaction = store.begin()?;
        transaction.began_with(&self.file, self.before.clone());
        transaction.put(&self.file, Some(text))?;
        let changes = transaction.commit(what)?;
        self.discard();
        Ok(changes)
    }

    /// Where an agent's file has lost its front matter, it would silently be no agent any more.
    fn lost_agent(&self, text: &str) -> Option<Vec<Problem>> {
        let is_agents = self.file.extension().is_some_and(|extension| extension == "md");
        is_agents.then(|| agent::is_none(&self.file, text)).flatten()
    }

    /// Throws the copy away.
    pub fn discard(&self) {
        let _ = fs::remove_file(&self.copy);
    }
}

/// A draft that was kept is somebody's work, and isn't written over.
fn free_name(folder: &Path, file: &Path) -> PathBuf {
    let name = |part: Option<&std::ffi::OsStr>| part.unwrap_or_default().to_string_lossy().into_owned();
    let (stem, extension) = (name(file.file_stem()), name(file.extension()));
    let numbered = (2..).map(|number| format!("{stem}-{number}.{extension}"));
    let mut names = std::iter::once(format!("{stem}.{extension}")).chain(numbered);
    names
        .find_map(|name| Some(folder.join(name)).filter(|path| !path.exists()))
        .unwrap_or_else(|| folder.join(stem))
}
