//! `subagents trust`: what is shown, what is recorded, what is refused.

use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};

use crate::stage::Stage;
use crate::terminal::on_a_terminal;

const FILE: &str = "project/.subagents/profile.toml";

fn stage(text: &str) -> Stage {
    Stage::new().with(FILE, text).only_own(FILE).only_own("project/.subagents")
}

#[test]
fn showing_changes_nothing_and_hides_nothing() {
    let stage = stage("args = [\"--x\"] # \u{202e}evil\n");
    let shown = stage.run(&["trust", "--show"]).ok();
    assert!(shown.contains("  args = [\"--x\"] # \\u{202e}evil\n"), "{shown}");
    assert!(shown.contains("isn't trusted yet") && !shown.contains('\u{202e}'), "{shown}");
    assert!(!stage.at("home/.local").exists(), "nothing was written");
    let moving = self::stage("args = []\u{1b}[2K\n").run(&["trust", "--show"]).ok();
    assert!(moving.contains("\\u{1b}[2K") && !moving.contains('\u{1b}'), "{moving}");
}

#[test]
fn trust_is_given_once_and_taken_back() {
    let stage = stage("agents = [\"*\"]\n");
    let trust = |arguments: &[&str]| {
        let value = stage.run(&[&["trust", "--json"], arguments].concat()).json("trust");
        format!("{} {}", value["standing"].as_str().unwrap(), value["done"].as_str().unwrap())
    };
    assert_eq!(trust(&["--show"]), "unknown nothing");
    assert_eq!(trust(&["--yes"]), "trusted granted");
    assert_eq!(trust(&["--yes"]), "trusted nothing");
    assert_eq!(trust(&["--show"]), "trusted nothing");
    assert_eq!(trust(&["--revoke"]), "unknown revoked");
    assert_eq!(trust(&["--revoke"]), "unknown nothing");
}

#[test]
fn the_record_is_private() {
    let stage = stage("");
    stage.run(&["trust", "--yes"]).ok();
    let folder = stage.at("home/.local/share/subagents/trust");
    let record = fs::read_dir(folder).unwrap().next().unwrap().unwrap();
    assert_eq!(record.metadata().unwrap().permissions().mode() & 0o777, 0o600);
}

#[test]
fn without_a_terminal_it_must_be_said() {
    let stage = stage("args = [\"--x\"]\n");
    let told = stage.run_with(&["trust"], "y\n").failed(2);
    assert!(told.contains("--yes") && told.contains("args = [\"--x\"]"), "{told}");
    assert_eq!(stage.run(&["trust", "--show", "--json"]).json("trust")["standing"], "unknown");
}

#[test]
fn on_a_terminal_it_is_shown_and_asked_for() {
    let stage = stage("args = [\"--x\"]\n");
    let standing = || stage.run(&["trust", "--show", "--json"]).json("trust")["standing"].clone();
    for (keys, expect) in [("\n", "unknown"), ("no\n", "unknown"), ("y\n", "trusted")] {
        let shown = on_a_terminal(&stage, &["trust"], keys);
        assert!(shown.contains("args = [\"--x\"]") && shown.contains("(y/N)"), "{shown}");
        assert_eq!(standing(), expect, "{keys:?}");
    }
}

#[test]
fn the_file_is_found_from_below_by_its_folder_and_by_its_name() {
    let stage = stage("").with("project/src/deep/x", "").with("elsewhere/x", "");
    for path in
        ["src/deep", ".", "../project", ".subagents/profile.toml", "../project/.subagents/profile.toml"]
    {
        let shown = stage.run(&["trust", "--show", "--json", path]).json("trust");
        assert!(
            shown["file"].as_str().unwrap().ends_with("/project/.subagents/profile.toml"),
            "{path}: {shown}"
        );
    }
    symlink(stage.at("project"), stage.at("link")).unwrap();
    stage.run(&["trust", "--yes", "../link"]).ok();
    assert_eq!(
        stage.run(&["trust", "--show", "--json"]).json("trust")["standing"],
        "trusted",
        "one real place"
    );
    let told = stage.run(&["trust", "../elsewhere"]).failed(3);
    assert!(told.contains(".subagents/profile.toml") && told.contains("elsewhere"), "{told}");
}

#[test]
fn what_is_gone_can_be_revoked() {
    let stage = stage("");
    stage.run(&["trust", "--yes"]).ok();
    fs::remove_dir_all(stage.at("project/.subagents")).unwrap();
    let revoked = stage.run(&["trust", "--revoke", "--json"]).json("trust");
    assert_eq!((&revoked["done"], &revoked["standing"]), (&"revoked".into(), &"unfit".into()));
}

#[test]
fn what_others_could_write_or_exchange_is_refused_with_the_reason() {
    let refused = |change: &dyn Fn(&Stage), part: &str| {
        let stage = stage("agents = []\n");
        change(&stage);
        let told = stage.run(&["trust", "--yes"]).failed(3);
        assert!(told.contains("can't be trusted") && told.contains(part), "{told}");
        let shown = stage.run(&["trust", "--show", "--json"]).json("trust");
        assert_ne!(shown["standing"], "trusted");
    };
    let mode = |path: &'static str, mode| {
        move |stage: &Stage| fs::set_permissions(stage.at(path), fs::Permissions::from_mode(mode)).unwrap()
    };
    refused(&mode(FILE, 0o666), "may be written by others (mode 0666)");
    refused(&mode(FILE, 0o664), "chmod go-w");
    refused(&mode("project/.subagents", 0o777), "may be written by others (mode 0777)");
    refused(
        &|stage| {
            fs::rename(stage.at(FILE), stage.at("real")).unwrap();
            symlink(stage.at("real"), stage.at(FILE)).unwrap();
        },
        "symbolic link",
    );
    refused(&|stage| fs::write(stage.at(FILE), "[claude]\npath = \"/tmp/x\"\n").unwrap(), "no key `claude`");
    refused(&|stage| fs::write(stage.at(FILE), "agents = [").unwrap(), "line 1: this is no TOML");
}

#[test]
fn another_users_file_is_refused() {
    let stage = stage("agents = []\n");
    if std::os::unix::fs::chown(stage.at(FILE), Some(12_345), None).is_err() {
        return; // Only root can give a file away.
    }
    let told = stage.run(&["trust", "--yes"]).failed(3);
    assert!(told.contains("belongs to another user (id 12345)"), "{told}");
}
