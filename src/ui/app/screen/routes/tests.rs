//! The screen of routes: what is seen of it, and what keys do.

use std::fs;
use std::path::Path;
use std::sync::Arc;

use serde_json::{Value, json};
use uuid::Uuid;

use crate::config;
use crate::launch::sessions::{Listed, Place, State, Tally};
use crate::ui::app::App;
use crate::ui::app::event::{Configuration, Done, Effect, News, Purpose, Task};
use crate::ui::app::testing::{SIZES, app, at_each_size, press, tell, text};

const CONFIG: &str = r#"
[providers.glm]
preset = "glm"
auth = { kind = "bearer", secret = "env:ZAI_API_KEY" }
[providers.local]
preset = "ollama"
[providers.vault]
base_url = "https://vault.example/api"
auth = { kind = "x-api-key", secret = "cmd:pass vault" }
[providers.chat]
base_url = "https://chat.example/v1"
dialect = "openai-chat"
[routes."glm/glm-5"]
context_window = 200000
price = { input = 1.0, output = 3.2 }
[policy]
enabled = true
allowed = ["glm/glm-4.7", "local/qwen3-coder:30b"]
"#;

const AGENTS: [(&str, &str); 4] = [
    ("reviewer", "glm/glm-5"),
    ("fixer", "glm/glm-5"),
    ("scout", "local/qwen3-coder:30b"),
    ("planner", "opus"),
];

/// What these files mean.
fn configuration(text: &str, agents: &[(&str, &str)]) -> News {
    let root = tempfile::tempdir().unwrap();
    let write = |name: &str, text: &str| fs::write(root.path().join(name), text).unwrap();
    write("config.toml", text);
    fs::create_dir(root.path().join("agents")).unwrap();
    for (name, model) in agents {
        let text = format!("---\nname: {name}\ndescription: Does it.\nmodel: {model}\n---\nDo it.\n");
        write(&format!("agents/{name}.md"), &text);
    }
    let (config, problems) = config::load(root.path());
    assert!(problems.is_empty(), "{problems:?}");
    let (here, home) = ("/home/me/shop".into(), Some("/home/me".into()));
    News::Configuration(Arc::new(Configuration { config, problems, here, home, zone: None }))
}

/// The screen, with the configuration above.
fn screen(columns: u16, rows: u16) -> (App, Vec<Effect>) {
    let mut app = app(columns, rows);
    tell(&mut app, configuration(CONFIG, &AGENTS));
    let effects = press(&mut app, "3");
    (app, effects)
}

fn done(purpose: Purpose, arguments: &[&str], code: u8, stdout: &str, stderr: &str) -> News {
    let (stdout, stderr) = (stdout.to_owned(), stderr.to_owned());
    News::Done(Done { task: Task::new(purpose, arguments), code: Some(code), stdout, stderr })
}

fn models(provider: &str, refresh: &[&str]) -> Task {
    let arguments = [&["provider", "models", provider, "--json"], refresh].concat();
    Task::new(Purpose::Models(provider.parse().unwrap()), &arguments)
}

fn keys() -> Effect {
    Effect::Run(Task::new(Purpose::Keys, &["provider", "list", "--json"]))
}

/// A provider has told its models, three minutes ago.
fn told(provider: &str, models: &[Value]) -> News {
    let stdout = json!({"version": 1, "provider": provider, "source": "catalogue",
        "fetched": "2025-12-31T23:57:00Z", "path": "/v1/models", "models": models});
    done(Purpose::Models(provider.parse().unwrap()), &[], 0, &stdout.to_string(), "")
}

fn model(id: &str) -> Value {
    json!({"id": id, "name": null, "context_window": 131_072, "output_limit": null, "efforts": [],
        "thinking": null, "tools": true, "price": {"input": 0.5, "output": 2.0, "cache_read": null, "cache_write": null}})
}

fn refused(provider: &str) -> News {
    let why = format!("subagents: provider `{provider}`: no connection: refused. Is the provider running?");
    done(Purpose::Models(provider.parse().unwrap()), &[], 1, "", &why)
}

