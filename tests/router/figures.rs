//! What is counted: exactly what happened, at any moment.

use std::sync::Arc;

use subagents::router::{Figures, Outcome, Row};
use tokio::sync::Barrier;
use tokio::task::JoinSet;

use crate::support::lab::{EVENTS, RECORDED, answer, message};
use crate::support::{AutoUpstream, Lab, Seen, Wire, chunk, soon};

#[tokio::test]
async fn r2_a_count_of_tokens_goes_to_the_route_and_is_no_inference() {
    let route = AutoUpstream::start(|_| {
        answer("200 OK", &["content-type: application/json"], r#"{"input_tokens":7}"#)
    });
    let (default, route) = (AutoUpstream::ok().await, route.await);
    let lab = Lab::with_route(&default.url(), &route.url()).await;
    let body = r#"{"model":"reviewer@glm/glm-5","messages":[]}"#;
    let (head, got) = lab.ask(lab.post_to("/v1/messages/count_tokens?beta=true", &[], body)).await;
    assert_eq!((head.status(), got), (200, br#"{"input_tokens":7}"#.to_vec()));
    let seen = route.only();
    assert_eq!(seen.head.first, "POST /v1/messages/count_tokens?beta=true HTTP/1.1");
    assert_eq!(seen.json()["model"], "glm-5");
    lab.ask(lab.request("GET /v1/models", &[], "")).await;
    assert_eq!(lab.counts("glm/glm-5"), [0, 0, 0, 0, 0, 0, 1]);
    assert_eq!(lab.counts("default"), [0, 0, 0, 0, 0, 0, 1]);
}

#[tokio::test]
async fn r9_a_request_leaves_one_record_with_all_that_is_known_and_its_price() {
    let stream = [EVENTS.as_bytes(), &chunk(RECORDED), b"0\r\n\r\n"].concat();
    let upstream = AutoUpstream::start(move |_| stream.clone()).await;
    let lab = Lab::setup("http://127.0.0.1:9")
        .provider("glm", &upstream.url())
        .config("[routes.\"glm/glm-5\"]\nprice = { input = 1.0, output = 10.0, cache_read = 0.1 }")
        .agent("reviewer", "glm/glm-5")
        .start()
        .await;
    let mut records = lab.meter.records();
    let headers = [
        "X-Claude-Code-Session-Id: s1",
        "x-claude-code-prompt-id: p1",
        "X-Claude-Code-Agent-Id: a1",
        "x-claude-code-request-class: subagent",
        "x-stainless-retry-count: 2",
    ];
    lab.callers.started("a1", "reviewer");
    let body = r#"{"model":"reviewer@glm/glm-5","output_config":{"effort":"high"},"stream":true}"#;
    lab.ask(lab.post_to("/v1/messages?beta=true", &headers, body)).await;
    let record = soon("a record", records.recv()).await.expect("a record");
    assert_eq!((&*record.agent, &*record.route, record.status), ("reviewer", "glm/glm-5", Some(200)));
    assert_eq!((record.wire_model.as_deref(), &*record.path), (Some("reviewer@glm/glm-5"), "/v1/messages"));
    assert_eq!((record.outcome, record.blame, record.stray), (Outcome::Ok, None, false));
    assert_eq!((record.bytes_in, record.bytes_out), (body.len() as u64, RECORDED.len() as u64));
    assert_eq!((record.caller.session.as_deref(), record.caller.attempt), (Some("s1"), Some(2)));
    assert_eq!((record.caller.prompt_id.as_deref(), record.effort.as_deref()), (Some("p1"), Some("high")));
    assert_eq!(
        (record.upstream_model.as_deref(), record.price.map(|p| p.output)),
        (Some("glm-5"), Some(10.0))
    );
    assert_eq!(record.stop_reason.as_deref(), Some("end_turn"));
    assert!(record.ttfb.is_some_and(|ttfb| ttfb <= record.total));
    let cost = (14.0 + 120.0 + 9000.0 * 0.1 + 42.0 * 10.0) / 1e6;
    assert!((record.cost.expect("a price") - cost).abs() < 1e-12);
    assert!((lab.row("glm/glm-5").cost_usd.expect("a price") - cost).abs() < 1e-12);
}

#[tokio::test]
async fn j08_one_model_has_each_routes_own_price_and_none_where_the_route_has_none() {
    let upstream = AutoUpstream::ok().await;
    // The model's own vendor, two who sell it on, and one that says no price.
    let lab = Lab::setup(&upstream.url())
        .provider("deepseek", &upstream.url())
        .provider("reseller", &upstream.url())
        .provider("bare", &upstream.url())
        .config("[routes.\"deepseek/v4-flash\"]\nprice = { input = 1.0, output = 10.0 }")
        .config("[routes.\"reseller/v4-flash\"]\nprice = { input = 2.0, output = 40.0 }")
        .agent("first", "deepseek/v4-flash")
        .agent("second", "reseller/v4-flash")
        .agent("third", "bare/v4-flash")
        .start()
        .await;
    let mut records = lab.meter.records();
    let models = ["first@deepseek/v4-flash", "second@reseller/v4-flash", "third@bare/v4-flash", "v4-flash"];
    let mut costs = Vec::new();
    for model in models {
        lab.ask(lab.post(&[], format!(r#"{{"model":"{model}"}}"#))).await;
        let record = soon("a record", records.recv()).await.expect("a record");
        assert_eq!(record.upstream_model.as_deref(), Some("v4-flash"));
        // Three tokens in, two out.
        costs.push(record.cost.map(|cost| (cost * 1e6).round()));
    }
    assert_eq!(costs, [Some(23.0), Some(86.0), None, None]);
    for (route, cost) in [("deepseek/v4-flash", true), ("reseller/v4-flash", true), ("bare/v4-flash", false)]
    {
        assert_eq!(lab.row(route).cost_usd.is_some(), cost, "{route}");
    }
}

/// What the upstream of the mixed test does, by the request's own wish.
fn wished(seen: &Seen) -> Vec<u8> {
    match seen.head.one("x-want") {
        Some("stream") => [EVENTS.as_bytes(), &chunk(RECORDED), b"0\r\n\r\n"].concat(),
        Some("refusal") => answer("429 Too Many Requests", &[], "{}"),
        Some("overload") => answer("529 Overloaded", &[], "{}"),
        Some("cut") => {
            [EVENTS.replace("\r\n\r\n", "\r\nconnection: close\r\n\r\n").as_bytes(), &chunk("data: x\n\n")]
                .concat()
        }
        Some("never") => Vec::new(),
        _ => message(),
    }
}

async fn one(mut client: Wire, request: Vec<u8>, all: Arc<Barrier>, give_up: Option<impl Fn() -> bool>) {
    all.wait().await;
    client.write(request).await;
    let Some(seen) = give_up else {
        let head = client.head().await;
        client.what_comes(&head).await;
        return;
    };
    while !seen() {
        tokio::task::yield_now().await;
    }
}

fn adds_up(figures: &Figures) {
    for row in figures.routes.iter().chain(&figures.agents) {
        let parts = row.in_flight + row.ok + row.client_error + row.upstream_error + row.cancelled;
        assert_eq!(row.requests, parts, "{row:?}");
    }
    let of = |rows: &[Row]| rows.iter().map(|row| row.requests).sum::<u64>();
    assert_eq!(of(&figures.routes), of(&figures.agents));
}

#[tokio::test]
async fn b01_the_effort_of_a_body_that_passes_is_known_and_its_bytes_are_the_same() {
    let upstream = AutoUpstream::ok().await;
    let lab = Lab::setup(&upstream.url()).start().await;
    let mut records = lab.meter.records();
    let messages = "x".repeat(300_000);
    let body =
        format!(r#"{{"model":"claude-opus-5","messages":"{messages}","output_config":{{"effort":"low"}}}}"#);
    lab.ask(lab.post_to("/v1/messages", &[], &body)).await;
    let record = soon("a record", records.recv()).await.expect("a record");
    assert_eq!((record.effort.as_deref(), record.price), (Some("low"), None));
    assert_eq!(record.upstream_model.as_deref(), Some("claude-opus-5"));
    assert_eq!(upstream.only().body, body.as_bytes());
}

#[tokio::test]
async fn r9_two_hundred_mixed_requests_at_once_are_counted_exactly_at_any_moment() {
    const WISHES: [&str; 6] = ["stream", "refusal", "overload", "cut", "never", "message"];
    let upstream = Arc::new(AutoUpstream::start(wished).await);
    let lab = Lab::with_route(&upstream.url(), &upstream.url()).await;
    let (all, mut clients) = (Arc::new(Barrier::new(204)), JoinSet::new());
    for n in 0..204 {
        let model = ["claude-opus-5", "reviewer@glm/glm-5"][n / 6 % 2];
        let wish = WISHES[n % 6];
        let headers = [format!("x-want: {wish}"), format!("x-number: {n}")];
        let headers: Vec<&str> = headers.iter().map(String::as_str).collect();
        let request = lab.post(&headers, format!(r#"{{"model":"{model}"}}"#));
        let (client, upstream) = (lab.client().await, Arc::clone(&upstream));
        let number = n.to_string();
        let seen = move || upstream.seen().iter().any(|seen| seen.head.one("x-number") == Some(&*number));
        clients.spawn(one(client, request, Arc::clone(&all), (wish == "never").then_some(seen)));
    }
    let (mut samples, mut most) = (0, 0);
    while !clients.is_empty() {
        let figures = lab.meter.figures();
        adds_up(&figures);
        samples += 1;
        most = most.max(figures.routes.iter().map(|row| row.in_flight).sum());
        while let Some(done) = clients.try_join_next() {
            done.expect("no panic");
        }
        tokio::task::yield_now().await;
    }
    assert!(samples > 20 && most > 20, "{samples} samples, {most} at once");
    for route in ["default", "glm/glm-5"] {
        assert_eq!(lab.settled(route).await, [102, 0, 34, 17, 34, 17, 0], "{route}");
        let row = lab.row(route);
        assert_eq!((row.input_tokens, row.output_tokens), (17 * (14 + 3), 17 * (42 + 2)));
    }
    adds_up(&lab.meter.figures());
}

#[tokio::test]
async fn h07_eight_sessions_of_five_hundred_requests_lose_none_and_share_eight_connections() {
    let upstream = AutoUpstream::ok().await;
    let lab = Lab::with_route(&upstream.url(), &upstream.url()).await;
    let mut sessions = JoinSet::new();
    for n in 0..8 {
        let model = ["claude-opus-5", "reviewer@glm/glm-5"][n % 2];
        let (mut client, request) = (lab.client().await, lab.post(&[], format!(r#"{{"model":"{model}"}}"#)));
        sessions.spawn(async move {
            for _ in 0..500 {
                client.write(&request).await;
                assert_eq!(client.answer().await.0.status(), 200);
            }
        });
    }
    sessions.join_all().await;
    for route in ["default", "glm/glm-5"] {
        assert_eq!(lab.settled(route).await, [2000, 0, 2000, 0, 0, 0, 0]);
    }
    assert!(upstream.connections() <= 8, "{} connections", upstream.connections());
}
