//! The app as a whole: what is seen of it, and what keys do.

mod many;
mod mistake;
mod mouse;
mod pages;
mod starting;
mod themes;

use std::fs;
use std::sync::Arc;

use serde_json::json;
use uuid::Uuid;

use super::App;
use super::event::{Configuration, Done, Effect, News, Purpose, Task};
use super::testing::{SIZES, app, at_each_size, now, press, tell, text};
use crate::config;
use crate::launch::host::protocol::Stance;
use crate::launch::live::Live;
use crate::launch::screen::Size;
use crate::launch::sessions::{Listed, Place, State, Tally, Waiting};
use crate::launch::state::{self, Dialog, DialogId, Evidence, Reach, Status};

fn id(number: u128) -> Uuid {
    Uuid::from_u128(number)
}

fn listed(number: u128, name: &str, state: State) -> Listed {
    let place = match state {
        State::Ended(_) | State::Interrupted => None,
        State::Running => Some(Place::Terminal),
        _ => Some(Place::Host(Some(0))),
    };
    let tally = Tally { requests: 3, ..Tally::default() };
    Listed {
        session: id(number),
        name: name.to_owned(),
        folder: "/work/shop".into(),
        state,
        place,
        started: 0,
        tally,
    }
}

fn live(state: state::State) -> State {
    State::Live(Box::new(Status { state, evidence: Evidence::None, since: now() }))
}

fn sessions() -> Vec<Listed> {
    vec![
        listed(1, "api-fix", live(state::State::Working)),
        listed(2, "docs", live(state::State::Idle)),
        listed(3, "shell", State::Running),
        listed(4, "spike", State::Ended(0)),
        listed(5, "old \u{202e}name", State::Interrupted),
    ]
}

fn waiting(number: u128, reach: Reach) -> Waiting {
    let dialog = Dialog {
        id: DialogId(format!("dialog{number}")),
        tool: "Bash".to_owned(),
        input: Arc::new(json!({"command": "rm -r /tmp/x\u{1b}[2J", "old_string": "a", "new_string": "b"})),
        agent: None,
        agent_id: None,
        since: now(),
        reach,
    };
    let live = Live {
        session: id(number),
        name: "api-fix".to_owned(),
        process: 1,
        folder: "/work/shop".into(),
        started: 0,
        socket: None,
    };
    Waiting { live, dialog, route: None }
}

const CONFIG: &str = "[providers.glm]\npreset = \"glm\"\n[routes.\"glm/glm-5\"]\n[routes.\"glm/glm-4.7\"]\n";

/// With a provider, two routes, two agents, and sessions.
fn whole(columns: u16, rows: u16) -> App {
    whole_with(columns, rows, &[("fixer", "model"), ("reviewer", "model")])
}

/// With these agents, of this visibility each.
fn whole_with(columns: u16, rows: u16, agents: &[(&str, &str)]) -> App {
    let root = tempfile::tempdir().unwrap();
    fs::create_dir(root.path().join("agents")).unwrap();
    fs::write(root.path().join("config.toml"), CONFIG).unwrap();
    for (name, visibility) in agents {
        let lines = format!("model: glm/glm-5\nsubagents:\n  visibility: {visibility}");
        let text = format!("---\nname: {name}\ndescription: Does it.\n{lines}\n---\nDo it.\n");
        fs::write(root.path().join(format!("agents/{name}.md")), text).unwrap();
    }
    let (config, problems) = config::load(root.path());
    assert!(problems.is_empty(), "{problems:?}");
    let mut app = app(columns, rows);
    let configuration = Configuration { config, here: "/work/shop".into(), ..Configuration::default() };
    tell(&mut app, News::Configuration(Arc::new(configuration)));
    tell(&mut app, News::Sessions(sessions()));
    app
}

#[test]
fn nothing_says_what_to_do() {
    for (columns, rows) in SIZES {
        let mut app = app(columns, rows);
        insta::assert_snapshot!(format!("looking_{columns}x{rows}"), text(&app));
        let asked = tell(&mut app, News::Sessions(Vec::new()));
        assert_eq!(asked, [Effect::Run(Task::new(Purpose::Doctor, &["doctor", "--json"])), Effect::Probe]);
        insta::assert_snapshot!(format!("guide_{columns}x{rows}"), text(&app));
        press(&mut app, "esc");
        insta::assert_snapshot!(format!("nothing_{columns}x{rows}"), text(&app));
    }
}

