//! Keys on their way from stdin into a store. A key is in no argument, no message and no file but its store.

use std::io::{IsTerminal, Read};

use clap::{Args, ValueEnum};

use crate::command::{Context, Failure, print};
use crate::config::secret::resolve;
use crate::config::secret::store::{self, Stored};
use crate::config::{ProviderName, Secret, SecretRef};

/// No key is longer.
const LIMIT: u64 = 64 * 1024;

/// A key that comes in itself, instead of a reference to it.
#[derive(Debug, Args)]
pub(super) struct KeyInput {
    /// Read the key itself from stdin, and put it into a store.
    #[arg(long)]
    key_stdin: bool,
    /// The store for --key-stdin.
    #[arg(long, default_value = "file", requires = "key_stdin")]
    store: Store,
}

/// Where a key from stdin is put.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Store {
    /// A private file in the data folder.
    File,
    /// The desktop's keyring.
    Keyring,
}

/// A key that was read, and where it is to be put.
#[derive(Debug)]
pub(super) struct Key {
    key: Secret,
    into: store::Store,
}

impl KeyInput {
    pub(super) fn is_given(&self) -> bool {
        self.key_stdin
    }

    /// Reads the key, where one is to come in. It is stored later, under the lock: whoever types doesn't hold it.
    ///
    /// # Errors
    /// Stdin is a terminal, where the key would be seen; there is no key.
    pub(super) fn read(&self) -> Result<Option<Key>, Failure> {
        if !self.key_stdin {
            return Ok(None);
        }
        let stdin = std::io::stdin();
        if stdin.is_terminal() {
            return Err(Failure::usage(
                "--key-stdin reads the key from a pipe or a file, so that no terminal shows it: `… --key-stdin < FILE`",
            ));
        }
        let mut text = String::new();
        let read = stdin.lock().take(LIMIT).read_to_string(&mut text);
        read.map_err(|_| Failure::failed("the key on stdin can't be read as text: nothing was stored"))?;
        let key = store::fitting(&text).map_err(Failure::usage)?;
        let into = match self.store {
            Store::File => store::Store::File,
            Store::Keyring => store::Store::Keyring,
        };
        Ok(Some(Key { key, into }))
    }
}

impl Key {
    /// Puts the key into its store, beside the provider's older ones. Whoever calls it holds the configuration's
    /// lock, and gives the outcome to [`kept_if`].
    ///
    /// # Errors
    /// The store doesn't take it.
    pub(super) fn keep(&self, context: &Context, provider: &ProviderName) -> Result<Stored, Failure> {
        store::store(&self.key, provider, self.into, &context.places.data_dir).map_err(Failure::failed)
    }
}

/// After the change that refers to a stored key: where it failed, the key is taken back out of the store, else it
/// is told where the key is.
///
/// # Errors
/// The change's own.
pub(super) fn kept_if<T>(stored: Option<Stored>, change: Result<T, Failure>) -> Result<T, Failure> {
    match (stored, &change) {
        (Some(stored), Ok(_)) => {
            print::line_to_stderr(&format!("Stored the key in {}.", stored.reference));
        }
        (Some(stored), Err(_)) => {
            if let Err(error) = stored.undo() {
                print::line_to_stderr(&format!(
                    "warning: the key that was stored can't be taken back: {error}"
                ));
            }
        }
        (None, _) => {}
    }
    change
}

/// The key that was stored for the provider, if it refers to one.
pub(super) fn stored_for(context: &Context, provider: &ProviderName) -> Option<SecretRef> {
    let (config, _) = context.config();
    let reference = config.providers.get(provider)?.auth.secret()?;
    store::is_stored(reference, &context.places.data_dir).then(|| reference.clone())
}

/// Names a stored key that was referred to before a change, where nothing refers to it now. It stays, because an
/// undo leads back to it.
pub(super) fn tell_of_unused(context: &Context, before: Option<SecretRef>) {
    let Some(before) = before else { return };
    let (config, _) = context.config();
    if !config.providers.values().any(|provider| provider.auth.secret() == Some(&before)) {
        print::line_to_stderr(&format!(
            "Nothing refers to the key in {before} any more. It stays for an undo: remove it there if it isn't needed."
        ));
    }
}

/// Says so where a reference leads to no key now.
pub(super) fn warn_of_no_key(context: &Context, reference: &SecretRef) {
    if let Err(error) = resolve(reference, &context.environment) {
        print::line_to_stderr(&format!("warning: {error}"));
    }
}
