//! The ledger after sessions with the real Claude Code: exactly what was counted, and nothing secret.

use std::fs;

use serde_json::Value;

use super::launch::headless;
use super::reply::{Script, agent};
use super::stage::{GLM_KEY, Stage, USER_TOKEN};
use super::upstream::{DOWN, Upstream};

const PRICE: &str = "[routes.\"glm/glm-5\"]\nprice = { input = 1.0, output = 2.0 }\n";

fn remembered(stage: &Stage, main: &Upstream, by: &str) -> Value {
    let ended = stage.subagents(main, &["stats", "--by", by, "--json"]).run().expect_code(0);
    serde_json::from_str(&ended.stdout).unwrap()
}

#[test]
fn every_request_of_a_session_is_remembered_with_its_agent_route_and_price() {
    let stage = Stage::new();
    let main = Upstream::start(Script::main([vec![agent("reviewer")]]));
    let glm = Upstream::start(Script::talker("glm"));
    stage.providers(&glm.url(), DOWN).agent("reviewer", "glm/glm-5").config_more(PRICE);
    let ended = stage.subagents(&main, &headless(&[])).run().expect_code(0);
    let stats = ended.stats();
    let found = remembered(&stage, &main, "route");
    for row in stats["routes"].as_array().unwrap().iter().filter(|row| row["requests"] != 0) {
        let kept = found["rows"].as_array().unwrap().iter().find(|kept| kept["key"] == row["route"]).unwrap();
        for figure in ["requests", "ok", "input_tokens", "output_tokens", "cache_read_tokens", "cost_usd"] {
            assert_eq!(kept[figure], row[figure], "{figure} of {row}");
        }
    }
    assert_eq!(found["lost"], 0);
    let agents = remembered(&stage, &main, "agent");
    assert!(agents["rows"].as_array().unwrap().iter().any(|row| row["key"] == "reviewer"), "{agents}");
}

#[test]
fn i03_no_prompt_and_no_key_stands_in_the_ledger() {
    let stage = Stage::new();
    let main = Upstream::start(Script::main([vec![agent("reviewer")]]));
    let glm = Upstream::start(Script::talker("glm"));
    stage.providers(&glm.url(), DOWN).agent("reviewer", "glm/glm-5");
    stage.subagents(&main, &headless(&[])).run().expect_code(0);
    let folder = stage.home().join(".local/share/subagents");
    let bytes: Vec<u8> = fs::read_dir(&folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.is_file())
        .flat_map(|path| fs::read(path).unwrap())
        .collect();
    // The agents' definitions are what a session was launched with: they are kept, so that it can be resumed.
    for secret in [GLM_KEY, USER_TOKEN, "Please do it", "Say hello"] {
        assert!(memchr::memmem::find(&bytes, secret.as_bytes()).is_none(), "{secret}");
    }
}

#[test]
fn a_ledger_that_cannot_be_written_costs_a_warning_and_no_session() {
    let stage = Stage::new();
    let main = Upstream::start(Script::talker("main"));
    stage.providers(DOWN, DOWN).agent("reviewer", "glm/glm-5");
    fs::create_dir_all(stage.home().join(".local/share/subagents/ledger.db")).unwrap();
    let ended = stage.subagents(&main, &headless(&[])).run().expect_code(0);
    assert!(
        ended.stderr.contains("isn't remembered") && ended.stderr.contains("ledger.db"),
        "{}",
        ended.stderr
    );
}
