//! Which upstream gets what: the main session's own requests untouched, each agent's on its route.

use super::launch::headless;
use super::reply::{Script, agent};
use super::stage::{DEVICE, GLM_KEY, Stage, USER_TOKEN};
use super::upstream::Upstream;

#[test]
fn r6_r7_the_main_session_passes_through_and_a_sub_agent_runs_on_its_route() {
    let (main, glm) =
        (Upstream::start(Script::main([vec![agent("reviewer")]])), Upstream::start(Script::talker("glm")));
    let stage = Stage::new();
    stage.providers(&glm.url(), &glm.url()).agent("reviewer", "glm/glm-5");
    let ended = stage.subagents(&main, &headless(&[])).run().expect_code(0);
    assert!(
        ended.stdout.contains("upstream heard") && ended.stdout.contains("glm says hello."),
        "{ended:#?}"
    );
    for request in main.questions() {
        assert_eq!(request.header("authorization"), format!("Bearer {USER_TOKEN}"));
        assert!(request.model().starts_with("claude-") && request.user_id().contains(DEVICE));
        assert!(!request.holds(GLM_KEY));
    }
    let questions = glm.questions();
    assert_eq!(questions.len(), 1);
    for request in glm.seen() {
        assert_eq!(request.header("authorization"), format!("Bearer {GLM_KEY}"));
        assert!(
            !request.holds(USER_TOKEN) && !request.holds(DEVICE) && request.header("x-api-key").is_empty()
        );
    }
    assert_eq!(
        (questions[0].model(), questions[0].target.as_str()),
        ("glm-5", "/anthropic/v1/messages?beta=true")
    );
    assert!(questions[0].user_id().starts_with("subagents-subagents-"));
    assert!(questions[0].system().contains("You are reviewer."));
    let figures = ended.figures();
    assert_eq!(figures.routes(), ["default: 2 ok", "glm/glm-5: 1 ok"]);
    assert_eq!(figures.agents(), ["main on default: 2 ok", "reviewer on glm/glm-5: 1 ok"]);
    assert!(figures.hooks() && figures.strays().is_empty());
}

#[test]
fn r14_two_agents_with_one_model_of_two_providers_each_reach_their_own() {
    let main = Upstream::start(Script::main([vec![agent("one"), agent("two")]]));
    let (glm, local) = (Upstream::start(Script::talker("glm")), Upstream::start(Script::talker("local")));
    let stage = Stage::new();
    stage.providers(&glm.url(), &local.url()).agent("one", "glm/qwen3:30b").agent("two", "local/qwen3:30b");
    let ended = stage.subagents(&main, &headless(&[])).run().expect_code(0);
    assert!(
        ended.stdout.contains("glm says hello.") && ended.stdout.contains("local says hello."),
        "{ended:#?}"
    );
    for (upstream, name) in [(&glm, "one"), (&local, "two")] {
        let questions = upstream.questions();
        assert_eq!(questions.len(), 1);
        assert_eq!(questions[0].model(), "qwen3:30b");
        assert!(questions[0].system().contains(&format!("You are {name}.")));
    }
    assert!(local.seen().iter().all(|request| !request.holds(GLM_KEY) && !request.holds(USER_TOKEN)));
    let figures = ended.figures();
    assert_eq!(figures.routes(), ["default: 2 ok", "glm/qwen3:30b: 1 ok", "local/qwen3:30b: 1 ok"]);
    assert_eq!(
        figures.agents(),
        ["main on default: 2 ok", "one on glm/qwen3:30b: 1 ok", "two on local/qwen3:30b: 1 ok"]
    );
}

#[test]
fn an_agent_without_a_route_is_counted_by_its_name_on_the_default_upstream() {
    let main = Upstream::start(Script::main([vec![agent("plain"), agent("reviewer")]]));
    let glm = Upstream::start(Script::talker("glm"));
    let stage = Stage::new();
    stage.providers(&glm.url(), &glm.url()).agent("plain", "inherit").agent("reviewer", "glm/glm-5");
    let ended = stage.subagents(&main, &headless(&[])).run().expect_code(0);
    let figures = ended.figures();
    assert_eq!(figures.routes(), ["default: 3 ok", "glm/glm-5: 1 ok"]);
    assert_eq!(
        figures.agents(),
        ["main on default: 2 ok", "plain on default: 1 ok", "reviewer on glm/glm-5: 1 ok"]
    );
    assert_eq!(figures.strays(), [""; 0]);
}

#[test]
fn an_agent_can_be_the_main_loop() {
    let (main, glm) = (Upstream::start(Script::talker("main")), Upstream::start(Script::talker("glm")));
    let stage = Stage::new();
    stage.providers(&glm.url(), &glm.url()).agent("reviewer", "glm/glm-5");
    let ended = stage.subagents(&main, &headless(&["--agent", "reviewer"])).run().expect_code(0);
    assert_eq!(ended.stdout, "glm says hello.\n");
    assert_eq!(main.questions().len(), 0);
    let figures = ended.figures();
    assert_eq!(figures.routes(), ["default: ", "glm/glm-5: 1 ok"]);
    assert_eq!(figures.agents(), ["reviewer on glm/glm-5: 1 ok"]);
}
