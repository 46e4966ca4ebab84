//! Who of all that go by one name is taken in a launch, and what `--agents` overrides. Pure.

use std::path::Path;

use super::{Entry, Room, Roster};
use crate::launch::scopes::{OtherAgent, Scope};

/// One definition among those that go by a name.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Claim<'r> {
    pub by: Claimant<'r>,
    pub fate: Fate,
}

#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Claimant<'r> {
    /// Ours, which `--agents` hands over.
    Ours(&'r Entry),
    Other(&'r OtherAgent),
}

/// What becomes of a definition in a launch in a terminal.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fate {
    /// Claude Code takes it.
    Wins,
    /// A stronger one takes its place.
    Overridden,
    /// Ours, and not handed over: it is hidden, switched off or broken.
    LeftOut,
    /// A plugin's, which has a longer name and stands in nobody's way.
    Beside,
}

impl Roster {
    /// Every definition that goes by this name: those that contend for it, the strongest first, then the others.
    pub fn claims(&self, name: &str) -> Vec<Claim<'_>> {
        let contenders = self.contenders(name).into_iter().enumerate().map(|(at, by)| {
            let fate = if at == 0 { Fate::Wins } else { Fate::Overridden };
            Claim { by, fate }
        });
        let left_out = self.ours(name).filter(|entry| !entry.is_handed_over());
        let left_out = left_out.map(|entry| Claim { by: Claimant::Ours(entry), fate: Fate::LeftOut });
        let beside =
            self.others.iter().filter(|other| other.scope == Scope::Plugin && other.own_name() == name);
        let beside = beside.map(|other| Claim { by: Claimant::Other(other), fate: Fate::Beside });
        contenders.chain(left_out).chain(beside).collect()
    }

    /// Whether Claude Code takes this one of ours.
    pub fn wins(&self, entry: &Entry) -> bool {
        let taken = self.contenders(entry.file.name()).into_iter().next();
        matches!(taken, Some(Claimant::Ours(taken)) if taken.file.file == entry.file.file)
    }

    /// Agents of other scopes that have this very name, the strongest first.
    pub fn namesakes<'r>(&'r self, name: &str) -> impl Iterator<Item = &'r OtherAgent> + use<'r> {
        let name = name.to_owned();
        self.others.iter().filter(move |other| other.name == name)
    }

    fn contenders(&self, name: &str) -> Vec<Claimant<'_>> {
        let of = |scope| self.namesakes(name).filter(move |other| other.scope == scope).map(Claimant::Other);
        let ours = || self.ours(name).filter(|entry| entry.is_handed_over()).map(Claimant::Ours);
        let mut all: Vec<Claimant<'_>> = of(Scope::Managed).collect();
        match self.room() {
            Room::Enough | Room::Scarce => all.extend(ours().chain(of(Scope::Project))),
            // As files in a folder of their own, ours are weaker than the project's.
            Room::None => all.extend(of(Scope::Project).chain(ours())),
        }
        all.extend(of(Scope::User));
        all
    }

    fn ours<'r>(&'r self, name: &str) -> impl Iterator<Item = &'r Entry> + use<'r> {
        let name = name.to_owned();
        self.entries.iter().filter(move |entry| entry.file.name() == name)
    }
}

impl Claimant<'_> {
    /// What it is called by.
    pub fn name(&self) -> &str {
        match self {
            Self::Ours(entry) => entry.file.name(),
            Self::Other(other) => &other.name,
        }
    }

    /// What it runs on, `inherit` where its file says nothing; `None`: the file is broken.
    pub fn model(&self) -> Option<String> {
        match self {
            Self::Ours(entry) => entry.file.agent.as_ref().map(|agent| agent.model.to_string()),
            Self::Other(other) => Some(other.model.clone()),
        }
    }

    pub fn file(&self) -> &Path {
        match self {
            Self::Ours(entry) => &entry.file.file,
            Self::Other(other) => &other.file,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::agent::ShelfFile;
    use crate::launch::bind::tests::agent;

    /// Ours, named `a`, in a file of this name.
    fn ours(file: &str, bytes: usize) -> Entry {
        let file =
            ShelfFile { file: file.into(), text: None, agent: Some(agent("a", "p/m")), problems: Vec::new() };
        Entry { file, usable: true, bytes, problems: Vec::new() }
    }

    fn other(name: &str, scope: Scope, file: &str) -> OtherAgent {
        OtherAgent {
            name: name.to_owned(),
            model: "inherit".to_owned(),
            description: String::new(),
            tools: None,
            file: file.into(),
            scope,
        }
    }

    /// `scopes` names who else there is, the strongest first; `expect` says all claims to `a`, one a word.
    fn check(entries: &[Entry], bytes: usize, scopes: &str, expect: &str) {
        let others = scopes.split_whitespace().map(|file| match file {
            "managed" => other("a", Scope::Managed, file),
            "near" | "root" => other("a", Scope::Project, file),
            "user" => other("a", Scope::User, file),
            "plugin" => other("p:deep:a", Scope::Plugin, file),
            _ => other("stranger", Scope::User, file),
        });
        let roster = Roster { entries: entries.to_vec(), others: others.collect(), bytes };
        let claims = roster.claims("a");
        let word = |claim: &Claim<'_>| format!("{}:{:?}", claim.by.file().display(), claim.fate);
        let words: Vec<String> = claims.iter().map(word).collect();
        assert_eq!(words.join(" "), expect, "{scopes}");
        for entry in entries {
            let wins =
                claims.iter().any(|claim| claim.by == Claimant::Ours(entry) && claim.fate == Fate::Wins);
            assert_eq!(roster.wins(entry), wins, "{scopes}");
        }
    }

    const ALL: &str = "managed near root user plugin stranger";

    #[test]
    fn f14_of_all_scopes_of_a_name_one_wins() {
        let us = &[ours("us", 9)];
        check(us, 9, "", "us:Wins");
        check(us, 9, "user", "us:Wins user:Overridden");
        check(us, 9, "near root user", "us:Wins near:Overridden root:Overridden user:Overridden");
        check(us, 9, "plugin", "us:Wins plugin:Beside");
        check(us, 9, "stranger", "us:Wins");
        check(
            us,
            9,
            ALL,
            "managed:Wins us:Overridden near:Overridden root:Overridden user:Overridden plugin:Beside",
        );
        check(&[], 0, ALL, "managed:Wins near:Overridden root:Overridden user:Overridden plugin:Beside");
        check(&[], 0, "near root user", "near:Wins root:Overridden user:Overridden");
        check(&[], 0, "stranger", "");
    }

    #[test]
    fn f14_what_is_not_handed_over_overrides_nobody() {
        check(&[ours("hidden", 0)], 0, "near user", "near:Wins user:Overridden hidden:LeftOut");
        check(&[ours("hidden", 0)], 0, "plugin", "hidden:LeftOut plugin:Beside");
        check(&[ours("one", 0), ours("two", 9)], 9, "user", "two:Wins user:Overridden one:LeftOut");
    }

    #[test]
    fn f14_what_is_too_large_for_an_argument_is_weaker_than_the_project() {
        let us = &[ours("us", Roster::LIMIT + 1)];
        let expect =
            "managed:Wins near:Overridden root:Overridden us:Overridden user:Overridden plugin:Beside";
        check(us, Roster::LIMIT + 1, ALL, expect);
        check(us, Roster::LIMIT + 1, "user", "us:Wins user:Overridden");
    }
}
