//! References to secrets, and the values that they lead to.
//!
//! A reference is what the user writes down; the value is read once, when a router starts, and lives in
//! [`Secret`], which neither prints nor serialises.

use std::fmt;
use std::path::PathBuf;

use secrecy::{ExposeSecret, SecretString};

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
