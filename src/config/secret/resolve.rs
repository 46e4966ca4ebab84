//! From a reference to its value, once, when a router starts.
//!
//! An error names the reference and never what was found there.

use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::time::Duration;

use super::command::{self, CommandError};
#[cfg(feature = "keyring")]
use super::keyring::KeyringError;
use super::{Secret, SecretRef};
use crate::config::Environment;

/// A command that asks a person for a passphrase needs a while.
const COMMAND_LIMIT: Duration = Duration::from_secs(30);

/// No key is longer; a path to something else must not fill the memory.
const LENGTH_LIMIT: u64 = 64 * 1024;

/// Why there is no value.
#[derive(Debug, thiserror::Error)]
pub enum SecretError {
    #[error("the variable {0} is not set: export it before the launch")]
    Variable(String),
    #[error("{0} is empty")]
    Empty(String),
    #[error("{0} holds a line break or another character that no header can carry")]
    Unfit(String),
    #[error("the key file {} can't be read: {source}", path.display())]
    File { path: PathBuf, source: io::Error },
    #[error("the command for a key failed: {0}")]
    Command(#[from] CommandError),
    #[cfg(not(feature = "keyring"))]
    #[error("{0} can't be read: this program was built without keyring (cargo feature `keyring`)")]
    NoKeyring(String),
    #[cfg(feature = "keyring")]
    #[error("{reference} can't be read from the keyring: {source}")]
    Keyring { reference: String, source: KeyringError },
}

/// Reads the secret. Blocks, for a command up to 30 s.
pub fn resolve(reference: &SecretRef, environment: &Environment) -> Result<Secret, SecretError> {
    let value = match reference {
        SecretRef::Env(name) => variable(name, environment)?,
        SecretRef::Command(line) => command::first_line(line, environment, COMMAND_LIMIT)?,
        SecretRef::File(path) => {
            contents(path).map_err(|source| SecretError::File { path: path.clone(), source })?
        }
        SecretRef::Keyring { service, account } => entry(reference, service, account)?,
    };
    fitting(value, reference)
}

fn variable(name: &str, environment: &Environment) -> Result<String, SecretError> {
    environment.get(name).map(str::to_owned).ok_or_else(|| SecretError::Variable(name.to_owned()))
}

fn contents(path: &Path) -> io::Result<String> {
    let mut text = String::new();
    File::open(path)?.take(LENGTH_LIMIT).read_to_string(&mut text)?;
    Ok(text.trim().to_owned())
}

#[cfg(feature = "keyring")]
fn entry(reference: &SecretRef, service: &str, account: &str) -> Result<String, SecretError> {
    super::keyring::password(service, account)
        .map_err(|source| SecretError::Keyring { reference: reference.to_string(), source })
}

#[cfg(not(feature = "keyring"))]
fn entry(reference: &SecretRef, _service: &str, _account: &str) -> Result<String, SecretError> {
    Err(SecretError::NoKeyring(reference.to_string()))
}

/// A header's value is printable ASCII; anything else is a mistake that is better found here.
fn fitting(value: String, reference: &SecretRef) -> Result<Secret, SecretError> {
    if value.trim().is_empty() {
        return Err(SecretError::Empty(reference.to_string()));
    }
    if !value.bytes().all(|byte| (0x20..0x7f).contains(&byte)) {
        return Err(SecretError::Unfit(reference.to_string()));
    }
    Ok(Secret::new(value))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(reference: &str, expect: Result<&str, &str>) {
        let path = std::env::var("PATH").unwrap();
        let environment = Environment::from_iter([
            ("PATH", path.as_str()),
            ("KEY", "canary-1"),
            ("EMPTY", ""),
            ("BROKEN", "canary\n2"),
        ]);
        let found = resolve(&reference.parse().unwrap(), &environment);
        match (found, expect) {
            (Ok(secret), Ok(value)) => assert_eq!(secret.expose(), value, "{reference}"),
            (Err(error), Err(part)) => {
                let told = format!("{error} {error:?}");
                assert!(told.contains(part), "{reference}: {told}");
                assert!(!told.contains("canary"), "{reference}: {told}");
            }
            (found, expect) => panic!("{reference}: {found:?} instead of {expect:?}"),
        }
    }

    #[test]
    fn a_variable_must_be_set_and_fit_a_header() {
        check("env:KEY", Ok("canary-1"));
        check("env:EMPTY", Err("not set"));
        check("env:MISSING", Err("MISSING"));
        check("env:BROKEN", Err("line break"));
    }

    #[test]
    fn i03_debug_of_a_value_and_of_where_it_came_from_shows_nothing_of_it() {
        let environment = Environment::from_iter([("KEY", "canary-1")]);
        let secret = resolve(&SecretRef::Env("KEY".to_owned()), &environment);
        assert!(!format!("{environment:?} {secret:?}").contains("canary"));
    }

    #[test]
    fn a_command_gives_its_first_line_or_its_exit_code() {
        check("cmd:printf 'canary-3\\nsecond\\n'", Ok("canary-3"));
        check("cmd:echo $KEY", Ok("canary-1"));
        check("cmd:printf canary-4", Ok("canary-4"));
        check("cmd:true", Err("empty"));
        check("cmd:printf '\\033[1mcan\\n'", Err("no header"));
    }

    #[test]
    fn a_failed_command_tells_its_code_and_not_its_output() {
        check("cmd:printf can; printf ary; exit 7", Err("7"));
    }

    #[test]
    fn a_file_is_trimmed_and_may_not_be_missing() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("key");
        std::fs::write(&file, "  canary-5\n\n").unwrap();
        check(&format!("file:{}", file.display()), Ok("canary-5"));
        std::fs::write(&file, "canary\n6\n").unwrap();
        check(&format!("file:{}", file.display()), Err("line break"));
        check(&format!("file:{}", folder.path().join("none").display()), Err("can't be read"));
    }

    #[cfg(not(feature = "keyring"))]
    #[test]
    fn without_the_feature_a_keyring_is_refused_with_the_reason() {
        check("keyring:subagents/glm", Err("built without keyring"));
    }
}
