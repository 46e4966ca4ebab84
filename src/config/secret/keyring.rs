//! `keyring:`: the desktop's Secret Service. Only with the cargo feature `keyring`, and only on Linux.
//!
//! Uses no default store: which store answers is decided here and nowhere else.

use std::sync::Arc;

use keyring_core::{CredentialStore, Entry, Error};

use super::Secret;

/// Why the keyring gave no value. The library's own error may hold the value's bytes: it never gets out whole.
#[derive(Debug, thiserror::Error)]
pub enum KeyringError {
    #[error("there is no such entry")]
    Missing,
    #[error("the entry holds something that is no text")]
    NoText,
    #[error("{0}")]
    Store(#[source] Error),
}

/// The entry's password. Blocks, and may ask the person to unlock the keyring.
pub(super) fn password(service: &str, account: &str) -> Result<String, KeyringError> {
    let entry = store().and_then(|store| Entry::new_in_store(&store, service, account));
    entry.and_then(|entry| entry.get_password()).map_err(without_value)
}

/// Makes or replaces the entry. Blocks, as reading does.
pub(super) fn set_password(service: &str, account: &str, key: &Secret) -> Result<(), KeyringError> {
    let entry = store().and_then(|store| Entry::new_in_store(&store, service, account));
    entry.and_then(|entry| entry.set_password(key.expose())).map_err(without_value)
}

/// Removes the entry.
pub(super) fn remove_password(service: &str, account: &str) -> Result<(), KeyringError> {
    let entry = store().and_then(|store| Entry::new_in_store(&store, service, account));
    entry.and_then(|entry| entry.delete_credential()).map_err(without_value)
}

fn without_value(error: Error) -> KeyringError {
    match error {
        Error::NoEntry => KeyringError::Missing,
        Error::BadEncoding(_) | Error::BadDataFormat(..) => KeyringError::NoText,
        other => KeyringError::Store(other),
    }
}

#[cfg(target_os = "linux")]
fn store() -> keyring_core::Result<Arc<CredentialStore>> {
    zbus_secret_service_keyring_store::Store::new().map(|store| store as Arc<CredentialStore>)
}

#[cfg(not(target_os = "linux"))]
fn store() -> keyring_core::Result<Arc<CredentialStore>> {
    Err(Error::NotSupportedByStore("only the Secret Service of Linux is supported".to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn i03_an_error_never_carries_the_value() {
        let error = without_value(Error::BadEncoding(b"canary".to_vec()));
        assert!(matches!(error, KeyringError::NoText));
    }
}
