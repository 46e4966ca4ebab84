//! The monitor: what is seen, and what keys do.

use std::sync::Arc;

use jiff::{SignedDuration, Timestamp};
use serde_json::{Value, json};
use uuid::Uuid;

use crate::config::{Auth, ChatOptions, Config, Dialect, Provider, Repairs, Timeouts, Tls};
use crate::launch::sessions::{Listed, Place, State, Tally};
use crate::launch::state::{self, Evidence, Status};
use crate::ledger::Request;
use crate::ui::app::App;
use crate::ui::app::event::{Configuration, Effect, Event, Moment, News, Purpose, Task};
use crate::ui::app::testing::{app, at_each_size, now, press, tell, text};

const SIZES: [(u16, u16); 3] = [(80, 24), (120, 40), (40, 10)];

fn id(number: u128) -> Uuid {
    Uuid::from_u128(number)
}

fn listed(number: u128, name: &str, state: State) -> Listed {
    let place = match state {
        State::Ended(_) => None,
        State::Running => Some(Place::Terminal),
        _ => Some(Place::Host(Some(0))),
    };
    let tally = Tally::default();
    Listed {
        session: id(number),
        name: name.to_owned(),
        folder: "/p".into(),
        state,
        place,
        started: 0,
        tally,
    }
}

fn working() -> State {
    let status = Status { state: state::State::Working, evidence: Evidence::None, since: now() };
    State::Live(Box::new(status))
}

fn figures(route: &str, requests: u64, price: Option<f64>) -> Value {
    json!({"route": route, "agent": "reviewer", "requests": requests, "in_flight": 2, "ok": requests - 4,
           "client_error": 1, "upstream_error": 1, "cancelled": 0, "input_tokens": 12_345 * requests,
           "output_tokens": 678 * requests, "cache_read_tokens": 9_000, "cache_write_tokens": 10,
           "cost_usd": price, "ttfb_ms": {"p50": 350 + requests, "p95": 12_345}})
}

fn stats(requests: u64) -> Arc<Value> {
    let routes = [figures("default", requests, None), figures("glm/glm-5", requests + 5, Some(0.25))];
    let strays = json!([
        {"agent": "reviewer", "model": "glm/glm-9", "requests": 3, "refused": 2},
        {"agent": null, "model": "opus", "requests": 1, "refused": 1},
    ]);
    Arc::new(json!({"routes": routes, "agents": routes, "strays": strays, "bypass": null}))
}

fn request(number: i64) -> Request {
    let outcome = match number % 5 {
        3 => "upstream_error",
        4 => "cancelled",
        _ => "ok",
    };
    Request {
        id: number,
        session: id(if number % 2 == 0 { 1 } else { 2 }).to_string(),
        name: Some("api-fix".to_owned()),
        at: now().as_millisecond() + 1000 * number,
        agent: "reviewer".to_owned(),
        route: "glm/glm-5".to_owned(),
        wire_model: Some("reviewer@glm/glm-5".to_owned()),
        upstream_model: Some("glm-5".to_owned()),
        path: "/v1/messages".to_owned(),
        status: if outcome == "cancelled" { None } else { Some(if outcome == "ok" { 200 } else { 529 }) },
        blame: (outcome == "upstream_error").then(|| "provider".to_owned()),
        outcome: outcome.to_owned(),
        ttfb: Some(321),
        total: 12_000,
        stop_reason: Some("end_turn".to_owned()),
        input_tokens: Some(1234),
        output_tokens: Some(56),
        cost_usd: Some(0.0123),
        ..Request::default()
    }
}

fn stray(number: i64, model: &str) -> Request {
    let wire_model = Some(model.to_owned());
    let upstream_model = wire_model.clone();
    Request { stray: true, route: "default".to_owned(), wire_model, upstream_model, ..request(number) }
}

fn requests(rows: Vec<Request>) -> News {
    News::Requests { rows: rows.into_iter().map(Arc::new).collect(), skipped: 0, lost: 0 }
}

fn configured(app: &mut App) {
    let provider = Provider {
        name: "glm".parse().unwrap(),
        base_url: "http://127.0.0.1:1".to_owned(),
        dialect: Dialect::Anthropic,
        auth: Auth::None,
        tls: Tls::default(),
        timeouts: Timeouts::default(),
        preset: None,
        repairs: Repairs::default(),
        chat: ChatOptions::default(),
    };
    let config = Config { providers: [(provider.name.clone(), provider)].into(), ..Config::default() };
    tell(app, News::Configuration(Arc::new(Configuration { config, ..Configuration::default() })));
}

/// A session whose routes differ at the end of a long name.
fn alike(columns: u16, rows: u16) -> App {
    let mut app = busy(columns, rows);
    let names = ["mini", "small", "large"].map(|size| format!("local/qwen3-coder-480b-a35b-instruct-{size}"));
    let routes = names.map(|route| figures(&route, 28, Some(0.25)));
    let stats = Arc::new(json!({"routes": routes, "agents": routes, "strays": [], "bypass": null}));
    tell(&mut app, News::Stats { session: id(1), stats });
    app
}

