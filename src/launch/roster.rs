//! All agents as a launch in a folder would find them: ours, what they weigh, and who else goes by their names.
//!
//! Reads files; decides with [`bind`] and [`definitions`] as a launch does, so that what is shown is what happens.

use super::agents_json::{ARGUMENT_LIMIT, definitions};
use super::bind::bind;
use super::doctor::{OtherAgent, Scope, others};
use super::settings::Places as ClaudePlaces;
use crate::config::agent::{ShelfFile, shelf};
use crate::config::{Config, Places, Problem};

/// Every agent of the configuration folder, usable or not.
#[derive(Debug, Clone, PartialEq)]
pub struct Roster {
    /// In the order of the files.
    pub entries: Vec<Entry>,
    /// Agents that Claude Code finds by itself, the strongest first.
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

/// Which of all agents of one name Claude Code takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Winner {
    Ours,
    /// The first of the others: an organisation's settings beat what we hand over.
    Managed,
}

impl Roster {
    /// `claude` says where Claude Code looks for agents of its own.
    pub fn read(places: &Places, claude: &ClaudePlaces, config: &Config, problems: &[Problem]) -> Self {
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
        Self { entries, others: others(claude), bytes }
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

    /// Agents of other scopes that have this name, the strongest first.
    pub fn namesakes<'r>(&'r self, name: &str) -> impl Iterator<Item = &'r OtherAgent> + use<'r> {
        let name = name.to_owned();
        self.others.iter().filter(move |other| other.name == name)
    }

    /// Who wins when ours is handed over.
    pub fn winner(&self, name: &str) -> Winner {
        match self.namesakes(name).next() {
            Some(OtherAgent { scope: Scope::Managed, .. }) => Winner::Managed,
            _ => Winner::Ours,
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
        let claude = ClaudePlaces {
            managed: root.join("managed"),
            user: root.join("home/.claude"),
            state: root.join("home/.claude.json"),
            project: root.join("project/sub"),
        };
        let (config, problems) = load(&places.config_dir);
        Roster::read(&places, &claude, &config, &problems)
    }

    #[test]
    fn f14_every_scope_of_a_name_is_listed_and_the_stronger_one_wins() {
        let root = tempfile::tempdir().unwrap();
        let at = |path: &str| root.path().join(path);
        write(&at("config/agents/a.md"), &agent("a", "", "ours"));
        write(&at("home/.claude/agents/a.md"), &agent("a", "model: opus\n", "user's"));
        write(&at("project/.claude/agents/a/AGENT.md"), &agent("a", "model: sonnet\n", "project's"));
        write(&at("project/.claude/agents/b.md"), &agent("b", "", "project's"));
        let found = roster(root.path());
        let seen: Vec<(Scope, &str)> =
            found.namesakes("a").map(|other| (other.scope, other.model.as_str())).collect();
        assert_eq!(seen, [(Scope::Project, "sonnet"), (Scope::User, "opus")]);
        assert_eq!(found.winner("a"), Winner::Ours);
        write(&at("managed/.claude/agents/x.md"), &agent("a", "", "the organisation's"));
        let found = roster(root.path());
        assert_eq!(
            (found.winner("a"), found.namesakes("a").next().unwrap().model.as_str()),
            (Winner::Managed, "inherit")
        );
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
