//! The history: what is asked, what is seen of the answers, and what keys do.

use serde_json::{Value, json};
use uuid::Uuid;

use crate::ledger::Request;
use crate::ui::app::App;
use crate::ui::app::event::{Done, Effect, News, Purpose, Task};
use crate::ui::app::testing::{SIZES, app, at_each_size, press, tell, text};

fn task(effects: &[Effect]) -> Task {
    let [Effect::Run(task)] = effects else { panic!("{effects:?}") };
    task.clone()
}

fn arguments(effects: &[Effect]) -> String {
    task(effects).arguments.join(" ")
}

fn answer(app: &mut App, task: Task, stdout: &Value) {
    tell(app, News::Done(Done { task, code: Some(0), stdout: stdout.to_string(), stderr: String::new() }));
}

fn sum(key: &str, name: Option<&str>, requests: u64, cost: Option<f64>) -> Value {
    json!({"key": key, "name": name, "requests": requests, "ok": requests - 1, "client_error": 1,
           "upstream_error": 0, "cancelled": 0, "input_tokens": requests * 1000, "output_tokens": requests * 100,
           "cache_read_tokens": requests * 5000, "cache_write_tokens": 7, "cost_usd": cost,
           "unpriced": if cost.is_some() { 1 } else { requests }})
}

fn report(rows: &[Value]) -> Value {
    let total = sum("", None, 40, Some(1.25));
    json!({"version": 1, "by": "day", "rows": rows, "total": total, "lost": 2})
}

fn days() -> Value {
    report(&[
        sum("2025-12-30", None, 10, None),
        sum("2025-12-31", None, 25, Some(1.0)),
        sum("2026-01-01", None, 5, Some(0.25)),
    ])
}

/// The history by day, answered.
fn by_day(columns: u16, rows: u16) -> App {
    let mut app = app(columns, rows);
    let asked = task(&press(&mut app, "5"));
    answer(&mut app, asked, &days());
    app
}

/// The history by session, answered.
fn by_session(columns: u16, rows: u16) -> App {
    let mut app = by_day(columns, rows);
    let asked = task(&press(&mut app, "tab"));
    let rows = [
        sum(&Uuid::from_u128(7).to_string(), Some("docs"), 5, None),
        sum(&Uuid::from_u128(8).to_string(), Some("api-fix"), 30, Some(1.25)),
        sum("imported", None, 2, None),
    ];
    answer(&mut app, asked, &report(&rows));
    app
}

#[test]
fn it_is_asked_when_it_is_entered_turned_and_asked_for_again() {
    let mut app = app(80, 24);
    assert_eq!(arguments(&press(&mut app, "5")), "stats --by day --json");
    assert!(text(&app).contains("Adding up"));
    for by in ["session", "agent", "route", "model", "day"] {
        assert_eq!(arguments(&press(&mut app, "tab")), format!("stats --by {by} --json"));
    }
    assert_eq!(arguments(&press(&mut app, "left")), "stats --by model --json");
    for key in ["r", "R"] {
        assert_eq!(arguments(&press(&mut app, key)), "stats --by model --json");
    }
}

#[test]
fn days_and_sessions_have_bars_and_say_what_they_leave_out() {
    for (columns, rows) in SIZES {
        insta::assert_snapshot!(format!("days_{columns}x{rows}"), text(&by_day(columns, rows)));
        insta::assert_snapshot!(format!("sessions_{columns}x{rows}"), text(&by_session(columns, rows)));
    }
}

#[test]
fn names_that_differ_at_their_end_are_told_apart() {
    for (columns, rows) in SIZES {
        let mut app = by_day(columns, rows);
        let asked = task(&press(&mut app, "tab tab")[1..]);
        let name = |size: &str| format!("worker@local/qwen3-coder-480b-a35b-instruct-{size}");
        answer(&mut app, asked, &report(&["mini", "small"].map(|size| sum(&name(size), None, 5, None))));
        let text = text(&app);
        assert!(text.contains("-mini") && text.contains("-small"), "{text}");
        insta::assert_snapshot!(format!("alike_{columns}x{rows}"), text);
    }
}

#[test]
fn nothing_and_errors_say_what_to_do() {
    for (columns, rows) in SIZES {
        let mut app = app(columns, rows);
        let asked = task(&press(&mut app, "5"));
        insta::assert_snapshot!(format!("loading_{columns}x{rows}"), text(&app));
        let zero = sum("", None, 1, None);
        answer(&mut app, asked.clone(), &json!({"rows": [], "total": zero, "lost": 0}));
        insta::assert_snapshot!(format!("empty_{columns}x{rows}"), text(&app));
        let stderr = "subagents: the ledger /d/ledger.db: disk I/O error".to_owned();
        let failed = Done { task: asked, code: Some(1), stdout: String::new(), stderr };
        tell(&mut app, News::Done(failed));
        insta::assert_snapshot!(format!("failed_{columns}x{rows}"), text(&app));
        assert!(text(&app).contains("disk") || columns == 40, "{}", text(&app));
    }
}

#[test]
fn what_is_old_says_so_and_stays_until_there_is_something_new() {
    let mut app = by_day(80, 24);
    tell(&mut app, News::Requests { rows: Vec::new(), skipped: 0, lost: 0 });
    assert!(text(&app).contains("there is more since: R"));
    let asked = task(&press(&mut app, "R"));
    assert!(text(&app).contains("adding up…") && text(&app).contains("2025-12-31"));
    answer(&mut app, asked, &days());
    assert!(!text(&app).contains("there is more"));
}

