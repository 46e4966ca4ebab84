//! The screen of agents: what is seen of it, and what keys do.

use serde_json::{Value, json};

use super::Errand;
use crate::ui::app::App;
use crate::ui::app::event::{Done, Effect, News, Purpose, Task};
use crate::ui::app::testing::{app, press, tell, text};

const SIZES: [(u16, u16); 3] = [(80, 24), (120, 40), (40, 10)];

fn ours(name: &str, model: &str, description: &str) -> Value {
    json!({
        "name": name, "description": description, "file": format!("/home/me/.config/subagents/agents/{name}.md"),
        "usable": true, "model": model, "route": null, "tools": ["Read", "Grep", "Glob"], "visibility": "model",
        "read_only": false, "bytes": 412, "wins": true, "namesakes": [], "problems": [],
    })
}

fn listed() -> Value {
    let mut broken = ours("broken", "nobody/m", "Does \u{1b}[2Jnothing.");
    broken["usable"] = json!(false);
    broken["bytes"] = json!(0);
    broken["problems"] = json!([{"severity": "error", "file": "/x", "line": 4,
        "message": "agent `broken` is not used: route `nobody/m` needs a provider `nobody`, and there is no usable one",
        "remedy": "there is `glm`; `subagents provider add nobody` adds it"}]);
    let mut writer = ours("test-writer", "inherit", "Writes tests for one module.");
    writer["tools"] = json!(null);
    writer["problems"] = json!([{"severity": "warning", "file": "/x", "line": null,
        "message": "unknown key `allowed-tools`; as it stands, agent `test-writer` has ALL tools",
        "remedy": "did you mean `tools`?"}]);
    let other = |name: &str, scope: &str| {
        json!({"name": name, "scope": scope, "model": "opus", "description": "Somebody else's.", "tools": ["Read"],
            "file": format!("/work/shop/.claude/agents/{name}.md")})
    };
    json!({
        "version": 1, "bytes": 824, "limit": 102_400,
        "agents": [broken, ours("reviewer", "glm/glm-5", "Reviews changes for correctness. Use it after every edit \
            that touches more than one file, and before a commit."), writer],
        "others": [other("reviewer", "project"), other("deploy", "user"), other("tools:lint", "plugin")],
    })
}

fn done(errand: Errand, code: u8, stdout: &str, stderr: &str) -> News {
    let task = Task::new(Purpose::Agents(errand), &[]);
    News::Done(Done { task, code: Some(code), stdout: stdout.to_owned(), stderr: stderr.to_owned() })
}

fn run(errand: Errand, arguments: &[&str]) -> Effect {
    Effect::Run(Task::new(Purpose::Agents(errand), arguments))
}

/// The screen with this list.
fn shown(columns: u16, rows: u16, list: &Value) -> App {
    let mut app = app(columns, rows);
    assert_eq!(press(&mut app, "2"), [run(Errand::List, &["agent", "list", "--all", "--json"])]);
    tell(&mut app, done(Errand::List, 0, &list.to_string(), ""));
    app
}

#[test]
fn agents_are_listed_with_what_is_known_of_them() {
    for (columns, rows) in SIZES {
        let mut app = shown(columns, rows, &listed());
        insta::assert_snapshot!(format!("broken_{columns}x{rows}"), text(&app));
        press(&mut app, "j");
        insta::assert_snapshot!(format!("normal_{columns}x{rows}"), text(&app));
    }
}

#[test]
fn no_agents_and_a_list_that_fails_say_what_to_do() {
    for (columns, rows) in SIZES {
        let mut app = app(columns, rows);
        press(&mut app, "2");
        assert!(text(&app).contains("Reading the agents"));
        tell(&mut app, done(Errand::List, 3, "", "subagents: config.toml\u{1b}[2J: no\nReally.\n"));
        insta::assert_snapshot!(format!("failed_{columns}x{rows}"), text(&app));
        let nothing = json!({"version": 1, "bytes": 0, "limit": 1, "agents": [], "others": []});
        tell(&mut app, done(Errand::List, 0, &nothing.to_string(), ""));
        insta::assert_snapshot!(format!("nothing_{columns}x{rows}"), text(&app));
    }
}

#[test]
fn too_many_descriptions_are_told() {
    let many: Vec<Value> = (0..300)
        .map(|at| {
            ours(
                &format!("agent-with-a-long-name-{at}"),
                "openrouter/somebody/a-long-model",
                &"word ".repeat(80),
            )
        })
        .collect();
    let list = json!({"version": 1, "bytes": 9, "limit": 1, "agents": many, "others": []});
    let mut app = shown(80, 24, &list);
    press(&mut app, "end");
    insta::assert_snapshot!("huge_80x24", text(&app));
}
