//! The Claude Code that the tests launch: the real one, or a script in its place where only the launch counts.

use std::fs::{self, File};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use subagents::config::Environment;
use subagents::launch::install::Installation;

/// The real one. The first caller installs it if it is missing; all others, in other processes too, wait for that.
pub(crate) fn real() -> &'static Path {
    static FOUND: OnceLock<PathBuf> = OnceLock::new();
    FOUND.get_or_init(|| std::env::var_os("SUBAGENTS_TEST_CLAUDE").map_or_else(installed, PathBuf::from))
}

fn installed() -> PathBuf {
    let environment = Environment::of_process();
    let installation = Installation::of(&environment);
    let parent = installation.folder().parent().unwrap();
    fs::create_dir_all(parent).unwrap();
    let lock = File::create(parent.join("install.lock")).unwrap();
    lock.lock().unwrap();
    let found = installation.find(&environment);
    let claude =
        found.or_else(|_| installation.install(&environment)).unwrap_or_else(|error| panic!("{error}"));
    claude.path().to_owned()
}

/// A shell script in `folder` that is taken for Claude Code.
pub(crate) fn script(folder: &Path, body: &str) -> PathBuf {
    let path = folder.join("claude");
    fs::write(&path, format!("#!/bin/sh\n{body}\n")).unwrap();
    fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
    path
}
