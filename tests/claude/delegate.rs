//! `subagents delegate` from a shell: what stands on stdout, what the exit code says, and what is left.

use std::fs;
use std::io::Write;
use std::path::Path;
use std::process::Stdio;

use rustix::process::{Pid, Signal, kill_process};
use serde_json::{Value, json};

use super::launch::{Ended, headless};
use super::reply::Script;
use super::stage::Stage;
use super::tooling::{children, hidden, until};
use super::upstream::Upstream;

/// Claude Code's id of a conversation.
const SESSION: &str = "00000000-0000-4000-8000-000000000007";

/// An upstream of the person's, one of a provider, and two agents on the provider's models.
struct Play {
    main: Upstream,
    glm: Upstream,
    stage: Stage,
}

impl Play {
    fn of(glm: Script) -> Self {
        let (main, glm) = (Upstream::start(Script::talker("main")), Upstream::start(glm));
        let stage = Stage::new();
        stage.providers(&glm.url(), &glm.url()).agent("reviewer", "glm/glm-5");
        hidden(&stage, "scout", "local/qwen3");
        Self { main, glm, stage }
    }

    fn delegate(&self, words: &[&str]) -> Ended {
        self.stage.subagents(&self.main, &[&["delegate"], words].concat()).run()
    }

    /// With something on its input.
    fn looking_at(&self, input: &[u8], words: &[&str]) -> Ended {
        let launch = self.stage.subagents(&self.main, &[&["delegate"], words].concat());
        let mut child = launch.start_with(Stdio::piped());
        let mut stdin = child.stdin.take().unwrap();
        stdin.write_all(input).unwrap();
        drop(stdin);
        launch.ended(child)
    }
}

/// Its lines, each of which fits the schema.
fn lines(ended: &Ended) -> Vec<Value> {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/json/delegate.schema.json");
    let schema: Value = serde_json::from_str(&fs::read_to_string(file).unwrap()).unwrap();
    let validator = jsonschema::validator_for(&schema).unwrap();
    let lines: Vec<Value> = ended.stdout.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    for line in &lines {
        let wrong: Vec<String> = validator.iter_errors(line).map(|error| error.to_string()).collect();
        assert!(wrong.is_empty(), "{wrong:?}\n{line:#}");
    }
    lines
}

#[test]
fn d3_what_it_says_is_all_that_stands_on_stdout() {
    let play = Play::of(Script::talker("glm"));
    let ended = play.delegate(&["scout", "Say hello."]).expect_code(0);
    let (header, said) = ended.stdout.split_once("\n\n").unwrap();
    assert!(
        header.starts_with("[subagent result — description=\"scout\", tool_calls=0, elapsed="),
        "{ended:#?}"
    );
    assert_eq!((said, ended.stderr.as_str()), ("glm says hello.\n", ""));
    assert!(play.main.questions().is_empty(), "the person's account pays nothing");
    assert_eq!(play.glm.questions()[0].model(), "qwen3");
    assert!(!play.stage.sessions().exists() || fs::read_dir(play.stage.sessions()).unwrap().next().is_none());
}

#[test]
fn a_program_reads_an_object_a_line_for_refusals_too() {
    let play = Play::of(Script::talker("glm"));
    let done = lines(&play.delegate(&["reviewer", "One.", "Two.", "--jobs", "2", "--json"]).expect_code(0));
    assert_eq!(done.len(), 2);
    assert!(done.iter().all(|line| line["ended"] == "success" && line["route"] == "glm/glm-5"));
    let asked: Vec<bool> = ["One.", "Two."]
        .iter()
        .map(|task| play.glm.questions().iter().any(|asked| asked.holds(task)))
        .collect();
    assert_eq!(asked, [true, true]);
    let refused = lines(&play.delegate(&["nobody", "Do it.", "--json"]).expect_code(5));
    assert_eq!(refused[0]["ended"], "refused");
    assert!(refused[0]["reason"].as_str().unwrap().contains("there is: reviewer, scout"), "{refused:?}");
}

#[test]
fn what_is_on_stdin_is_looked_at_in_the_task_or_in_a_file() {
    let play = Play::of(Script::talker("glm"));
    play.looking_at(b"a small thing", &["reviewer", "Look."]).expect_code(0);
    assert!(play.glm.questions()[0].holds(r"Look.\n\n<input>\na small thing\n</input>"));
    let large = format!("{}the end of it", "x".repeat(40_000));
    play.looking_at(large.as_bytes(), &["reviewer", "Look."]).expect_code(0);
    let asked = play.glm.questions().pop().unwrap();
    assert!(asked.holds("What you are to look at is in the file ") && asked.holds("(40013 bytes)"));
    assert!(!asked.holds("the end of it"));
    assert!(!play.stage.sessions().exists() || fs::read_dir(play.stage.sessions()).unwrap().next().is_none());
}

#[test]
fn e5_the_words_decide_where_nobody_is_named() {
    let play = Play::of(Script::talker("glm"));
    play.stage.agent_with("poet", "glm/glm-4", "color: red");
    let ended = play.delegate(&["--auto", "Does reviewer: review the last commit.", "--json"]).expect_code(0);
    let line = lines(&ended).remove(0);
    assert_eq!(line["agent"], "reviewer");
    assert!(line["notes"][0].as_str().unwrap().starts_with("reviewer was chosen: "), "{line:#}");
    let unsure = play.delegate(&["--auto", "Zzyzx."]).expect_code(5);
    assert!(unsure.stderr.contains("reviewer") && unsure.stdout.is_empty(), "{unsure:#?}");
}

