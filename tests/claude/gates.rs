//! What stands before a route, as the real Claude Code meets it.

use super::launch::headless;
use super::reply::{Script, agent, bash};
use super::request::Request;
use super::stage::Stage;
use super::upstream::{DOWN, Upstream};

#[test]
fn j07_an_agent_whose_small_window_is_full_compacts_and_goes_on() {
    let main = Upstream::start(Script::main([vec![agent("reviewer")]]));
    let long = (0..12).map(|_| vec![bash("seq 1 5500")]).collect();
    let glm = Upstream::start(Script::talker("glm").with_turns_of_agents(long));
    let stage = Stage::new();
    stage.providers(&glm.url(), DOWN).agent("reviewer", "glm/glm-5");
    stage.config_more("[routes.\"glm/glm-5\"]\ncontext_window = 45000\n");
    let ended = stage.subagents(&main, &headless(&[])).run().expect_code(0);
    let asked = glm.questions();
    let sums_up = |question: &Request| question.header("x-claude-code-request-class") == "compaction";
    assert!(asked.iter().any(sums_up), "{ended:#?}");
    assert!(asked.iter().all(|question| question.text().len() < 4 * 45_000), "nothing too long was sent");
    assert!(asked.last().unwrap().is_continued(), "{ended:#?}");
    assert!(ended.stdout.contains("glm says hello"), "{ended:#?}");
    let routes = ended.figures().routes();
    assert!(routes[1].starts_with(&format!("glm/glm-5: {} ok, ", asked.len())), "{routes:?}");
    assert!(routes[1].ends_with(" client_error"), "we have refused: {routes:?}");
}

#[test]
fn another_route_takes_the_place_of_a_provider_that_is_down() {
    let main = Upstream::start(Script::main([vec![agent("reviewer")]]));
    let local = Upstream::start(Script::nested("local", vec![bash("echo done")]));
    let stage = Stage::new();
    stage.providers(DOWN, &local.url()).agent("reviewer", "glm/glm-5");
    stage.config_more(
        "[policy]\nallowed = [\"local/qwen\"]\n[routes.\"glm/glm-5\"]\nfallback = [\"local/qwen\"]\n",
    );
    let ended = stage.subagents(&main, &headless(&[])).run().expect_code(0);
    assert!(ended.stdout.contains("local heard"), "{ended:#?}");
    let agents = ended.figures().agents();
    assert_eq!(agents[1..], ["reviewer on glm/glm-5: 2 upstream_error", "reviewer on local/qwen: 2 ok"]);
    assert!(local.questions().iter().all(|question| question.model() == "qwen"));
}