/// Everything has answered.
fn settled(columns: u16, rows: u16) -> App {
    let (mut app, _) = screen(columns, rows);
    tell(&mut app, told("glm", &[model("glm-5"), model("glm-4.7"), model("glm-4.5-air")]));
    tell(&mut app, refused("local"));
    tell(&mut app, told("chat", &[model("gpt-x")]));
    let key =
        |name: &str, key: &str, problem: Value| json!({"name": name, "key": key, "key_problem": problem});
    let list = json!({"version": 1, "providers": [key("glm", "found", json!(null)), key("local", "none", json!(null)),
        key("vault", "unchecked", json!(null)), key("chat", "none", json!(null))]});
    tell(&mut app, done(Purpose::Keys, &[], 0, &list.to_string(), ""));
    app
}

fn session(number: u128, name: &str, state: State, place: Option<Place>) -> Listed {
    let (session, folder) = (Uuid::from_u128(number), Path::new("/home/me/shop").to_owned());
    Listed { session, name: name.to_owned(), folder, state, place, started: 0, tally: Tally::default() }
}

#[test]
fn it_is_drawn_in_every_size() {
    for (columns, rows) in [(80, 24), (120, 40), (40, 10)] {
        let (app, _) = screen(columns, rows);
        insta::assert_snapshot!(format!("loading_{columns}x{rows}"), text(&app));
        let app = settled(columns, rows);
        insta::assert_snapshot!(format!("normal_{columns}x{rows}"), text(&app));
        let mut app = settled(columns, rows);
        press(&mut app, "/ 5 enter enter down");
        insta::assert_snapshot!(format!("opened_{columns}x{rows}"), text(&app));
    }
}

#[test]
fn nothing_says_what_to_do() {
    for (columns, rows) in SIZES {
        let mut app = app(columns, rows);
        assert_eq!(press(&mut app, "3"), [keys()]);
        assert_eq!(press(&mut app, "space t enter left right r a esc"), []);
        insta::assert_snapshot!(format!("nothing_{columns}x{rows}"), text(&app));
    }
}

#[test]
fn a_provider_that_is_known_by_name_is_added_and_asked_for_its_models() {
    let mut app = app(120, 40);
    press(&mut app, "3");
    press(&mut app, "n");
    at_each_size!(app, "providers");
    press(&mut app, "z");
    assert!(!text(&app).contains("OpenRouter") && text(&app).contains("env:ZAI_API_KEY"));
    let add = Effect::Run(Task::new(Purpose::Tell, &["provider", "add", "--", "glm"]));
    assert_eq!(press(&mut app, "enter"), [add]);
    let added = "[providers.glm]\npreset = \"glm\"\n";
    assert_eq!(tell(&mut app, configuration(added, &[])), [Effect::Run(models("glm", &[])), keys()]);
    press(&mut app, "n");
    assert!(!text(&app).contains("GLM by Z.ai"), "it is there\n{}", text(&app));
}

#[test]
fn a_configuration_asks_nobody_before_the_screen_was_looked_at() {
    let mut app = app(80, 24);
    assert_eq!(tell(&mut app, configuration(CONFIG, &AGENTS)), []);
}

#[test]
fn no_size_is_too_small() {
    for columns in 1..20 {
        for rows in 1..9 {
            let mut app = settled(columns, rows);
            for keys in ["j j space", "a", "esc", "/ g", "enter", "esc", "p s", "esc", "t", "enter", "esc"] {
                press(&mut app, keys);
                text(&app);
            }
        }
    }
}

