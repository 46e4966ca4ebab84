//! Providers that fail: the main session is told, and goes on.

use serde_json::json;

use super::launch::headless;
use super::reply::{Script, agent};
use super::stage::Stage;
use super::upstream::{DOWN, Upstream};

#[test]
fn r10_a_provider_that_is_down_is_told_to_the_main_session_which_goes_on() {
    let main = Upstream::start(Script::main([vec![agent("reviewer")]]));
    let stage = Stage::new();
    stage.providers(DOWN, DOWN).agent("reviewer", "glm/glm-5");
    // Nobody listens there, which trying again can't help: Claude Code asks once.
    let ended = stage.subagents(&main, &headless(&[])).run().expect_code(0);
    assert!(ended.stdout.contains("upstream heard") && ended.stdout.contains("API error"), "{ended:#?}");
    let last = main.questions().pop().unwrap();
    assert!(last.holds("glm/glm-5"), "the message names the route: {}", last.json);
    let figures = ended.figures();
    assert_eq!(figures.routes(), ["default: 2 ok", "glm/glm-5: 1 upstream_error"]);
    assert_eq!(figures.agents(), ["main on default: 2 ok", "reviewer on glm/glm-5: 1 upstream_error"]);
}

#[test]
fn an_error_of_the_provider_s_own_reaches_the_main_session_in_its_words() {
    let main = Upstream::start(Script::main([vec![agent("reviewer")]]));
    let error =
        json!({"type": "error", "error": {"type": "invalid_request_error", "message": "glm-5 is on leave"}});
    let glm = Upstream::start(Script::refusing("glm", 400, error));
    let stage = Stage::new();
    stage.providers(&glm.url(), DOWN).agent("reviewer", "glm/glm-5");
    let ended = stage.subagents(&main, &headless(&[])).run().expect_code(0);
    assert!(ended.stdout.contains("glm-5 is on leave"), "{ended:#?}");
    // Claude Code tries again with less in the body, as often as it likes.
    let tries = format!("glm/glm-5: {} client_error", glm.questions().len());
    assert_eq!(ended.figures().routes(), ["default: 2 ok", tries.as_str()]);
}
