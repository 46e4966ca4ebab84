//! Each layout was first tried on Claude Code 2.1.332, and what it offered stands beside it.

use std::fs;
use std::path::Path;

use serde_json::{Value, json};

use super::*;
use crate::launch::Layer;
use crate::launch::settings::tests::settings_of;

/// A machine with a home; `ROOT` in a text stands for the machine's root.
struct Machine {
    root: tempfile::TempDir,
    settings: Vec<(Layer, Value)>,
}

impl Machine {
    fn with(files: &[(&str, &str)]) -> Self {
        let root = tempfile::tempdir().unwrap();
        let machine = Self { root, settings: Vec::new() };
        for (path, text) in files {
            machine.write(path, text);
        }
        machine
    }

    fn write(&self, path: &str, text: &str) {
        let file = self.at(path);
        fs::create_dir_all(file.parent().unwrap()).unwrap();
        fs::write(file, text.replace("ROOT", self.at("").to_str().unwrap().trim_end_matches('/'))).unwrap();
    }

    fn at(&self, path: &str) -> PathBuf {
        self.root.path().canonicalize().unwrap().join(path)
    }

    fn link(self, to: &str, from: &str) -> Self {
        std::os::unix::fs::symlink(self.at(to), self.at(from)).unwrap();
        self
    }

    fn setting(mut self, layer: Layer, plugins: &Value) -> Self {
        self.settings.push((layer, json!({"enabledPlugins": plugins})));
        self
    }

    fn found(&self, launch: &str) -> Vec<OtherAgent> {
        fs::create_dir_all(self.at(launch)).unwrap();
        let places = Places {
            home: self.at("home"),
            managed: self.at("managed"),
            user: self.at("home/.claude"),
            state: self.at("home/.claude.json"),
            project: self.at(launch),
        };
        others(&places, &settings_of(self.settings.clone()))
    }

    /// Of each name the one that counts, as `name=model`.
    fn check(&self, launch: &str, expect: &[&str]) {
        let mut winners: Vec<(String, String)> = Vec::new();
        for other in self.found(launch) {
            if !winners.iter().any(|(name, _)| *name == other.name) {
                winners.push((other.name, other.model));
            }
        }
        let mut shown: Vec<String> = winners.iter().map(|(name, model)| format!("{name}={model}")).collect();
        shown.sort();
        assert_eq!(shown, expect, "{launch}");
    }
}

/// An agent that tells by its model where it stands.
fn agent(name: &str, model: &str) -> String {
    format!("---\nname: {name}\ndescription: d\nmodel: {model}\n---\nDo.\n")
}

#[test]
fn f14_a_project_reaches_from_the_launch_to_the_repositorys_root_and_the_nearest_wins() {
    let (a, b) = (|model| agent("a", model), |model| agent("b", model));
    let files = [
        (".claude/agents/b.md", &*b("above")),
        ("w/.claude/agents/a.md", &*a("root")),
        ("w/.claude/agents/r.md", &*agent("r", "root")),
        ("w/s/.claude/agents/a.md", &*a("sub")),
        ("w/s/t/.claude/agents/a.md", &*a("subsub")),
        ("home/.claude/agents/a.md", &*a("user")),
        ("home/.claude/agents/u.md", &*agent("u", "user")),
    ];
    let machine = Machine::with(&files);
    machine.check("w/s/t", &["a=subsub", "b=above", "r=root", "u=user"]);
    fs::create_dir(machine.at("w/.git")).unwrap();
    machine.check("w/s/t", &["a=subsub", "r=root", "u=user"]);
    machine.check("w", &["a=root", "r=root", "u=user"]);
    machine.check("elsewhere", &["a=user", "b=above", "u=user"]);
}

#[test]
fn f14_no_project_reaches_to_the_home_folder_or_above() {
    let files = [
        ("home/.claude/agents/a.md", &*agent("a", "user")),
        ("home/w/.claude/agents/a.md", &*agent("a", "project")),
        (".claude/agents/c.md", &*agent("c", "above")),
    ];
    let machine = Machine::with(&files);
    machine.check("home/w/s", &["a=project"]);
    machine.check("home", &["a=user"]);
    fs::create_dir(machine.at("home/.git")).unwrap();
    assert_eq!(machine.found("home/s").len(), 1, "the user's own once only");
}

