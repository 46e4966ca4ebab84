//! config.toml as text in which single values are changed. Pure.
//!
//! A parser finds where things are, and only their bytes are replaced: comments, order, blank lines, line ends
//! and a byte order mark stay as they are, which no writer of TOML promises.

mod insertion;
mod list;
mod removal;
mod splice;
#[cfg(test)]
mod tests;

use std::fmt;

use toml_edit::{Document as Parsed, Item, Table, Value};

use crate::config::report::line_of;
use splice::Splice;

/// A config.toml that can be parsed, before and after every change.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Document {
    text: String,
}

/// Why the text is not changed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum DocumentError {
    #[error("config.toml:{line}: this is no TOML: {message}; mend this line first")]
    Syntax { line: usize, message: String },
    #[error("`{0}` is written in config.toml in a form that can't be changed here: change it by hand")]
    Form(String),
}

impl Document {
    /// # Errors
    /// The text is no TOML.
    pub fn parse(text: &str) -> Result<Self, DocumentError> {
        parsed(text)?;
        Ok(Self { text: text.to_owned() })
    }

    /// Whether something stands at the path.
    pub fn has(&self, path: &[&str]) -> bool {
        parsed(&self.text).is_ok_and(|root| find(root.as_table(), path).is_some())
    }

    /// Gives a key its value; `path` leads to it through tables, so it has two parts at least. Tables that
    /// aren't there are made.
    ///
    /// # Errors
    /// Something else stands on the way: a table where the value belongs, or a value where a table does.
    pub fn set(&mut self, path: &[&str], value: impl Into<Value>) -> Result<(), DocumentError> {
        let value = value.into().decorated("", "");
        let splice = insertion::splice(&self.text, parsed(&self.text)?.as_table(), path, &value);
        self.apply(splice.ok_or_else(|| form(path))?, path)
    }

    /// Removes a value, or a table and all that belongs to it; whether there was one.
    ///
    /// # Errors
    /// It is written in a form from which nothing can be taken.
    pub fn remove(&mut self, path: &[&str]) -> Result<bool, DocumentError> {
        let mut found = false;
        // A table may stand in several places.
        while find(parsed(&self.text)?.as_table(), path).is_some() {
            let splice = removal::splice(&self.text, parsed(&self.text)?.as_table(), path);
            self.apply(splice.ok_or_else(|| form(path))?, path)?;
            found = true;
        }
        Ok(found)
    }

    /// Adds a text to a list, which is made where there is none; whether it wasn't in there.
    ///
    /// # Errors
    /// There is something, and it is no list of strings.
    pub fn add(&mut self, path: &[&str], text: &str) -> Result<bool, DocumentError> {
        let Some(list) = self.list(path)? else {
            self.set(path, Value::from_iter([text]))?;
            return Ok(true);
        };
        if list.position(text).is_some() {
            return Ok(false);
        }
        self.apply(list.addition(&self.text, text), path)?;
        Ok(true)
    }

    /// Takes a text out of a list; whether it was in there.
    ///
    /// # Errors
    /// There is something, and it is no list of strings.
    pub fn take(&mut self, path: &[&str], text: &str) -> Result<bool, DocumentError> {
        let Some(list) = self.list(path)? else { return Ok(false) };
        let Some(at) = list.position(text) else { return Ok(false) };
        self.apply(splice::without(&self.text, &list.places, at), path)?;
        Ok(true)
    }

    /// Puts another text in the place of one in a list; whether it was in there. Where the other one is in there too,
    /// the old one is taken out.
    ///
    /// # Errors
    /// There is something, and it is no list of strings.
    pub fn replace(&mut self, path: &[&str], old: &str, new: &str) -> Result<bool, DocumentError> {
        let Some(list) = self.list(path)? else { return Ok(false) };
        let Some(at) = list.position(old) else { return Ok(false) };
        if list.position(new).is_some_and(|there| there != at) {
            return self.take(path, old);
        }
        let splice = Splice { at: list.places[at].clone(), text: Value::from(new).to_string() };
        self.apply(splice, path)?;
        Ok(true)
    }

    fn list(&self, path: &[&str]) -> Result<Option<list::List>, DocumentError> {
        let root = parsed(&self.text)?;
        let Some(item) = find(root.as_table(), path) else { return Ok(None) };
        list::List::of(item).map(Some).ok_or_else(|| form(path))
    }

    /// What comes out is TOML again, or nothing is changed.
    fn apply(&mut self, splice: Splice, path: &[&str]) -> Result<(), DocumentError> {
        let mut text = self.text.clone();
        text.replace_range(splice.at, &splice.text);
        parsed(&text).map_err(|_| form(path))?;
        self.text = text;
        Ok(())
    }
}

/// The whole text.
impl fmt::Display for Document {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

fn parsed(text: &str) -> Result<Parsed<&str>, DocumentError> {
    Parsed::parse(text).map_err(|error| DocumentError::Syntax {
        line: line_of(text, error.span().map_or(0, |span| span.start)),
        message: error.message().to_owned(),
    })
}

fn form(path: &[&str]) -> DocumentError {
    DocumentError::Form(path.join("."))
}

fn find<'t>(root: &'t Table, path: &[&str]) -> Option<&'t Item> {
    let (first, rest) = path.split_first()?;
    rest.iter().try_fold(root.get(first)?, |item, key| item.as_table_like()?.get(key))
}
