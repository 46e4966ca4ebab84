//! `subagents budget`: list, set and rm.

use serde_json::{Value, json};

use crate::stage::Stage;

const CONFIG: &str = "# mine\n[providers.p]\npreset = \"ollama\"\n";

fn stage() -> Stage {
    Stage::new().with("config/config.toml", CONFIG)
}

fn list(stage: &Stage) -> Value {
    stage.run(&["budget", "list", "--json"]).json("budget-list")["budgets"].clone()
}

/// A session with a request of this agent's to this route, two days ago or just now.
fn remembered(stage: &Stage, agent: &str, route: &str, at: i64) {
    let request = json!({"at": at, "agent": agent, "route": route, "path": "/v1/messages", "outcome": "ok",
        "bytes_in": 1, "bytes_out": 2, "total": 3, "stray": 0, "cost": 0.5, "input_tokens": 30, "output_tokens": 4,
        "cache_read_tokens": 500, "cache_write_tokens": 6});
    let session = json!({"id": format!("{agent}{at}{route}"), "started": 1, "folder": "/", "snapshot": "{}"});
    let line = json!({"session": session, "requests": [request]}).to_string();
    stage.run_with(&["ledger", "import", "-"], &line).ok();
}

#[test]
fn a_budget_is_made_changed_and_removed_and_every_comment_stays() {
    let stage = stage();
    assert!(stage.run(&["budget", "list"]).ok().contains("no budget"));
    stage.run(&["budget", "set", "night", "--per", "day", "--usd", "5", "--json"]).json("change");
    let first = format!("{CONFIG}\n[budgets.night]\nper = \"day\"\nusd = 5.0\n");
    assert_eq!(stage.read("config/config.toml"), first);
    let ran =
        stage.run(&["budget", "set", "night", "--agent", "critic", "--route", "p/*", "--requests", "20"]);
    assert!(ran.stderr.contains("there is no agent `critic` yet"), "{}", ran.stderr);
    ran.ok();
    let second = format!("{first}agent = \"critic\"\nroute = \"p/*\"\nrequests = 20\n");
    assert_eq!(stage.read("config/config.toml"), second);
    let expect = json!({"name": "night", "per": "day", "agent": "critic", "route": "p/*", "requests": 20,
        "tokens": null, "usd": 5.0,
        "used": [{"session": null, "name": null, "requests": 0, "tokens": 0, "cost_usd": null}]});
    assert_eq!(list(&stage), json!([expect]));
    stage.run(&["budget", "set", "night", "--unset", "agent", "--unset", "usd", "--requests", "30"]).ok();
    let third = format!("{CONFIG}\n[budgets.night]\nper = \"day\"\nroute = \"p/*\"\nrequests = 30\n");
    assert_eq!(stage.read("config/config.toml"), third);
    for (arguments, code, part) in [
        (&["--unset", "usd"][..], 1, "`usd` isn't set for `night`"),
        (&["--unset", "requests"], 3, "limits nothing"),
    ] {
        let told = stage.run(&[&["budget", "set", "night"], arguments].concat()).failed(code);
        assert!(told.contains(part), "{told}");
        assert_eq!(stage.read("config/config.toml"), third);
    }
    stage.run(&["config", "undo"]).ok();
    assert_eq!(stage.read("config/config.toml"), second);
    stage.run(&["budget", "rm", "night"]).ok();
    assert_eq!(stage.read("config/config.toml"), format!("{CONFIG}\n"));
    assert!(stage.run(&["budget", "rm", "night"]).failed(1).contains("no budget `night`"));
    stage.run(&["config", "undo"]).ok();
    assert_eq!(stage.read("config/config.toml"), second);
}

#[test]
fn what_limits_nothing_or_nobody_has_is_refused_before_anything_is_written() {
    let stage = stage();
    for (arguments, code, part) in [
        (&["night", "--per", "day"][..], 3, "limits nothing"),
        (&["night", "--per", "request", "--requests", "2"], 3, "always one request"),
        (&["night", "--route", "q/m", "--usd", "1"], 3, "no provider `q`"),
        (&["night", "--usd=-1"], 3, "a number, 0 or more"),
        (&["night"], 2, "nothing is to be changed"),
        (&["night", "--per", "week", "--usd", "1"], 2, "week"),
        (&["night", "--requests", "0"], 2, "--requests"),
    ] {
        let told = stage.run(&[&["budget", "set"], arguments].concat()).failed(code);
        assert!(told.contains(part), "{arguments:?}: {told}");
        assert_eq!(stage.read("config/config.toml"), CONFIG);
    }
}

#[test]
fn todays_use_is_counted_over_all_sessions_as_far_as_the_budget_covers_it() {
    let stage = stage();
    stage.run(&["budget", "set", "all", "--per", "day", "--tokens", "1000"]).ok();
    stage.run(&["budget", "set", "critic", "--per", "day", "--agent", "critic", "--usd", "1"]).ok();
    stage.run(&["budget", "set", "each", "--requests", "3"]).ok();
    stage.run(&["budget", "set", "large", "--per", "request", "--tokens", "9"]).ok();
    let now = jiff::Timestamp::now().as_millisecond();
    for (agent, route, at) in [
        ("critic", "p/m", now),
        ("scout", "p/n", now),
        ("main", "default", now),
        ("critic", "p/m", now - 48 * 3_600_000),
    ] {
        remembered(&stage, agent, route, at);
    }
    let used = |requests: u64, tokens: u64, cost: f64| json!([{"session": null, "name": null, "requests": requests, "tokens": tokens, "cost_usd": cost}]);
    let listed = list(&stage);
    assert_eq!((&listed[0]["used"], &listed[1]["used"]), (&used(2, 80, 1.0), &used(1, 40, 0.5)));
    assert_eq!((&listed[2]["used"], &listed[3]["used"]), (&json!([]), &json!([])), "no session runs");
    let table = stage.run(&["budget", "list"]).ok();
    assert!(table.contains("critic  day      critic  all    $1.00        $0.5000  today"), "{table}");
}
