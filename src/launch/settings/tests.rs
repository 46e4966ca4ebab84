//! The layers against a folder of files that stands for a user's machine.

use std::fs;

use serde_json::{Value, json};

use super::findings::{hooks_off, other_cloud, pinned_base_url};
use super::*;

/// Settings with these layers, the strongest first.
pub(crate) fn settings_of(layers: impl IntoIterator<Item = (Layer, Value)>) -> Settings {
    let map = |value: Value| value.as_object().cloned().unwrap_or_default();
    Settings { layers: layers.into_iter().map(|(l, v)| (l, map(v))).collect(), problems: Vec::new() }
}

fn environment(variables: &[(&str, &str)]) -> Environment {
    variables.iter().map(|(n, v)| ((*n).to_owned(), (*v).to_owned())).collect()
}

fn arguments(line: &str) -> Arguments {
    Arguments::parse(&shlex::split(line).unwrap())
}

struct Machine {
    root: tempfile::TempDir,
    places: Places,
}

impl Machine {
    fn new(files: &[(&str, &str)]) -> Self {
        let root = tempfile::tempdir().unwrap();
        let at = |path: &str| root.path().join(path);
        for folder in ["etc/managed-settings.d", "home/.claude", "code/repo/.claude"] {
            fs::create_dir_all(at(folder)).unwrap();
        }
        for (path, text) in files {
            fs::write(at(path), text.replace("ROOT", root.path().to_str().unwrap())).unwrap();
        }
        let environment = environment(&[("HOME", at("home").to_str().unwrap())]);
        let places = Places { managed: at("etc"), ..Places::of(&environment, &at("code/repo")) };
        Self { root, places }
    }

    fn read(&self, line: &str) -> Settings {
        Settings::read(&self.places, &arguments(line), &environment(&[]))
    }

    fn base_url(&self, line: &str) -> Option<(Layer, String)> {
        self.read(line).variable("ANTHROPIC_BASE_URL")
    }
}

