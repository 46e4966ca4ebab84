//! A definition on its way from one program's words into Claude Code's. Pure.

use serde_json::{Map, Value};

use super::{Note, NoteKind};
use crate::config::agent::tools_value;

/// What is still to be read, what has been said, and what there is to tell.
pub(super) struct Mapping {
    source: Map<String, Value>,
    target: Map<String, Value>,
    pub(super) notes: Vec<Note>,
}

impl Mapping {
    pub(super) fn new(source: Map<String, Value>) -> Self {
        Self { source, target: Map::new(), notes: Vec::new() }
    }

    /// The key's value, which then counts as read.
    pub(super) fn take(&mut self, key: &str) -> Option<Value> {
        self.source.shift_remove(key).filter(|value| !value.is_null())
    }

    /// The first of the keys that is there.
    pub(super) fn take_any(&mut self, keys: &[&str]) -> Option<Value> {
        let taken: Vec<Value> = keys.iter().filter_map(|key| self.take(key)).collect();
        taken.into_iter().next()
    }

    pub(super) fn put(&mut self, key: &str, value: impl Into<Value>) {
        self.target.insert(key.to_owned(), value.into());
    }

    /// The key's value under its own name.
    pub(super) fn keep(&mut self, key: &str) {
        if let Some(value) = self.take(key) {
            self.put(key, value);
        }
    }

    /// The value under the name that Claude Code has for it.
    pub(super) fn renamed(&mut self, keys: &[&str], name: &str) {
        if let Some(value) = self.take_any(keys) {
            self.changed(format!("`{}` becomes `{name}: {value}`", keys[0]));
            self.put(name, value);
        }
    }

    /// A tool list as a comma string, which is the one form that every version takes.
    pub(super) fn put_tools(&mut self, key: &str, tools: &[String]) {
        self.put(key, tools_value(tools));
    }

    /// A setting of ours.
    pub(super) fn own(&mut self, key: &str, value: impl Into<Value>) {
        let own = self.target.entry("subagents").or_insert_with(|| Value::Object(Map::new()));
        if let Value::Object(own) = own {
            own.insert(key.to_owned(), value.into());
        }
    }

    pub(super) fn changed(&mut self, text: impl Into<String>) {
        self.notes.push(Note::new(NoteKind::Changed, text));
    }

    pub(super) fn lost(&mut self, text: impl Into<String>) {
        self.notes.push(Note::new(NoteKind::Lost, text));
    }

    pub(super) fn unresolved(&mut self, tool: &str) {
        self.notes.push(Note::new(NoteKind::UnresolvedTool, tool));
    }

    /// Everything that nobody asked for is kept, as Claude Code ignores keys that it doesn't know.
    pub(super) fn keep_rest(mut self) -> (Map<String, Value>, Vec<Note>) {
        self.target.extend(std::mem::take(&mut self.source));
        (self.target, self.notes)
    }

    /// Everything that nobody asked for has no counterpart.
    pub(super) fn lose_rest(mut self) -> (Map<String, Value>, Vec<Note>) {
        for (key, value) in std::mem::take(&mut self.source) {
            self.lost(format!("`{key}: {value}` has no counterpart"));
        }
        (self.target, self.notes)
    }
}
