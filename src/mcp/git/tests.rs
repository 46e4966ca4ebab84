//! The tools on real repositories, some of which mean harm.

use std::fs::{self, Permissions};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::{Value, json};
use tempfile::TempDir;

use super::{Failure, Look, look};
use crate::config::Environment;

/// A repository, and a folder in which each program that it makes git run leaves its name.
struct Repository {
    root: TempDir,
}

impl Repository {
    fn new() -> Self {
        let root = tempfile::tempdir().unwrap();
        for name in ["project", "home", "traps", "marks"] {
            fs::create_dir(root.path().join(name)).unwrap();
        }
        let repository = Self { root };
        repository.git("init -q -b main");
        repository
    }

    fn at(&self, name: &str) -> PathBuf {
        self.root.path().join(name)
    }

    fn write(&self, name: &str, text: &str) -> &Self {
        fs::write(self.at("project").join(name), text).unwrap();
        self
    }

    /// Git as everybody runs it; whether that works isn't asked.
    fn git(&self, words: &str) -> String {
        let output = Command::new("git")
            .args(shlex::split(words).unwrap())
            .current_dir(self.at("project"))
            .env_clear()
            .envs(self.environment().iter())
            .envs(["AUTHOR", "COMMITTER"].iter().flat_map(|who| {
                [(format!("GIT_{who}_NAME"), "Ann"), (format!("GIT_{who}_EMAIL"), "ann@example.invalid")]
            }))
            .output()
            .unwrap();
        String::from_utf8_lossy(&output.stdout).trim().to_owned()
    }

    fn commit(&self, message: &str) -> &Self {
        self.git("add -A");
        self.git(&format!("commit -q -m '{message}'"));
        self
    }

    fn environment(&self) -> Environment {
        let home = self.at("home").display().to_string();
        let path = Environment::of_process().get("PATH").unwrap().to_owned();
        Environment::from_iter([("PATH", path), ("HOME", home)])
    }

    /// With variables by which git would run something, or look elsewhere.
    fn hostile_environment(&self) -> Environment {
        let trap = self.at("traps/external").display().to_string();
        let elsewhere = self.at("home").display().to_string();
        let more = [
            ("GIT_EXTERNAL_DIFF", trap.clone()),
            ("GIT_CONFIG_PARAMETERS", format!("'core.fsmonitor={trap}'")),
            ("GIT_DIR", elsewhere.clone()),
            ("GIT_TRACE", format!("{elsewhere}/trace")),
        ];
        let plain = self.environment();
        let plain = plain.iter().map(|(name, value)| (name.to_owned(), value.to_owned()));
        plain.chain(more.map(|(name, value)| (name.into(), value.into()))).collect()
    }

    /// The path of a program that leaves a mark.
    fn trap(&self, name: &str) -> String {
        let trap = self.at("traps").join(name);
        let mark = self.at("marks").join(name);
        fs::write(&trap, format!("#!/bin/sh\ntouch '{}'\n", mark.display())).unwrap();
        fs::set_permissions(&trap, Permissions::from_mode(0o755)).unwrap();
        trap.display().to_string()
    }

    /// A setting that names a trap, which has the name of its last part.
    fn trapped(&self, key: &str) -> &Self {
        let trap = self.trap(key.rsplit('.').next().unwrap());
        self.git(&format!("config {key} '{trap}'"));
        self
    }

    /// What has been run, and forgets it.
    fn marks(&self) -> Vec<String> {
        let mut marks: Vec<String> = fs::read_dir(self.at("marks"))
            .unwrap()
            .map(|entry| {
                let entry = entry.unwrap();
                fs::remove_file(entry.path()).unwrap();
                entry.file_name().into_string().unwrap()
            })
            .collect();
        marks.sort();
        marks
    }

    async fn look(&self, name: &str, arguments: Value) -> Result<String, Failure> {
        let project = self.at("project");
        let asked = Look::read(name, arguments.as_object().unwrap(), &project).unwrap().unwrap();
        look(&asked, &project, &self.hostile_environment()).await
    }
}

/// All that git can be asked for by the tools.
async fn all(repository: &Repository) -> Vec<Result<String, Failure>> {
    let mut seen = Vec::new();
    for (name, arguments) in [
        ("git_status", json!({})),
        ("git_diff", json!({})),
        ("git_diff", json!({"staged": true})),
        ("git_diff", json!({"revision": "HEAD~1", "stat": true})),
        ("git_log", json!({"patch": true})),
        ("git_changed", json!({})),
        ("git_branch", json!({"remotes": true})),
    ] {
        seen.push(repository.look(name, arguments).await);
    }
    seen
}

/// Changes one file, and touches another.
fn dirty(repository: &Repository) {
    repository.write("a.txt", "three\n").write("b.txt", "changed\n").write("c.txt", "same\n");
}

/// A merge in which both sides changed the same line, and a commit that claims to be signed.
fn history(repository: &Repository) {
    repository.write("a.txt", "one\n").write("b.txt", "b\n").write("c.txt", "same\n").commit("first");
    repository.git("checkout -q -b side");
    repository.write("a.txt", "two\n").commit("side");
    repository.git("checkout -q main");
    repository.write("a.txt", "2\n").write(".gitattributes", "a.txt diff=evil filter=evil merge=evil\n");
    repository.commit("main").git("merge -q -s ours -m merged side");
    let commit = repository.git("cat-file commit HEAD");
    let (head, message) = commit.split_once("\n\n").unwrap();
    let signature = "gpgsig -----BEGIN PGP SIGNATURE-----\n \n abcd\n -----END PGP SIGNATURE-----";
    fs::write(repository.at("signed"), format!("{head}\n{signature}\n\n{message}\n")).unwrap();
    let file = repository.at("signed").display().to_string();
    let signed = repository.git(&format!("hash-object -t commit -w '{file}'"));
    repository.git(&format!("update-ref HEAD {signed}"));
}

