//! Changes to the agents' files, put into a transaction that the caller commits.

use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use serde_json::Value;

use super::name::{NameError, check_name};
use super::shelf::{NoSuchAgent, ShelfFile, find, named, shelf};
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
    #[error("there is something else in {}, where agent `{name}` would be: take another name, or remove that first", file.display())]
    FileTaken { name: String, file: PathBuf },
    #[error("{} is not UTF-8, so no undo could bring it back: remove it by hand", file.display())]
    NotText { file: PathBuf },
    #[error("the text holds an agent `{other}`, not `{name}`: give it that name")]
    OtherName { name: String, other: String },
    #[error(transparent)]
    Name(#[from] NameError),
    #[error("{}: {source}", file.display())]
    Field { file: PathBuf, source: FieldError },
    #[error(transparent)]
    Value(#[from] ValueError),
    #[error(transparent)]
    Document(#[from] DocumentError),
    #[error(transparent)]
    Edit(#[from] EditError),
}

/// Where an agent of this name would go.
///
/// # Errors
/// It can't be a name, or it or the file is taken.
pub fn check_free(places: &Places, name: &str) -> Result<PathBuf, ChangeError> {
    check_name(name)?;
    let folder = places.agents_dir();
    free_file(&shelf(&folder), &folder, name)
}

/// Puts a new agent's file, and gives its place. The text is checked when it is committed.
///
/// # Errors
/// As [`check_free`].
pub fn create(
    transaction: &mut Transaction<'_>,
    places: &Places,
    name: &str,
    text: &str,
) -> Result<PathBuf, ChangeError> {
    let file = check_free(places, name)?;
    transaction.put(&file, Some(text.to_owned()))?;
    Ok(file)
}

/// Gives an agent another name: in its file, in the file's own name, and in every profile that takes it. Gives the
/// profiles.
///
/// # Errors
/// There is no such agent, the new name can't be one or is taken, or a file can't be changed.
pub fn rename(
    transaction: &mut Transaction<'_>,
    places: &Places,
    old: &str,
    new: &str,
) -> Result<Vec<String>, ChangeError> {
    check_name(new)?;
    let folder = places.agents_dir();
    let files = shelf(&folder);
    let there = find(&files, old)?;
    let text = transaction.read(&there.file)?.unwrap_or_default();
    let text = set(&there.file, &text, "name", Some(&new.into()))?;
    let file = place_of_renamed(&files, there, &folder, new)?;
    if file == there.file {
        transaction.put(&file, Some(text))?;
    } else {
        transaction.rename(&there.file, &file, text)?;
    }
    rename_in_profiles(transaction, places, old, new)
}

/// Takes an agent's file away. Gives the profiles that name it still.
///
/// # Errors
/// There is no such agent, or its file is no text, which no undo could bring back.
pub fn remove(
    transaction: &mut Transaction<'_>,
    places: &Places,
    name: &str,
) -> Result<Vec<String>, ChangeError> {
    let files = shelf(&places.agents_dir());
    let file = &find(&files, name)?.file;
    transaction.put(file, None).map_err(|error| match error {
        EditError::NotText(file) => ChangeError::NotText { file },
        error => error.into(),
    })?;
    Ok(profiles_naming(places, name))
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

/// Where a new agent goes: nothing is there yet, not even something that is no agent.
fn free_file(files: &[ShelfFile], folder: &Path, name: &str) -> Result<PathBuf, ChangeError> {
    check_unnamed(files, name)?;
    let file = file_of(folder, name);
    // A link that leads nowhere is something too.
    match fs::symlink_metadata(&file) {
        Ok(_) => Err(ChangeError::FileTaken { name: name.to_owned(), file }),
        Err(_) => Ok(file),
    }
}

/// Where an agent goes that gets another name. Its own file stays where it is if the new place is that very file:
/// some disks don't tell cases apart.
pub(super) fn place_of_renamed(
    files: &[ShelfFile],
    there: &ShelfFile,
    folder: &Path,
    new: &str,
) -> Result<PathBuf, ChangeError> {
    let others: Vec<ShelfFile> = files.iter().filter(|file| file.file != there.file).cloned().collect();
    check_unnamed(&others, new)?;
    if is_same_file(&there.file, &file_of(folder, new)) {
        return Ok(there.file.clone());
    }
    free_file(&others, folder, new)
}

fn check_unnamed(files: &[ShelfFile], name: &str) -> Result<(), ChangeError> {
    match named(files, name).next() {
        Some(there) => Err(ChangeError::Taken { name: name.to_owned(), file: there.file.clone() }),
        None => Ok(()),
    }
}

fn file_of(folder: &Path, name: &str) -> PathBuf {
    folder.join(format!("{}.md", file_stem(name)))
}

fn is_same_file(one: &Path, other: &Path) -> bool {
    let number = |file: &Path| fs::metadata(file).map(|data| (data.dev(), data.ino())).ok();
    number(one).is_some_and(|one| Some(one) == number(other))
}

/// Profiles that take the agent, whether there is one or not.
pub fn profiles_naming(places: &Places, agent: &str) -> Vec<String> {
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
    let file = places.config_file();
    let Some(text) = transaction.read(&file)? else { return Ok(Vec::new()) };
    let mut document = Document::parse(&text)?;
    let mut changed = Vec::new();
    for (name, profile) in load(&places.config_dir).0.profiles {
        let mut is_changed = false;
        if profile.agents.iter().any(|agent| agent == old) {
            is_changed |= document.replace(&["profiles", &name, "agents"], old, new)?;
        }
        if let Some((was, now)) = session_agent(&profile.args, old, new) {
            is_changed |= document.replace(&["profiles", &name, "args"], &was, &now)?;
        }
        changed.extend(is_changed.then_some(name));
    }
    transaction.put(&file, Some(document.to_string()))?;
    Ok(changed)
}

/// The argument that names the agent of the whole session, and what it becomes; `None` where none does, or where it
/// can't be told from another one.
fn session_agent(args: &[String], old: &str, new: &str) -> Option<(String, String)> {
    let count = |text: &str| args.iter().filter(|argument| *argument == text).count();
    let joined = format!("--agent={old}");
    if count(&joined) > 0 {
        return Some((joined, format!("--agent={new}")));
    }
    let is_named = args.windows(2).any(|pair| pair[0] == "--agent" && pair[1] == old);
    (is_named && count(old) == 1 && count(new) == 0).then(|| (old.to_owned(), new.to_owned()))
}

#[cfg(test)]
mod tests {
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

    #[test]
    fn a_new_name_that_leads_to_the_same_file_keeps_the_file() {
        let folder = tempfile::tempdir().unwrap();
        let (lower, upper) = (folder.path().join("a.md"), folder.path().join("A.md"));
        fs::write(&lower, FILE).unwrap();
        let files = shelf(folder.path());
        // What a disk that doesn't tell cases apart says of `A.md`.
        fs::hard_link(&lower, &upper).unwrap();
        assert_eq!(place_of_renamed(&files, &files[0], folder.path(), "A").unwrap(), lower);
        fs::remove_file(&upper).unwrap();
        assert_eq!(place_of_renamed(&files, &files[0], folder.path(), "A").unwrap(), upper);
        fs::write(&upper, "mine").unwrap();
        let refused = place_of_renamed(&files, &files[0], folder.path(), "A");
        assert!(matches!(refused, Err(ChangeError::FileTaken { .. })), "{refused:?}");
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