const USER: (&str, &str) = ("home/.claude/settings.json", r#"{"env":{"ANTHROPIC_BASE_URL":"http://user"}}"#);
const PROJECT: (&str, &str) =
    ("code/repo/.claude/settings.json", r#"{"env":{"ANTHROPIC_BASE_URL":"http://project"}}"#);
const LOCAL: (&str, &str) =
    ("code/repo/.claude/settings.local.json", r#"{"env":{"ANTHROPIC_BASE_URL":"http://local"}}"#);
const TRUST: (&str, &str) =
    ("home/.claude.json", r#"{"projects":{"ROOT/code":{"hasTrustDialogAccepted":true}}}"#);

#[test]
fn a07_the_strongest_layer_is_found_and_no_file_is_changed() {
    let machine = Machine::new(&[USER, PROJECT, LOCAL, TRUST]);
    assert_eq!(machine.base_url(""), Some((Layer::Local, "http://local".to_owned())));
    let own = r#"--settings '{"env":{"ANTHROPIC_BASE_URL":"http://own"}}'"#;
    assert_eq!(machine.base_url(own), Some((Layer::Arguments, "http://own".to_owned())));
    fs::write(
        machine.root.path().join("etc/managed-settings.json"),
        r#"{"env":{"ANTHROPIC_BASE_URL":"http://m"}}"#,
    )
    .unwrap();
    assert_eq!(machine.base_url(own), Some((Layer::Managed, "http://m".to_owned())));
    assert_eq!(fs::read_to_string(machine.root.path().join(USER.0)).unwrap(), USER.1);
}

#[test]
fn a_project_counts_once_trusted_and_headless_at_once() {
    let untrusted = Machine::new(&[USER, PROJECT]);
    assert_eq!(untrusted.base_url(""), Some((Layer::User, "http://user".to_owned())));
    assert_eq!(untrusted.base_url("-p hi"), Some((Layer::Project, "http://project".to_owned())));
    let trusted = Machine::new(&[USER, PROJECT, TRUST]);
    assert_eq!(trusted.base_url(""), Some((Layer::Project, "http://project".to_owned())));
    let refused =
        ("home/.claude.json", r#"{"projects":{"ROOT/code/repo":{"hasTrustDialogAccepted":false}}}"#);
    assert_eq!(Machine::new(&[PROJECT, refused]).base_url(""), None);
}

#[test]
fn sources_that_the_user_leaves_out_are_not_read() {
    let machine = Machine::new(&[USER, PROJECT, LOCAL, TRUST]);
    for (line, layer) in [
        ("--setting-sources user", Some(Layer::User)),
        ("--setting-sources=project,user", Some(Layer::Project)),
        ("--setting-sources ''", None),
        ("--restricted", None),
    ] {
        assert_eq!(machine.base_url(line).map(|(layer, _)| layer), layer, "{line}");
    }
}

#[test]
fn an_own_settings_file_is_relative_to_the_project() {
    let machine = Machine::new(&[("code/repo/mine.json", "\u{feff}{\"env\":{\"N\":1,\"B\":true,\"L\":[]}}")]);
    let settings = machine.read("--settings mine.json");
    assert_eq!(settings.variable("N"), Some((Layer::Arguments, "1".to_owned())));
    assert_eq!(settings.variable("B"), Some((Layer::Arguments, "true".to_owned())));
    assert_eq!(settings.variable("L"), None);
}

#[test]
fn managed_drop_ins_are_laid_over_the_managed_file() {
    let machine = Machine::new(&[
        ("etc/managed-settings.json", r#"{"env":{"A":"1","B":"1"}}"#),
        ("etc/managed-settings.d/20.json", r#"{"env":{"B":"3"}}"#),
        ("etc/managed-settings.d/10.json", r#"{"env":{"B":"2"}}"#),
        ("etc/managed-settings.d/readme.txt", "no settings"),
    ]);
    let settings = machine.read("");
    assert_eq!(settings.variable("A").unwrap().1, "1");
    assert_eq!(settings.variable("B").unwrap().1, "3");
    assert!(settings.problems.is_empty());
}

#[test]
fn a_broken_file_is_a_problem_and_never_shows_its_content() {
    let machine =
        Machine::new(&[("home/.claude/settings.json", r#"{"env":{"K":"sk-secret" oops"#), LOCAL, TRUST]);
    let settings = machine.read("--settings nowhere.json");
    assert_eq!(settings.variable("ANTHROPIC_BASE_URL").unwrap().0, Layer::Local);
    assert_eq!(settings.problems.len(), 2, "{:?}", settings.problems);
    assert!(!format!("{:?}", settings.problems).contains("sk-secret"));
}

#[test]
fn a_config_folder_of_its_own_moves_both_files() {
    let places = Places::of(&environment(&[("HOME", "/h"), ("CLAUDE_CONFIG_DIR", "/c")]), Path::new("/w"));
    assert_eq!((places.user, places.state), ("/c".into(), "/c/.claude.json".into()));
    let places = Places::of(&environment(&[("HOME", "/h"), ("CLAUDE_CONFIG_DIR", "")]), Path::new("/w"));
    assert_eq!((places.user, places.state), ("/h/.claude".into(), "/h/.claude.json".into()));
}

#[test]
fn another_cloud_or_a_managed_base_url_bypasses_the_router() {
    let none = settings_of([]);
    for (name, value, expect) in [
        ("CLAUDE_CODE_USE_BEDROCK", "1", true),
        ("CLAUDE_CODE_USE_VERTEX", "true", true),
        ("CLAUDE_CODE_USE_FOUNDRY", "on", true),
        ("CLAUDE_CODE_USE_BEDROCK", "0", false),
        ("CLAUDE_CODE_USE_BEDROCK", "", false),
    ] {
        assert_eq!(other_cloud(&none, &environment(&[(name, value)])).is_some(), expect, "{name}={value}");
    }
    let bedrock = environment(&[("CLAUDE_CODE_USE_BEDROCK", "1")]);
    let off = settings_of([(Layer::User, json!({"env": {"CLAUDE_CODE_USE_BEDROCK": "0"}}))]);
    assert_eq!(other_cloud(&off, &bedrock), None);
    let base = json!({"env": {"ANTHROPIC_BASE_URL": "https://gw"}});
    assert!(pinned_base_url(&settings_of([(Layer::Managed, base.clone())])).is_some());
    assert_eq!(pinned_base_url(&settings_of([(Layer::User, base)])), None);
}

#[test]
fn hooks_are_known_to_be_off() {
    let url = "http://127.0.0.1:4242/.subagents/T/hook";
    let no_list = json!({"allowedHttpHookUrls": []});
    for (layer, value, line, part) in [
        (Layer::User, json!({"disableAllHooks": true}), "", Some("disableAllHooks")),
        (Layer::User, json!({"disableAllHooks": false}), "", None),
        (Layer::Managed, json!({"allowManagedHooksOnly": true}), "", Some("allowManagedHooksOnly")),
        (Layer::User, json!({"allowManagedHooksOnly": true}), "", None),
        (Layer::Project, no_list, "", Some("allowedHttpHookUrls")),
        (Layer::User, json!({"allowedHttpHookUrls": ["https://x/*"]}), "", Some("allowedHttpHookUrls")),
        (Layer::User, json!({"allowedHttpHookUrls": ["https://x/*", "http://127.0.0.1:*"]}), "", None),
        (Layer::User, json!({"allowedHttpHookUrls": ["http://*/.subagents/*/hook"]}), "", None),
        (Layer::User, json!({}), "--bare", Some("--bare")),
        (Layer::User, json!({}), "--safe-mode", Some("--safe-mode")),
    ] {
        let label = format!("{value} {line}");
        let reason = hooks_off(&settings_of([(layer, value)]), &arguments(line), &environment(&[]), url);
        assert_eq!(reason.is_some(), part.is_some(), "{label}: {reason:?}");
        assert!(part.is_none_or(|part| reason.unwrap().contains(part)), "{label}");
    }
}