#[test]
fn the_guide_tells_what_it_finds_and_ends_with_a_launch() {
    let mut app = app(80, 24);
    tell(&mut app, News::Sessions(Vec::new()));
    let findings = json!({"findings": [
        {"severity": "ok", "subject": "Claude Code", "message": "2.1.332 at /bin/claude", "remedy": null},
        {"severity": "warns", "subject": "agents", "message": "there is none", "remedy": "make one"},
    ]});
    let task = Task::new(Purpose::Doctor, &["doctor", "--json"]);
    tell(
        &mut app,
        News::Done(Done { task, code: Some(0), stdout: findings.to_string(), stderr: String::new() }),
    );
    tell(&mut app, News::Answering(vec!["ollama".to_owned()]));
    at_each_size!(app, "guide_found");
    let add = Task::new(Purpose::Tell, &["provider", "add", "ollama"]);
    assert_eq!(press(&mut app, "a a"), [Effect::Run(add)], "once");
    assert_eq!(press(&mut app, "d"), [Effect::HandOverToRead { arguments: vec!["demo".to_owned()] }]);
    press(&mut app, "n");
    assert!(text(&app).contains("New session"));
    press(&mut app, "esc");
    assert_eq!(tell(&mut app, News::Sessions(Vec::new())), [], "it comes once");
}

#[test]
fn the_form_asks_for_what_it_shows_and_starts_what_was_chosen() {
    let mut app = app(100, 30);
    let configuration = Configuration { here: "/work/shop".into(), ..Configuration::default() };
    tell(&mut app, News::Configuration(Arc::new(configuration)));
    tell(&mut app, News::Sessions(sessions()));
    let folder = Some("/work/shop".into());
    let preview = Task { folder: folder.clone(), ..Task::new(Purpose::Preview, &["run", "--dry-run"]) };
    assert!(press(&mut app, "n").contains(&Effect::Run(preview.clone())));
    let stdout = "env A=1 claude --agents '{}'\n\n# file".to_owned();
    tell(&mut app, News::Done(Done { task: preview, code: Some(0), stdout, stderr: String::new() }));
    insta::assert_snapshot!("launch_100x30", text(&app));
    press(&mut app, "tab f i x tab tab tab right right right");
    press(&mut app, "tab - p space \" h i space x \"");
    let words =
        ["run", "--detach", "--json", "--name", "fix", "--", "--permission-mode", "plan", "-p", "hi x"];
    let start = Task { folder, ..Task::new(Purpose::Start, &words) };
    assert_eq!(press(&mut app, "enter"), [Effect::Run(start)]);
}

#[test]
fn e2_the_form_hides_agents_for_one_launch() {
    for (columns, rows) in [(80, 24), (120, 40), (50, 12), (40, 10)] {
        let mut app = whole(columns, rows);
        press(&mut app, "n tab tab tab space space");
        insta::assert_snapshot!(format!("launch_hides_{columns}x{rows}"), text(&app));
        press(&mut app, "tab tab space");
        insta::assert_snapshot!(format!("launch_only_delegates_{columns}x{rows}"), text(&app));
    }
}

#[test]
fn e2_what_the_form_hides_is_what_the_command_is_told() {
    let words = |keys: &str| {
        let mut app = whole(80, 24);
        let keys = format!("n tab tab tab {keys} enter");
        let Some(Effect::Run(task)) = press(&mut app, keys.trim()).pop() else { panic!("nothing starts") };
        task.arguments.join(" ")
    };
    for (keys, expect) in [
        ("space", "run --detach --json --agent reviewer"),
        ("space space", "run --detach --json --hide fixer"),
        ("left", "run --detach --json --hide fixer"),
        ("left tab space", "run --detach --json --agent fixer --hide fixer"),
        ("space space space", "run --detach --json"),
        ("tab left tab right", "run --detach --json --only-hidden"),
        ("tab tab left", "run --detach --json --no-agent-tool"),
        ("left tab tab left", "run --detach --json --hide fixer --no-agent-tool"),
        ("tab tab space space space tab right right right", "run --detach --json -- --permission-mode plan"),
    ] {
        assert_eq!(words(keys), expect, "{keys}");
    }
}

#[test]
fn e1_the_form_knows_what_an_agents_own_file_says() {
    let mut app = whole_with(80, 24, &[("gone", "off"), ("scout", "hidden")]);
    press(&mut app, "n tab tab tab");
    assert!(text(&app).contains("[h] scout") && !text(&app).contains("gone"), "{}", text(&app));
    press(&mut app, "space");
    assert!(text(&app).contains("[ ] scout"));
    press(&mut app, "space");
    assert!(text(&app).contains("[h] scout"), "no launch shows what its file hides");
    let Some(Effect::Run(task)) = press(&mut app, "enter").pop() else { panic!("nothing starts") };
    assert_eq!(task.arguments, ["run", "--detach", "--json"]);
}

