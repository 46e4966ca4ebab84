//! A whole agent file put in another's place, or made: for programs that write all of it. Put into a transaction that
//! the caller commits.

use std::path::{Path, PathBuf};

use super::change::{check_free, create, place_of_renamed, rename};
use super::shelf::{find, shelf};
use super::{ChangeError, parse};
use crate::config::Places;
use crate::config::digest::sha256;
use crate::config::edit::{EditError, Transaction};

/// Puts this text in place of the agent's file. A name in it that isn't the agent's is its new one, in its file's name
/// and in every profile. `was` is the digest that the file must have still. Gives the file.
///
/// # Errors
/// There is no such agent, its file isn't what it was, the new name can't be one or is taken, or the text is no agent's.
pub fn replace(
    transaction: &mut Transaction<'_>,
    places: &Places,
    name: &str,
    (text, was): (&str, Option<&str>),
) -> Result<PathBuf, ChangeError> {
    let folder = places.agents_dir();
    let files = shelf(&folder);
    let there = find(&files, name)?;
    let before = transaction.read(&there.file)?.unwrap_or_default();
    if was.is_some_and(|was| was != sha256(before.as_bytes())) {
        return Err(EditError::Changed(there.file.clone()).into());
    }
    let new = name_in(&there.file, text)?;
    let file = match new.filter(|new| new != name) {
        Some(new) => {
            let file = place_of_renamed(&files, there, &folder, &new)?;
            rename(transaction, places, name, &new)?;
            file
        }
        None => there.file.clone(),
    };
    transaction.put(&file, Some(text.to_owned()))?;
    Ok(file)
}

/// Makes an agent of this text, by the name that stands in it. Gives the file.
///
/// # Errors
/// The text is no agent's, or its name is taken.
pub fn create_whole(
    transaction: &mut Transaction<'_>,
    places: &Places,
    name: &str,
    text: &str,
) -> Result<PathBuf, ChangeError> {
    let file = check_free(places, name)?;
    match name_in(&file, text)? {
        Some(other) if other != name => Err(ChangeError::OtherName { name: name.to_owned(), other }),
        _ => create(transaction, places, name, text),
    }
}

/// The name in the text; `None` where it can't be read as an agent, which is told when the change is committed.
fn name_in(file: &Path, text: &str) -> Result<Option<String>, ChangeError> {
    let (agent, problems) = parse(file, text.as_bytes());
    match super::is_none(file, text) {
        // It would silently be no agent any more.
        Some(_) => Err(EditError::Breaks(problems).into()),
        None => Ok(agent.map(|agent| agent.name)),
    }
}
