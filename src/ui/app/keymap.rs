//! Which key does what where, read from the keymap files.

use std::collections::BTreeMap;

use toml::de::DeTable;

use super::action::{Action, Place};
use super::input::{Chord, ChordError};

/// The keymap that everybody begins with.
pub const DEFAULT: &str = include_str!("../../../assets/keymap.toml");

/// What each key does. Keys keep the order of the file, so that the footer shows the first ones.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Keymap {
    places: BTreeMap<Place, Vec<(Chord, Action)>>,
}

/// What is wrong with a keymap file, and where. Lines count from 1.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum KeymapError {
    #[error("line {line}: this is no TOML: {message}")]
    Syntax { line: usize, message: String },
    #[error("line {line}: `{name}` is no place for keys (there are {})", places())]
    Place { line: usize, name: String },
    #[error("line {line}: {source}")]
    Key { line: usize, source: ChordError },
    #[error("line {line}: `{name}` is no action; `subagents tui --keys` lists them all")]
    Action { line: usize, name: String },
    #[error("line {line}: a key is given an action by a text, for example \"q\" = \"quit\"")]
    Value { line: usize },
    #[error("line {line}: `{place}` is a table of keys, for example [sessions]")]
    Table { line: usize, place: String },
}

fn places() -> String {
    Place::ALL.map(|(_, name)| name).join(", ")
}

impl Keymap {
    /// The default with a person's own changes.
    ///
    /// # Errors
    /// See [`KeymapError`]; nothing of the changes is taken then.
    pub fn with(changes: &str) -> Result<Self, KeymapError> {
        let mut keymap = Self::default();
        keymap.read(DEFAULT)?;
        keymap.read(changes)?;
        Ok(keymap)
    }

    /// What the key does there.
    pub fn action(&self, place: Place, chord: Chord) -> Option<Action> {
        if place.is_typed_in() && chord.typed().is_some_and(|character| character != ' ') {
            return None;
        }
        let bound =
            |place| self.of(place).iter().find(|(known, _)| *known == chord).map(|(_, action)| *action);
        bound(place).or_else(|| if place.is_alone() { None } else { bound(Place::Everywhere) })
    }

    /// The keys of a place, in the file's order.
    pub fn of(&self, place: Place) -> &[(Chord, Action)] {
        self.places.get(&place).map_or(&[], Vec::as_slice)
    }

    /// The first key that does it there.
    pub fn key(&self, place: Place, action: Action) -> Option<Chord> {
        let bound =
            |place| self.of(place).iter().find(|(_, bound)| *bound == action).map(|(chord, _)| *chord);
        bound(place).or_else(|| bound(Place::Everywhere))
    }

    fn read(&mut self, text: &str) -> Result<(), KeymapError> {
        let line = |at: usize| text[..at.min(text.len())].matches('\n').count() + 1;
        let table = DeTable::parse(text).map_err(|error| KeymapError::Syntax {
            line: line(error.span().map_or(0, |span| span.start)),
            message: error.message().to_owned(),
        })?;
        for (name, keys) in table.get_ref() {
            let at = line(name.span().start);
            let place = Place::ALL.iter().find(|(_, known)| known == name.get_ref());
            let Some((place, _)) = place else {
                return Err(KeymapError::Place { line: at, name: name.get_ref().to_string() });
            };
            let Some(keys) = keys.get_ref().as_table() else {
                return Err(KeymapError::Table { line: at, place: name.get_ref().to_string() });
            };
            // In the file's order, which the footer keeps.
            let mut keys: Vec<_> = keys.iter().collect();
            keys.sort_by_key(|(key, _)| key.span().start);
            for (key, action) in keys {
                let at = line(key.span().start);
                let chord = key.get_ref().parse().map_err(|source| KeymapError::Key { line: at, source })?;
                let name = action.get_ref().as_str().ok_or(KeymapError::Value { line: at })?;
                self.bind(*place, chord, name, at)?;
            }
        }
        Ok(())
    }

    fn bind(&mut self, place: Place, chord: Chord, name: &str, line: usize) -> Result<(), KeymapError> {
        let keys = self.places.entry(place).or_default();
        if name == "none" {
            keys.retain(|(known, _)| *known != chord);
            return Ok(());
        }
        let action =
            Action::named(name).ok_or_else(|| KeymapError::Action { line, name: name.to_owned() })?;
        match keys.iter_mut().find(|(known, _)| *known == chord) {
            Some((_, bound)) => *bound = action,
            None => keys.push((chord, action)),
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn chord(text: &str) -> Chord {
        text.parse().unwrap()
    }

    #[test]
    fn the_default_is_whole() {
        let keymap = Keymap::with("").unwrap();
        assert_eq!(keymap.action(Place::Sessions, chord("q")), Some(Action::Quit));
        assert_eq!(keymap.action(Place::Sessions, chord("enter")), Some(Action::Open));
        assert_eq!(keymap.action(Place::Line, chord("q")), None, "a character is text");
        assert_eq!(keymap.action(Place::Leader, chord("q")), None, "only what leads");
        assert_eq!(keymap.key(Place::Sessions, Action::Help), Some(chord("?")));
    }

    #[test]
    fn a_person_changes_adds_and_takes_away() {
        let keymap = Keymap::with(
            "[everywhere]\n\"q\" = \"none\"\n\"ctrl-q\" = \"quit\"\n[sessions]\n\"n\" = \"stop\"\n",
        );
        let keymap = keymap.unwrap();
        assert_eq!(keymap.action(Place::Sessions, chord("q")), None);
        assert_eq!(keymap.action(Place::Sessions, chord("ctrl-q")), Some(Action::Quit));
        assert_eq!(keymap.action(Place::Sessions, chord("n")), Some(Action::Stop));
    }

    #[test]
    fn what_is_wrong_is_told_with_its_line() {
        for (text, expect) in [
            ("[everywhere]\nq = ", "line 2: this is no TOML"),
            ("\n[nowhere]\n", "line 2: `nowhere` is no place"),
            ("[sessions]\n\"qq\" = \"quit\"", "line 2: `qq` is no key"),
            ("[sessions]\n\"q\" = \"fly\"", "line 2: `fly` is no action"),
            ("[sessions]\n\"q\" = 1", "line 2: a key is given"),
            ("sessions = 1", "line 1: `sessions` is a table"),
        ] {
            let error = Keymap::with(text).unwrap_err().to_string();
            assert!(error.starts_with(expect), "{error}");
        }
    }
}
