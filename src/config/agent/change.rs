//! Changes to the agents' files, put into a transaction that the caller commits.

use std::path::{Path, PathBuf};

use serde_json::Value;

use super::shelf::{NoSuchAgent, ShelfFile, find, shelf};
use super::value::ValueError;
use super::{FieldError, set_field};
use crate::config::edit::{Document, DocumentError, EditError, Transaction};
use crate::config::exchange::file_stem;
use crate::config::{Places, load};

/// Why an agent isn't changed.
#[derive(Debug, thiserror::Error)]
pub enum ChangeError {
    #[error(transparent)]
    NoSuchAgent(#[from] NoSuchAgent),
    #[error("there is an agent `{name}` already, in {}: take another name, or remove that one first", file.display())]
    Taken { name: String, file: PathBuf },
    #[error("{}: {source}", file.display())]
    Field { file: PathBuf, source: FieldError },
    #[error(transparent)]
    Value(#[from] ValueError),
    #[error(transparent)]
    Document(#[from] DocumentError),
    #[error(transparent)]
    Edit(#[from] EditError),
}

/// Puts a new agent's file, and gives its place. The text is checked when it is committed.
///
/// # Errors
/// The name or the file is taken.
pub fn create(
    transaction: &mut Transaction<'_>,
    places: &Places,
    name: &str,
    text: &str,
) -> Result<PathBuf, ChangeError> {
    let folder = places.agents_dir();
    let file = free_file(&shelf(&folder), &folder, name)?;
    transaction.put(&file, Some(text.to_owned()))?;
    Ok(file)
}

/// Gives an agent another name: in its file, in the file's own name, and in every profile that takes it. Gives the
/// profiles.
///
/// # Errors
/// There is no such agent, the new name is taken, or a file can't be changed.
pub fn rename(
    transaction: &mut Transaction<'_>,
    places: &Places,
    old: &str,
    new: &str,
) -> Result<Vec<String>, ChangeError> {
    let folder = places.agents_dir();
    let files = shelf(&folder);
    let there = find(&files, old)?;
    let text = transaction.read(&there.file)?.unwrap_or_default();
    let text = set(&there.file, &text, "name", Some(&new.into()))?;
    let others: Vec<ShelfFile> = files.iter().filter(|file| file.file != there.file).cloned().collect();
    let file = free_file(&others, &folder, new)?;
    if file != there.file {
        transaction.put(&there.file, None)?;
    }
    transaction.put(&file, Some(text))?;
    rename_in_profiles(transaction, places, old, new)
}

/// Takes an agent's file away. Gives the profiles that name it still.
///
/// # Errors
/// There is no such agent.
pub fn remove(
    transaction: &mut Transaction<'_>,
    places: &Places,
    name: &str,
) -> Result<Vec<String>, ChangeError> {
    let files = shelf(&places.agents_dir());
    transaction.put(&find(&files, name)?.file, None)?;
    Ok(profiles_with(places, name))
}

/// Gives one field another value; `None` takes it out. Gives the file.
///
/// # Errors
/// There is no such agent, or the field can't be changed alone.
pub fn set_value(
    transaction: &mut Transaction<'_>,
    places: &Places,
    name: &str,
    (key, value): (&str, Option<&Value>),
) -> Result<PathBuf, ChangeError> {
    let files = shelf(&places.agents_dir());
    let file = &find(&files, name)?.file;
    let text = transaction.read(file)?.unwrap_or_default();
    transaction.put(file, Some(set(file, &text, key, value)?))?;
    Ok(file.clone())
}

fn set(file: &Path, text: &str, key: &str, value: Option<&Value>) -> Result<String, ChangeError> {
    set_field(text, key, value).map_err(|source| ChangeError::Field { file: file.to_owned(), source })
}

fn free_file(files: &[ShelfFile], folder: &Path, name: &str) -> Result<PathBuf, ChangeError> {
    let file = folder.join(format!("{}.md", file_stem(name)));
    match files.iter().find(|there| there.name() == name || there.file == file) {
        Some(there) => Err(ChangeError::Taken { name: name.to_owned(), file: there.file.clone() }),
        None => Ok(file),
    }
}

fn profiles_with(places: &Places, agent: &str) -> Vec<String> {
    let (config, _) = load(&places.config_dir);
    let named =
        config.profiles.into_iter().filter(|(_, profile)| profile.agents.iter().any(|name| name == agent));
    named.map(|(name, _)| name).collect()
}

fn rename_in_profiles(
    transaction: &mut Transaction<'_>,
    places: &Places,
    old: &str,
    new: &str,
) -> Result<Vec<String>, ChangeError> {
    let profiles = profiles_with(places, old);
    let file = places.config_file();
    if let (false, Some(text)) = (profiles.is_empty(), transaction.read(&file)?) {
        let mut document = Document::parse(&text)?;
        for profile in &profiles {
            let path = ["profiles", profile.as_str(), "agents"];
            document.add(&path, new)?;
            document.take(&path, old)?;
        }
        transaction.put(&file, Some(document.to_string()))?;
    }
    Ok(profiles)
}

#[cfg(test)]
mod tests {
    use std::fs;

    use proptest::prelude::*;

    use super::super::value_of;
    use super::*;
    use crate::config::Environment;
    use crate::config::edit::Store;

    const FILE: &str = "---\n# Mine.\nname:   a # x\n\ndescription: >\n  Long\n  text.\nmodel: opus # dear\n\
                        unknown: [1,  2]\n---\n\nDo.  \n\n---\nmodel: no\n";

    /// A change in a folder of its own, and the file after it.
    fn after(edits: &[(String, Option<String>)]) -> String {
        let root = tempfile::tempdir().unwrap();
        let environment = Environment::from_iter([("HOME", root.path().as_os_str())]);
        let places = Places::resolve(&environment, Some(&root.path().join("config"))).unwrap();
        let file = places.agents_dir().join("a.md");
        fs::create_dir_all(places.agents_dir()).unwrap();
        fs::write(&file, FILE).unwrap();
        let store = Store::new(&places);
        for (key, text) in edits {
            let value = text.as_ref().map(|text| value_of(key, text).unwrap());
            let mut transaction = store.begin().unwrap();
            set_value(&mut transaction, &places, "a", (key, value.as_ref())).unwrap();
            transaction.commit("test").unwrap();
        }
        fs::read_to_string(&file).unwrap()
    }

    /// The lines of the front matter that belong to fields which nobody touched, and all of the body.
    fn untouched<'t>(text: &'t str, keys: &[&str]) -> (Vec<&'t str>, &'t str) {
        let (front, body) = text.split_once("\n---\n").unwrap();
        let mut mine = false;
        let keep = |line: &&str| {
            if !line.starts_with(' ') {
                mine = keys.iter().any(|key| line.starts_with(&format!("{key}:")));
            }
            !mine
        };
        (front.lines().filter(keep).collect(), body)
    }

    fn edit() -> impl Strategy<Value = (String, Option<String>)> {
        let text = |key: &'static str, texts: &'static str| (Just(key.to_owned()), prop::option::of(texts));
        prop_oneof![
            (Just("description".to_owned()), "[ -~é\n]{0,20}[a-z]").prop_map(|(key, text)| (key, Some(text))),
            text("model", "sonnet|inherit|claude-x\\[1m\\]"),
            text("tools", "Read(, Bash\\(git log:\\*, x\\))?|"),
            text("maxTurns", "[1-9][0-9]?"),
            text("effort", "high|low|3"),
            text("subagents.visibility", "hidden|off|model"),
            text("subagents.read_only", "true|false"),
        ]
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(40))]

        #[test]
        fn any_sequence_of_edits_leaves_every_untouched_byte_as_it_was(edits in prop::collection::vec(edit(), 1..5)) {
            let mut keys: Vec<&str> = edits.iter().map(|(key, _)| key.split('.').next().unwrap()).collect();
            keys.push("subagents");
            let now = after(&edits);
            prop_assert_eq!(untouched(&now, &keys), untouched(FILE, &keys), "{}", now);
        }
    }
}
