//! Tasks that are handed to agents which run by themselves, through the tools that a session has for it.

use serde_json::{Value, json};

use super::launch::headless;
use super::reply::Script;
use super::stage::{GLM_KEY, Stage, USER_TOKEN};
use super::upstream::Upstream;

/// A call of one of our own tools.
fn own(name: &str, input: Value) -> Value {
    json!({"name": format!("mcp__subagents__{name}"), "input": input})
}

#[test]
fn e1_d2_a_hidden_agent_does_a_task_on_its_route_and_only_its_answer_comes_back() {
    let call =
        own("delegate_subagent", json!({"agent": "scout", "prompt": "Say hello.", "description": "greet"}));
    let main = Upstream::start(Script::main([vec![call]]));
    let glm = Upstream::start(Script::talker("glm"));
    let stage = Stage::new();
    stage.providers(&glm.url(), &glm.url()).agent_with(
        "scout",
        "glm/glm-5",
        "subagents:\n  visibility: hidden",
    );
    let ended = stage.subagents(&main, &headless(&[])).run().expect_code(0);
    let header = "[subagent result — description=\\\\\\\"greet\\\\\\\", tool_calls=0, elapsed=";
    assert!(main.questions().iter().any(|request| request.holds(header)), "{ended:#?}");
    assert!(ended.stdout.contains("glm says hello."), "{ended:#?}");
    assert!(!main.questions()[0].holds("Does scout."), "the main model doesn't see it");
    assert!(glm.seen().iter().all(|request| !request.holds(USER_TOKEN)));
    let asked = &glm.questions()[0];
    assert_eq!((asked.model(), asked.header("authorization")), ("glm-5", format!("Bearer {GLM_KEY}")));
    assert!(asked.system().contains("You are scout.") && asked.holds("Say hello."));
    assert_eq!(ended.figures().agents(), ["main on default: 2 ok", "scout on glm/glm-5: 1 ok"]);
}
