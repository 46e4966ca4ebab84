//! Imports and exports as changes of files: what would happen, put into a transaction that the caller commits or drops.

use std::fs::{self, Permissions};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use super::{
    Choice, Existing, ExportedFile, NoDefinition, Planned, Source, Wishes, definitions, plan, settle,
};
use crate::config::Config;
use crate::config::agent::{ShelfFile, shelf};
use crate::config::edit::{EditError, Transaction};

/// What an import would do, and what of the sources holds no definition. `only` are the names that are wanted; all, if
/// there are none.
pub fn prepare(
    sources: &[Source],
    (wishes, choice): (&Wishes, Choice),
    only: &[String],
    (config, folder): (&Config, &Path),
) -> (Vec<Planned>, Vec<NoDefinition>) {
    let (mut candidates, mut left) = (Vec::new(), Vec::new());
    for definition in sources.iter().flat_map(definitions) {
        match definition {
            Ok(definition) => candidates.push(settle(definition, wishes, config)),
            Err(no_definition) => left.push(no_definition),
        }
    }
    candidates.retain(|candidate| only.is_empty() || only.contains(&candidate.name));
    let existing: Vec<Existing> = shelf(folder).into_iter().map(existing).collect();
    (plan(candidates, &existing, folder, choice), left)
}

/// A file that can't be read keeps its place too.
fn existing(file: ShelfFile) -> Existing {
    let name = file.name().to_owned();
    Existing { name, text: file.text.unwrap_or_default(), file: file.file }
}

/// Puts every file that the plan writes; what is refused, skipped or undecided is left out.
///
/// # Errors
/// A file that would be replaced can't be read.
pub fn import(planned: &[Planned], transaction: &mut Transaction<'_>) -> Result<(), EditError> {
    for planned in planned {
        if let Some(file) = planned.file() {
            transaction.put(file, Some(planned.candidate.text.clone()))?;
        }
    }
    Ok(())
}

/// One file of an export, and what happens to it.
#[derive(Debug, Clone, PartialEq)]
pub struct Delivery {
    pub exported: ExportedFile,
    pub file: PathBuf,
    pub effect: Effect,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Effect {
    Add,
    /// The file says this already.
    Same,
    /// The file says something else.
    Replace,
}

/// Puts an export's files into the folder.
///
/// # Errors
/// A file that is there can't be read.
pub fn deliver(
    files: Vec<ExportedFile>,
    folder: &Path,
    transaction: &mut Transaction<'_>,
) -> Result<Vec<Delivery>, EditError> {
    let one = |exported: ExportedFile| {
        let file = folder.join(&exported.file_name);
        let effect = match transaction.read(&file)? {
            None => Effect::Add,
            Some(text) if text == exported.text => Effect::Same,
            Some(_) => Effect::Replace,
        };
        transaction.put(&file, Some(exported.text.clone()))?;
        Ok(Delivery { exported, file, effect })
    };
    files.into_iter().map(one).collect()
}

/// Writes what was delivered. A new file can be read by whoever can read its folder: it is a project's, and not ours.
///
/// # Errors
/// As [`Transaction::commit`], or the folder can't be made; a folder that was made for it is gone then.
pub fn hand_over(
    deliveries: &[Delivery],
    folder: &Path,
    transaction: Transaction<'_>,
) -> Result<(), EditError> {
    let is_missing = |folder: &&Path| !folder.as_os_str().is_empty() && !folder.exists();
    let made: Vec<&Path> = folder.ancestors().take_while(is_missing).collect();
    let done = fs::create_dir_all(folder)
        .map_err(|source| EditError::Write { file: folder.to_owned(), source })
        .and_then(|()| transaction.commit(&format!("export {} agents", deliveries.len())));
    if let Err(error) = done {
        for folder in made {
            // One that isn't empty is somebody else's by now.
            let _ = fs::remove_dir(folder);
        }
        return Err(error);
    }
    for delivery in deliveries.iter().filter(|delivery| delivery.effect == Effect::Add) {
        open_as(folder, &delivery.file);
    }
    Ok(())
}

/// Nobody but the owner may write. A file whose mode can't be changed is there all the same.
fn open_as(folder: &Path, file: &Path) {
    if let Ok(data) = fs::metadata(folder) {
        let mode = data.permissions().mode() & 0o044 | 0o600;
        let _ = fs::set_permissions(file, Permissions::from_mode(mode));
    }
}
