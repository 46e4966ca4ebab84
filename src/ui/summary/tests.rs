//! The whole text for each state that a session can end in.

use super::*;
use crate::router::Percentiles;

fn row(agent: Option<&str>, route: &str, [ok, failed, cancelled]: [u64; 3], cost: Option<f64>) -> Row {
    let requests = ok + failed + cancelled;
    Row {
        agent: agent.map(str::to_owned),
        route: route.to_owned(),
        circuit: None,
        mending: None,
        requests,
        in_flight: 0,
        queued: 0,
        ok,
        client_error: 0,
        upstream_error: failed,
        cancelled,
        input_tokens: requests * 12_345,
        output_tokens: requests * 95,
        cache_read_tokens: requests * 1_000,
        cache_write_tokens: 0,
        cost_usd: cost,
        ttfb_ms: Percentiles { p50: if requests == 0 { 0 } else { 410 }, p95: 900 },
        total_ms: Percentiles::default(),
        other: 0,
    }
}

fn check(figures: &Figures, hooks: bool, bypass: Option<&str>, expect: &str) {
    let text = summary(&Summary { figures, hooks, bypass, unseen: &[], hint: None });
    assert_eq!(text, expect, "\n{text}\n");
    assert!(text.lines().all(|line| columns(line) <= WIDTH), "{text}");
}

#[test]
fn j05_priced_free_and_unpriced_routes_and_a_total_that_says_what_it_leaves_out() {
    let routes = vec![
        row(None, "default", [3, 0, 1], None),
        row(None, "glm/glm-5", [12, 1, 0], Some(0.042)),
        row(None, "ollama/qwen3-coder:30b", [2, 0, 0], Some(0.0)),
        row(None, "vllm/never", [0, 0, 0], None),
    ];
    let agents = vec![
        row(Some("main"), "default", [3, 0, 1], None),
        row(Some("reviewer"), "glm/glm-5", [12, 1, 0], Some(0.042)),
        row(Some("scout"), "ollama/qwen3-coder:30b", [2, 0, 0], Some(0.0)),
    ];
    let expect = "\
route                   req  ok  err  canc      in   out  cache     cost   ttfb
default                   4   3    0     1   49.3k   380   4.0k      n/a  410ms
glm/glm-5                13  12    1     0  160.4k  1.2k  13.0k  $0.0420  410ms
ollama/qwen3-coder:30b    2   2    0     0   24.6k   190   2.0k       $0  410ms
vllm/never                0   -    -     -       -     -      -        -      -
total                    19  17    1     1  234.5k  1.8k  19.0k  $0.0420      -
agent                   req  ok  err  canc      in   out  cache     cost   ttfb
main                      4   3    0     1   49.3k   380   4.0k      n/a  410ms
reviewer                 13  12    1     0  160.4k  1.2k  13.0k  $0.0420  410ms
scout                     2   2    0     0   24.6k   190   2.0k       $0  410ms
The total cost leaves out what has no price (n/a).";
    check(&Figures { routes, agents, strays: vec![] }, true, None, expect);
}

#[test]
fn what_a_repair_would_mend_is_told_with_the_command_that_switches_it_on() {
    let refused = Row {
        mending: Some("drop-context-management".to_owned()),
        ..row(None, "glm/glm-5", [0, 1, 0], None)
    };
    let figures = Figures { routes: vec![refused], ..Figures::default() };
    let text = summary(&Summary { figures: &figures, hooks: true, bypass: None, unseen: &[], hint: None });
    let told = text.split_whitespace().collect::<Vec<_>>().join(" ");
    let command = "`subagents route add glm/glm-5 --repair drop-context-management --offline`";
    assert!(told.contains(&format!("glm/glm-5 refused what a repair mends: {command}")), "{text}");
}

