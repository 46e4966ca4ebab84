//! The rules that hold the shape together, read from the sources themselves.
//!
//! Each rule is one test; a failure lists every place that breaks it. Test code may do what it likes.

#![expect(clippy::unwrap_used, reason = "a test that can't go on says so by panicking")]

use std::fs;
use std::path::{Path, PathBuf};

/// Lower folders never name higher ones.
const ORDER: [&str; 9] =
    ["config", "dialect", "router", "catalogue", "ledger", "launch", "mcp", "ui", "command"];

/// Lines.
const FILE_LIMIT: usize = 500;

/// These decide or draw; whatever they need to know comes in as a value.
const PURE: [&str; 44] = [
    "catalogue/listing/",
    "config/agent/patch.rs",
    "config/edit/document/",
    "config/project/choice.rs",
    "config/repair/",
    "config/route.rs",
    "config/policy.rs",
    "dialect/",
    "launch/arguments.rs",
    "launch/bind.rs",
    "launch/command.rs",
    "launch/delegation/errand.rs",
    "launch/delegation/grant.rs",
    "launch/delegation/limits.rs",
    "launch/delegation/outcome.rs",
    "launch/delegation/permission.rs",
    "launch/delegation/request.rs",
    "launch/delegation/route.rs",
    "launch/delegation/stream.rs",
    "launch/delegation/tools.rs",
    "launch/dry_run.rs",
    "launch/explain.rs",
    "launch/hook.rs",
    "launch/invocation.rs",
    "launch/overlay.rs",
    "launch/resume/choice.rs",
    "launch/resume/difference.rs",
    "launch/screen/archive/",
    "launch/snapshot/",
    "launch/host/audience.rs",
    "launch/host/protocol.rs",
    "launch/host/relay.rs",
    "launch/state/activity.rs",
    "launch/state/dialogs.rs",
    "launch/state/keys.rs",
    "launch/state/machine.rs",
    "launch/state/title.rs",
    "mcp/chooser/",
    "mcp/definition.rs",
    "mcp/git/arguments.rs",
    "mcp/git/definition.rs",
    "mcp/git/harmless.rs",
    "router/choose.rs",
    "ui/",
];

/// What the pure ones may not touch.
const IMPURE: [&str; 8] = [
    "tokio::",
    "std::fs",
    "std::net",
    "std::env",
    "std::process",
    "std::thread",
    "Instant::now",
    "SystemTime::now",
];

/// Print although they are no commands: they have the terminal itself in hand, and give it back.
const PRINTS: [&str; 2] = ["launch/attach/terminal.rs", "launch/terminal_modes.rs"];

/// One source file.
struct Source {
    /// From `src`, with `/`.
    name: String,
    text: String,
}

impl Source {
    /// Everything but comments and the inline tests at the file's end; nothing of a file that is all tests.
    fn code(&self) -> impl Iterator<Item = (usize, &str)> {
        let tests = ["tests.rs", "testing.rs"].iter().any(|name| Path::new(&self.name).ends_with(name));
        let lines = self.text.lines().enumerate().map(|(at, line)| (at + 1, line.trim()));
        lines
            .take_while(move |(_, line)| !tests && !(line.contains("mod tests {")))
            .filter(|(_, line)| !line.starts_with("//"))
    }

    /// Its folder, or its own name at the top.
    fn folder(&self) -> &str {
        let top = self.name.split('/').next().unwrap_or_default();
        top.trim_end_matches(".rs")
    }

    /// How many modules stand between it and the crate's root, itself included.
    fn depth(&self) -> usize {
        let parts = self.name.split('/').count();
        if self.name.ends_with("/mod.rs") { parts - 1 } else { parts }
    }
}

fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
}

fn sources() -> Vec<Source> {
    let mut files = Vec::new();
    collect(&root().join("src"), &mut files);
    files.sort();
    let source = |file: &PathBuf| Source {
        name: file.strip_prefix(root().join("src")).unwrap().to_str().unwrap().to_owned(),
        text: fs::read_to_string(file).unwrap(),
    };
    files.iter().map(source).collect()
}

fn collect(folder: &Path, files: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            collect(&path, files);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            files.push(path);
        }
    }
}

/// The crate's folders that a line names, by `crate::` or by enough `super::`.
fn named_folders(line: &str, depth: usize) -> Vec<&str> {
    let absolute = line.split("crate::").skip(1);
    let to_root = "super::".repeat(depth);
    let relative = line.split(&to_root).skip(1);
    let first = |rest: &str| rest.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(rest.len());
    absolute.chain(relative).map(|rest| &rest[..first(rest)]).collect()
}

/// Lines of code that hold one of the texts, in the files that `watched` picks.
fn lines_with(texts: &[&str], watched: impl Fn(&str) -> bool) -> Vec<String> {
    let all = sources();
    let found = all.iter().filter(|source| watched(&source.name)).flat_map(|source| {
        let lines = source.code().filter(|(_, line)| texts.iter().any(|text| line.contains(text)));
        lines.map(|(at, line)| format!("{}:{at}: {line}", source.name))
    });
    found.collect()
}

