//! Tasks that are handed to agents which run by themselves, through the tools that a session has for it.

use serde_json::{Value, json};

use super::launch::headless;
use super::reply::Script;
use super::request::Request;
use super::stage::{GLM_KEY, Stage, USER_TOKEN};
use super::upstream::Upstream;

/// A call of one of our own tools.
fn own(name: &str, input: Value) -> Value {
    json!({"name": format!("mcp__subagents__{name}"), "input": input})
}

/// A call of `delegate_subagent`.
fn delegate(input: Value) -> Value {
    own("delegate_subagent", input)
}

/// What the main model reads of a tool's structured answer, once more escaped.
fn reads(requests: &[Request], text: &str) -> bool {
    let within = serde_json::to_string(text).unwrap();
    let within = serde_json::to_string(within.trim_matches('"')).unwrap();
    requests.iter().any(|request| request.holds(within.trim_matches('"')))
}

fn hidden(stage: &Stage, name: &str, model: &str) {
    stage.agent_with(name, model, "subagents:\n  visibility: hidden");
}

#[test]
fn e1_d2_d3_a_hidden_agent_does_a_task_on_its_route_and_only_its_answer_comes_back() {
    let call = delegate(json!({"agent": "scout", "prompt": "Say hello.", "description": "greet"}));
    let main = Upstream::start(Script::main([vec![call]]));
    let glm = Upstream::start(Script::talker("glm"));
    let stage = Stage::new();
    stage.providers(&glm.url(), &glm.url());
    hidden(&stage, "scout", "glm/glm-5");
    let ended = stage.subagents(&main, &headless(&[])).run().expect_code(0);
    let header = "[subagent result — description=\"greet\", tool_calls=0, elapsed=";
    assert!(reads(&main.questions(), header), "{ended:#?}");
    assert!(ended.stdout.contains("glm says hello."), "{ended:#?}");
    assert!(!main.questions()[0].holds("Does scout."), "the main model doesn't see it");
    assert!(glm.seen().iter().all(|request| !request.holds(USER_TOKEN)));
    let asked = &glm.questions()[0];
    assert_eq!((asked.model(), asked.header("authorization")), ("glm-5", format!("Bearer {GLM_KEY}")));
    assert!(asked.system().contains("You are scout.") && asked.holds("Say hello."));
    assert_eq!(ended.figures().agents(), ["main on default: 2 ok", "scout on glm/glm-5: 1 ok"]);
}

#[test]
fn d7_e4_a_plain_worker_has_its_callers_model_and_the_list_names_agents_and_nothing_else() {
    let calls = vec![own("list_subagents", json!({})), delegate(json!({"prompt": "Say hello."}))];
    let main = Upstream::start(Script::main([calls]));
    let glm = Upstream::start(Script::talker("glm"));
    let stage = Stage::new();
    stage.providers(&glm.url(), &glm.url()).agent("reviewer", "glm/glm-5");
    hidden(&stage, "scout", "local/qwen3");
    stage.agent_with("gone", "glm/glm-5", "subagents:\n  visibility: off");
    let ended = stage.subagents(&main, &headless(&["--model", "claude-opus-5"])).run().expect_code(0);
    assert!(reads(&main.questions(), "{\"agents\":["), "{ended:#?}");
    let listed = |text: &str| reads(&main.questions(), text);
    assert!(listed("\"description\":\"Does scout.\"") && listed("\"description\":\"Does reviewer.\""));
    assert!(!listed("Does gone.") && !listed("qwen3\""));
    let models: Vec<String> = main.questions().iter().map(|request| request.model().to_owned()).collect();
    assert_eq!(models, ["claude-opus-5"; 3], "the worker is on its parent's model");
    assert!(main.questions().iter().any(|request| request.holds("You are given one task and nothing else")));
    assert_eq!(ended.figures().agents(), ["main on default: 2 ok", "worker on default: 1 ok"]);
}