/// The monitor with two sessions that work and one that nothing tells of.
fn busy(columns: u16, rows: u16) -> App {
    let mut app = app(columns, rows);
    configured(&mut app);
    let sessions =
        vec![listed(1, "api-fix", working()), listed(2, "docs", working()), listed(3, "sh", State::Running)];
    tell(&mut app, News::Sessions(sessions));
    for (session, counts) in [(1, [10, 14]), (2, [7, 9])] {
        for requests in counts {
            tell(&mut app, News::Stats { session: id(session), stats: stats(requests) });
        }
    }
    let mut rows: Vec<Request> = (1..=8).map(request).collect();
    rows.push(stray(9, "glm/glm-9"));
    tell(&mut app, requests(rows));
    press(&mut app, "4");
    app
}

fn later(app: &mut App, seconds: i64) -> Option<Timestamp> {
    let time = now() + SignedDuration::from_secs(seconds);
    app.update(Event::Tick, Moment { time, instant: std::time::Instant::now() });
    app.deadline().1
}

#[test]
fn nothing_says_what_to_do() {
    for (columns, rows) in SIZES {
        let mut app = app(columns, rows);
        press(&mut app, "4");
        tell(&mut app, News::Sessions(Vec::new()));
        insta::assert_snapshot!(format!("empty_{columns}x{rows}"), text(&app));
    }
}

#[test]
fn requests_are_seen_by_route_by_agent_and_one_by_one() {
    for (columns, rows) in SIZES {
        let mut app = busy(columns, rows);
        insta::assert_snapshot!(format!("routes_{columns}x{rows}"), text(&app));
        press(&mut app, "right");
        insta::assert_snapshot!(format!("agents_{columns}x{rows}"), text(&app));
        press(&mut app, "right tab");
        insta::assert_snapshot!(format!("strays_{columns}x{rows}"), text(&app));
    }
}

#[test]
fn routes_that_differ_at_their_end_are_told_apart() {
    for (columns, rows) in SIZES {
        let mut app = alike(columns, rows);
        press(&mut app, "tab");
        for view in ["routes", "agents"] {
            let text = text(&app);
            assert!(["-mini", "-small", "-large"].iter().all(|end| text.contains(end)), "{text}");
            insta::assert_snapshot!(format!("alike_{view}_{columns}x{rows}"), text);
            press(&mut app, "right");
        }
    }
}

#[test]
fn what_waits_what_is_left_alone_and_what_a_repair_would_mend_stand_out() {
    for (columns, rows) in [(80, 24), (120, 40)] {
        let mut app = busy(columns, rows);
        let mut routes = [figures("glm/glm-5", 9, None), figures("b/m", 8, None)];
        (routes[0]["queued"], routes[0]["circuit"]) = (json!(1), json!("closed"));
        routes[1]["circuit"] = json!("open");
        let told = json!({"routes": routes, "agents": [], "strays": []});
        tell(&mut app, News::Stats { session: id(1), stats: Arc::new(told) });
        routes[1]["circuit"] = json!("half_open");
        let told = json!({"routes": routes, "agents": [], "strays": []});
        tell(&mut app, News::Stats { session: id(2), stats: Arc::new(told) });
        let instead = Request {
            route: "b/m".to_owned(),
            instead_of: Some("glm/glm-5".to_owned()),
            queued: Some(1500),
            ..request(10)
        };
        let refused = Request {
            status: Some(400),
            outcome: "client_error".to_owned(),
            stop_reason: None,
            mending: Some("drop-betas".to_owned()),
            ..request(11)
        };
        tell(&mut app, requests(vec![instead, refused]));
        insta::assert_snapshot!(format!("limits_{columns}x{rows}"), text(&app));
        press(&mut app, "enter");
        assert!(text(&app).contains("mended by      subagents route add glm/glm-5 --repair drop-betas"));
        press(&mut app, "esc k enter");
        assert!(text(&app).contains("in place of    glm/glm-5"), "{}", text(&app));
    }
}

#[test]
fn figures_of_who_has_gone_are_dimmed_and_count_nothing_on_its_way() {
    let mut app = busy(120, 40);
    assert!(text(&app).contains("4⇄"));
    tell(&mut app, News::Sessions(vec![listed(1, "api-fix", working()), listed(2, "docs", State::Ended(0))]));
    assert!(text(&app).contains("2⇄"));
    let gone = vec![listed(1, "api-fix", State::Silent("x".to_owned())), listed(2, "docs", State::Ended(0))];
    tell(&mut app, News::Sessions(gone));
    at_each_size!(app, "stale");
    press(&mut app, "tab enter");
    assert!(text(&app).contains("these numbers are old"));
}

#[test]
fn one_session_is_the_one_that_is_selected() {
    let mut app = busy(80, 24);
    press(&mut app, "a");
    assert!(text(&app).contains("api-fix") && text(&app).contains("Requests 4 of 9"), "{}", text(&app));
    press(&mut app, "1 j 4");
    assert!(text(&app).contains("· docs") && text(&app).contains("Requests 5 of 9"), "{}", text(&app));
}