#[test]
fn strays_and_missing_hooks_are_told_below() {
    let stray = |agent: Option<&str>, model: &str, requests, refused| Stray {
        agent: agent.map(str::to_owned),
        model: model.to_owned(),
        requests,
        refused,
    };
    let figures = Figures {
        routes: vec![row(None, "default", [1, 0, 0], None)],
        agents: vec![row(Some("main"), "default", [1, 0, 0], None)],
        strays: vec![stray(Some("reviewer"), "opus", 3, 1), stray(None, "x@p/m", 2, 2)],
    };
    let expect = "\
route    req  ok  err  canc     in  out  cache  cost   ttfb
default    1   1    0     0  12.3k   95   1.0k   n/a  410ms
1 call refused: `reviewer` was asked to run on opus.
2 calls let through: `reviewer` was asked to run on opus.
2 calls refused: x@p/m was asked for by someone whose route it isn't.
No hooks were heard: agents are known by their ids only, and no agent called off
its route was refused.";
    check(&figures, false, None, expect);
}

#[test]
fn an_agent_off_its_route_is_told_apart_and_a_long_name_is_never_cut() {
    let route = "openrouter/a-very-long-vendor/a-model-with-a-name-that-has-no-end";
    let figures = Figures {
        routes: vec![row(None, "default", [1, 0, 0], None), row(None, route, [1, 0, 0], None)],
        agents: vec![row(Some("a"), "default", [1, 0, 0], None), row(Some("a"), route, [1, 0, 0], None)],
        strays: vec![],
    };
    let expect = "\
route         req  ok  err  canc     in  out  cache  cost   ttfb
default         1   1    0     0  12.3k   95   1.0k   n/a  410ms
openrouter/a-very-long-vendor/a-model-with-a-name-that-has-no-end
                1   1    0     0  12.3k   95   1.0k   n/a  410ms
total           2   2    0     0  24.6k  190   2.0k   n/a      -
agent         req  ok  err  canc     in  out  cache  cost   ttfb
a on default    1   1    0     0  12.3k   95   1.0k   n/a  410ms
a on openrouter/a-very-long-vendor/a-model-with-a-name-that-has-no-end
                1   1    0     0  12.3k   95   1.0k   n/a  410ms";
    check(&figures, true, None, expect);
}

#[test]
fn no_request_is_one_line_and_a_bypass_says_why() {
    let figures = Figures { routes: vec![row(None, "default", [0, 0, 0], None)], ..Figures::default() };
    check(&figures, false, None, "No request came to the router.");
    let cause = "Claude Code was asked something, and no request reached the router: managed settings";
    check(
        &figures,
        true,
        Some(cause),
        "Bypassed: Claude Code was asked something, and no request reached the router:\nmanaged settings.",
    );
}

#[test]
fn what_was_never_answered_has_no_latency() {
    let mut failed = row(None, "p/m", [0, 0, 2], None);
    failed.ttfb_ms = Percentiles::default();
    assert_eq!(cells(&failed)[8], "-");
}

#[test]
fn f13_agents_that_were_never_seen_are_named_in_one_line() {
    let figures = Figures {
        routes: vec![row(None, "default", [1, 0, 0], None)],
        agents: vec![row(Some("main"), "default", [1, 0, 0], None)],
        strays: vec![],
    };
    let last = |agents: &[String], hint| {
        let text = summary(&Summary { figures: &figures, hooks: true, bypass: None, unseen: agents, hint });
        assert!(text.lines().all(|line| columns(line) <= WIDTH), "{text}");
        text.lines().skip(2).collect::<Vec<_>>().join("\n")
    };
    let names = |count| (1..=count).map(|number| format!("agent-{number}")).collect::<Vec<_>>();
    assert_eq!(last(&[], None), "");
    assert_eq!(last(&names(2), None), "Never seen on the wire: agent-1, agent-2.");
    let many = "Never seen on the wire: agent-1, agent-2, agent-3, agent-4 and 116 more.";
    assert_eq!(last(&names(120), None), many);
    assert_eq!(last(&names(1), Some("It is old")), "Never seen on the wire: agent-1.\nIt is old.");
    let nothing = Figures { routes: vec![], ..figures.clone() };
    let unused = Summary { figures: &nothing, hooks: true, bypass: None, unseen: &names(1), hint: None };
    assert_eq!(summary(&unused), "No request came to the router.");
}
