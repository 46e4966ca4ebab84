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