#[test]
fn a_session_in_a_terminal_of_its_own_is_counted_and_it_is_said_when() {
    let mut app = app(80, 24);
    tell(&mut app, News::Sessions(vec![listed(3, "sh", State::Running)]));
    let ended = json!({"route": "glm/glm-5", "requests": 2, "ok": 2, "ttfb_ms": {"p50": 3, "p95": 4}});
    let stats = json!({"routes": [ended], "agents": [], "strays": []});
    tell(&mut app, News::Stats { session: id(3), stats: Arc::new(stats) });
    press(&mut app, "4");
    at_each_size!(app, "alone");
    press(&mut app, "a");
    assert!(text(&app).contains("· sh ") && text(&app).contains("its requests count once they have ended"));
    tell(&mut app, News::Sessions(vec![listed(3, "sh", State::Ended(0))]));
    assert!(text(&app).contains("gone") && !text(&app).contains("count once"), "{}", text(&app));
}

#[test]
fn rates_go_down_when_nothing_comes_and_then_nothing_is_done() {
    let mut app = busy(120, 40);
    assert!(later(&mut app, 4).is_some());
    let before = text(&app);
    assert!(later(&mut app, 61).is_none());
    assert!(before.contains('█') && !text(&app).contains('█'));
}

#[test]
fn a_request_is_opened_and_copied() {
    let mut app = busy(80, 24);
    press(&mut app, "k enter");
    at_each_size!(app, "request");
    press(&mut app, "esc");
    let copied = press(&mut app, "y");
    let [Effect::Copy(copied)] = copied.as_slice() else { panic!("{copied:?}") };
    assert!(copied.contains("wire model     reviewer@glm/glm-5\n"), "{copied}");
    let told = format!("Copied {} lines, if your terminal allows it", copied.lines().count());
    assert!(text(&app).contains(&told), "{}", text(&app));
}

#[test]
fn a_route_is_made_of_a_stray() {
    let mut app = busy(80, 24);
    let add = [Effect::Run(Task::new(Purpose::Tell, &["route", "add", "glm/glm-9"]))];
    assert_eq!(press(&mut app, "b"), add, "of the request that is selected");
    assert_eq!(press(&mut app, "tab left b"), add, "of the stray that is selected");
    assert_eq!(press(&mut app, "j b"), []);
    assert!(text(&app).contains("`opus` is no route"));
    tell(&mut app, requests(vec![stray(10, "nobody/m")]));
    assert_eq!(press(&mut app, "tab b"), []);
    assert!(text(&app).contains("there is no provider `nobody`"));
    tell(&mut app, requests(vec![Request { wire_model: Some("opus-5".to_owned()), ..request(11) }]));
    assert_eq!(press(&mut app, "b"), []);
    assert!(text(&app).contains("tab goes to the strays"), "it is not about the line below");
    press(&mut app, "left b");
    assert!(text(&app).contains("`opus-5` is no route"), "where nothing else can be meant");
}

#[test]
fn what_is_not_shown_is_counted() {
    let mut app = busy(120, 40);
    tell(&mut app, News::Requests { rows: vec![Arc::new(request(10))], skipped: 4, lost: 3 });
    assert!(text(&app).contains("3 not shown: they could not be kept · 4 older not shown"), "{}", text(&app));
    press(&mut app, "p");
    tell(&mut app, requests(vec![request(11), request(12)]));
    assert!(text(&app).contains("paused, 2 new"));
}

#[test]
fn names_that_somebody_else_wrote_move_nothing() {
    let mut app = busy(120, 40);
    let evil = "x\u{1b}[2J\u{202e}".to_owned();
    let row = Request { agent: evil.clone(), name: Some(evil.clone()), ..stray(10, &evil) };
    tell(&mut app, requests(vec![row]));
    press(&mut app, "enter");
    assert!(!text(&app).contains('\u{1b}') && !text(&app).contains('\u{202e}'));
}

#[test]
fn ten_thousand_requests_and_many_routes_fit_anywhere() {
    let routes: Vec<Value> = (0..200).map(|at| figures(&format!("p/{at}-😀"), 1 << 30, Some(1e9))).collect();
    let stats = Arc::new(json!({"routes": routes, "agents": routes, "strays": []}));
    for (columns, rows) in SIZES {
        let mut app = busy(columns, rows);
        tell(&mut app, News::Stats { session: id(1), stats: Arc::clone(&stats) });
        tell(&mut app, requests((10..12_000).map(request).collect()));
        insta::assert_snapshot!(format!("huge_{columns}x{rows}"), text(&app));
    }
}

#[test]
fn no_size_is_too_small() {
    for columns in [1, 2, 3, 5, 9, 17, 25] {
        for rows in [1, 2, 3, 4, 5, 6, 9, 16, 18] {
            let mut app = busy(columns, rows);
            for keys in ["right", "tab", "right", "enter", "esc", "tab", "/", "esc", "s", "p"] {
                press(&mut app, keys);
                text(&app);
            }
        }
    }
}
