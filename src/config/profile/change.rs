//! Changes to `[profiles.NAME]` in the text of config.toml; everything else in it stays as it is. Pure.

use toml_edit::Value;

use crate::config::edit::{Document, DocumentError};

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

/// The name is none for a new profile.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "`{0}` is no name for a profile: use letters, digits, `.`, `_` and `-`, and begin with none of these three"
)]
pub struct ProfileNameError(String);

/// Whether a profile may be created under this name. One in the file may have any.
///
/// # Errors
/// It would have to be quoted in a shell, or looks like an option.
pub fn check_profile_name(name: &str) -> Result<(), ProfileNameError> {
    let plain = |c: char| c.is_alphanumeric() || matches!(c, '.' | '_' | '-');
    if name.starts_with(char::is_alphanumeric) && name.chars().all(plain) {
        return Ok(());
    }
    Err(ProfileNameError(name.escape_debug().to_string()))
}

/// Removes the profile and all that is written about it; whether there was one.
///
/// # Errors
/// It is written in a form that can't be changed.
pub fn remove_profile(document: &mut Document, name: &str) -> Result<bool, DocumentError> {
    document.remove(&["profiles", name])
}

impl ProfileChange {
    /// Nothing would change.
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }

    /// Changes the profile, or makes it.
    ///
    /// # Errors
    /// It is written in a form that can't be changed.
    pub fn write(&self, name: &str, document: &mut Document) -> Result<(), DocumentError> {
        for (key, list) in [("agents", &self.agents), ("args", &self.args)] {
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

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str =
        "# mine\n[profiles.fast]   # quick\nagents = [\"a\"] # one\n\n[policy]\nenabled = false\n";

    fn check(change: &ProfileChange, name: &str, text: &str, expect: &str) {
        let mut document = Document::parse(text).unwrap();
        change.write(name, &mut document).unwrap();
        assert_eq!(document.to_string(), expect, "{change:?}");
    }

    #[test]
    fn one_key_changes_and_every_other_byte_stays() {
        let args = ["--model", "x y"].map(str::to_owned).to_vec();
        let args = ProfileChange { args: Some(args), ..Default::default() };
        let with_args = TEXT.replace("# one\n", "# one\nargs = [\"--model\", \"x y\"]\n");
        check(&args, "fast", TEXT, &with_args);
        check(&args, "fast", &with_args, &with_args);
        let agents = ProfileChange { agents: Some(vec!["*".to_owned()]), ..Default::default() };
        check(&agents, "fast", TEXT, &TEXT.replace("[\"a\"] # one", "[\"*\"] # one"));
        let folder = |folder| ProfileChange { folder: Some(folder), ..Default::default() };
        let with_folder = TEXT.replace("# one\n", "# one\nfolder = \"~/w\"\n");
        check(&folder(FolderChange::Set("~/w".to_owned())), "fast", TEXT, &with_folder);
        check(&folder(FolderChange::Unset), "fast", &with_folder, TEXT);
        check(&folder(FolderChange::Unset), "fast", TEXT, TEXT);
    }

    #[test]
    fn a_new_profile_goes_as_it_came() {
        let mut document = Document::parse(TEXT).unwrap();
        let change = ProfileChange { agents: Some(vec!["b".to_owned()]), ..Default::default() };
        change.write("n.1", &mut document).unwrap();
        assert!(document.to_string().contains("[profiles.\"n.1\"]\nagents = [\"b\"]\n"), "{document}");
        assert!(remove_profile(&mut document, "n.1").unwrap());
        assert_eq!(document.to_string().trim_end(), TEXT.trim_end());
        assert!(!remove_profile(&mut document, "n.1").unwrap());
    }

    #[test]
    fn a_name_needs_no_quotes_in_a_shell() {
        for name in ["fast", "Größe", "a.b_c-d", "1"] {
            assert_eq!(check_profile_name(name), Ok(()));
        }
        for name in ["", "a b", "-x", ".x", "a/b", "a\n", "*", "a\u{202e}"] {
            assert!(check_profile_name(name).is_err(), "{name}");
        }
    }
}
