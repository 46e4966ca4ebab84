//! Who is at the other end of a socket: a person's process, or one that an agent started.
//!
//! An agent could otherwise attach to a session and type its own approval. Best effort: a process is known by the
//! variables that every session's child gets, in its own environment and in those of its ancestors. One of which nothing
//! can be seen counts as a session's: it may have left its end of the socket to a child. One that has wiped its
//! environment and lost its parents gets away.

use tokio::net::UnixStream;

use crate::launch::child_environment::SESSION;
use crate::launch::pty::MARK;

/// Ancestors that are looked at; there are never so many.
const GENERATIONS: usize = 64;

/// Where a process comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) enum Origin {
    #[default]
    Person,
    /// It descends from a session, this one or another.
    Session,
}

/// Where the process at the other end comes from.
pub(super) fn origin(stream: &UnixStream) -> Origin {
    let process = stream.peer_cred().ok().and_then(|peer| peer.pid());
    process.filter(|process| *process > 0).map_or(Origin::Session, origin_of)
}

/// Whether this very process descends from a session: then whoever runs it may be an agent.
pub fn descends_from_a_session() -> bool {
    i32::try_from(std::process::id()).is_ok_and(|own| origin_of(own) == Origin::Session)
}

fn origin_of(process: i32) -> Origin {
    let Some(before) = seen(process) else { return Origin::Session };
    let origin = origin_by_ancestors(process);
    // One that went meanwhile, or whose id is another's now, was not what has been looked at.
    if seen(process) == Some(before) { origin } else { Origin::Session }
}

/// What a living process is known by; `None`: it can't be seen. One that has ended has no variables.
fn seen(process: i32) -> Option<(Vec<u8>, Option<i32>)> {
    let environment = system::environment(process).filter(|environment| !environment.is_empty())?;
    Some((environment, system::parent(process)))
}

fn origin_by_ancestors(process: i32) -> Origin {
    let mut next = Some(process);
    for _ in 0..GENERATIONS {
        let Some(process) = next else { break };
        // Those of other users can't be read, and are no session's.
        if system::environment(process).is_some_and(|environment| has_mark(&environment)) {
            return Origin::Session;
        }
        next = system::parent(process).filter(|parent| *parent > 1);
    }
    Origin::Person
}

/// Whether these variables, each ended by a zero, are those of a session's process.
fn has_mark(environment: &[u8]) -> bool {
    let begins_with = |variable: &[u8], name: &str| {
        variable.strip_prefix(name.as_bytes()).is_some_and(|rest| rest.first() == Some(&b'='))
    };
    environment
        .split(|byte| *byte == 0)
        .any(|variable| [MARK, SESSION].iter().any(|name| begins_with(variable, name)))
}

#[cfg(target_os = "linux")]
mod system {
    //! Linux tells by `/proc`.

    use std::fs;

    pub(super) fn environment(process: i32) -> Option<Vec<u8>> {
        fs::read(format!("/proc/{process}/environ")).ok()
    }

    pub(super) fn parent(process: i32) -> Option<i32> {
        let stat = fs::read_to_string(format!("/proc/{process}/stat")).ok()?;
        // `id (name) state parent …`, where the name may hold anything.
        stat.rsplit_once(')')?.1.split_whitespace().nth(1)?.parse().ok()
    }
}

#[cfg(not(target_os = "linux"))]
mod system {
    //! Elsewhere `ps` tells: the ancestors, and the variables where it shows those.

    use std::process::Command;

    pub(super) fn environment(process: i32) -> Option<Vec<u8>> {
        let line = ps(&["-E", "-o", "command=", "-p", &process.to_string()]);
        Some(line.replace(' ', "\0").into_bytes())
    }

    pub(super) fn parent(process: i32) -> Option<i32> {
        ps(&["-o", "ppid=", "-p", &process.to_string()]).trim().parse().ok()
    }

    fn ps(arguments: &[&str]) -> String {
        let output = Command::new("ps").args(arguments).output();
        output.map(|output| String::from_utf8_lossy(&output.stdout).into_owned()).unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_variable_marks_by_its_whole_name() {
        for (environment, expect) in [
            (format!("HOME=/\0{MARK}=x\0"), true),
            (format!("{SESSION}=x"), true),
            (format!("{SESSION}S=x\0"), false),
            (format!("X={SESSION}=x\0"), false),
            (String::new(), false),
        ] {
            assert_eq!(has_mark(environment.as_bytes()), expect, "{environment}");
        }
    }

    #[tokio::test]
    async fn our_own_process_comes_from_where_it_comes_from() {
        let (ours, _theirs) = UnixStream::pair().unwrap();
        let is_marked = [MARK, SESSION].iter().any(|name| std::env::var_os(name).is_some());
        assert_eq!(origin(&ours), if is_marked { Origin::Session } else { Origin::Person });
    }

    #[test]
    fn one_that_has_ended_counts_as_a_sessions() {
        use rustix::process::{Pid, WaitId, WaitIdOptions, waitid};

        let mut child = std::process::Command::new("true").spawn().unwrap();
        let id = i32::try_from(child.id()).unwrap();
        let ended = WaitIdOptions::EXITED | WaitIdOptions::NOWAIT;
        waitid(WaitId::Pid(Pid::from_child(&child)), ended).unwrap();
        assert_eq!(origin_of(id), Origin::Session, "nobody has waited for it");
        child.wait().unwrap();
        assert_eq!(origin_of(id), Origin::Session, "it is gone");
    }
}
