//! What a launched Claude Code finds around it, and what is left when it has ended. A script stands in its place.

use std::collections::BTreeMap;
use std::fs;
use std::io::{BufRead, BufReader};

use rustix::process::{Pid, Signal, kill_process};

use super::launch::{Ended, Launch, headless};
use super::reply::Script;
use super::stage::{GLM_KEY, Stage, USER_TOKEN};
use super::upstream::{DOWN, Upstream};

/// Says its environment, one variable a line, NUL-separated where a value has lines of its own.
const SAY_ENVIRONMENT: &str = "env -0";

fn environment(ended: &Ended) -> BTreeMap<String, String> {
    // What the script's own shell adds is none of ours.
    let own = ["_", "PWD", "OLDPWD", "SHLVL"];
    let pairs = ended.stdout.split_terminator('\0').filter_map(|pair| pair.split_once('='));
    let pairs = pairs.filter(|(name, _)| !own.contains(name));
    pairs.map(|(name, value)| (name.to_owned(), value.to_owned())).collect()
}

fn given(launch: &Launch) -> BTreeMap<String, String> {
    launch.environment.iter().cloned().collect()
}

/// A stage with one routed agent, whose Claude Code is this script.
fn routed(script: &str) -> Stage {
    let stage = Stage::with_script(script);
    stage.providers(DOWN, DOWN).agent("reviewer", "glm/glm-5");
    stage
}

fn main_upstream() -> Upstream {
    Upstream::start(Script::talker("main"))
}

#[test]
fn p6_the_environment_differs_only_in_the_documented_ways() {
    let (stage, main) = (routed(SAY_ENVIRONMENT), main_upstream());
    let launch = stage.subagents(&main, &headless(&[])).env("CLAUDE_CODE_SUBAGENT_MODEL", "haiku");
    let launch = launch.env("NO_PROXY", "intranet").env("ODD", "two\nlines = ü");
    let mut expected = given(&launch);
    let ended = launch.run().expect_code(0);
    let mut found = environment(&ended);
    let base_url = found.insert("ANTHROPIC_BASE_URL".to_owned(), main.url()).unwrap();
    assert!(base_url.starts_with("http://127.0.0.1:") && base_url.contains("/s/"), "{base_url}");
    for name in ["GLM_KEY", "CLAUDE_CODE_SUBAGENT_MODEL"] {
        assert!(expected.remove(name).is_some());
    }
    for name in ["NO_PROXY", "no_proxy"] {
        expected.insert(name.to_owned(), "intranet,127.0.0.1,localhost,::1".to_owned());
    }
    expected.insert("CLAUDE_CODE_GATEWAY_HINT_HEADERS".to_owned(), "1".to_owned());
    let session = found.remove("SUBAGENTS_SESSION").unwrap();
    assert!(session.parse::<uuid::Uuid>().is_ok(), "{session}");
    assert_eq!(found, expected);
    assert!(ended.stderr.contains("CLAUDE_CODE_SUBAGENT_MODEL is unset for this launch"), "{ended:#?}");
    assert!(!ended.stdout.contains(GLM_KEY));
}

#[test]
fn l1_a_launch_without_anything_routed_is_untouched_and_ends_without_a_table() {
    let stage = Stage::with_script("env -0; printf 'arguments=%s\\0' \"$*\"");
    stage.config("");
    let main = main_upstream();
    let launch = stage.subagents(&main, &["run", "--", "--model", "opus", "hello you"]);
    let mut expected = given(&launch);
    let ended = launch.run().expect_code(0);
    expected.insert("arguments".to_owned(), "--model opus hello you".to_owned());
    assert_eq!(environment(&ended), expected);
    assert_eq!(ended.stderr, "");
    assert!(!stage.sessions().exists());
}

#[test]
fn l1_an_agent_without_a_route_needs_no_router() {
    let stage = Stage::with_script("env -0");
    stage.providers(DOWN, DOWN).agent("plain", "sonnet");
    let main = main_upstream();
    let ended = stage.subagents(&main, &["run"]).run().expect_code(0);
    assert_eq!(environment(&ended)["ANTHROPIC_BASE_URL"], main.url());
}

#[test]
fn l8_the_exit_code_is_the_child_s_and_nothing_is_left() {
    let (stage, main) = (routed("exit 7"), main_upstream());
    let ended = stage.subagents(&main, &headless(&[])).run().expect_code(7);
    assert!(ended.stderr.contains("default"), "the table follows: {ended:#?}");
    assert_eq!(ended.figures().routes(), ["default: ", "glm/glm-5: "]);
    assert_eq!(fs::read_dir(stage.sessions()).unwrap().count(), 0, "the session's folder is gone");
}

#[test]
fn l8_a_child_that_is_killed_leaves_nothing_either() {
    let (stage, main) = (routed("kill -KILL $$"), main_upstream());
    stage.subagents(&main, &headless(&[])).run().expect_code(137);
    assert_eq!(fs::read_dir(stage.sessions()).unwrap().count(), 0);
}

#[test]
fn the_token_stands_in_private_files_only() {
    // The settings file's path is the argument behind --settings.
    let script = "while [ \"$1\" != --settings ]; do printf '%s\\n' \"$1\"; shift; done; shift
        find \"$1\" -prune -perm 600 -exec echo private file ';'
        find \"${1%/*}\" -prune -perm 700 -exec echo private folder ';'; cat \"$1\"; printf 'url %s\\n' \"$ANTHROPIC_BASE_URL\"";
    let (stage, main) = (routed(script), main_upstream());
    let ended = stage.subagents(&main, &headless(&[])).run().expect_code(0);
    let url = ended.stdout.lines().find_map(|line| line.strip_prefix("url ")).unwrap();
    let arguments: String = ended.stdout.lines().take_while(|line| !line.starts_with("private ")).collect();
    let token = url.rsplit('/').next().unwrap();
    assert!(arguments.contains("--agents") && !arguments.contains(token), "{ended:#?}");
    assert!(ended.stdout.contains("\nprivate file\nprivate folder\n"), "{ended:#?}");
    assert_eq!(ended.stdout.matches(url).count(), 2, "in the settings file and in the environment");
    assert!(!ended.stdout.contains(USER_TOKEN) && !ended.stdout.contains(GLM_KEY));
    assert!(!ended.stderr.contains(token), "{ended:#?}");
}

#[test]
fn figures_are_written_when_they_are_asked_for() {
    let (stage, main) =
        (routed("echo ready; until [ -e \"$HOME/go\" ]; do sleep 0.05; done"), main_upstream());
    let launch = stage.subagents(&main, &headless(&[]));
    let mut child = launch.start();
    let mut said = BufReader::new(child.stdout.take().unwrap()).lines();
    assert_eq!(said.next().unwrap().unwrap(), "ready");
    kill_process(Pid::from_child(&child), Signal::USR1).unwrap();
    launch.expect_stats_file();
    assert_eq!(launch.figures().routes(), ["default: ", "glm/glm-5: "]);
    fs::write(stage.home().join("go"), "").unwrap();
    launch.ended(child).expect_code(0);
}

#[test]
fn a_command_of_claude_code_s_own_gets_nothing_of_ours() {
    let (stage, main) = (routed("printf '%s.' \"$@\""), main_upstream());
    let ended = stage.subagents(&main, &["run", "--", "mcp", "list"]).run().expect_code(0);
    assert_eq!(ended.stdout, "mcp.list.");
    assert!(!stage.sessions().exists());
}