#[test]
fn d6_the_exit_code_tells_a_limit_a_failure_and_a_refusal_apart() {
    let glob = || json!({"name": "Glob", "input": {"pattern": "*"}});
    let play = Play::of(Script::main([vec![glob()], vec![glob()], vec![glob()]]));
    let ended = play.delegate(&["reviewer", "Look.", "--max-turns", "2"]).expect_code(4);
    assert!(ended.stdout.contains("partial: stopped after 2 turns]"), "{ended:#?}");
    let error =
        json!({"type": "error", "error": {"type": "invalid_request_error", "message": "no such thing"}});
    let failing = Play::of(Script::refusing("glm", 400, error));
    let ended = failing.delegate(&["reviewer", "Look."]).expect_code(1);
    assert!(ended.stdout.contains("failed: ") && ended.stdout.contains("no such thing"), "{ended:#?}");
    let ended = play.delegate(&["nobody", "Look."]).expect_code(5);
    assert!(ended.stderr.contains("there is no agent `nobody` (there is: reviewer, scout)"), "{ended:#?}");
    assert!(ended.stdout.is_empty());
    play.delegate(&["reviewer", " "]).expect_code(2);
    play.delegate(&["reviewer"]).expect_code(2);
    let ended = play.delegate(&["reviewer", "p", "--route", "nobody/m"]).expect_code(3);
    assert!(ended.stderr.starts_with("subagents: --route nobody/m: "), "{ended:#?}");
}

#[test]
fn d7_a_shell_goes_on_with_a_delegation_on_the_route_that_it_was_begun_on() {
    let play = Play::of(Script::talker("glm"));
    let begun = play.delegate(&["reviewer", "One.", "--route", "local/other", "--json"]).expect_code(0);
    let id = lines(&begun)[0]["id"].as_str().unwrap().to_owned();
    let gone_on = play.delegate(&["--continue", &id, "Two.", "--json"]).expect_code(0);
    assert_eq!(lines(&gone_on)[0]["route"], "local/other", "{gone_on:#?}");
    let asked = play.glm.questions().pop().unwrap();
    assert!(asked.model() == "other" && asked.holds("One.") && asked.holds("Two."), "the same conversation");
}

#[test]
fn ctrl_c_calls_it_off_and_leaves_nothing() {
    for signal in [Signal::INT, Signal::TERM] {
        let play = Play::of(Script::talker("glm").silent());
        let launch = play.stage.subagents(&play.main, &["delegate", "reviewer", "Wait.", "--json"]);
        let child = launch.start();
        until("it asks", || !play.glm.questions().is_empty());
        kill_process(Pid::from_child(&child), signal).unwrap();
        let ended = launch.ended(child).expect_code(130);
        assert_eq!(lines(&ended)[0]["ended"], "cancelled", "{ended:#?}");
        assert_eq!(children(&play.stage), [""; 0]);
        assert!(fs::read_dir(play.stage.sessions()).unwrap().next().is_none(), "its folder is gone");
    }
}

#[test]
fn within_a_session_a_shell_changes_nothing_and_the_policy_decides_on_routes() {
    let play = Play::of(Script::talker("glm"));
    play.stage.config_more("[policy]\nenabled = true\nallowed = [\"glm/glm-4\"]\n");
    let within = |words: &[&str]| {
        let launch = play.stage.subagents(&play.main, &[&["delegate"], words].concat());
        launch.env("SUBAGENTS_SESSION", "00000000-0000-4000-8000-000000000001").run()
    };
    let ended = within(&["reviewer", "Do it.", "--write"]).expect_code(2);
    assert!(ended.stderr.contains("delegate_subagent"), "{ended:#?}");
    let ended = within(&["reviewer", "Do it.", "--route", "glm/secret"]).expect_code(5);
    assert!(ended.stderr.contains("doesn't let a model choose glm/secret"), "{ended:#?}");
    assert!(play.glm.questions().is_empty());
    within(&["reviewer", "Do it.", "--route", "glm/glm-4"]).expect_code(0);
    assert_eq!(play.glm.questions()[0].model(), "glm-4");
    // A person chooses whatever works.
    play.delegate(&["reviewer", "Do it.", "--route", "glm/secret"]).expect_code(0);
    assert_eq!(play.glm.questions()[1].model(), "secret");
}

#[test]
fn a_delegation_is_no_session_to_take_up_again() {
    let play = Play::of(Script::talker("glm"));
    play.stage.subagents(&play.main, &headless(&["--session-id", SESSION])).run().expect_code(0);
    play.delegate(&["scout", "Say hello."]).expect_code(0);
    let words = ["resume", "latest", "--", "-p", "Go on."];
    let ended = play.stage.subagents(&play.main, &words).run().expect_code(0);
    assert!(ended.stdout.contains("main says hello."), "{ended:#?}");
    let asked = play.main.questions().pop().unwrap();
    assert!(asked.holds("Please do it.") && asked.holds("Go on."), "the session's own conversation");
}
