//! References to secrets, and the values that they lead to.
//!
//! A reference is what the user writes down; the value is read once, when a router starts, and lives in
//! [`Secret`], which neither prints nor serialises.

mod command;
#[cfg(feature = "keyring")]
mod keyring;
mod resolve;
pub mod store;

use std::fmt;
use std::path::PathBuf;
use std::str::FromStr;

use secrecy::{ExposeSecret, SecretString};

pub use command::CommandError;
#[cfg(feature = "keyring")]
pub use keyring::KeyringError;
pub use resolve::{SecretError, resolve};

/// Where a secret is found; never the secret itself.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SecretRef {
    /// `env:NAME`
    Env(String),
    /// `cmd:COMMAND`, run by `sh -c`; the first line of its output.
    Command(String),
    /// `file:PATH`
    File(PathBuf),
    /// `keyring:SERVICE/ACCOUNT`
    Keyring { service: String, account: String },
}

impl fmt::Display for SecretRef {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Env(name) => write!(f, "env:{name}"),
            Self::Command(command) => write!(f, "cmd:{command}"),
            Self::File(path) => write!(f, "file:{}", path.display()),
            Self::Keyring { service, account } => write!(f, "keyring:{service}/{account}"),
        }
    }
}

/// Why a text is no reference. Never repeats the text: it may be the key itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum SecretRefError {
    #[error(
        "this is no reference to a secret (a key itself doesn't belong here): \
         write `env:NAME`, `cmd:COMMAND`, `file:PATH` or `keyring:SERVICE/ACCOUNT`"
    )]
    NoReference,
    #[error("`env:` needs a variable's name after it: letters, digits and `_`")]
    Variable,
    #[error("`{0}:` needs something after it")]
    Empty(&'static str),
    #[error("`keyring:` needs `SERVICE/ACCOUNT` after it")]
    Keyring,
}

impl FromStr for SecretRef {
    type Err = SecretRefError;

    fn from_str(text: &str) -> Result<Self, SecretRefError> {
        let (kind, rest) = text.trim().split_once(':').ok_or(SecretRefError::NoReference)?;
        match kind {
            "env" => variable(rest),
            "cmd" if rest.trim().is_empty() => Err(SecretRefError::Empty("cmd")),
            "cmd" => Ok(Self::Command(rest.to_owned())),
            "file" if rest.is_empty() => Err(SecretRefError::Empty("file")),
            "file" => Ok(Self::File(PathBuf::from(rest))),
            "keyring" => entry(rest),
            _ => Err(SecretRefError::NoReference),
        }
    }
}

/// A secret's value. `Debug` shows nothing of it, and it is wiped when dropped.
#[derive(Debug, Clone)]
pub struct Secret(SecretString);

impl Secret {
    pub fn new(value: String) -> Self {
        Self(value.into())
    }

    /// The value, for the one header that it goes into.
    pub fn expose(&self) -> &str {
        self.0.expose_secret()
    }
}

fn variable(name: &str) -> Result<SecretRef, SecretRefError> {
    let plain = name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
    if name.is_empty() || !plain || name.starts_with(|c: char| c.is_ascii_digit()) {
        return Err(SecretRefError::Variable);
    }
    Ok(SecretRef::Env(name.to_owned()))
}

fn entry(text: &str) -> Result<SecretRef, SecretRefError> {
    match text.split_once('/') {
        Some((service, account)) if !service.is_empty() && !account.is_empty() => {
            Ok(SecretRef::Keyring { service: service.to_owned(), account: account.to_owned() })
        }
        _ => Err(SecretRefError::Keyring),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_reference_reads_as_it_is_shown() {
        for text in ["env:ZAI_API_KEY", "cmd:pass show a:b", "file:/run/key", "keyring:subagents/glm"] {
            assert_eq!(text.parse::<SecretRef>().unwrap().to_string(), text);
        }
    }

    #[test]
    fn what_is_no_reference_is_refused_and_never_repeated() {
        for (text, expect) in [
            ("sk-canary", SecretRefError::NoReference),
            ("", SecretRefError::NoReference),
            ("Bearer:canary", SecretRefError::NoReference),
            ("env:sk-canary", SecretRefError::Variable),
            ("env:", SecretRefError::Variable),
            ("cmd: ", SecretRefError::Empty("cmd")),
            ("file:", SecretRefError::Empty("file")),
            ("keyring:canary", SecretRefError::Keyring),
        ] {
            let error = text.parse::<SecretRef>().unwrap_err();
            assert_eq!(error, expect, "{text}");
            assert!(!format!("{error} {error:?}").contains("canary"), "{error}");
        }
    }

    #[test]
    fn i03_debug_shows_nothing_of_a_secret() {
        assert!(!format!("{:?}", Secret::new("canary".to_owned())).contains("canary"));
    }
}
