//! What holds a child that only reads to it, beside its tools: where the kernel has Landlock, nothing that the child starts
//! can write but in a few folders.
//!
//! A process can only restrict itself, so the child's command becomes one of ours that does and then turns into Claude Code.
//! Landlock says who may open, make, rename, cut short or remove a file. It doesn't say who may change its mode or
//! times, and a program that runs elsewhere and listens on a socket isn't held by it.

#[cfg(target_os = "linux")]
mod landlock;
#[cfg(not(target_os = "linux"))]
#[path = "none.rs"]
mod landlock;

use std::fs::DirBuilder;
use std::io;
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};

use super::refusal::Refusal;
use crate::config::write::create_private_folder;
use crate::config::{Environment, Sandbox};
use crate::launch::command::Command;
use crate::launch::settings::Places;

pub use self::landlock::{SandboxError, is_there, restrict};

/// The folders of Claude Code's own where a headless run writes. Not all of them: by the settings, hooks and agents beside
/// them a child would change what later sessions do. (A project's own memory stands in `projects`, and can't be left out.)
const FOLDERS: [&str; 4] = ["projects", "sessions", "session-env", "shell-snapshots"];

/// Devices that keep nothing.
const DEVICES: [&str; 6] = ["/dev/null", "/dev/zero", "/dev/full", "/dev/tty", "/dev/ptmx", "/dev/pts"];

/// Says to Claude Code where its temporary files go; all others read `TMPDIR`.
const TEMPORARY: [&str; 2] = ["TMPDIR", "CLAUDE_CODE_TMPDIR"];

/// This very program, also where a newer one has been installed since.
const OURS: &str = "/proc/self/exe";

/// What is in force for one child.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Held {
    Landlock,
    Nothing,
}

impl Held {
    /// # Errors
    /// A sandbox is required and the kernel has none.
    pub fn of(writes: bool, wanted: Sandbox, is_there: bool) -> Result<Self, Refusal> {
        let is_wanted = !writes && wanted != Sandbox::Off;
        match (is_wanted, is_there) {
            (true, true) => Ok(Self::Landlock),
            (true, false) if wanted == Sandbox::Require => Err(Refusal::Sandbox(MISSING.to_owned())),
            _ => Ok(Self::Nothing),
        }
    }

    /// For a program.
    pub fn word(self) -> &'static str {
        match self {
            Self::Landlock => "landlock",
            Self::Nothing => "none",
        }
    }
}

/// Why nothing runs.
const MISSING: &str = "`sandbox = \"require\"` of [delegation], and this system has no Landlock (Linux 6.2 or newer, switched \
    on): nothing that only reads is started";

/// What this system has, in a word.
pub fn here() -> &'static str {
    if is_there() { Held::Landlock.word() } else { Held::Nothing.word() }
}

/// The command, held: it may write in `own`, which gets its temporary files, in `scratch`, and where Claude Code must.
///
/// # Errors
/// The folder for temporary files can't be made.
pub fn around(
    command: Command,
    environment: &Environment,
    own: &Path,
    scratch: PathBuf,
) -> io::Result<Command> {
    let temporary = own.join("tmp");
    create_private_folder(&temporary)?;
    let claude = Places::of(environment, own).user;
    let folders = FOLDERS.map(|name| claude.join(name));
    for folder in &folders {
        // What isn't there can't be allowed, and the child couldn't make it. What can't be made is not for it to write.
        DirBuilder::new().recursive(true).mode(0o700).create(folder).ok();
    }
    let writable = folders.into_iter().chain([temporary.clone(), scratch]);
    Ok(wrapped(command, &temporary, &writable.collect::<Vec<_>>()))
}

/// Pure.
fn wrapped(command: Command, temporary: &Path, writable: &[PathBuf]) -> Command {
    let shown = |path: &Path| path.display().to_string();
    let mut args = vec!["sandbox".to_owned()];
    args.extend(writable.iter().flat_map(|path| ["--write".to_owned(), shown(path)]));
    args.extend(["--".to_owned(), shown(&command.program)]);
    args.extend(command.args);
    let mut env_set = command.env_set;
    env_set.extend(TEMPORARY.map(|name| (name.to_owned(), shown(temporary))));
    Command { program: OURS.into(), args, env_set, ..command }
}

/// What every held process may write besides.
pub fn devices() -> impl Iterator<Item = PathBuf> {
    DEVICES.into_iter().map(PathBuf::from)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_required_and_missing_starts_nothing() {
        for (writes, wanted, is_there, held) in [
            (false, Sandbox::BestEffort, true, Some(Held::Landlock)),
            (false, Sandbox::BestEffort, false, Some(Held::Nothing)),
            (false, Sandbox::Require, true, Some(Held::Landlock)),
            (false, Sandbox::Require, false, None),
            (false, Sandbox::Off, true, Some(Held::Nothing)),
            (true, Sandbox::Require, false, Some(Held::Nothing)),
            (true, Sandbox::BestEffort, true, Some(Held::Nothing)),
        ] {
            assert_eq!(Held::of(writes, wanted, is_there).ok(), held, "{writes} {wanted:?} {is_there}");
        }
    }

    #[test]
    fn a_held_command_is_ours_with_the_whole_of_the_other_behind_it() {
        let command = Command {
            program: "/bin/claude".into(),
            args: vec!["-p".to_owned(), "--".to_owned(), "x".to_owned()],
            env_set: vec![("A".to_owned(), "1".to_owned())],
            env_remove: Vec::new(),
            files: Vec::new(),
            agents: serde_json::Map::new(),
            warnings: Vec::new(),
        };
        let held = wrapped(command, Path::new("/own/tmp"), &["/own/tmp".into()]);
        assert_eq!(held.program, Path::new("/proc/self/exe"));
        assert_eq!(held.args.join(" "), "sandbox --write /own/tmp -- /bin/claude -p -- x");
        let set: Vec<_> = held.env_set.iter().map(|(name, value)| format!("{name}={value}")).collect();
        assert_eq!(set, ["A=1", "TMPDIR=/own/tmp", "CLAUDE_CODE_TMPDIR=/own/tmp"]);
    }
}