#[test]
fn those_are_asked_that_need_nobody_and_a_few_at_a_time() {
    let (mut app, effects) = screen(80, 24);
    let run = |provider: &str| Effect::Run(models(provider, &[]));
    assert_eq!(
        effects,
        [run("chat"), run("glm"), run("local"), keys()],
        "a command may ask for a passphrase"
    );
    assert_eq!(press(&mut app, "1 3"), [keys()], "they are asked already");
    let six = ["p1", "p2", "p3", "p4", "p5", "p6"];
    let six = six
        .map(|name| {
            format!(
                "[providers.{name}]
preset = \"vllm\"
"
            )
        })
        .concat();
    let mut app = crate::ui::app::testing::app(80, 24);
    tell(&mut app, configuration(&six, &[]));
    assert_eq!(press(&mut app, "3"), [run("p1"), run("p2"), run("p3"), run("p4"), keys()]);
    assert_eq!(tell(&mut app, told("p2", &[model("m")])), [run("p5")]);
    assert_eq!(tell(&mut app, refused("p1")), [run("p6")]);
    assert_eq!(tell(&mut app, refused("p5")), []);
    let again = press(&mut app, "1 3");
    assert_eq!(again, [run("p1"), keys()], "who has told is asked no more, and no more than four are");
}

#[test]
fn a_person_asks_anew() {
    let mut app = settled(80, 24);
    let anew = |provider: &str| Effect::Run(models(provider, &["--refresh"]));
    assert_eq!(press(&mut app, "G r"), [anew("vault"), keys()]);
    assert_eq!(press(&mut app, "R"), [anew("chat"), anew("glm"), anew("local"), keys()]);
    tell(&mut app, done(Purpose::Models("glm".parse().unwrap()), &[], 0, "no JSON", ""));
    assert!(text(&app).contains("failed: what it says can't"), "{}", text(&app));
    assert!(text(&app).contains("glm-4.5-air"), "what it told before stays");
}

#[test]
fn what_is_ticked_is_saved_in_one_step_after_a_look_at_it() {
    let mut app = settled(80, 24);
    tell(
        &mut app,
        News::Sessions(vec![
            session(1, "api-fix", State::Running, Some(Place::Terminal)),
            session(2, "over", State::Ended(0), None),
        ]),
    );
    assert_eq!(press(&mut app, "s"), []);
    assert!(text(&app).contains("Nothing was changed"));
    press(&mut app, "/ 5 enter space esc");
    assert!(text(&app).contains("+[x] glm-5"), "{}", text(&app));
    press(&mut app, "/ q w e n enter space esc");
    at_each_size!(app, "draft");
    assert_eq!(press(&mut app, "s"), []);
    at_each_size!(app, "review");
    assert_eq!(press(&mut app, "n"), []);
    let arguments =
        ["policy", "set", "--enabled", "true", "--allow=glm/glm-5", "--deny=local/qwen3-coder:30b", "--json"];
    let save = Task::new(Purpose::Authorise, &arguments);
    assert_eq!(press(&mut app, "ctrl-s y"), [Effect::Run(save)]);
    let failed = done(Purpose::Authorise, &arguments, 3, "", "subagents: config.toml is locked");
    tell(&mut app, failed);
    assert!(text(&app).contains("config.toml is locked") && text(&app).contains("not saved:"));
    tell(&mut app, done(Purpose::Authorise, &arguments, 0, "{}", ""));
    assert!(text(&app).contains("Saved") && !text(&app).contains("not saved:"), "{}", text(&app));
}

#[test]
fn the_switch_and_the_list_go_together() {
    let mut app = settled(80, 24);
    press(&mut app, "p");
    assert!(text(&app).contains("off: no model may choose"));
    let off = Task::new(Purpose::Authorise, &["policy", "set", "--enabled", "false", "--json"]);
    assert_eq!(press(&mut app, "s enter"), [Effect::Run(off)]);
    press(&mut app, "p");
    for route in ["4 . 7", "q w e n"] {
        press(&mut app, &format!("/ {route} enter space esc"));
    }
    assert_eq!(press(&mut app, "s"), []);
    assert!(text(&app).contains("A policy that is on needs a route"), "{}", text(&app));
}

#[test]
fn what_others_change_meanwhile_is_no_change_of_ours() {
    let mut app = settled(80, 24);
    press(&mut app, "/ 5 enter space esc");
    let theirs = CONFIG.replace("\"glm/glm-4.7\"", "\"glm/glm-4.7\", \"glm/glm-5\"");
    tell(&mut app, configuration(&theirs, &AGENTS));
    assert!(!text(&app).contains("not saved") && text(&app).contains(" [x] glm-5"), "{}", text(&app));
    assert_eq!(press(&mut app, "q"), [Effect::Quit]);
}

