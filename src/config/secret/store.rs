//! Puts a key where only its owner finds it, and gives the reference to it. Never falls back to another store, and
//! never writes over a key: each gets a place of its own, so that what refers to an older one stays right.

use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use super::{Secret, SecretRef};
use crate::config::ProviderName;
use crate::config::write::create_private_folder;

/// The folder of key files, in the data folder.
const FOLDER: &str = "secrets";

/// What our entries in the keyring are filed under.
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
    #[error("{} can't be removed: {source}", path.display())]
    Undo { path: PathBuf, source: io::Error },
    #[cfg(not(feature = "keyring"))]
    #[error("this program was built without keyring (cargo feature `keyring`): use `--store file`")]
    NoKeyring,
    #[cfg(feature = "keyring")]
    #[error("the keyring didn't take the key: {0}. Unlock it, or use `--store file`")]
    Keyring(#[from] super::KeyringError),
}

/// A key that was put somewhere where none was before.
#[derive(Debug)]
pub struct Stored {
    pub reference: SecretRef,
}

impl Stored {
    /// Takes the key out of its store again, for when nothing came to refer to it.
    ///
    /// # Errors
    /// The store keeps it.
    pub fn undo(self) -> Result<(), StoreError> {
        match self.reference {
            SecretRef::File(path) => {
                fs::remove_file(&path).map_err(|source| StoreError::Undo { path, source })
            }
            SecretRef::Keyring { account, .. } => out_of_keyring(&account),
            SecretRef::Env(_) | SecretRef::Command(_) => Ok(()),
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

/// Stores a key of the provider's, beside those that were stored for it before.
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
        Store::File => into_file(key, provider, &data_dir.join(FOLDER)),
        Store::Keyring => into_keyring(key, provider),
    }
}

/// Whether the reference leads to a key that was stored here.
pub fn is_stored(reference: &SecretRef, data_dir: &Path) -> bool {
    match reference {
        SecretRef::File(path) => path.starts_with(data_dir.join(FOLDER)) && path.exists(),
        SecretRef::Keyring { service, .. } => service == SERVICE,
        SecretRef::Env(_) | SecretRef::Command(_) => false,
    }
}

/// `glm`, `glm-2`, `glm-3`, …
fn names(provider: &ProviderName) -> impl Iterator<Item = String> {
    std::iter::once(provider.to_string()).chain((2_u64..).map(move |number| format!("{provider}-{number}")))
}

fn into_file(key: &Secret, provider: &ProviderName, folder: &Path) -> Result<Stored, StoreError> {
    let mut path = folder.to_owned();
    let failed = |path: &Path, source| StoreError::File { path: path.to_owned(), source };
    create_private_folder(folder).map_err(|source| failed(folder, source))?;
    for name in names(provider) {
        path = folder.join(format!("{name}.key"));
        match write_new(&path, key) {
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
            Err(error) => return Err(failed(&path, error)),
            Ok(()) => return Ok(Stored { reference: SecretRef::File(path) }),
        }
    }
    Err(failed(&path, io::ErrorKind::AlreadyExists.into()))
}

/// The whole key under a name that was free, or nothing.
fn write_new(path: &Path, key: &Secret) -> io::Result<()> {
    let folder = path.parent().unwrap_or(Path::new("."));
    // It is 0600 from its beginning.
    let mut fresh = tempfile::NamedTempFile::new_in(folder)?;
    writeln!(fresh, "{}", key.expose())?;
    fresh.as_file().sync_all()?;
    fresh.persist_noclobber(path).map_err(|error| error.error)?;
    // The name itself lasts only once the folder is on the disk.
    File::open(folder)?.sync_all()
}

/// Who holds the lock of the configuration finds the same account free when the key is put there.
#[cfg(feature = "keyring")]
fn into_keyring(key: &Secret, provider: &ProviderName) -> Result<Stored, StoreError> {
    use super::{KeyringError, keyring};
    for account in names(provider) {
        match keyring::password(SERVICE, &account) {
            // An entry that holds no text is somebody's all the same.
            Ok(_) | Err(KeyringError::NoText) => {}
            Err(KeyringError::Missing) => {
                keyring::set_password(SERVICE, &account, key)?;
                return Ok(Stored { reference: SecretRef::Keyring { service: SERVICE.to_owned(), account } });
            }
            Err(error) => return Err(error.into()),
        }
    }
    Err(KeyringError::Missing.into())
}

#[cfg(not(feature = "keyring"))]
fn into_keyring(_key: &Secret, _provider: &ProviderName) -> Result<Stored, StoreError> {
    Err(StoreError::NoKeyring)
}

#[cfg(feature = "keyring")]
fn out_of_keyring(account: &str) -> Result<(), StoreError> {
    Ok(super::keyring::remove_password(SERVICE, account)?)
}

#[cfg(not(feature = "keyring"))]
fn out_of_keyring(_account: &str) -> Result<(), StoreError> {
    Err(StoreError::NoKeyring)
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt;

    use super::*;
    use crate::config::Environment;
    use crate::config::secret::resolve;

    fn mode(path: &Path) -> u32 {
        fs::metadata(path).unwrap().permissions().mode() & 0o7777
    }

    fn stored(name: &str, key: &str, data_dir: &Path) -> Stored {
        store(&fitting(key).unwrap(), &name.parse().unwrap(), Store::File, data_dir).unwrap()
    }

    #[test]
    fn i03_a_key_is_private_resolves_and_stands_beside_the_one_before_it() {
        let data = tempfile::tempdir().unwrap();
        for name in ["glm", ".."] {
            let first = stored(name, " canary\n", data.path()).reference;
            let second = stored(name, "other", data.path());
            let folder = data.path().join(FOLDER);
            let files = ["", "-2"].map(|number| folder.join(format!("{name}{number}.key")));
            for (reference, file, key) in
                [(&first, &files[0], "canary"), (&second.reference, &files[1], "other")]
            {
                assert_eq!(*reference, SecretRef::File(file.clone()));
                assert!(is_stored(reference, data.path()));
                assert_eq!((mode(file), mode(&folder)), (0o600, 0o700));
                assert_eq!(resolve(reference, &Environment::default()).unwrap().expose(), key);
            }
            second.undo().unwrap();
            assert!(files[0].exists() && !files[1].exists(), "only its own key is taken back");
        }
    }

    #[test]
    fn whose_key_it_is_that_is_found_elsewhere_is_not_for_us_to_say() {
        let data = Path::new("/data");
        for reference in ["env:K", "file:/elsewhere/secrets/glm.key", "cmd:pass glm", "keyring:other/glm"] {
            assert!(!is_stored(&reference.parse().unwrap(), data), "{reference}");
        }
        assert!(is_stored(&"keyring:subagents/glm".parse().unwrap(), data));
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
