//! Puts a key where only its owner finds it, and gives the reference to it. Never falls back to another store.

use std::fs::{self, Permissions};
use std::io;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use super::{Secret, SecretRef};
use crate::config::ProviderName;
use crate::config::write::{create_private_folder, write_private_file};

/// The folder of key files, in the data folder.
const FOLDER: &str = "secrets";

/// What our entries in the keyring are filed under.
#[cfg(feature = "keyring")]
const SERVICE: &str = "subagents";

/// Where a key can be put.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Store {
    /// A file 0600 in a folder 0700, in the data folder.
    File,
    /// The desktop's Secret Service.
    Keyring,
}

#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    #[error("the key is empty: nothing was stored")]
    Empty,
    #[error("the key holds a line break or another character that no header can carry: nothing was stored")]
    Unfit,
    #[error("the key can't be written to {}: {source}", path.display())]
    File { path: PathBuf, source: io::Error },
    #[cfg(not(feature = "keyring"))]
    #[error("this program was built without keyring (cargo feature `keyring`): use `--store file`")]
    NoKeyring,
    #[cfg(feature = "keyring")]
    #[error("the keyring didn't take the key: {0}. Unlock it, or use `--store file`")]
    Keyring(#[from] super::KeyringError),
}

/// A key that was put somewhere, and what was there before.
#[derive(Debug)]
pub struct Stored {
    pub reference: SecretRef,
    before: Option<Secret>,
}

impl Stored {
    /// Takes a key file back: what it held before is there again. A keyring's entry stays.
    ///
    /// # Errors
    /// The file can't be written or removed.
    pub fn undo(self) -> io::Result<()> {
        match (self.reference, self.before) {
            (SecretRef::File(path), Some(before)) => write_private_file(&path, before.expose().as_bytes()),
            (SecretRef::File(path), None) => fs::remove_file(path),
            _ => Ok(()),
        }
    }
}

/// A key as it was read from somewhere: without white space around it.
///
/// # Errors
/// It is empty, or can't stand in a header. The error holds nothing of it.
pub fn fitting(text: &str) -> Result<Secret, StoreError> {
    let key = text.trim();
    if key.is_empty() {
        return Err(StoreError::Empty);
    }
    if !key.bytes().all(|byte| (0x20..0x7f).contains(&byte)) {
        return Err(StoreError::Unfit);
    }
    Ok(Secret::new(key.to_owned()))
}

/// Stores the provider's key; one that was stored for it before is replaced.
///
/// # Errors
/// The store doesn't take it, or there is no such store.
pub fn store(
    key: &Secret,
    provider: &ProviderName,
    store: Store,
    data_dir: &Path,
) -> Result<Stored, StoreError> {
    match store {
        Store::File => {
            let path = key_file(provider, data_dir);
            into_file(key, &path).map_err(|source| StoreError::File { path, source })
        }
        Store::Keyring => into_keyring(key, provider),
    }
}

/// Where the provider's key file is, if it has one.
pub fn key_file(provider: &ProviderName, data_dir: &Path) -> PathBuf {
    data_dir.join(FOLDER).join(format!("{provider}.key"))
}

fn into_file(key: &Secret, path: &Path) -> io::Result<Stored> {
    create_private_folder(path.parent().unwrap_or(Path::new(".")))?;
    let before = match fs::read_to_string(path) {
        Ok(before) => Some(Secret::new(before)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => None,
        Err(error) => return Err(error),
    };
    if before.is_some() {
        // A file that exists keeps its mode: it must be private before the key is in it.
        fs::set_permissions(path, Permissions::from_mode(0o600))?;
    }
    write_private_file(path, format!("{}\n", key.expose()).as_bytes())?;
    Ok(Stored { reference: SecretRef::File(path.to_owned()), before })
}

#[cfg(feature = "keyring")]
fn into_keyring(key: &Secret, provider: &ProviderName) -> Result<Stored, StoreError> {
    super::keyring::set_password(SERVICE, provider.as_str(), key)?;
    let reference = SecretRef::Keyring { service: SERVICE.to_owned(), account: provider.to_string() };
    Ok(Stored { reference, before: None })
}

#[cfg(not(feature = "keyring"))]
fn into_keyring(_key: &Secret, _provider: &ProviderName) -> Result<Stored, StoreError> {
    Err(StoreError::NoKeyring)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::Environment;
    use crate::config::secret::resolve;

    fn mode(path: &Path) -> u32 {
        fs::metadata(path).unwrap().permissions().mode() & 0o7777
    }

    #[test]
    fn i03_a_key_file_is_private_whatever_it_was_before_and_resolves() {
        let data = tempfile::tempdir().unwrap();
        for name in ["glm", ".."] {
            let provider = name.parse().unwrap();
            let file = key_file(&provider, data.path());
            fs::create_dir_all(file.parent().unwrap()).unwrap();
            fs::write(&file, "old").unwrap();
            fs::set_permissions(&file, Permissions::from_mode(0o644)).unwrap();
            let stored = store(&fitting(" canary\n").unwrap(), &provider, Store::File, data.path()).unwrap();
            assert_eq!((mode(&file), mode(file.parent().unwrap())), (0o600, 0o700));
            let value = resolve(&stored.reference, &Environment::default()).unwrap();
            assert_eq!(value.expose(), "canary");
            assert!(!format!("{stored:?}").contains("old"));
            stored.undo().unwrap();
            assert_eq!(fs::read_to_string(&file).unwrap(), "old");
        }
    }

    #[test]
    fn a_new_key_file_goes_again_when_it_is_undone() {
        let data = tempfile::tempdir().unwrap();
        let provider = "glm".parse().unwrap();
        store(&fitting("k").unwrap(), &provider, Store::File, data.path()).unwrap().undo().unwrap();
        assert!(!key_file(&provider, data.path()).exists());
    }

    #[test]
    fn i03_what_is_no_key_is_refused_and_not_repeated() {
        for text in ["", " \n", "canary\nsecond", "canary\u{7f}"] {
            let error = fitting(text).unwrap_err();
            assert!(!format!("{error} {error:?}").contains("canary"));
        }
    }

    #[cfg(not(feature = "keyring"))]
    #[test]
    fn there_is_no_silent_fallback_from_a_keyring_that_is_missing() {
        let data = tempfile::tempdir().unwrap();
        let stored = store(&fitting("k").unwrap(), &"glm".parse().unwrap(), Store::Keyring, data.path());
        assert!(stored.unwrap_err().to_string().contains("--store file"));
        assert_eq!(fs::read_dir(data.path()).unwrap().count(), 0);
    }
}