#[test]
fn f14_a_worktree_without_agents_gets_those_of_its_repository() {
    let main = agent("m", "main");
    let machine = Machine::with(&[
        ("w/.claude/agents/m.md", &main),
        ("w/.git/worktrees/t/commondir", "../..\n"),
        ("t/.git", "gitdir: ROOT/w/.git/worktrees/t\n"),
        ("t/s/.claude/agents/o.md", &agent("o", "sub")),
        ("module/.git", "gitdir: ROOT/w/.git/modules/module\n"),
    ]);
    machine.check("t", &["m=main"]);
    machine.check("t/s", &["m=main", "o=sub"]);
    machine.check("module", &[]);
    fs::create_dir_all(machine.at("t/.claude/agents")).unwrap();
    machine.check("t/s", &["o=sub"]);
}

#[test]
fn f14_every_markdown_file_below_counts_and_of_two_the_one_with_the_greater_path() {
    let n = |model| agent("n", model);
    for (files, expect) in [
        (["a.md", "b.md"], "n=b.md"),
        (["z.md", "sub/c.md"], "n=z.md"),
        (["sub-x.md", "sub/c.md"], "n=sub/c.md"),
        (["sub.md", "sub/c.md"], "n=sub/c.md"),
        (["B.md", "a.md"], "n=a.md"),
        (["10.md", "9.md"], "n=9.md"),
        (["developer/AGENT.md", "developer.txt"], "n=developer/AGENT.md"),
        (["1/2/3/4/5/6/7/8/9/x.md", "X.MD"], "n=1/2/3/4/5/6/7/8/9/x.md"),
        ([".hidden/.x.md", "x.text"], "n=.hidden/.x.md"),
    ] {
        let machine = Machine::with(&[]);
        for file in files {
            machine.write(&format!("w/.claude/agents/{file}"), &n(file));
        }
        machine.check("w", &[expect]);
    }
}

#[test]
fn f14_what_is_no_agent_to_claude_code_is_none_here_and_nothing_else() {
    let text = |text: &str| Machine::with(&[("w/.claude/agents/x.md", text)]);
    text("---\nname: x\ndescription: d\n---\n").check("w", &["x=inherit"]);
    text("---\nname: x\ndescription: when: this\ntools: nonsense\n---\n").check("w", &["x=inherit"]);
    for none in
        ["name: x", "description: d", "name: -x\ndescription: d", "name: a:b\ndescription: d", "name: 12"]
    {
        text(&format!("---\n{none}\n---\nDo.\n")).check("w", &[]);
    }
}

#[test]
fn f14_links_are_followed_and_a_circle_ends() {
    let machine = Machine::with(&[
        ("far/in.md", &agent("in", "linked")),
        ("w/.claude/agents/x.md", &agent("x", "own")),
    ]);
    let machine = machine
        .link("far", "w/.claude/agents/far")
        .link("far", "w/.claude/agents/once-more")
        .link("w/.claude/agents", "w/.claude/agents/circle");
    machine.check("w", &["in=linked", "x=own"]);
    assert_eq!(machine.found("w").len(), 2);
}

/// A marketplace `mk` with these plugins, as a folder of this machine.
fn marketplace(plugins: &Value, files: &[(&str, &str)]) -> Machine {
    let machine = Machine::with(files);
    machine
        .write("mk/.claude-plugin/marketplace.json", &json!({"name": "mk", "plugins": plugins}).to_string());
    let known =
        json!({"mk": {"source": {"source": "directory", "path": "ROOT/mk"}, "installLocation": "ROOT/mk"}});
    machine.write("home/.claude/plugins/known_marketplaces.json", &known.to_string());
    machine
}

