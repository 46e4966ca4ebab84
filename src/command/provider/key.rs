//! Keys on their way from stdin into a store. A key is in no argument, no message and no file but its store.

use std::io::{IsTerminal, Read};

use clap::ValueEnum;

use crate::command::{Context, Failure, print};
use crate::config::secret::resolve;
use crate::config::secret::store::{self, Stored};
use crate::config::{ProviderName, SecretRef};

/// No key is longer.
const LIMIT: u64 = 64 * 1024;

/// Where a key from stdin is put.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(super) enum Store {
    /// A private file in the data folder.
    File,
    /// The desktop's keyring.
    Keyring,
}

/// Reads a key from stdin and puts it into the store, and nowhere else.
///
/// # Errors
/// Stdin is a terminal, where the key would be seen; there is no key; the store doesn't take it.
pub(super) fn from_stdin(context: &Context, provider: &ProviderName, into: Store) -> Result<Stored, Failure> {
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
    let into = match into {
        Store::File => store::Store::File,
        Store::Keyring => store::Store::Keyring,
    };
    store::store(&key, provider, into, &context.places.data_dir).map_err(Failure::failed)
}

/// Does the change that refers to a stored key; where that fails, the key is taken back out of the store.
///
/// # Errors
/// The change's own.
pub(super) fn kept_if<T>(stored: Option<Stored>, change: Result<T, Failure>) -> Result<T, Failure> {
    if let (Some(stored), Err(_)) = (stored, &change)
        && let Err(error) = stored.undo()
    {
        print::line_to_stderr(&format!("warning: the key that was stored can't be taken back: {error}"));
    }
    change
}

/// Says so where a reference leads to no key now.
pub(super) fn warn_of_no_key(context: &Context, reference: &SecretRef) {
    if let Err(error) = resolve(reference, &context.environment) {
        print::line_to_stderr(&format!("warning: {error}"));
    }
}