#[test]
fn a3_a12_with_the_policy_on_a_model_chooses_an_authorised_route_and_no_other() {
    let choose = |provider: &str, model: &str| {
        delegate(json!({"agent": "scout", "prompt": "Say hello.", "provider": provider, "model": model}))
    };
    let main = Upstream::start(Script::main([vec![choose("glm", "secret-model")], vec![choose("local", "qwen3")]]));
    let (glm, local) = (Upstream::start(Script::talker("glm")), Upstream::start(Script::talker("local")));
    let stage = Stage::new();
    stage.providers(&glm.url(), &local.url());
    stage.config_more("[policy]\nenabled = true\nallowed = [\"local/qwen3\"]\n");
    hidden(&stage, "scout", "glm/glm-5");
    let ended = stage.subagents(&main, &headless(&[])).run().expect_code(0);
    let refused = "the policy doesn't let a model choose glm/secret-model";
    assert!(main.questions().iter().any(|request| request.holds(refused)), "{ended:#?}");
    assert!(glm.questions().is_empty() && local.questions()[0].model() == "qwen3");
    assert_eq!(ended.figures().agents(), ["main on default: 3 ok", "scout on local/qwen3: 1 ok"]);
}

#[test]
fn a3_with_the_policy_off_nothing_can_be_chosen_and_the_fields_are_not_there() {
    let call = delegate(json!({"prompt": "p", "provider": "glm", "model": "glm-5"}));
    let main = Upstream::start(Script::main([vec![call]]));
    let glm = Upstream::start(Script::talker("glm"));
    let stage = Stage::new();
    stage.providers(&glm.url(), &glm.url()).agent("reviewer", "glm/glm-5");
    let ended = stage.subagents(&main, &headless(&[])).run().expect_code(0);
    assert!(main.questions().iter().any(|request| request.holds("routes are not for a model to choose")), "{ended:#?}");
    assert!(glm.seen().is_empty());
    assert!(main.questions().iter().all(|request| !request.holds("reasoning_effort\\\":")));
}

#[test]
fn d4_d6_turns_end_it_with_what_it_had_so_far() {
    let call = delegate(json!({"agent": "scout", "prompt": "Look.", "max_turns": 2, "read_only": true}));
    let main = Upstream::start(Script::main([vec![call]]));
    let glob = json!({"name": "Glob", "input": {"pattern": "*"}});
    let glm = Upstream::start(Script::main([vec![glob.clone()], vec![glob.clone()], vec![glob]]));
    let stage = Stage::new();
    stage.providers(&glm.url(), &glm.url());
    hidden(&stage, "scout", "glm/glm-5");
    let ended = stage.subagents(&main, &headless(&[])).run().expect_code(0);
    assert!(reads(&main.questions(), "partial: stopped after 2 turns]"), "{ended:#?}");
    assert!(reads(&main.questions(), "\"ended\":\"max_turns\""));
    assert_eq!(glm.questions().len(), 2);
}

#[test]
fn d5_a_child_that_only_reads_writes_nothing_whatever_it_tries() {
    let tools = json!(["Read", "Write", "Bash"]);
    let call = delegate(json!({"agent": "scout", "prompt": "Write.", "tools": tools}));
    let main = Upstream::start(Script::main([vec![call]]));
    let stage = Stage::new();
    let (written, run) = (stage.project().join("written"), stage.project().join("run"));
    let write = json!({"name": "Write", "input": {"file_path": written, "content": "x"}});
    let bash = json!({"name": "Bash", "input": {"command": format!("touch {}", run.display()), "description": "d"}});
    let glm = Upstream::start(Script::main([vec![write.clone(), bash.clone()], vec![write, bash]]));
    stage.providers(&glm.url(), &glm.url());
    hidden(&stage, "scout", "glm/glm-5");
    let ended = stage.subagents(&main, &headless(&["--permission-mode", "bypassPermissions"])).run().expect_code(0);
    assert!(!written.exists() && !run.exists(), "{ended:#?}");
    assert!(reads(&main.questions(), "blocked, because the task changes nothing: Write, Bash"), "{ended:#?}");
}
