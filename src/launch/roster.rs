//! All agents as a launch in a folder would find them: ours, what they weigh, and who else goes by their names.
//!
//! Reads files; decides with [`bind`] and [`definitions`] as a launch does, so that what is shown is what happens.

mod claims;

use super::agents_json::{ARGUMENT_LIMIT, definitions};
use super::bind::bind;
use super::scopes::OtherAgent;
use crate::config::agent::{ShelfFile, shelf};
use crate::config::{Config, Places, Problem};

pub use claims::{Claim, Claimant, Fate};

/// Every agent of the configuration folder, usable or not.
#[derive(Debug, Clone, PartialEq)]
pub struct Roster {
    /// In the order of the files.
    pub entries: Vec<Entry>,
    /// Agents that Claude Code finds by itself ([`super::scopes::others`]): of two with one name the first counts.
    pub others: Vec<OtherAgent>,
    /// What the definitions come to as `--agents`, in bytes.
    pub bytes: usize,
}

/// One agent file of ours.
#[derive(Debug, Clone, PartialEq)]
pub struct Entry {
    pub file: ShelfFile,
    /// Whether a launch takes it, as far as the configuration goes.
    pub usable: bool,
    /// Its part of `--agents`, in bytes; 0 where the main model isn't told of it.
    pub bytes: usize,
    /// What is wrong with it, its route included.
    pub problems: Vec<Problem>,
}

/// How near the definitions are to what one argument may hold.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Room {
    Enough,
    /// More than nine tenths.
    Scarce,
    /// A launch hands them over as files.
    None,
}

impl Entry {
    /// Whether a launch tells the main model of it.
    pub fn is_handed_over(&self) -> bool {
        self.bytes > 0
    }
}

impl Roster {
    /// `others` are those that Claude Code finds by itself.
    pub fn read(places: &Places, others: Vec<OtherAgent>, config: &Config, problems: &[Problem]) -> Self {
        let (bound, _) = bind(config);
        let all = definitions(&bound);
        let weight = |name: &str| {
            all.get(name).map_or(0, |definition| name.len() + definition.to_string().len() + "\"\":,".len())
        };
        let entry = |file: ShelfFile| {
            let usable = bound.iter().any(|bound| bound.agent.file == file.file);
            Entry {
                bytes: if usable { weight(file.name()) } else { 0 },
                problems: problems.iter().filter(|problem| problem.file == file.file).cloned().collect(),
                usable,
                file,
            }
        };
        let entries = shelf(&places.agents_dir()).into_iter().map(entry).collect();
        let bytes = if all.is_empty() { 0 } else { serde_json::Value::Object(all.clone()).to_string().len() };
        Self { entries, others, bytes }
    }

    /// Bytes that go into one argument.
    pub const LIMIT: usize = ARGUMENT_LIMIT;

    pub fn room(&self) -> Room {
        match self.bytes {
            bytes if bytes > Self::LIMIT => Room::None,
            bytes if bytes > Self::LIMIT / 10 * 9 => Room::Scarce,
            _ => Room::Enough,
        }
    }
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::path::Path;

    use super::*;
    use crate::config::{Environment, load};

    fn write(file: &Path, text: &str) {
        fs::create_dir_all(file.parent().unwrap()).unwrap();
        fs::write(file, text).unwrap();
    }

    fn agent(name: &str, model: &str, prompt: &str) -> String {
        format!("---\nname: {name}\ndescription: d\n{model}---\n{prompt}\n")
    }

    fn roster(root: &Path) -> Roster {
        let environment = Environment::from_iter([("HOME", root.join("home"))]);
        let places = Places::resolve(&environment, Some(&root.join("config"))).unwrap();
        let (config, problems) = load(&places.config_dir);
        Roster::read(&places, Vec::new(), &config, &problems)
    }

    #[test]
    fn f05_the_size_is_that_of_the_argument_in_bytes() {
        let root = tempfile::tempdir().unwrap();
        write(&root.path().join("config/agents/a.md"), &agent("a", "", &"é".repeat(1000)));
        write(
            &root.path().join("config/agents/off.md"),
            &agent("off", "subagents: { visibility: off }\n", "x"),
        );
        write(&root.path().join("config/agents/bad.md"), &agent("bad", "model: nobody/m\n", "x"));
        let found = roster(root.path());
        assert_eq!(found.bytes, found.entries[0].bytes + "{}".len() - ",".len());
        assert!(found.bytes > 2000 && found.room() == Room::Enough);
        let state: Vec<(bool, usize)> =
            found.entries.iter().map(|entry| (entry.usable, entry.problems.len())).collect();
        assert_eq!(state, [(true, 0), (false, 1), (true, 0)]);
        assert_eq!(found.entries[2].bytes, 0, "nobody is told of it");
    }

    #[test]
    fn f05_scarce_room_is_told_before_there_is_none() {
        let with = |bytes| Roster { entries: Vec::new(), others: Vec::new(), bytes }.room();
        assert_eq!(
            [0, Roster::LIMIT * 9 / 10, Roster::LIMIT, Roster::LIMIT + 1].map(with),
            [Room::Enough, Room::Enough, Room::Scarce, Room::None]
        );
    }
}
