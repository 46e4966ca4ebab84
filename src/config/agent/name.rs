//! What an agent may be called: one rule for what is read, made, renamed and imported. Pure.

use crate::config::WireId;

/// A name that no agent can have.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{}` can't be an agent's name: {refusal}; give it another name", name.escape_debug())]
pub struct NameError {
    name: String,
    refusal: &'static str,
}

/// Whether an agent can have this name, exactly as it stands here.
///
/// # Errors
/// It can't: a file with it would be no agent, or an agent of another name.
pub fn check_name(name: &str) -> Result<(), NameError> {
    let around = (name.trim() != name).then_some("a blank stands before or after it");
    match refusal(name).or(around) {
        Some(refusal) => Err(NameError { name: name.to_owned(), refusal }),
        None => Ok(()),
    }
}

/// Why no agent can have the name.
pub(super) fn refusal(name: &str) -> Option<&'static str> {
    if name.trim().is_empty() {
        Some("it is blank")
    } else if name.starts_with('-') {
        Some("Claude Code refuses names that start with `-`")
    } else if name.contains(':') {
        Some("`:` belongs to agents of plugins")
    } else if name == WireId::MAIN {
        Some("`main` is the main session")
    } else if name == "*" {
        Some("`*` stands for all agents")
    } else if name.chars().any(|c| c == '/' || c.is_control()) {
        // Names become names of files.
        Some("it holds a `/` or a control character")
    } else {
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_that_makes_no_agent_is_refused_with_the_reason() {
        for (name, part) in [
            ("", "blank"),
            (" \t", "blank"),
            (" a", "before or after"),
            ("-a", "`-`"),
            ("a:b", "plugins"),
            ("main", "main session"),
            ("*", "all agents"),
            ("a/b", "`/`"),
            ("a\u{1b}b", "a\\u{1b}b"),
        ] {
            let told = check_name(name).unwrap_err().to_string();
            assert!(told.contains(part) && !told.contains('\u{1b}'), "{name:?}: {told}");
        }
        for name in ["a", "a b", ".hidden", "Ünïcode", "a.b"] {
            assert_eq!(check_name(name), Ok(()), "{name}");
        }
    }
}