#[test]
fn sessions_are_listed_with_their_states() {
    for (columns, rows) in [(80, 24), (120, 40), (50, 12), (40, 10)] {
        let mut app = app(columns, rows);
        tell(&mut app, News::Sessions(sessions()));
        let stats = json!({"routes": [
            {"route": "default", "requests": 12, "in_flight": 1},
            {"route": "ollama/qwen3-coder:30b", "requests": 31, "in_flight": 0, "upstream_error": 2},
        ], "strays": [{"refused": 1}]});
        tell(&mut app, News::Stats { session: id(1), stats: Arc::new(stats) });
        insta::assert_snapshot!(format!("sessions_{columns}x{rows}"), text(&app));
    }
}

#[test]
fn no_size_is_too_small() {
    for columns in 1..20 {
        for rows in 1..8 {
            let mut app = app(columns, rows);
            tell(&mut app, News::Sessions(sessions()));
            for keys in ["?", "esc", ":", "esc", "i", "esc", "enter"] {
                press(&mut app, keys);
                text(&app);
            }
        }
    }
}

#[test]
fn a_session_is_shown_entered_and_left() {
    let mut app = app(80, 24);
    let shown = tell(&mut app, News::Sessions(sessions()));
    assert_eq!(shown, [Effect::Attach { session: id(1), size: Size::new(48, 20) }]);
    tell(&mut app, News::Drawn { session: id(1), bytes: b"hello".to_vec() });
    assert!(text(&app).contains("hello"));
    assert_eq!(press(&mut app, "enter"), [Effect::Stand { session: id(1), stance: Stance::Works }]);
    let typed = |bytes: &[u8]| Effect::Type { session: id(1), bytes: bytes.to_vec() };
    assert_eq!(press(&mut app, "q ctrl-c"), [typed(b"q"), typed(b"\x03")], "all keys are the session's");
    assert_eq!(press(&mut app, "ctrl-] ctrl-]"), [typed(b"\x1d")], "the leader twice is the key itself");
    let left = Effect::Stand { session: id(1), stance: Stance::Looks };
    assert_eq!(press(&mut app, "ctrl-] d q"), [left, Effect::Quit]);
}

#[test]
fn another_is_selected_and_shown() {
    let mut app = app(80, 24);
    tell(&mut app, News::Sessions(sessions()));
    let size = Size::new(48, 20);
    assert_eq!(
        press(&mut app, "j"),
        [Effect::Detach { session: id(1) }, Effect::Attach { session: id(2), size }]
    );
    assert_eq!(
        press(&mut app, "j"),
        [Effect::Detach { session: id(2) }],
        "that one is in a terminal of its own"
    );
    assert!(text(&app).contains("runs in a terminal of its own"));
    press(&mut app, "j j");
    assert!(text(&app).contains("was interrupted"));
    assert!(!text(&app).contains('\u{202e}'), "nothing turns the direction of a line");
}

#[test]
fn the_selected_one_stays_selected_when_the_list_changes() {
    let mut app = app(80, 24);
    tell(&mut app, News::Sessions(sessions()));
    press(&mut app, "j");
    let mut changed = sessions();
    changed.insert(0, listed(9, "new", live(state::State::Starting)));
    assert_eq!(tell(&mut app, News::Sessions(changed)), []);
    changed = sessions();
    changed.remove(1);
    let size = Size::new(48, 20);
    let effects = tell(&mut app, News::Sessions(changed));
    assert_eq!(effects[0], Effect::Detach { session: id(2) }, "{size:?}");
}

#[test]
fn a_stop_is_asked_for_and_a_resume_is_not() {
    let mut app = app(80, 24);
    tell(&mut app, News::Sessions(sessions()));
    assert_eq!(press(&mut app, "x"), []);
    assert!(text(&app).contains("End the session api-fix?"));
    assert_eq!(press(&mut app, "n x esc"), []);
    let stop = Task::new(Purpose::Tell, &["stop", &id(1).to_string()]);
    assert_eq!(press(&mut app, "x y"), [Effect::Run(stop)]);
    press(&mut app, "end");
    let resume = Task::new(Purpose::Resume, &["resume", &id(5).to_string(), "--detach", "--json"]);
    assert_eq!(press(&mut app, "r"), [Effect::Run(resume)]);
}

#[test]
fn what_failed_is_told_and_can_be_read_again() {
    let mut app = app(80, 24);
    let task = Task::new(Purpose::Tell, &["config", "undo"]);
    let stderr = "subagents: nothing to undo\nreally".to_owned();
    tell(&mut app, News::Done(Done { task, code: Some(1), stdout: String::new(), stderr }));
    assert!(text(&app).contains("nothing to undo (! shows all)"));
    press(&mut app, "!");
    at_each_size!(app, "messages");
}