fn none(broken: &[String], rule: &str) {
    assert!(broken.is_empty(), "{rule}:\n  {}", broken.join("\n  "));
}

#[test]
fn imports_go_one_way() {
    let rank = |folder: &str| ORDER.iter().position(|known| *known == folder);
    let mut broken = Vec::new();
    for source in sources() {
        let Some(own) = rank(source.folder()) else { continue };
        for (at, line) in source.code() {
            let higher = named_folders(line, source.depth()).into_iter();
            let higher = higher.filter(|folder| rank(folder).is_some_and(|rank| rank > own));
            broken.extend(higher.map(|folder| format!("{}:{at} names {folder}", source.name)));
        }
    }
    none(&broken, "a lower folder names a higher one");
    none(&lines_with(&["crate::{"], |_| true), "write one `use crate::…` for each folder");
}

#[test]
fn every_folder_has_its_place_in_the_order() {
    let folders = sources().iter().map(|source| source.folder().to_owned()).collect::<Vec<_>>();
    let unknown = folders.iter().filter(|folder| !ORDER.contains(&folder.as_str()));
    let unknown: Vec<String> =
        unknown.filter(|folder| !["lib", "main"].contains(&folder.as_str())).cloned().collect();
    none(&unknown, "folders that the order doesn't know");
}

#[test]
fn the_reader_of_paths_sees_both_kinds() {
    for (line, depth, expect) in [
        ("use crate::router::{Base, Token};", 2, vec!["router"]),
        ("let a: crate::config::Agent = crate::launch::x();", 2, vec!["config", "launch"]),
        ("use super::super::ui::Summary;", 2, vec!["ui"]),
        ("use super::bind::Bound;", 2, vec![]),
        ("use super::router::Base;", 1, vec!["router"]),
    ] {
        assert_eq!(named_folders(line, depth), expect, "{line}");
    }
}

#[test]
fn files_are_short_and_say_what_they_are_for() {
    let (mut long, mut silent) = (Vec::new(), Vec::new());
    for source in sources() {
        let lines = source.text.lines().count();
        if lines > FILE_LIMIT {
            long.push(format!("{}: {lines} lines", source.name));
        }
        if !source.text.starts_with("//! ") {
            silent.push(source.name);
        }
    }
    none(&long, "files over 500 lines");
    none(&silent, "files that don't open with `//!`");
}

#[test]
fn only_commands_print() {
    let printing = ["println!", "print!(", "io::stdout", "io::stderr", "stdout()", "stderr()"];
    let broken = lines_with(&printing, |name| !name.starts_with("command/") && !PRINTS.contains(&name));
    let broken: Vec<String> = broken.into_iter().filter(|line| !line.contains(".stdout(")).collect();
    none(&broken, "only `command` prints");
}

#[test]
fn lints_are_expected_with_a_reason_and_never_allowed() {
    none(&lines_with(&["#[allow(", "#![allow("], |_| true), "suppressions without a check");
}

#[test]
fn the_router_knows_no_disk_and_the_configuration_no_socket() {
    let router = lines_with(&["std::fs", "tokio::fs", "tempfile::"], |name| name.starts_with("router/"));
    none(&router, "the router touches the disk");
    let config =
        lines_with(&["tokio::net", "std::net::Tcp", "hyper_util::"], |name| name.starts_with("config/"));
    none(&config, "the configuration opens sockets");
}

#[test]
fn what_decides_or_draws_is_pure() {
    let pure = |name: &str| PURE.iter().any(|file| name.starts_with(file));
    none(&lines_with(&IMPURE, pure), "IO, a clock or the process in a pure file");
    let known = sources();
    let missing = PURE.iter().filter(|file| !known.iter().any(|source| source.name.starts_with(**file)));
    none(&missing.map(|file| (*file).to_owned()).collect::<Vec<_>>(), "pure files that are gone");
}

#[test]
fn the_environment_is_read_once() {
    let broken =
        lines_with(&["env::var(", "env::vars", "env::var_os("], |name| name != "config/environment.rs");
    none(&broken, "the process's environment is read in config/environment.rs only");
}

#[test]
fn one_crate_does_all_cryptography_of_tls() {
    let lock = fs::read_to_string(root().join("Cargo.lock")).unwrap();
    let packages: Vec<&str> = lock
        .lines()
        .filter_map(|line| line.strip_prefix("name = \"")?.strip_suffix('"'))
        .filter(|name| {
            let others = ["openssl-sys", "openssl", "boring", "boring-sys", "native-tls", "rustls-graviola"];
            *name == "ring" || name.starts_with("aws-lc") || others.contains(name)
        })
        .collect();
    assert_eq!(packages, ["ring"]);
}
