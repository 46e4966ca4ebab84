//! `subagents stats` and `ledger`, where nothing has run yet. What sessions leave behind is in `tests/claude`.

use serde_json::json;

use crate::stage::Stage;

#[test]
fn nothing_remembered_is_said_and_makes_no_file() {
    let stage = Stage::new();
    assert!(stage.run(&["stats"]).ok().contains("No request is remembered"));
    let told = stage.run(&["stats", "--by", "day", "--json"]).json("usage");
    assert_eq!((&told["by"], &told["rows"], &told["lost"]), (&json!("day"), &json!([]), &json!(0)));
    assert!(!stage.at("home/.local/share/subagents/ledger.db").exists());
}

#[test]
fn a_time_that_cannot_be_read_is_a_usage_error() {
    let told = Stage::new().run(&["stats", "--since", "yesterdayish"]).failed(2);
    assert!(told.contains("yesterdayish") && told.contains("7d"), "{told}");
}

#[test]
fn requests_are_listed_one_by_one_and_sums_are_written_to_a_file() {
    let request = |at: u64, agent: &str| {
        json!({"at": at, "agent": agent, "route": "p/m", "path": "/v1/messages", "outcome": "ok", "bytes_in": 1,
               "bytes_out": 2, "total": 3, "stray": 0, "cost": 0.5})
    };
    let session = json!({"id": "x", "started": 1, "folder": "/", "snapshot": "{}", "name": "shop"});
    let requests = [request(1, "rev"), request(2, "rev"), request(3, "main")];
    let stage = Stage::new();
    assert_eq!(stage.run(&["ledger", "requests", "--json"]).json("requests")["requests"], json!([]));
    stage
        .run_with(&["ledger", "import", "-"], &json!({"session": session, "requests": requests}).to_string())
        .ok();
    let told =
        stage.run(&["ledger", "requests", "--agent", "rev", "--limit", "1", "--json"]).json("requests");
    assert_eq!((&told["requests"][0]["at"], &told["older"]), (&json!(2), &json!(1)));
    assert_eq!(told["requests"][0]["name"], "shop");
    assert!(stage.run(&["ledger", "requests"]).ok().contains("shop"));
    stage.run(&["stats", "--by", "agent", "--csv", "--output", "sums.csv"]).ok();
    assert_eq!(stage.read("project/sums.csv"), stage.run(&["stats", "--by", "agent", "--csv"]).ok());
    stage.run(&["stats", "--output", "sums.csv"]).failed(2);
}

#[test]
fn a_ledger_goes_out_and_comes_in_again() {
    let line = "{\"session\":{\"id\":\"x\",\"started\":1,\"folder\":\"/\",\"snapshot\":\"{}\"}}\n";
    let stage = Stage::new().with("project/in.jsonl", line);
    assert!(stage.run(&["ledger", "check"]).failed(1).contains("nothing is remembered yet"));
    let told = stage.run(&["ledger", "import", "in.jsonl", "--json"]).json("ledger-change");
    assert_eq!((&told["sessions"], &told["known"]), (&json!(1), &json!(0)));
    stage.run_with(&["ledger", "import", "-"], line).ok();
    stage.run(&["ledger", "export", "out.jsonl", "--json"]).json("ledger-change");
    assert_eq!(stage.read("project/out.jsonl"), stage.run(&["ledger", "export"]).ok());
    assert_eq!(stage.read("project/out.jsonl").lines().count(), 1);
    let told = stage.run(&["ledger", "check", "--json"]).json("ledger-check");
    assert_eq!(told["problems"], json!([]));
    stage.run(&["ledger", "vacuum", "--json"]).json("ledger-change");
    assert!(stage.run_with(&["ledger", "import", "-"], "x").failed(1).contains("line 1"));
}
