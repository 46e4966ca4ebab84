//! Changes to `[profiles.NAME]` in config.toml; everything else in the file stays as it is.

use std::collections::BTreeMap;

use toml_edit::Value;

use super::Profile;
use crate::config::edit::{Document, DocumentError, EditError, Store};
use crate::config::{Places, load, similar};

/// What shall change; `None` leaves a key as it is.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ProfileChange {
    pub agents: Option<Vec<String>>,
    pub args: Option<Vec<String>>,
    pub folder: Option<FolderChange>,
}

/// What shall become of the folder.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FolderChange {
    /// As it is to be written: absolute, or with `~` at its head.
    Set(String),
    /// A session starts where the person is.
    Unset,
}

/// What was done to a profile.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Done {
    Created,
    Changed,
    Unchanged,
    Removed,
}

/// Why a profile isn't changed.
#[derive(Debug, thiserror::Error)]
pub enum ProfileError {
    #[error("`{0}` is no name for a profile: use letters, digits, `.`, `_` and `-`")]
    Name(String),
    #[error("nothing is to be changed: give agents, arguments or a folder")]
    Nothing,
    #[error("there is no profile `{name}` in config.toml: {known}")]
    Unknown { name: String, known: String },
    #[error(transparent)]
    Document(#[from] DocumentError),
    #[error(transparent)]
    Edit(#[from] EditError),
}

/// Creates or changes the profile. A new one takes all agents where nothing else is said.
///
/// # Errors
/// See [`ProfileError`]; then nothing is changed.
pub fn set_profile(places: &Places, name: &str, change: &ProfileChange) -> Result<Done, ProfileError> {
    let plain = |c: char| c.is_alphanumeric() || matches!(c, '.' | '_' | '-');
    if name.is_empty() || name.starts_with('-') || !name.chars().all(plain) {
        return Err(ProfileError::Name(name.escape_debug().to_string()));
    }
    edit(places, &format!("profile set {name}"), |document, profiles| {
        let known = profiles.contains_key(name);
        if known && *change == ProfileChange::default() {
            return Err(ProfileError::Nothing);
        }
        let before = document.clone();
        change.write(name, known, document)?;
        Ok(match known {
            false => Done::Created,
            true if before == *document => Done::Unchanged,
            true => Done::Changed,
        })
    })
}

/// Removes the profile, and all that is written about it.
///
/// # Errors
/// There is none of this name, or see [`ProfileError`]; then nothing is changed.
pub fn remove_profile(places: &Places, name: &str) -> Result<Done, ProfileError> {
    edit(places, &format!("profile rm {name}"), |document, profiles| {
        if document.remove(&["profiles", name])? {
            return Ok(Done::Removed);
        }
        let known = similar::suggestion(name, profiles.keys().map(String::as_str));
        Err(ProfileError::Unknown { name: name.to_owned(), known })
    })
}

impl ProfileChange {
    fn write(&self, name: &str, known: bool, document: &mut Document) -> Result<(), DocumentError> {
        let all = (!known).then(|| Profile::default().agents);
        let lists = [("agents", self.agents.clone().or(all)), ("args", self.args.clone())];
        for (key, list) in lists {
            if let Some(list) = list {
                document.set(&["profiles", name, key], Value::from_iter(list))?;
            }
        }
        match &self.folder {
            Some(FolderChange::Set(folder)) => document.set(&["profiles", name, "folder"], folder.as_str()),
            Some(FolderChange::Unset) => document.remove(&["profiles", name, "folder"]).map(drop),
            None => Ok(()),
        }
    }
}

/// Changes config.toml under the lock. What `change` is given is what is there while nobody else can change it.
fn edit(
    places: &Places,
    what: &str,
    change: impl FnOnce(&mut Document, &BTreeMap<String, Profile>) -> Result<Done, ProfileError>,
) -> Result<Done, ProfileError> {
    let (store, file) = (Store::new(places), places.config_file());
    let mut transaction = store.begin()?;
    let text = transaction.read(&file)?;
    let mut document = Document::parse(text.as_deref().unwrap_or_default())?;
    let done = change(&mut document, &load(&places.config_dir).0.profiles)?;
    transaction.put(&file, Some(document.to_string()))?;
    transaction.commit(what)?;
    Ok(done)
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;
    use crate::config::Environment;

    struct Folder {
        _root: tempfile::TempDir,
        places: Places,
    }

    impl Folder {
        fn new(config: &str) -> Self {
            let root = tempfile::tempdir().unwrap();
            let environment = Environment::from_iter([("HOME", root.path().to_str().unwrap())]);
            let places = Places::resolve(&environment, Some(&root.path().join("c"))).unwrap();
            fs::create_dir_all(&places.config_dir).unwrap();
            fs::write(places.config_file(), config).unwrap();
            Self { _root: root, places }
        }

        fn text(&self) -> String {
            fs::read_to_string(self.places.config_file()).unwrap()
        }

        fn set(&self, name: &str, change: &ProfileChange) -> Result<Done, ProfileError> {
            set_profile(&self.places, name, change)
        }
    }

    const TEXT: &str =
        "# mine\n[profiles.fast]   # quick\nagents = [\"a\"] # one\n\n[policy]\nenabled = false\n";

    #[test]
    fn one_key_changes_and_every_other_byte_stays() {
        let folder = Folder::new(TEXT);
        let args =
            ProfileChange { args: Some(vec!["--model".to_owned(), "x y".to_owned()]), ..Default::default() };
        assert_eq!(folder.set("fast", &args).unwrap(), Done::Changed);
        let expect = TEXT.replace("# one\n", "# one\nargs = [\"--model\", \"x y\"]\n");
        assert_eq!(folder.text(), expect);
        assert_eq!(folder.set("fast", &args).unwrap(), Done::Unchanged);
        let place = |folder| ProfileChange { folder: Some(folder), ..Default::default() };
        folder.set("fast", &place(FolderChange::Set("~/work".to_owned()))).unwrap();
        assert!(folder.text().contains("folder = \"~/work\"\n"));
        folder.set("fast", &place(FolderChange::Unset)).unwrap();
        assert_eq!(folder.text(), expect);
    }

    #[test]
    fn a_new_profile_takes_all_agents_and_goes_as_it_came() {
        let folder = Folder::new(TEXT);
        assert_eq!(folder.set("n.1", &ProfileChange::default()).unwrap(), Done::Created);
        let (config, problems) = load(&folder.places.config_dir);
        assert_eq!((&config.profiles["n.1"], problems.as_slice()), (&Profile::default(), &[][..]));
        assert_eq!(remove_profile(&folder.places, "n.1").unwrap(), Done::Removed);
        assert_eq!(folder.text().trim_end(), TEXT.trim_end());
    }

    #[test]
    fn what_makes_no_sense_changes_nothing() {
        let folder = Folder::new(TEXT);
        assert!(matches!(folder.set("fast", &ProfileChange::default()), Err(ProfileError::Nothing)));
        for name in ["", "a b", "-x", "a/b", "a\n"] {
            assert!(
                matches!(folder.set(name, &ProfileChange::default()), Err(ProfileError::Name(_))),
                "{name}"
            );
        }
        let error = remove_profile(&folder.places, "fats").unwrap_err().to_string();
        assert!(error.contains("did you mean `fast`"), "{error}");
        assert_eq!(folder.text(), TEXT);
    }
}