#[test]
fn bars_measure_tokens_requests_or_cost_and_the_largest_is_first() {
    let mut app = by_session(120, 40);
    press(&mut app, "s s");
    assert!(text(&app).contains("bars: cost"));
    let drawn = text(&app);
    let line = |name: &str| drawn.lines().position(|line| line.contains(name)).unwrap();
    assert!(line("api-fix") < line("docs"));
    let docs = drawn.lines().nth(line("docs")).unwrap();
    assert!(docs.contains("no price") && !docs.contains('█'), "{docs}");
}

#[test]
fn the_requests_of_a_row_are_opened_and_left() {
    let mut app = by_day(80, 24);
    let opened = press(&mut app, "j enter");
    assert_eq!(
        arguments(&opened),
        "ledger requests --json --since=2025-12-31 --until=2026-01-01",
        "the latest day is first"
    );
    press(&mut app, "esc");
    let mut app = by_session(80, 24);
    let opened = task(&press(&mut app, "enter"));
    assert_eq!(opened.purpose, Purpose::Requests(crate::ledger::By::Session));
    assert_eq!(
        opened.arguments.join(" "),
        format!("ledger requests --json --session={}", Uuid::from_u128(8))
    );
    let row = |id: i64| Request {
        id,
        name: Some("api-fix".to_owned()),
        agent: "reviewer".to_owned(),
        wire_model: Some("reviewer@glm/glm-5".to_owned()),
        outcome: "ok".to_owned(),
        status: Some(200),
        ..Request::default()
    };
    answer(&mut app, opened, &json!({"version": 1, "requests": [row(1), row(2)], "older": 5}));
    at_each_size!(app, "opened");
    let resume =
        Task::new(Purpose::Resume, &["resume", &Uuid::from_u128(8).to_string(), "--detach", "--json"]);
    assert_eq!(press(&mut app, "r"), [Effect::Run(resume)]);
    press(&mut app, "ctrl-]");
    press(&mut app, "/ n o n e enter");
    assert!(text(&app).contains("None of them fits"));
    press(&mut app, "esc");
    assert!(text(&app).contains("glm/glm-5"), "the filter goes first");
    press(&mut app, "esc");
    assert!(text(&app).contains("[Sessions]"));
}

#[test]
fn a_filter_cuts_the_rows_down() {
    let mut app = by_session(80, 24);
    press(&mut app, "/ d o c enter");
    assert!(text(&app).contains("docs") && !text(&app).contains("api-fix"));
    let opened = press(&mut app, "enter");
    assert!(arguments(&opened).ends_with(&Uuid::from_u128(7).to_string()));
    press(&mut app, "esc esc");
    assert!(text(&app).contains("api-fix"));
    press(&mut app, "/ n o n e enter");
    at_each_size!(app, "filtered");
    press(&mut app, "esc");
    assert!(text(&app).contains("api-fix"));
}

#[test]
fn models_have_no_list_of_requests() {
    let mut app = by_day(80, 24);
    let asked = task(&press(&mut app, "left"));
    answer(&mut app, asked, &report(&[sum("claude-x", None, 3, None)]));
    assert_eq!(press(&mut app, "enter"), []);
    assert!(text(&app).contains("open a route instead"));
}

#[test]
fn a_session_is_taken_up_again() {
    let mut app = by_session(80, 24);
    let resume =
        Task::new(Purpose::Resume, &["resume", &Uuid::from_u128(8).to_string(), "--detach", "--json"]);
    assert_eq!(press(&mut app, "r"), [Effect::Run(resume)]);
    assert_eq!(press(&mut app, "end r"), [], "what was taken in from elsewhere has no id of ours");
}

#[test]
fn sums_are_exported_for_a_spreadsheet_and_everything_as_json() {
    let mut app = by_session(80, 24);
    assert_eq!(press(&mut app, "X"), []);
    at_each_size!(app, "export");
    let written = press(&mut app, "enter");
    assert_eq!(arguments(&written), "stats --by session --csv --output usage-by-session.csv");
    assert_eq!(task(&written).purpose, Purpose::Tell);
    assert_eq!(arguments(&press(&mut app, "X ctrl-u a l l enter")), "ledger export -- all");
    assert_eq!(press(&mut app, "X ctrl-u enter X esc"), []);
    assert!(text(&app).contains("[Sessions]") && !text(&app).contains("Write to"));
}

#[test]
fn many_long_rows_fit_anywhere() {
    let rows: Vec<Value> = (0..5000)
        .map(|at| sum(&format!("2{at:03}-01-01\u{202e}😀 a very long key indeed"), None, 1 << 30, Some(1e12)))
        .collect();
    for (columns, rows_) in SIZES {
        let mut app = app(columns, rows_);
        let asked = task(&press(&mut app, "5"));
        answer(&mut app, asked, &report(&rows));
        press(&mut app, "pagedown pagedown");
        insta::assert_snapshot!(format!("huge_{columns}x{rows_}"), text(&app));
    }
}

#[test]
fn no_size_is_too_small() {
    for columns in [1, 2, 3, 5, 9, 17, 25] {
        for rows in [1, 2, 3, 4, 5, 6, 9, 16] {
            let mut app = by_session(columns, rows);
            for keys in ["j", "s", "X", "esc", "enter", "esc", "right"] {
                press(&mut app, keys);
                text(&app);
            }
        }
    }
}
