//! Agents in unusual ways: called off their route, very large, calling agents of their own.

use super::launch::headless;
use super::reply::{Script, agent, agent_on};
use super::stage::{GLM_KEY, Stage, USER_TOKEN};
use super::upstream::Upstream;

#[test]
fn a12_a_call_with_another_model_is_refused_and_made_again_without_one() {
    let main = Upstream::start(Script::main([vec![agent_on("reviewer", "opus")], vec![agent("reviewer")]]));
    let glm = Upstream::start(Script::talker("glm"));
    let stage = Stage::new();
    stage.providers(&glm.url(), &glm.url()).agent("reviewer", "glm/glm-5");
    let ended = stage.subagents(&main, &headless(&[])).run().expect_code(0);
    assert!(ended.stdout.contains("glm says hello."), "{ended:#?}");
    let told = "Call the agent `reviewer` again without a model";
    assert!(main.questions().iter().any(|request| request.holds(told)), "the main model reads the reason");
    let figures = ended.figures();
    assert_eq!(figures.agents(), ["main on default: 3 ok", "reviewer on glm/glm-5: 1 ok"]);
    assert_eq!(figures.strays(), ["reviewer on opus: 1 of 1 refused"]);
}

#[test]
fn f13_an_agent_that_nobody_called_is_told_and_one_that_was_called_is_not() {
    let main = Upstream::start(Script::main([vec![agent("reviewer"), agent("plain")]]));
    let glm = Upstream::start(Script::talker("glm"));
    let stage = Stage::new();
    stage.providers(&glm.url(), &glm.url()).agent("reviewer", "glm/glm-5").agent("second", "local/qwen3");
    stage.agent("plain", "inherit").agent("third", "haiku");
    let ended = stage.subagents(&main, &headless(&[])).run().expect_code(0);
    assert_eq!(ended.stats()["unseen"], serde_json::json!(["second", "third"]));
    assert!(ended.stderr.trim_end().ends_with("Never seen on the wire: second, third."), "{ended:#?}");
}

#[test]
fn f13_the_agent_that_the_main_session_is_is_not_missed() {
    let main = Upstream::start(Script::talker("main"));
    let stage = Stage::new();
    stage.config("").agent("plain", "inherit");
    let ended = stage.subagents(&main, &headless(&["--agent", "plain"])).run().expect_code(0);
    assert!(main.questions()[0].system().contains("You are plain."), "{ended:#?}");
    assert_eq!(ended.stats()["unseen"], serde_json::json!([]));
}

#[test]
fn a12_where_strays_may_pass_the_call_is_made_and_counted() {
    let main = Upstream::start(Script::main([vec![agent_on("reviewer", "opus")]]));
    let glm = Upstream::start(Script::talker("glm"));
    let stage = Stage::new();
    stage.providers(&glm.url(), &glm.url()).agent("reviewer", "glm/glm-5");
    stage.config_more("[policy]\nstray = \"pass\"\n");
    let ended = stage.subagents(&main, &headless(&[])).run().expect_code(0);
    assert!(glm.questions().is_empty());
    let figures = ended.figures();
    assert_eq!(figures.agents(), ["main on default: 2 ok", "reviewer on default: 1 ok"]);
    assert_eq!(figures.strays().len(), 1);
    assert!(figures.strays()[0].ends_with(": 0 of 1 refused"), "{figures:?}");
}

#[test]
fn f05_a_prompt_that_fits_in_no_argument_arrives_whole() {
    let main = Upstream::start(Script::main([vec![agent("reader")]]));
    let glm = Upstream::start(Script::talker("glm"));
    let stage = Stage::new();
    let prompt = format!("Begin {} end.", "§ rule\n".repeat(25_000));
    stage.providers(&glm.url(), &glm.url()).agent_saying("reader", "glm/glm-5", &prompt);
    let ended = stage.subagents(&main, &headless(&[])).run().expect_code(0);
    assert!(ended.stdout.contains("glm says hello."), "{ended:#?}");
    assert!(glm.questions()[0].system().contains(&prompt));
}

#[test]
fn an_agent_of_an_agent_is_counted_under_its_own_name() {
    let main = Upstream::start(Script::main([vec![agent("reviewer")]]));
    let glm = Upstream::start(Script::nested("glm", vec![agent("general-purpose"), agent("second")]));
    let local = Upstream::start(Script::talker("local"));
    let stage = Stage::new();
    stage.providers(&glm.url(), &local.url()).agent("reviewer", "glm/glm-5").agent("second", "local/qwen3");
    let ended = stage.subagents(&main, &headless(&[])).run().expect_code(0);
    assert!(ended.stdout.contains("glm heard") && ended.stdout.contains("local says hello."), "{ended:#?}");
    for request in glm.seen().iter().chain(&local.seen()) {
        assert!(!request.holds(USER_TOKEN), "{}", request.target);
    }
    assert!(local.seen().iter().all(|request| !request.holds(GLM_KEY)));
    assert!(glm.questions().iter().all(|request| request.model() == "glm-5"));
    let figures = ended.figures();
    assert_eq!(figures.routes(), ["default: 2 ok", "glm/glm-5: 3 ok", "local/qwen3: 1 ok"]);
    assert_eq!(
        figures.agents(),
        [
            "general-purpose on glm/glm-5: 1 ok",
            "main on default: 2 ok",
            "reviewer on glm/glm-5: 2 ok",
            "second on local/qwen3: 1 ok"
        ]
    );
    assert_eq!(figures.strays(), [""; 0]);
}
