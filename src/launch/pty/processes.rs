//! The machine's processes, to find those that descend from a terminal's child, or that a session has left.
//!
//! A process belongs to a terminal by its ancestors, by its session, or by the mark in its environment, which survives a
//! session of its own and the death of its parents. One that wipes its environment as well gets away. Where there is
//! no `/proc`, only ancestors and groups are known.

use super::MARK;

/// A process that runs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Process {
    pub id: i32,
    /// Its command line, for a person to read.
    pub command: String,
    /// When it started, in the kernel's own ticks: with the id, no other process's.
    started: u64,
}

/// What is known of a process.
#[derive(Clone)]
struct Entry {
    parent: i32,
    /// Its session; its group where sessions aren't known.
    session: i32,
    is_marked: bool,
    process: Process,
}

/// Whether a process belongs to others too, with all that it starts, although a terminal's child has started it.
pub type IsShared = fn(&Process) -> bool;

/// All that belong to a terminal whose session's leader this is or was, without the leader and what is shared.
pub(super) fn of_terminal(leader: i32, mark: &str, is_shared: IsShared) -> Vec<Process> {
    let all = system::all(&format!("{MARK}={mark}"));
    let found = belonging(all, Some(leader), is_shared).into_iter().map(|entry| entry.process);
    found.filter(|process| process.id != own() && process.id != leader && process.id > 1).collect()
}

/// All with this variable (`NAME=value`) in their environment and what descends from them, without what is shared, the
/// `others` with all that descends from them, and this process with its ancestors.
pub(in crate::launch) fn with_variable(variable: &str, others: &[i32], is_shared: IsShared) -> Vec<Process> {
    let all = system::all(variable);
    left(all, own(), others, is_shared).into_iter().map(|entry| entry.process).collect()
}

/// Kills it, if it still is what it was.
pub(in crate::launch) fn kill(process: &Process) {
    system::kill(process);
}

fn own() -> i32 {
    i32::try_from(std::process::id()).unwrap_or(0)
}

fn left(all: Vec<Entry>, own: i32, others: &[i32], is_shared: IsShared) -> Vec<Entry> {
    let lineage = lineage(&all, own);
    let (_, rest) = families(all, |entry| others.contains(&entry.process.id));
    let mut left = belonging(rest, None, is_shared);
    left.retain(|entry| entry.process.id > 1 && !lineage.contains(&entry.process.id));
    left
}

/// The process and its ancestors.
fn lineage(all: &[Entry], process: i32) -> Vec<i32> {
    let parent = |id: &i32| Some(all.iter().find(|entry| entry.process.id == *id)?.parent);
    std::iter::successors(Some(process), parent).take(all.len()).collect()
}

/// Those of the terminal with this leader, if there is one, and those that are marked.
fn belonging(all: Vec<Entry>, leader: Option<i32>, is_shared: IsShared) -> Vec<Entry> {
    let (shared, rest) = families(all, |entry| is_shared(&entry.process));
    // What is shared passes its mark on to what it starts for others.
    let is_proof = !shared.iter().any(|entry| entry.is_marked);
    let belongs = |entry: &Entry| {
        leader.is_some_and(|leader| entry.session == leader || entry.parent == leader)
            || (is_proof && entry.is_marked)
    };
    families(rest, belongs).0
}

/// Those of whom it is so, with all that descends from them; and the others.
fn families(all: Vec<Entry>, is_so: impl Fn(&Entry) -> bool) -> (Vec<Entry>, Vec<Entry>) {
    let (mut found, mut others): (Vec<Entry>, Vec<Entry>) = all.into_iter().partition(is_so);
    loop {
        let is_child = |entry: &Entry| found.iter().any(|parent| parent.process.id == entry.parent);
        let (children, rest): (Vec<Entry>, Vec<Entry>) = others.into_iter().partition(is_child);
        others = rest;
        if children.is_empty() {
            return (found, others);
        }
        found.extend(children);
    }
}

#[cfg(target_os = "linux")]
mod system {
    //! Linux: `/proc`, and descriptors of processes, which never mean another one.

    use std::fs;

    use rustix::process::{Pid, PidfdFlags, Signal, pidfd_open, pidfd_send_signal};

    use super::{Entry, Process};

    #[derive(Debug, PartialEq, Eq)]
    pub(super) struct State {
        pub(super) parent: i32,
        pub(super) session: i32,
        pub(super) started: u64,
    }

    /// `variable`: `NAME=value`, which marks.
    pub(super) fn all(variable: &str) -> Vec<Entry> {
        let folders = fs::read_dir("/proc").into_iter().flatten().flatten();
        let ids = folders.filter_map(|folder| folder.file_name().to_str()?.parse().ok());
        ids.filter_map(|id| entry(id, variable)).collect()
    }

    pub(super) fn kill(process: &Process) {
        let id = Pid::from_raw(process.id);
        let Some(open) = id.and_then(|id| pidfd_open(id, PidfdFlags::empty()).ok()) else { return };
        if state(process.id).is_some_and(|now| now.started == process.started) {
            pidfd_send_signal(open, Signal::KILL).ok();
        }
    }

