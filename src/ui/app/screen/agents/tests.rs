//! The screen of agents: what is seen of it, and what keys do.

mod details;
mod long;

use std::sync::Arc;

use serde_json::{Value, json};

use super::Errand;
use crate::config::edit::unsaved_key;
use crate::ui::app::App;
use crate::ui::app::event::{Configuration, Done, Effect, Event, News, Purpose, Task};
use crate::ui::app::input::Input;
use crate::ui::app::testing::{SIZES, app, at_each_size, press, take, tell, text};

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
            "file": format!("/work/shop/.claude/agents/{name}.md"), "problems": []})
    };
    let mut deploy = other("deploy", "user");
    deploy["problems"] = json!([{"severity": "error", "file": "/x", "line": null,
        "message": "the agent has no prompt", "remedy": "write what the agent is to do"},
        {"severity": "info", "file": "/x", "line": null, "message": "look at this: `hooks`", "remedy": ""}]);
    json!({
        "version": 1, "bytes": 824, "limit": 102_400,
        "agents": [broken, ours("reviewer", "glm/glm-5", "Reviews changes for correctness. Use it after every edit \
            that touches more than one file, and before a commit."), writer],
        "others": [other("reviewer", "project"), deploy, other("tools:lint", "plugin")],
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
    at_each_size!(app, "huge");
}

const REVIEWER: &str = "---\n# mine\nname: reviewer\ndescription: Reviews changes for correctness.\ntools: Read, Grep\n\
                        model: glm/glm-5\n---\n\nYou review code.\n\nSay what is wrong, and where.\n";

/// An agent as `agent show --json` tells it.
fn told(name: &str, text: &str) -> String {
    let file = format!("/home/me/.config/subagents/agents/{name}.md");
    json!({"agent": {"name": name, "file": file}, "text": text, "digest": "d1"}).to_string()
}

fn configuration() -> Arc<Configuration> {
    let folder = tempfile::tempdir().unwrap();
    let text = "[providers.glm]\npreset = \"glm\"\n[providers.ollama]\npreset = \"ollama\"\n\
                [routes.\"ollama/qwen3-coder:30b\"]\ncontext_window = 32768\n";
    std::fs::write(folder.path().join("config.toml"), text).unwrap();
    let (config, problems) = crate::config::load(folder.path());
    assert_eq!(problems, []);
    let home = Some("/home/me".into());
    Arc::new(Configuration { config, problems, here: "/work/shop".into(), home, zone: None })
}

/// The editor on the agent `reviewer`.
fn edited(columns: u16, rows: u16) -> App {
    let mut app = shown(columns, rows, &listed());
    tell(&mut app, News::Configuration(configuration()));
    let show = run(Errand::Edit("reviewer".to_owned()), &["agent", "show", "--json", "--", "reviewer"]);
    assert_eq!(press(&mut app, "j enter"), [show]);
    tell(&mut app, done(Errand::Edit("reviewer".to_owned()), 0, &told("reviewer", REVIEWER), ""));
    app
}

fn keep(agent: &str, text: Option<&str>) -> Effect {
    Effect::Keep { agent: agent.to_owned(), text: text.map(str::to_owned) }
}

fn unsaved(agent: &str, text: &str) -> News {
    News::Unsaved(Arc::new([(unsaved_key(agent), text.to_owned())].into()))
}

/// A save as it goes out.
fn save(arguments: &[&str], text: &str) -> Effect {
    let mut task = Task::new(Purpose::Agents(Errand::Save), arguments);
    task.input = Some(text.to_owned());
    Effect::Run(task)
}

fn look_again() -> Effect {
    run(Errand::List, &["agent", "list", "--all", "--json"])
}

#[test]
fn every_field_is_shown_with_what_it_means() {
    for (columns, rows) in SIZES {
        let mut app = edited(columns, rows);
        press(&mut app, "tab tab");
        insta::assert_snapshot!(format!("editor_{columns}x{rows}"), text(&app));
        press(&mut app, "backtab backtab backtab");
        insta::assert_snapshot!(format!("prompt_{columns}x{rows}"), text(&app));
        press(&mut app, "ctrl-o");
        insta::assert_snapshot!(format!("preview_{columns}x{rows}"), text(&app));
    }
}

#[test]
fn what_is_wrong_stands_beside_its_field_and_keeps_it_from_being_saved() {
    for (columns, rows) in SIZES {
        let mut app = edited(columns, rows);
        press(&mut app, "ctrl-u b r o k e n tab tab");
        press(&mut app, "ctrl-u n o b o d y / m tab tab ctrl-u r e a d tab tab x");
        insta::assert_snapshot!(format!("wrong_{columns}x{rows}"), text(&app));
        assert_eq!(press(&mut app, "ctrl-s"), []);
        assert!(text(&app).contains("can't be saved as it is"), "{}", text(&app));
    }
}

#[test]
fn a_change_is_kept_shown_as_a_diff_and_saved() {
    let mut app = edited(80, 24);
    let changed = REVIEWER.replace("model: glm/glm-5\n", "model: glm/glm-5\nmaxTurns: 9\n");
    press(&mut app, "tab tab tab tab tab tab");
    assert_eq!(press(&mut app, "9"), [keep("reviewer", Some(&changed))], "a crash loses nothing");
    assert_eq!(press(&mut app, "ctrl-s"), []);
    at_each_size!(app, "diff");
    let saved = save(&["agent", "set", "--file", "-", "--was", "d1", "--json", "--", "reviewer"], &changed);
    assert_eq!(press(&mut app, "enter"), [saved]);
    assert_eq!(press(&mut app, "x"), [], "nothing is typed while it is saved");
    let effects = tell(&mut app, done(Errand::Save, 0, "{}", ""));
    assert_eq!(effects, [keep("reviewer", None), look_again()]);
    assert!(text(&app).contains("Saved reviewer; u undoes it"));
    let undo = Task::new(Purpose::Tell, &["config", "undo"]);
    assert_eq!(press(&mut app, "u"), [Effect::Run(undo)]);
}

#[test]
fn a_save_that_is_refused_loses_nothing_and_the_next_diff_is_true() {
    let mut app = edited(80, 24);
    press(&mut app, "tab tab tab tab tab tab 9 ctrl-s enter");
    let effects =
        tell(&mut app, done(Errand::Save, 1, "", "subagents: reviewer.md has changed since it was read"));
    assert_eq!(effects, [run(Errand::Look, &["agent", "show", "--json", "--", "reviewer"])]);
    assert!(text(&app).contains("has changed since it was read"));
    let theirs = told("reviewer", &REVIEWER.replace("# mine", "# theirs")).replace("d1", "d2");
    tell(&mut app, done(Errand::Look, 0, &theirs, ""));
    press(&mut app, "ctrl-s");
    assert!(text(&app).contains("- # theirs") && text(&app).contains("+ # mine"));
    let effects = press(&mut app, "enter");
    assert!(matches!(&effects[..], [Effect::Run(task)] if task.arguments[5] == "d2"), "{effects:?}");
}

#[test]
fn leaving_asks_before_anything_is_lost() {
    let mut app = edited(80, 24);
    assert_eq!(press(&mut app, "esc"), [], "nothing was changed");
    assert!(text(&app).contains("Agents"));
    let mut app = edited(80, 24);
    press(&mut app, "tab x esc");
    at_each_size!(app, "leave");
    press(&mut app, "esc");
    assert!(!text(&app).contains("isn't saved"));
    assert_eq!(press(&mut app, "esc k"), [], "it stays kept");
    let mut app = edited(80, 24);
    press(&mut app, "tab x");
    assert_eq!(press(&mut app, "esc x"), [keep("reviewer", None)]);
    assert_eq!(press(&mut app, "q"), [Effect::Quit]);
}

#[test]
fn work_from_before_a_crash_is_offered_again() {
    let lost = REVIEWER.replace("Say what", "Tell what");
    for (key, expect, kept) in [("y", "Tell what", vec![]), ("n", "Say what", vec![keep("reviewer", None)])] {
        let mut app = shown(120, 40, &listed());
        tell(&mut app, unsaved("reviewer", &lost));
        press(&mut app, "j enter");
        tell(&mut app, done(Errand::Edit("reviewer".to_owned()), 0, &told("reviewer", REVIEWER), ""));
        assert!(text(&app).contains("unsaved work on this agent"));
        assert_eq!(press(&mut app, "x"), [], "nothing is thrown away by mistake");
        assert_eq!(press(&mut app, key), kept);
        assert!(text(&app).contains(expect));
    }
}

#[test]
fn the_editor_of_the_person_gets_all_of_it_and_gives_it_back() {
    let mut app = edited(120, 40);
    press(&mut app, "tab tab tab tab tab tab 9");
    let changed = REVIEWER.replace("model: glm/glm-5\n", "model: glm/glm-5\nmaxTurns: 9\n");
    let arguments = ["agent", "edit", "--unsaved", "--", "reviewer"].map(str::to_owned).to_vec();
    assert_eq!(press(&mut app, "ctrl-e"), [keep("reviewer", Some(&changed)), Effect::HandOver { arguments }]);
    tell(&mut app, unsaved("reviewer", &changed));
    tell(&mut app, unsaved("reviewer", &changed.replace("Say what", "Never say what")));
    assert!(text(&app).contains("Never say what") && text(&app).contains("not saved"));
    // What has no fields any more is kept until it is mended.
    tell(&mut app, unsaved("reviewer", "gone"));
    assert!(text(&app).contains("no front matter"));
    let arguments = ["agent", "edit", "--unsaved", "--", "reviewer"].map(str::to_owned).to_vec();
    assert_eq!(press(&mut app, "e"), [Effect::HandOver { arguments }]);
    tell(&mut app, unsaved("reviewer", REVIEWER));
    assert!(!text(&app).contains("no front matter"));
}

#[test]
fn a_route_is_found_by_a_part_of_its_name() {
    for (columns, rows) in SIZES {
        let mut app = edited(columns, rows);
        press(&mut app, "tab tab");
        let asked =
            |name: &str| run(Errand::Models(name.to_owned()), &["provider", "models", "--json", "--", name]);
        assert_eq!(press(&mut app, "enter"), [asked("glm"), asked("ollama")]);
        let model = |id: &str, price: Value| {
            json!({"id": id, "name": null, "context_window": 200_000, "output_limit": null, "efforts": ["low", "high"],
                "thinking": null, "tools": true, "price": price})
        };
        let price = json!({"input": 0.6, "output": 2.2, "cache_read": null, "cache_write": null});
        let models = json!({"models": [model("glm-5", price), model("glm-4.7-air", Value::Null)]});
        tell(&mut app, done(Errand::Models("glm".to_owned()), 0, &models.to_string(), ""));
        tell(
            &mut app,
            done(Errand::Models("ollama".to_owned()), 1, "", "subagents: nothing listens there\n"),
        );
        insta::assert_snapshot!(format!("picker_{columns}x{rows}"), text(&app));
        press(&mut app, "a i r");
        let changed = REVIEWER.replace("glm/glm-5", "glm/glm-4.7-air");
        assert_eq!(press(&mut app, "enter"), [keep("reviewer", Some(&changed))]);
        assert_eq!(press(&mut app, "enter"), [asked("ollama")], "what failed is asked again");
        tell(
            &mut app,
            done(Errand::Models("ollama".to_owned()), 1, "", "subagents: nothing listens there\n"),
        );
        press(&mut app, "o l l a m a / x : 1");
        assert!(text(&app).contains("not reached"), "{}", text(&app));
        let changed = REVIEWER.replace("glm/glm-5", "ollama/x:1");
        assert_eq!(press(&mut app, "enter"), [keep("reviewer", Some(&changed))], "as typed");
    }
}

#[test]
fn tools_are_ticked() {
    let mut app = edited(80, 24);
    press(&mut app, "tab tab tab tab enter");
    at_each_size!(app, "tools");
    press(&mut app, "down space down space");
    let changed = REVIEWER
        .replace("tools: Read, Grep\n", "tools: Grep\n")
        .replace("model: glm/glm-5\n", "model: glm/glm-5\nsubagents: {\"read_only\":true}\n");
    assert_eq!(press(&mut app, "enter"), [keep("reviewer", Some(&changed))]);
}

#[test]
fn a_prompt_is_written_searched_and_taken_back() {
    let mut app = edited(120, 40);
    press(&mut app, "backtab");
    let changed = REVIEWER.replace("You review", "aYou review");
    assert_eq!(press(&mut app, "a"), [keep("reviewer", Some(&changed))]);
    assert_eq!(press(&mut app, "ctrl-z"), [keep("reviewer", None)]);
    assert_eq!(press(&mut app, "ctrl-g w h e r e enter esc"), []);
    let changed = REVIEWER.replace("where", "bwhere");
    assert_eq!(press(&mut app, "b"), [keep("reviewer", Some(&changed))]);
    let pasted = take(&mut app, Event::Input(Input::Paste("c\nd".to_owned())));
    assert_eq!(pasted, [keep("reviewer", Some(&changed.replace("bwhere", "bc\ndwhere")))]);
}

#[test]
fn a_new_one_begins_with_a_sample_or_with_nothing() {
    let mut app = shown(80, 24, &json!({"version": 1, "bytes": 0, "limit": 1, "agents": [], "others": []}));
    press(&mut app, "n");
    at_each_size!(app, "begin");
    press(&mut app, "enter");
    at_each_size!(app, "new");
    press(&mut app, "ctrl-s");
    at_each_size!(app, "new_unfilled");
    let kept = press(&mut app, "a");
    assert!(matches!(&kept[..], [Effect::Keep { agent, text: Some(_) }] if agent == ":new"), "{kept:?}");
    press(&mut app, "esc x n down down down enter");
    assert!(text(&app).contains("reviewer · new, not saved"));
    let sample = crate::config::agent::sample_text("reviewer").unwrap();
    press(&mut app, "ctrl-s");
    let saved = save(&["agent", "new", "--file", "-", "--json", "--", "reviewer"], sample);
    assert_eq!(press(&mut app, "enter"), [saved]);
}

#[test]
fn a_duplicate_gets_a_name_that_is_free() {
    let mut app = shown(80, 24, &listed());
    let errand = Errand::Duplicate("reviewer".to_owned());
    assert_eq!(press(&mut app, "j d"), [run(errand.clone(), &["agent", "show", "--json", "--", "reviewer"])]);
    tell(&mut app, done(errand, 0, &told("reviewer", REVIEWER), ""));
    assert!(text(&app).contains("reviewer-2 · new, not saved"));
    assert_eq!(press(&mut app, "esc"), [], "nothing was written yet");
}

#[test]
fn agents_are_renamed_removed_exported_and_edited_elsewhere() {
    let mut app = shown(80, 24, &listed());
    press(&mut app, "j r");
    press(&mut app, "ctrl-u b r o k e n");
    assert!(text(&app).contains("there is an agent `broken` already"));
    assert_eq!(press(&mut app, "enter"), []);
    let renamed = Errand::Change("Renamed reviewer to critic; u undoes it".to_owned());
    let expect = run(renamed.clone(), &["agent", "rename", "--", "reviewer", "critic"]);
    assert_eq!(press(&mut app, "ctrl-u c r i t i c enter"), [expect]);
    assert_eq!(tell(&mut app, done(renamed, 0, "", "")), [look_again()]);
    assert!(text(&app).contains("Renamed reviewer to critic; u undoes it"));
    let removed = Errand::Change("Removed reviewer; u undoes it".to_owned());
    assert_eq!(press(&mut app, "x"), [run(removed.clone(), &["agent", "rm", "--yes", "--", "reviewer"])]);
    assert_eq!(tell(&mut app, done(removed, 1, "", "subagents: no\n")), []);
    let written = "Wrote reviewer to .claude/agents: Claude Code finds it there too; u undoes it";
    let written = Errand::Change(written.to_owned());
    let expect = run(written, &["agent", "export", "--to", ".claude/agents", "--", "reviewer"]);
    press(&mut app, "X");
    at_each_size!(app, "export");
    assert_eq!(press(&mut app, "enter"), [expect]);
    let arguments = ["agent", "edit", "--", "reviewer"].map(str::to_owned).to_vec();
    assert_eq!(press(&mut app, "e"), [Effect::HandOver { arguments }]);
    let Effect::Run(undo) = press(&mut app, "u").remove(0) else { panic!() };
    let undone = Done { task: undo, code: Some(0), stdout: "Undone: it".to_owned(), stderr: String::new() };
    assert_eq!(tell(&mut app, News::Done(undone)), [look_again()], "what was exported isn't watched");
    press(&mut app, "end");
    assert_eq!(press(&mut app, "x"), [], "that one isn't ours");
    assert!(text(&app).contains("enter imports a copy"));
}

#[test]
fn others_are_imported_one_by_one() {
    for (columns, rows) in SIZES {
        let mut app = shown(columns, rows, &listed());
        let preview = |more: &[&str]| {
            run(Errand::Preview, &[&["agent", "import", "--dry-run", "--json", "--"], more].concat())
        };
        press(&mut app, "end");
        assert_eq!(press(&mut app, "enter"), [preview(&["/work/shop/.claude/agents/tools:lint.md"])]);
        press(&mut app, "esc");
        assert_eq!(press(&mut app, "I"), [preview(&[])]);
        let item = |step: &str, name: &str| {
            json!({"step": step, "name": name, "origin": format!("~/.claude/agents/{name}.md"), "format": "claude-code",
                "file": (step == "add").then_some("/x.md"), "taken_by": (step == "clash").then_some("reviewer.md"), "model": "opus", "tools": null,
                "notes": [{"kind": "lost", "text": "`x\u{202e}` isn't kept"},
                    {"kind": "unresolved-tool", "text": "Frobnicate"}],
                "problems": [{"severity": "info", "file": "/x", "line": 4, "message": "a key is kept", "remedy": ""}]})
        };
        let found = json!({"version": 1, "dry_run": true, "broken": [], "not_agents": [],
            "agents": [item("add", "deploy"), item("clash", "reviewer"), item("same", "test-writer"), item("refuse", "bad")]});
        tell(&mut app, done(Errand::Preview, 1, &found.to_string(), "subagents: some names are taken"));
        insta::assert_snapshot!(format!("import_{columns}x{rows}"), text(&app));
        press(&mut app, "down space down space");
        let import =
            ["agent", "import", "--json", "--only", "deploy", "--only", "reviewer", "--replace", "--"];
        assert_eq!(press(&mut app, "enter"), [run(Errand::Import, &import)]);
        let imported = json!({"agents": [item("add", "deploy"), item("same", "test-writer")]}).to_string();
        assert_eq!(tell(&mut app, done(Errand::Import, 0, &imported, "")), [look_again()]);
        assert!(text(&app).contains("Imported 1 agent; u undoes it"));
    }
}

#[test]
fn a_file_without_fields_is_left_to_the_editor_of_the_person() {
    let mut app = shown(120, 24, &listed());
    press(&mut app, "enter");
    tell(&mut app, done(Errand::Edit("broken".to_owned()), 0, &told("broken", "no front matter"), ""));
    assert!(text(&app).contains("can't be shown in fields") && text(&app).contains("runs on"));
}

#[test]
fn a_filter_cuts_the_list_down_and_the_selected_stays() {
    let mut app = shown(80, 24, &listed());
    press(&mut app, "/ p r o j");
    assert!(text(&app).contains("reviewer · project") && !text(&app).contains("broken"));
    press(&mut app, "enter esc");
    assert!(text(&app).contains("reviewer · project"));
    tell(&mut app, done(Errand::List, 0, &listed().to_string(), ""));
    assert!(text(&app).contains("reviewer · project"), "wherever it is now");
}

#[test]
fn a_line_that_turns_or_hides_is_shown_as_it_is() {
    let mut app = shown(120, 40, &listed());
    press(&mut app, "j enter");
    let evil =
        REVIEWER.replace("model: glm/glm-5", "model: \"a\\u202eb\"").replace("Say", "S\u{202e}\u{1b}ay");
    tell(&mut app, done(Errand::Edit("reviewer".to_owned()), 0, &told("reviewer", &evil), ""));
    for keys in ["tab", "tab", "tab", "ctrl-o", "ctrl-o", "backtab ctrl-s"] {
        press(&mut app, keys);
        assert!(!text(&app).contains(['\u{202e}', '\u{1b}']), "{keys}: {}", text(&app));
    }
}

#[test]
fn no_size_is_too_small() {
    for columns in [1, 2, 3, 5, 8, 13, 24] {
        for rows in 1..9 {
            let mut app = edited(columns, rows);
            for keys in [
                "tab",
                "tab x",
                "enter",
                "esc",
                "tab",
                "tab",
                "enter",
                "esc",
                "ctrl-o",
                "ctrl-o",
                "ctrl-s",
                "esc",
                "backtab",
                "tab tab tab tab tab tab",
                "a",
                "ctrl-g",
                "esc",
                "esc",
                "x",
                "n",
                "enter",
                "esc",
                "r",
                "esc",
                "X",
                "esc",
                "I",
                "esc",
            ] {
                press(&mut app, keys);
                text(&app);
            }
        }
    }
}