#[test]
fn f14_a_plugins_agents_have_its_name_before_theirs() {
    let (a, t) = (agent("a", "opus"), agent("t", "opus"));
    let all = |manifest: &str| {
        let plugins = json!([{"name": "p", "source": "./p"}]);
        let machine = marketplace(
            &plugins,
            &[
                ("mk/p/agents/x.md", &a),
                ("mk/p/agents/deep/er/AGENT.md", "---\nmodel: haiku\n---\n"),
                ("mk/p/more/t.md", &t),
            ],
        );
        if !manifest.is_empty() {
            machine.write("mk/p/.claude-plugin/plugin.json", manifest);
        }
        machine.setting(Layer::User, &json!({"p@mk": true}))
    };
    let default = ["p:a=opus", "p:deep:er:AGENT=haiku"];
    all("").check("w", &default);
    all(r#"{"name": "p"}"#).check("w", &default);
    all(r#"{"name": "q"}"#).check("w", &["q:a=opus", "q:deep:er:AGENT=haiku"]);
    all(r#"{"name": "p", "agents": "./more/t.md"}"#).check("w", &["p:t=opus"]);
    all(r#"{"name": "p", "agents": ["./more/t.md", "./agents/x.md"]}"#).check("w", &["p:a=opus", "p:t=opus"]);
    for none in
        [r#"{"agents": []}"#, r#"{"agents": "./more"}"#, r#"{"agents": ["../p/more/t.md"]}"#, "{ nonsense"]
    {
        all(none).check("w", &[]);
    }
}

#[test]
fn f14_a_marketplace_adds_to_a_plugins_agents() {
    let plugins = json!([{"name": "p", "source": "./p", "agents": ["./more/t.md"]}]);
    let files = [("mk/p/agents/a.md", &*agent("a", "opus")), ("mk/p/more/t.md", &*agent("t", "haiku"))];
    let machine = marketplace(&plugins, &files).setting(Layer::User, &json!({"p@mk": true}));
    machine.check("w", &["p:a=opus", "p:t=haiku"]);
}

#[test]
fn f14_the_strongest_settings_that_name_a_plugin_switch_it() {
    let of = |layers: &[(Layer, bool)]| {
        let a = agent("a", "opus");
        let plugins = json!([{"name": "p", "source": "./p"}]);
        layers.iter().fold(marketplace(&plugins, &[("mk/p/agents/a.md", &a)]), |machine, (layer, on)| {
            machine.setting(*layer, &json!({"p@mk": on}))
        })
    };
    of(&[]).check("w", &[]);
    of(&[(Layer::User, true)]).check("w", &["p:a=opus"]);
    of(&[(Layer::Local, false), (Layer::User, true)]).check("w", &[]);
    of(&[(Layer::Project, true), (Layer::User, false)]).check("w", &["p:a=opus"]);
}

#[test]
fn f14_what_was_installed_from_elsewhere_is_read_from_its_first_copy_for_us() {
    let check = |copies: &[(&str, Option<&str>)], expect: &[&str]| {
        let machine = Machine::with(&[(
            "mk/.claude-plugin/marketplace.json",
            r#"{"plugins": [{"name": "p", "source": "./p"}]}"#,
        )]);
        let known =
            r#"{"mk": {"source": {"source": "github", "repo": "o/mk"}, "installLocation": "ROOT/mk"}}"#;
        machine.write("home/.claude/plugins/known_marketplaces.json", known);
        let copy = |(version, of): &(&str, Option<&str>)| {
            machine.write(&format!("copy/{version}/agents/a.md"), &agent("a", version));
            json!({"installPath": format!("ROOT/copy/{version}"), "projectPath": of})
        };
        let copies: Vec<Value> = copies.iter().map(copy).collect();
        let installed = json!({"version": 2, "plugins": {"p@mk": copies}}).to_string();
        machine.write("home/.claude/plugins/installed_plugins.json", &installed);
        machine.setting(Layer::User, &json!({"p@mk": true})).check("w", expect);
    };
    check(&[("v1", None)], &["p:a=v1"]);
    check(&[("v1", None), ("v2", Some("ROOT/w"))], &["p:a=v1"]);
    check(&[("v2", Some("ROOT/w")), ("v1", None)], &["p:a=v2"]);
    check(&[("v2", Some("ROOT/other")), ("v1", None)], &["p:a=v1"]);
    check(&[("v2", Some("ROOT/other"))], &[]);
}

#[test]
fn f14_a_plugin_may_lie_among_the_skills() {
    let manifest = r#"{"name": "sk"}"#;
    let files = [
        ("home/.claude/skills/folder/.claude-plugin/plugin.json", manifest),
        ("home/.claude/skills/folder/agents/a.md", &*agent("a", "opus")),
        ("home/.claude/skills/plain/agents/b.md", &*agent("b", "opus")),
        ("w/.claude/skills/own/.claude-plugin/plugin.json", r#"{"name": "ps"}"#),
        ("w/.claude/skills/own/agents/a.md", &*agent("a", "haiku")),
    ];
    let machine = Machine::with(&files);
    machine.check("w", &["sk:a=opus"]);
    machine.write("home/.claude.json", r#"{"projects": {"ROOT/w": {"hasTrustDialogAccepted": true}}}"#);
    machine.check("w", &["ps:a=haiku", "sk:a=opus"]);
    machine.setting(Layer::User, &json!({"sk@skills-dir": false})).check("w", &["ps:a=haiku"]);
}

#[test]
fn f14_only_the_last_word_of_a_plugins_agent_is_its_own() {
    let other = |name: &str, scope| OtherAgent {
        name: name.to_owned(),
        model: "inherit".to_owned(),
        description: String::new(),
        tools: None,
        file: Path::new("x.md").to_owned(),
        scope,
    };
    assert_eq!(other("p:deep:rev", Scope::Plugin).own_name(), "rev");
    assert_eq!(other("rev", Scope::User).own_name(), "rev");
}