    fn entry(id: i32, variable: &str) -> Option<Entry> {
        let State { parent, session, started } = state(id)?;
        let environment = fs::read(format!("/proc/{id}/environ")).unwrap_or_default();
        let is_marked = environment.split(|byte| *byte == 0).any(|other| other == variable.as_bytes());
        let line = fs::read(format!("/proc/{id}/cmdline")).unwrap_or_default();
        let command = String::from_utf8_lossy(&line).replace('\0', " ").trim_end().to_owned();
        Some(Entry { parent, session, is_marked, process: Process { id, command, started } })
    }

    fn state(id: i32) -> Option<State> {
        parse(&fs::read_to_string(format!("/proc/{id}/stat")).ok()?)
    }

    /// `id (name) state parent group session …`, where the name may hold anything. `None`: it is dead.
    pub(super) fn parse(stat: &str) -> Option<State> {
        let mut fields = stat.rsplit_once(')')?.1.split_whitespace();
        let state = fields.next()?;
        let parent = fields.next()?.parse().ok()?;
        let session = fields.nth(1)?.parse().ok()?;
        let started = fields.nth(15)?.parse().ok()?;
        (!matches!(state, "Z" | "X")).then_some(State { parent, session, started })
    }
}

#[cfg(not(target_os = "linux"))]
mod system {
    //! Elsewhere: what `ps` says.

    use std::process::Command;

    use rustix::process::{Pid, Signal, kill_process};

    use super::{Entry, Process};

    pub(super) fn all(_variable: &str) -> Vec<Entry> {
        let output = Command::new("ps").args(["-A", "-o", "pid=,ppid=,pgid=,stat=,command="]).output();
        let text = output.map(|output| output.stdout).unwrap_or_default();
        String::from_utf8_lossy(&text).lines().filter_map(entry).collect()
    }

    pub(super) fn kill(process: &Process) {
        if let Some(id) = Pid::from_raw(process.id) {
            kill_process(id, Signal::KILL).ok();
        }
    }

    fn entry(line: &str) -> Option<Entry> {
        let mut fields = line.split_whitespace();
        let mut number = || fields.next()?.parse().ok();
        let (id, parent, session) = (number()?, number()?, number()?);
        let state = fields.next()?;
        let command = fields.collect::<Vec<_>>().join(" ");
        (!state.starts_with('Z')).then_some(Entry {
            parent,
            session,
            is_marked: false,
            process: Process { id, command, started: 0 },
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entry(id: i32, parent: i32, session: i32, is_marked: bool) -> Entry {
        Entry { parent, session, is_marked, process: Process { id, command: String::new(), started: 0 } }
    }

    #[test]
    fn ancestors_sessions_and_marks_show_who_belongs() {
        let all = vec![
            entry(1, 0, 1, false),
            entry(10, 1, 1, false),
            // The leader, its child, and that one's child in a session of its own.
            entry(20, 10, 20, true),
            entry(22, 21, 22, false),
            entry(21, 20, 20, false),
            // An orphan of the session, a marked daemon, and its child.
            entry(23, 1, 20, false),
            entry(24, 1, 24, true),
            entry(25, 24, 25, false),
            entry(30, 10, 30, false),
        ];
        let ids = |all: &[Entry], is_shared: IsShared| {
            let mut ids: Vec<i32> =
                belonging(all.to_vec(), Some(20), is_shared).iter().map(|entry| entry.process.id).collect();
            ids.sort_unstable();
            ids
        };
        assert_eq!(ids(&all, |_| false), [20, 21, 22, 23, 24, 25]);
        // A daemon for everybody is left alone, and what carries its mark may be anybody's.
        assert_eq!(ids(&all, |process| process.id == 24), [20, 21, 22, 23]);
        let orphan = [all, vec![entry(26, 1, 26, true)]].concat();
        assert_eq!(ids(&orphan, |process| process.id == 24), [20, 21, 22, 23]);
    }

    #[test]
    fn what_a_session_has_left_is_not_what_serves_others() {
        let all = vec![
            entry(1, 0, 1, false),
            // Its child, and that one's child without the mark.
            entry(20, 1, 20, true),
            entry(21, 20, 21, false),
            // Another session's own process, begun in it, and its child.
            entry(30, 1, 30, true),
            entry(31, 30, 31, true),
            // A shell in it, from which we are run.
            entry(40, 1, 40, true),
            entry(41, 40, 41, true),
            entry(42, 41, 42, true),
            entry(50, 1, 50, false),
        ];
        let ids = |all: &[Entry], is_shared: IsShared| -> Vec<i32> {
            left(all.to_vec(), 41, &[30], is_shared).iter().map(|entry| entry.process.id).collect()
        };
        assert_eq!(ids(&all, |_| false), [20, 42, 21]);
        // A daemon that has the mark passes it on: then nobody can tell whose it is.
        assert_eq!(ids(&all, |process| process.id == 20), [0; 0]);
        // One without it proves nothing against the others.
        assert_eq!(ids(&all, |process| process.id == 50), [20, 42, 21]);
    }

    #[test]
    #[cfg(target_os = "linux")]
    fn a_name_may_hold_anything_and_the_dead_dont_count() {
        let fields = "3 7 5 0 -1 0 1 2 3 4 5 6 7 8 20 0 1 0 4242 99";
        for (stat, expect) in [
            (format!("7 (a b) c) S {fields}"), Some(system::State { parent: 3, session: 5, started: 4242 })),
            (format!("7 (sh) Z {fields}"), None),
            ("7 (sh".to_owned(), None),
        ] {
            assert_eq!(system::parse(&stat), expect, "{stat}");
        }
    }
}