fn hostile() -> Repository {
    let repository = Repository::new();
    history(&repository);
    for key in [
        "core.fsmonitor",
        "core.pager",
        "core.sshCommand",
        "diff.external",
        "diff.evil.command",
        "diff.evil.textconv",
        "filter.evil.clean",
        "filter.evil.smudge",
        "merge.evil.driver",
        "gpg.program",
    ] {
        repository.trapped(key);
    }
    repository.trap("post-index-change");
    let hooks = repository.at("traps").display().to_string();
    for setting in [
        &format!("core.hooksPath '{hooks}'"),
        "filter.evil.required true",
        "log.showSignature true",
        "log.diffMerges remerge",
        "alias.status '!touch alias'",
    ] {
        repository.git(&format!("config {setting}"));
    }
    repository
}

#[tokio::test]
async fn a_repository_makes_git_run_nothing_and_write_nothing() {
    let repository = hostile();
    dirty(&repository);
    repository.git("config --unset core.fsmonitor");
    repository.git("status");
    repository.trapped("core.fsmonitor").git("status");
    for words in ["diff", "diff --no-ext-diff", "log -p -m"] {
        repository.git(words);
    }
    let traps = [
        "clean",
        "command",
        "driver",
        "external",
        "fsmonitor",
        "post-index-change",
        "program",
        "smudge",
        "textconv",
    ];
    assert_eq!(repository.marks(), traps, "each trap works, where git isn't asked by us");
    dirty(&repository);
    let before = snapshot(&repository.at("project"));
    let seen = all(&repository).await;
    assert_eq!(repository.marks(), [""; 0]);
    assert!(snapshot(&repository.at("project")) == before, "nothing is written, the index neither");
    assert_eq!(snapshot(&repository.at("home")), []);
    let texts: Vec<String> = seen.into_iter().map(Result::unwrap).collect();
    for (text, part) in texts.iter().zip([
        "## main\n M a.txt\n M b.txt",
        "-2\n+three",
        "(nothing)",
        "a.txt |",
        "    first",
        "M\ta.txt\nM\tb.txt",
        "* main",
    ]) {
        assert!(text.contains(part), "{part}: {text}");
    }
}

/// Each file below the folder, and what is in it.
fn snapshot(folder: &Path) -> Vec<(PathBuf, Vec<u8>)> {
    let mut files = Vec::new();
    for entry in fs::read_dir(folder).unwrap().map(Result::unwrap) {
        if entry.file_type().unwrap().is_dir() {
            files.extend(snapshot(&entry.path()));
        } else {
            files.push((entry.path(), fs::read(entry.path()).unwrap()));
        }
    }
    files.sort();
    files
}

#[tokio::test]
async fn what_is_missing_is_not_fetched() {
    let repository = Repository::new();
    repository.write("a.txt", "one\n").commit("first").write("a.txt", "two\n").commit("second");
    let blob = repository.git("rev-parse HEAD~1:a.txt");
    let object = format!("project/.git/objects/{}/{}", &blob[..2], &blob[2..]);
    fs::remove_file(repository.at(&object)).unwrap();
    let trap = repository.trap("fetch");
    for setting in [
        "core.repositoryFormatVersion 1",
        "extensions.partialClone origin",
        "remote.origin.promisor true",
        &format!("remote.origin.url 'ext::{trap}'"),
        "protocol.ext.allow always",
    ] {
        repository.git(&format!("config {setting}"));
    }
    repository.git("log -p");
    assert_eq!(repository.marks(), ["fetch"], "the trap works");
    repository.look("git_log", json!({"patch": true})).await.unwrap_err();
    assert_eq!(repository.marks(), [""; 0]);
    assert!(repository.look("git_log", json!({})).await.unwrap().contains("second"));
}

#[tokio::test]
async fn a_repository_within_another_is_none_of_it() {
    let repository = Repository::new();
    let bare = repository.at("project/fixture");
    repository.git("init -q --bare fixture");
    let asked = Look::read("git_log", json!({}).as_object().unwrap(), &bare).unwrap().unwrap();
    let refused = look(&asked, &bare, &repository.environment()).await.unwrap_err();
    assert!(refused.to_string().contains("safe.bareRepository"), "{refused}");
}

#[tokio::test]
async fn what_is_long_is_cut_and_what_fails_says_why() {
    let repository = Repository::new();
    repository.write("a.txt", &"line\n".repeat(100_000)).commit("first").write("a.txt", "");
    let cut = repository.look("git_diff", json!({})).await.unwrap();
    assert!(cut.len() < 201 * 1024 && cut.contains("[cut after 200 KiB"), "{}", cut.len());
    let failed = repository.look("git_log", json!({"revision": "nowhere"})).await.unwrap_err();
    assert!(failed.to_string().contains("nowhere"), "{failed}");
    let gone = repository.look("git_status", json!({"paths": ["not-there"]})).await.unwrap();
    assert_eq!(gone, "## main");
}