#[test]
fn a_route_that_no_catalogue_lists_is_typed() {
    let mut app = settled(80, 24);
    press(&mut app, "/ g l m enter a");
    for (typed, told) in [
        ("", "any model, written"),
        ("m space n", "white space"),
        ("ctrl-u n o / m", "needs a provider `no`"),
    ] {
        if !typed.is_empty() {
            press(&mut app, typed);
        }
        assert_eq!(press(&mut app, "enter"), []);
        assert!(text(&app).contains(told), "{typed}: {}", text(&app));
    }
    at_each_size!(app, "adding");
    press(&mut app, "ctrl-u g l m / n e w enter");
    assert!(text(&app).contains("+[x] new") && text(&app).contains("typed here"), "{}", text(&app));
    press(&mut app, "space");
    assert!(text(&app).contains(" [ ] new"), "it stays where it is: {}", text(&app));
}

#[test]
fn what_isnt_saved_is_lost_only_on_purpose() {
    let mut app = settled(80, 24);
    press(&mut app, "p");
    assert_eq!(press(&mut app, "q"), []);
    assert!(text(&app).contains("Leave, and lose"), "{}", text(&app));
    assert_eq!(press(&mut app, "n 1"), []);
    assert!(text(&app).contains("The policy isn't saved in Routes: switched off."));
    assert_eq!(press(&mut app, "q y"), [Effect::Quit]);
    press(&mut app, "3 esc n");
    assert!(text(&app).contains("not saved"));
    press(&mut app, "esc y");
    assert!(!text(&app).contains("not saved"), "{}", text(&app));
}

#[test]
fn a_trial_shows_its_steps_as_they_come() {
    let mut app = settled(80, 24);
    let arguments = ["route", "test", "glm/glm-5", "--steps", "--json"];
    let purpose = Purpose::Try("glm/glm-5".parse().unwrap());
    let task = Task::new(purpose.clone(), &arguments);
    assert_eq!(press(&mut app, "/ g l m - 5 enter t"), [Effect::Follow(task.clone())]);
    assert_eq!(press(&mut app, "t"), [], "once at a time");
    for line in ["asking for a completion with a tool (auth `bearer`)", "counting tokens"] {
        tell(&mut app, News::Said { task: task.clone(), line: line.to_owned() });
    }
    at_each_size!(app, "trying");
    let works = json!({"verdict": "works", "reason": null});
    let mut report = json!({"version": 1, "route": "glm/glm-5", "ok": true, "dialect": "anthropic", "usable": true,
        "path": "/v1/messages", "auth": {}, "first_byte_ms": 350, "total_ms": 12_345, "stop_reason": "tool_use",
        "tokens": null, "problem": null, "elsewhere": null, "written": false,
        "learned": [{"line": "output_limit = 8192", "source": "catalogue"}],
        "checks": {"streaming": works, "tools": works, "count_tokens": {"verdict": "fails", "reason": "it answered 404"},
            "thinking": {"verdict": "accepted", "reason": null}, "system_turn": works}});
    tell(&mut app, done(purpose.clone(), &arguments, 0, &report.to_string(), "counting tokens\n"));
    at_each_size!(app, "tried");
    press(&mut app, "enter");
    assert!(!text(&app).contains("Routes /") && text(&app).contains("thinking: accepted"), "{}", text(&app));
    press(&mut app, "down G esc t");
    report["ok"] = json!(false);
    report["checks"] = json!(null);
    report["problem"] = json!({"kind": "denied", "message": "it refused the key"});
    tell(&mut app, done(purpose.clone(), &arguments, 1, &report.to_string(), ""));
    assert!(text(&app).contains("glm/glm-5 doesn't answer: it refused the key"), "{}", text(&app));
    press(&mut app, "t");
    let why = "subagents: provider `glm`: no key: ZAI_API_KEY isn't set";
    tell(&mut app, News::Said { task, line: why.to_owned() });
    tell(&mut app, done(purpose, &arguments, 1, "", why));
    assert!(text(&app).contains("doesn't answer: provider `glm`: no key"), "{}", text(&app));
}

