//! Changes of providers and routes, as changes of config.toml's text. Pure.
//!
//! Whether the file still means something afterwards is found out by whoever commits it.

mod budget;
mod provider;
mod route;

use toml_edit::Document as Parsed;

pub use budget::{BudgetChange, remove_budget};
pub use provider::{KeyError, NewProvider, PROVIDER_KEYS, ProviderValue, add_provider, set_provider, users};
pub use route::{RouteFact, Seconds, TimeoutKind, add_route, set_fact};

use super::edit::{Document, DocumentError};

/// Removes a provider's table; false where the file has none.
///
/// # Errors
/// It is written in a form that can't be changed.
pub fn remove_provider(document: &mut Document, name: &str) -> Result<bool, DocumentError> {
    document.remove(&["providers", name])
}

/// Whether the file says anything of this provider, usable or not.
pub fn has_provider(document: &Document, name: &str) -> bool {
    document.has(&["providers", name])
}

/// Whether the file has a table of this route.
pub fn has_route(document: &Document, route: &str) -> bool {
    document.has(&["routes", route])
}

/// Removes a route's table; false where the file has none.
///
/// # Errors
/// It is written in a form that can't be changed.
pub fn remove_route(document: &mut Document, route: &str) -> Result<bool, DocumentError> {
    document.remove(&["routes", route])
}

/// The document with a comment behind the value at `path`, where nothing else stands behind it in its line.
fn noted(document: Document, path: &[&str], comment: &str) -> Result<Document, DocumentError> {
    let text = document.to_string();
    let Some(end) = end_of_value(&text, path) else { return Ok(document) };
    let line = text[end..].lines().next().unwrap_or_default();
    if !line.trim().is_empty() {
        return Ok(document);
    }
    let (before, after) = text.split_at(end);
    let comment: String = comment.chars().filter(|c| !c.is_control()).collect();
    Document::parse(&format!("{before}   # {comment}{after}"))
}

fn end_of_value(text: &str, path: &[&str]) -> Option<usize> {
    let parsed = Parsed::parse(text).ok()?;
    let (first, rest) = path.split_first()?;
    let item = rest.iter().try_fold(parsed.as_table().get(first)?, |item, key| item.get(key))?;
    Some(item.as_value()?.span()?.end)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, expect: &str) {
        let document = Document::parse(text).unwrap();
        assert_eq!(noted(document, &["a", "b"], "new\n").unwrap().to_string(), expect);
    }

    #[test]
    fn a_note_stands_behind_its_value_and_nowhere_else() {
        check("[a]\nb = 1\nc = 2\n", "[a]\nb = 1   # new\nc = 2\n");
        check("[a]\r\nb = 1\r\n", "[a]\r\nb = 1   # new\r\n");
        check("[a]\nb = [\n 1,\n]", "[a]\nb = [\n 1,\n]   # new");
        check("[a]\nb = 1 # old\n", "[a]\nb = 1 # old\n");
        check("a = { b = 1 }\n", "a = { b = 1 }\n");
        check("[a.b]\nc = 1\n", "[a.b]\nc = 1\n");
    }
}