#[test]
fn the_inbox_takes_a_key_for_each_answer() {
    let mut app = app(80, 24);
    tell(&mut app, News::Sessions(sessions()));
    let all = (1..=10).map(|number| waiting(number, Reach::Inbox)).collect();
    tell(&mut app, News::Waiting(all));
    press(&mut app, "i");
    at_each_size!(app, "inbox");
    let answers = press(&mut app, "a a a a a a a a a a");
    let allowed =
        |number: u128| Effect::Run(Task::new(Purpose::Tell, &["inbox", "allow", &format!("dialog{number}")]));
    assert_eq!(answers, (1..=10).map(allowed).collect::<Vec<_>>());
    assert!(text(&app).contains("Nothing waits for you"));
}

#[test]
fn a_refusal_has_a_reason_and_some_are_answered_in_their_session() {
    let mut app = app(80, 24);
    tell(&mut app, News::Sessions(sessions()));
    tell(&mut app, News::Waiting(vec![waiting(1, Reach::Inbox), waiting(2, Reach::Agent)]));
    press(&mut app, "i d n o");
    assert!(text(&app).contains("because: no"));
    let denied = Task::new(Purpose::Tell, &["inbox", "deny", "dialog1", "--reason", "no"]);
    assert_eq!(press(&mut app, "enter"), [Effect::Run(denied)]);
    assert_eq!(press(&mut app, "a"), [], "no key goes astray");
    press(&mut app, "o");
    assert_eq!(
        press(&mut app, "z"),
        [Effect::Type { session: id(2), bytes: b"z".to_vec() }],
        "it is open now"
    );
}

#[test]
fn an_answer_is_for_what_was_looked_at_wherever_that_stands_now() {
    let mut app = app(80, 24);
    tell(&mut app, News::Sessions(sessions()));
    let list = |numbers: &[u128]| {
        News::Waiting(numbers.iter().map(|number| waiting(*number, Reach::Inbox)).collect())
    };
    let allow =
        |number: u128| Effect::Run(Task::new(Purpose::Tell, &["inbox", "allow", &format!("dialog{number}")]));
    tell(&mut app, list(&[1, 2, 3]));
    press(&mut app, "i j");
    tell(&mut app, list(&[4, 1, 2, 3]));
    assert_eq!(press(&mut app, "a"), [allow(2)], "one that came before it moves it down");
    tell(&mut app, list(&[4, 1]));
    assert_eq!(press(&mut app, "a"), [], "what was looked at has gone, and this is another one");
    assert_eq!(press(&mut app, "a"), [allow(1)]);
}

#[test]
fn a_session_that_waits_for_something_unknown_is_in_the_inbox_too() {
    let mut app = app(80, 24);
    let wait = state::Wait { dialog: None, more: 0, reach: Reach::Unseen };
    tell(&mut app, News::Sessions(vec![listed(1, "api-fix", live(state::State::Waiting(wait)))]));
    assert!(text(&app).contains("1 wait"));
    press(&mut app, "i");
    assert!(text(&app).contains("Claude Code doesn't tell what it asks"));
    let opened = Effect::Stand { session: id(1), stance: Stance::Works };
    assert_eq!(press(&mut app, "a d"), [], "nothing is allowed blindly, and no key goes astray");
    assert_eq!(press(&mut app, "o"), [opened]);
    assert_eq!(
        press(&mut app, "z"),
        [Effect::Type { session: id(1), bytes: b"z".to_vec() }],
        "it is open now"
    );
}

#[test]
fn help_and_palette_come_from_the_keymap() {
    let mut app = app(80, 24);
    tell(&mut app, News::Sessions(sessions()));
    press(&mut app, "?");
    at_each_size!(app, "help");
    press(&mut app, "esc : s t o p");
    at_each_size!(app, "palette");
    press(&mut app, "enter");
    assert!(text(&app).contains("End the session api-fix?"));
}

#[test]
fn the_way_to_help_and_out_is_seen_on_every_screen() {
    let mut app = app(80, 24);
    tell(&mut app, News::Sessions(sessions()));
    for tab in ["1", "2", "3", "4", "5"] {
        press(&mut app, tab);
        let text = text(&app);
        let foot = text.lines().last().unwrap();
        assert!(foot.ends_with("? help  q quit"), "{tab}: {foot}");
    }
}

#[test]
fn a_filter_cuts_the_list_down() {
    let mut app = app(80, 24);
    tell(&mut app, News::Sessions(sessions()));
    press(&mut app, "/ d o c");
    assert!(text(&app).contains("Sessions /doc") && !text(&app).contains("api-fix  "));
    press(&mut app, "enter");
    assert_eq!(press(&mut app, "q"), [Effect::Quit], "keys are keys again");
    press(&mut app, "esc");
    assert!(text(&app).contains("spike"));
}