#[test]
fn a_huge_catalogue_is_folded_and_searched() {
    for (columns, rows) in [(80, 24), (120, 40)] {
        let mut app = settled(columns, rows);
        let many: Vec<Value> = (0..500).map(|number| model(&format!("maker/model-{number}"))).collect();
        tell(&mut app, told("glm", &many));
        assert!(text(&app).contains("500 more in the catalogue"), "{}", text(&app));
        press(&mut app, "/ 4 9 9 enter space");
        assert!(text(&app).contains("+[x] maker/model-499"), "{}", text(&app));
        press(&mut app, "esc");
        insta::assert_snapshot!(format!("huge_{columns}x{rows}"), text(&app));
        press(&mut app, "right G pageup");
        press(&mut app, "g / m o r e esc");
    }
}

#[test]
fn branches_are_folded_and_what_is_selected_stays_so() {
    let mut app = settled(80, 24);
    press(&mut app, "j j j j j left");
    assert!(text(&app).contains("┐┌ glm ─"), "from a route to its branch: {}", text(&app));
    press(&mut app, "left");
    assert!(text(&app).contains("▸ glm") && !text(&app).contains("glm-5"), "{}", text(&app));
    press(&mut app, "enter j j");
    assert!(text(&app).contains("┐┌ glm/glm-5"), "{}", text(&app));
    let more = CONFIG.replace("[routes.", "[routes.\"chat/a\"]\n[routes.");
    let more = more.replace("dialect = \"openai-chat\"\n", "");
    tell(&mut app, configuration(&more, &AGENTS));
    assert!(text(&app).contains("┐┌ glm/glm-5"), "{}", text(&app));
}

#[test]
fn a_key_that_is_missing_is_said_and_none_is_shown() {
    let mut app = settled(80, 24);
    let list = json!({"version": 1, "providers": [
        {"name": "glm", "key": "missing", "key_problem": "the variable ZAI_API_KEY isn't set"}]});
    tell(&mut app, done(Purpose::Keys, &[], 0, &list.to_string(), ""));
    press(&mut app, "/ g l m enter k");
    at_each_size!(app, "key_missing");
}

#[test]
fn what_others_wrote_cannot_turn_a_line() {
    let mut app = settled(80, 24);
    tell(&mut app, told("glm", &[model("a\u{202e}b"), model("c\u{1b}[2Jd"), model("with space")]));
    assert!(!text(&app).contains('\u{202e}') && !text(&app).contains('\u{1b}'), "{}", text(&app));
}

#[test]
fn what_limits_a_route_and_what_takes_its_place_is_told() {
    let more = "
[providers.backup]
base_url = \"http://127.0.0.1:9\"
repairs = { fold-system-turns = true, thinking-as-budget = 4000 }
[routes.\"local/qwen3-coder:30b\"]
concurrency = 2
queue = 8
local = true
images = false
fallback = [\"backup/small\"]
timeouts = { first_byte = 600 }
[routes.\"backup/small\"]
local = true
[budgets.night]
per = \"day\"
usd = 5
[budgets.scout]
agent = \"scout\"
route = \"local/*\"
requests = 200
[budgets.elsewhere]
route = \"glm/*\"
requests = 1
";
    let config = CONFIG.replace("local/qwen3-coder:30b\"]", "local/qwen3-coder:30b\", \"backup/small\"]");
    let mut app = app(120, 40);
    tell(&mut app, configuration(&format!("{config}{more}"), &AGENTS));
    press(&mut app, "3");
    for (name, filter) in [("route", "/ q w e n enter"), ("provider", "/ b a c k u p enter k")] {
        press(&mut app, filter);
        insta::assert_snapshot!(format!("limits_{name}_120x40"), text(&app));
        press(&mut app, "esc");
    }
}
