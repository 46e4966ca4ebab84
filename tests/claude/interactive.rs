//! The same on a terminal, where a person would sit.

use std::fs;

use super::launch::Launch;
use super::reply::{Script, agent};
use super::stage::{DEVICE, GLM_KEY, Stage, USER_TOKEN};
use super::terminal::Terminal;
use super::upstream::Upstream;

/// A session on a terminal that begins with a prompt.
const INTERACTIVE: [&str; 7] =
    ["run", "--stats-file", "STATS", "--", "--permission-mode", "acceptEdits", "Please do it."];

/// The figures at the end: how often each asked. Claude Code may ask for a title, too.
fn asked_once_by_the_agent(launch: &Launch, main: &Upstream, glm: &Upstream) {
    let figures = launch.figures();
    assert!(figures.hooks() && figures.strays().is_empty());
    let mains = format!("default: {} ok", main.questions().len());
    assert_eq!(figures.routes(), [mains.as_str(), "glm/glm-5: 1 ok"]);
    assert!(figures.agents().contains(&"reviewer on glm/glm-5: 1 ok".to_owned()), "{figures:?}");
    assert_eq!(glm.questions().len(), 1);
}

#[test]
fn r6_r7_on_a_terminal_a_sub_agent_runs_on_its_route_too() {
    let main = Upstream::start(Script::main([vec![agent("reviewer")]]));
    let glm = Upstream::start(Script::talker("glm"));
    let stage = Stage::new();
    stage.providers(&glm.url(), &glm.url()).agent("reviewer", "glm/glm-5");
    let launch = stage.subagents(&main, &INTERACTIVE);
    let mut terminal = Terminal::run(&launch);
    // The agent works in the background, and a notification brings its answer.
    terminal.expect("upstream heard: glm says hello.");
    let (code, screen) = terminal.leave();
    assert_eq!(code, 0, "{screen}");
    assert_eq!(fs::read_dir(stage.sessions()).unwrap().count(), 0, "the session's folder is gone");
    assert!(screen.contains("glm/glm-5"), "the table is what is left on the screen:\n{screen}");
    for request in main.questions() {
        assert_eq!(request.header("authorization"), format!("Bearer {USER_TOKEN}"));
        assert!(request.user_id().contains(DEVICE) && !request.holds(GLM_KEY));
    }
    for request in glm.seen() {
        assert!(request.holds(GLM_KEY) && !request.holds(USER_TOKEN) && !request.holds(DEVICE));
    }
    assert_eq!(glm.questions()[0].model(), "glm-5");
    asked_once_by_the_agent(&launch, &main, &glm);
}

#[test]
fn f05_on_a_terminal_a_prompt_that_fits_in_no_argument_arrives_whole() {
    let main = Upstream::start(Script::main([vec![agent("reviewer")]]));
    let glm = Upstream::start(Script::talker("glm"));
    let stage = Stage::new();
    let prompt = format!("Begin {} end.", "§ rule\n".repeat(25_000));
    stage.providers(&glm.url(), &glm.url()).agent_saying("reviewer", "glm/glm-5", &prompt);
    let launch = stage.subagents(&main, &INTERACTIVE);
    let mut terminal = Terminal::run(&launch);
    // The agents travel in a folder that Claude Code hasn't seen before, and we have said so.
    terminal.expect("Claude Code will ask whether you trust");
    terminal.choose("Yes, add it");
    terminal.expect("upstream heard: glm says hello.");
    assert_eq!(terminal.leave().0, 0);
    assert!(glm.questions()[0].system().contains(&prompt));
    asked_once_by_the_agent(&launch, &main, &glm);
}

#[test]
fn f05_a_person_who_trusts_the_folder_of_all_sessions_is_not_asked_about_one() {
    let main = Upstream::start(Script::main([vec![agent("reviewer")]]));
    let glm = Upstream::start(Script::talker("glm"));
    let stage = Stage::new();
    let prompt = "§ rule\n".repeat(25_000);
    stage.trust(&stage.sessions());
    stage.providers(&glm.url(), &glm.url()).agent_saying("reviewer", "glm/glm-5", &prompt);
    let launch = stage.subagents(&main, &INTERACTIVE);
    let mut terminal = Terminal::run(&launch);
    terminal.expect("upstream heard: glm says hello.");
    assert_eq!(terminal.leave().0, 0);
    asked_once_by_the_agent(&launch, &main, &glm);
}
