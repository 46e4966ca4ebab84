//! `subagents resume`, with a program in Claude Code's place that says one line. What Claude Code itself remembers is
//! in `tests/claude`.

use serde_json::{Value, json};

use crate::fake::{SESSION as ID, with_an_ended_session, with_claude, with_transcript};
use crate::stage::Stage;

const CONFIG: &str =
    "[providers.ollama]\nbase_url = \"http://127.0.0.1:1\"\n[profiles.default]\nargs = [\"--verbose\"]\n";

fn agent(model: &str) -> String {
    format!("---\nname: reviewer\ndescription: Reviews.\nmodel: {model}\n---\nReview.\n")
}

/// One session `shop` that has ended.
fn stage() -> Stage {
    let stage = with_claude(Stage::new()).with("config/config.toml", CONFIG);
    with_an_ended_session(stage.with("config/agents/reviewer.md", &agent("ollama/q")))
}

/// A session as the first version of the ledger kept it.
fn old_line(snapshot: &Value) -> String {
    let session = json!({"id": ID, "started": 1, "ended": 2, "exit_code": 0, "folder": "FOLDER", "snapshot": snapshot.to_string()});
    let request = json!({"at": 1, "claude_session": ID, "agent": "main", "route": "default", "path": "/v1/messages",
        "outcome": "ok", "bytes_in": 1, "bytes_out": 1, "total": 1, "stray": 0});
    json!({"session": session, "requests": [request], "gaps": []}).to_string()
}

#[test]
fn a_session_goes_on_with_its_own_id_and_with_current_it_says_what_differs() {
    let stage = stage().with("config/agents/reviewer.md", &agent("ollama/other"));
    let told = stage.run(&["resume", "shop", "--detach", "--json"]).json("resume");
    assert_eq!(
        (&told["session"], &told["name"], &told["differences"]),
        (&json!(ID), &json!("shop"), &json!(null))
    );
    let told = stage.run(&["resume", "latest", "--detach", "--current", "--json"]).json("resume");
    let field = json!({"name": "model", "recorded": "ollama/q", "current": "ollama/other"});
    let differs = json!({"part": "agent", "name": "reviewer", "change": "changed", "fields": [field]});
    assert_eq!(told["differences"], json!([differs]));
    let told = stage.run(&["resume", "shop", "--detach", "--current", "--json"]).json("resume");
    assert_eq!(told["differences"], json!([]), "today's is the recorded one now");
}

#[test]
fn named_agents_that_are_gone_are_a_difference_and_no_mistake() {
    let stage = with_claude(Stage::new())
        .with("config/config.toml", CONFIG)
        .with("config/agents/reviewer.md", &agent("ollama/q"))
        .with("config/agents/scout.md", &agent("ollama/q").replace("reviewer", "scout"));
    stage.run(&["run", "--session", ID, "--agent", "reviewer"]).ok();
    let stage = with_transcript(stage);
    std::fs::remove_file(stage.at("config/agents/reviewer.md")).unwrap();
    let told = stage.run(&["resume", "latest", "--detach", "--current", "--json"]).json("resume");
    let gone = json!({"part": "agent", "name": "reviewer", "change": "removed", "fields": []});
    assert_eq!(told["differences"], json!([gone]), "and no other agent has come");
}

#[test]
fn what_is_not_there_is_told_with_what_to_do() {
    let stage = with_claude(Stage::new());
    assert!(stage.run(&["resume", "latest"]).failed(1).contains("nothing is remembered yet"));
    let told = stage.run(&["resume", "shop", "--json"]).failed(2);
    assert!(told.contains("--detach"), "{told}");
    let stage = self::stage();
    assert!(stage.run(&["resume", "nobody"]).failed(2).contains("the last were shop"));
    std::fs::remove_dir_all(stage.at("home/.claude")).unwrap();
    assert!(stage.run(&["resume", "shop"]).failed(1).contains("cleanupPeriodDays"));
}

#[test]
fn a_folder_that_is_gone_is_named() {
    let stage = Stage::new().with("elsewhere/x", "");
    let line = old_line(&json!({"version": 1})).replace("FOLDER", "/nowhere/at/all");
    stage.run_with(&["ledger", "import", "-"], &line).ok();
    let told = stage.run(&["resume", ID]).failed(1);
    assert!(told.contains("/nowhere/at/all") && told.contains("is gone"), "{told}");
}

#[test]
fn a_session_of_an_older_version_says_what_is_missing_and_takes_todays_configuration() {
    let stage = with_claude(Stage::new())
        .with("config/config.toml", CONFIG)
        .with("config/agents/reviewer.md", &agent("ollama/other"));
    let snapshot = json!({
        "version": 1,
        "agents": [{"name": "reviewer", "route": "ollama/q", "wire_id": "reviewer@ollama/q"}],
        "routes": {"ollama/q": {"context_window": null, "price": null}},
        "policy": {"enabled": false, "allowed": [], "stray": "deny"},
    });
    let line = old_line(&snapshot).replace("FOLDER", stage.at("project").to_str().unwrap());
    stage.run_with(&["ledger", "import", "-"], &line).ok();
    let stage = with_transcript(stage);
    let told = stage.run(&["resume", ID]).failed(3);
    assert!(told.contains("no definitions of agents") && told.contains("--current"), "{told}");
    let told = stage.run(&["resume", ID, "--current", "--detach", "--json"]).json("resume");
    assert_eq!(told["differences"][0]["fields"][0]["recorded"], "ollama/q");
    stage.run(&["resume", ID, "--detach", "--json"]).json("resume");
}

#[test]
fn sums_by_session_show_its_name() {
    let stage = Stage::new();
    let line = old_line(&json!({"version": 1})).replace("\"started\":1", "\"started\":1,\"name\":\"shop\"");
    stage.run_with(&["ledger", "import", "-"], &line).ok();
    let told = stage.run(&["stats", "--by", "session", "--json"]).json("usage");
    assert_eq!(told["rows"][0]["name"], "shop");
    assert!(stage.run(&["stats", "--by", "session"]).ok().contains("shop"));
    assert_eq!(
        stage.run(&["stats", "--by", "route", "--json"]).json("usage")["rows"][0]["name"],
        json!(null)
    );
}
