//! Tasks that are handed to agents which run by themselves, through the tools that a session has for it.

use serde_json::{Value, json};

use super::launch::headless;
use super::reply::Script;
use super::request::Request;
use super::stage::{GLM_KEY, Stage, USER_TOKEN};
use super::terminal::Terminal;
use super::tooling::{answers, delegate, hidden, own, results, said};
use super::upstream::Upstream;

#[test]
fn e1_d2_d3_a_hidden_agent_does_a_task_on_its_route_and_only_its_answer_comes_back() {
    let call = delegate(json!({"agent": "scout", "prompt": "Say hello.", "description": "greet"}));
    let main = Upstream::start(Script::main([vec![call]]));
    let glm = Upstream::start(Script::talker("glm"));
    let stage = Stage::new();
    stage.providers(&glm.url(), &glm.url());
    hidden(&stage, "scout", "glm/glm-5");
    let ended = stage.subagents(&main, &headless(&[])).run().expect_code(0);
    let answer = answers(&main).swap_remove(0);
    let header = "[subagent result — description=\"greet\", tool_calls=0, elapsed=";
    assert!(
        said(&answer).starts_with(header) && said(&answer).ends_with("\n\nglm says hello."),
        "{ended:#?}"
    );
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
    let agents =
        ["reviewer", "scout"].map(|name| json!({"name": name, "description": format!("Does {name}.")}));
    assert!(answers(&main).contains(&json!({"agents": agents})), "{ended:#?}");
    let models: Vec<String> = main.questions().iter().map(|request| request.model().to_owned()).collect();
    assert!(
        models.iter().all(|model| model == "claude-opus-5"),
        "the worker is on its parent's model: {models:?}"
    );
    let is_worker = |request: &&Request| request.system().contains("You are given one task and nothing else");
    let workers: Vec<Request> = main.questions().iter().filter(is_worker).cloned().collect();
    // It plays the same part, and has none of these tools.
    assert!(results(&workers).iter().all(|result| result.contains("No such tool available")));
    assert_eq!(ended.figures().agents(), ["main on default: 2 ok", "worker on default: 2 ok"]);
}

#[test]
fn a3_a12_with_the_policy_on_a_model_chooses_an_authorised_route_and_no_other() {
    let choose = |provider: &str, model: &str| {
        delegate(json!({"agent": "scout", "prompt": "Say hello.", "provider": provider, "model": model}))
    };
    let main =
        Upstream::start(Script::main([vec![choose("glm", "secret-model")], vec![choose("local", "qwen3")]]));
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
    assert!(
        main.questions().iter().any(|request| request.holds("routes are not for a model to choose")),
        "{ended:#?}"
    );
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
    let answer = answers(&main).swap_remove(0);
    assert!(said(&answer).contains("partial: stopped after 2 turns]"), "{ended:#?}");
    assert_eq!((&answer["ended"], &answer["turns"]), (&json!("max_turns"), &json!(2)));
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
    let bash =
        json!({"name": "Bash", "input": {"command": format!("touch {}", run.display()), "description": "d"}});
    let glm = Upstream::start(Script::main([vec![write.clone(), bash.clone()], vec![write, bash]]));
    stage.providers(&glm.url(), &glm.url());
    hidden(&stage, "scout", "glm/glm-5");
    let ended = stage.subagents(&main, &headless(&["--permission-mode", "acceptEdits"])).run().expect_code(0);
    assert!(!written.exists() && !run.exists(), "{ended:#?}");
    let blocked = "blocked, because the task changes nothing: Write, Bash";
    assert!(said(&answers(&main)[0]).contains(blocked), "{ended:#?}");
}

#[test]
fn what_may_write_is_asked_for_as_its_tools_would_be() {
    for (mode, is_written) in [("acceptEdits", true), ("default", false), ("plan", false)] {
        let input =
            json!({"agent": "fixer", "prompt": "Write.", "tools": ["Read", "Write"], "read_only": false});
        let main = Upstream::start(Script::main([vec![delegate(input)]]));
        let stage = Stage::new();
        let file = stage.project().join("written");
        let write = json!({"name": "Write", "input": {"file_path": file, "content": "x"}});
        let glm = Upstream::start(Script::main([vec![write]]));
        stage.providers(&glm.url(), &glm.url()).agent("fixer", "glm/glm-5");
        let ended = stage.subagents(&main, &headless(&["--permission-mode", mode])).run().expect_code(0);
        assert_eq!(file.exists(), is_written, "{mode}: {ended:#?}");
        assert_eq!(glm.questions().is_empty(), !is_written, "{mode}: no child was started");
    }
}

#[test]
fn e5_the_fitting_agent_is_chosen_by_its_words_and_an_unsure_choice_asks_back() {
    let route = |prompt: &str| own("route_subagent", json!({"prompt": prompt}));
    let turns = [vec![route("Review my last commit for correctness.")], vec![route("Xyzzy plugh.")]];
    let main = Upstream::start(Script::main(turns));
    let (glm, local) = (Upstream::start(Script::talker("glm")), Upstream::start(Script::talker("local")));
    let stage = Stage::new();
    stage.providers(&glm.url(), &local.url());
    let described = |name: &str, model: &str, description: &str| {
        let text =
            format!("---\nname: {name}\ndescription: {description}\nmodel: {model}\n---\nYou are {name}.\n");
        std::fs::write(stage.config_dir().join(format!("agents/{name}.md")), text).unwrap();
    };
    described("reviewer", "glm/glm-5", "Reviews commits and changes for correctness.");
    described("writer", "local/qwen3", "Writes documentation and release notes.");
    let ended = stage.subagents(&main, &headless(&[])).run().expect_code(0);
    let answer = answers(&main).swap_remove(0);
    assert_eq!(answer["agent"], "reviewer", "{ended:#?}");
    assert!(answer["notes"][0].as_str().unwrap().starts_with("reviewer was chosen: "), "{answer}");
    let asked_back = results(&main.questions()).into_iter().next_back().unwrap();
    assert!(asked_back.contains("reviewer") && asked_back.contains("writer"), "{asked_back}");
    assert!(local.questions().is_empty() && glm.questions().len() == 1);
}

#[test]
fn e5_a_model_of_the_persons_choice_chooses_asked_once_and_counted() {
    let call = own("route_subagent", json!({"prompt": "Xyzzy plugh."}));
    let main = Upstream::start(Script::main([vec![call]]));
    let glm = Upstream::start(Script::talker("glm"));
    let local =
        Upstream::start(Script::saying("{\"agent\": \"scout\", \"reason\": \"it knows such words\"}"));
    let stage = Stage::new();
    stage.providers(&glm.url(), &local.url()).config_more("[delegation]\nchooser = \"local/qwen3\"\n");
    hidden(&stage, "scout", "glm/glm-5");
    stage.agent("reviewer", "inherit");
    let ended = stage.subagents(&main, &headless(&[])).run().expect_code(0);
    assert_eq!(answers(&main)[0]["agent"], "scout", "{ended:#?}");
    assert!(local.questions().len() == 1 && local.questions()[0].holds("Xyzzy plugh."));
    let figures = ended.figures().agents();
    assert_eq!(
        figures,
        ["chooser on local/qwen3: 1 ok", "main on default: 2 ok", "scout on glm/glm-5: 1 ok"]
    );
}

#[test]
fn a6_a_resumed_session_delegates_by_the_policy_that_it_was_launched_with() {
    let choose = || delegate(json!({"agent": "scout", "prompt": "p", "provider": "local", "model": "qwen3"}));
    let (glm, local) = (Upstream::start(Script::talker("glm")), Upstream::start(Script::talker("local")));
    let stage = Stage::new();
    stage.providers(&glm.url(), &local.url());
    stage.config_more("[policy]\nenabled = true\nallowed = [\"local/qwen3\"]\n");
    hidden(&stage, "scout", "glm/glm-5");
    let first = Upstream::start(Script::talker("main"));
    stage.subagents(&first, &headless(&[])).run().expect_code(0);
    // Today's files forbid it, and know the agent no more.
    stage.providers(&glm.url(), &local.url());
    std::fs::remove_file(stage.config_dir().join("agents/scout.md")).unwrap();
    let main = Upstream::start(Script::main([vec![choose()]]));
    let ended = stage.subagents(&main, &["resume", "latest", "--", "-p", "Go on."]).run().expect_code(0);
    assert_eq!(answers(&main)[0]["route"], "local/qwen3", "{ended:#?}");
    assert_eq!(local.questions()[0].model(), "qwen3");
}

/// A call of each tool, and what it is answered by.
fn each_tool() -> Vec<Value> {
    let task = json!({"prompt": "Does reviewer.", "agent": "reviewer"});
    vec![
        own("list_subagents", json!({})),
        own("list_subagent_models", json!({})),
        own("list_subagent_models", json!({"provider": "local", "model": "qwen3"})),
        own("list_subagent_models", json!({"provider": "glm"})),
        own("git_status", json!({})),
        delegate(task),
        own("route_subagent", json!({"prompt": "Does reviewer."})),
    ]
}

fn furnish(stage: &Stage, glm: &Upstream) {
    stage.providers(&glm.url(), &glm.url()).agent("reviewer", "glm/glm-5");
    stage.config_more("[policy]\nenabled = true\nallowed = [\"local/qwen3\"]\n");
    stage.config_more("[routes.\"local/qwen3\"]\nefforts = [\"low\", \"high\"]\ndefault_effort = \"low\"\n");
    let mut init = std::process::Command::new("git");
    assert!(
        init.args(["init", "-q", "-b", "trunk"]).current_dir(stage.project()).status().unwrap().success()
    );
}

/// What every tool of [`each_tool`] has brought.
fn all_answered(main: &Upstream, glm: &Upstream) {
    let all = results(&main.questions()).join("\n");
    for part in [
        "Does reviewer.",
        "{\"providers\":[\"local\"]}",
        "\"reasoning_efforts\":[\"low\",\"high\"],\"default\":\"low\"",
        "the policy doesn't let a model choose glm",
        "No commits yet on trunk",
        "glm says hello.",
        "reviewer was chosen",
    ] {
        assert!(all.contains(part), "{part}:\n{all}");
    }
    // A4: whoever isn't authorised is asked nothing, and who is was asked for efforts only.
    assert!(glm.seen().iter().all(|asked| asked.is_inference() || asked.header("x-api-key").is_empty()));
    assert_eq!(glm.questions().len(), 2);
}

#[test]
fn a4_a5_the_real_client_calls_each_tool_headless() {
    let main = Upstream::start(Script::main([each_tool()]));
    let glm = Upstream::start(Script::talker("glm"));
    let stage = Stage::new();
    furnish(&stage, &glm);
    stage.subagents(&main, &headless(&[])).run().expect_code(0);
    all_answered(&main, &glm);
}

#[test]
fn a4_a5_the_real_client_calls_each_tool_on_a_terminal_and_asks_nobody() {
    let main = Upstream::start(Script::main([each_tool()]));
    let glm = Upstream::start(Script::talker("glm"));
    let stage = Stage::new();
    furnish(&stage, &glm);
    let words = ["run", "--stats-file", "STATS", "--", "--permission-mode", "default", "Please do it."];
    let mut terminal = Terminal::run(&stage.subagents(&main, &words));
    terminal.expect("upstream heard: ");
    assert_eq!(terminal.leave().0, 0);
    all_answered(&main, &glm);
}

#[test]
fn what_may_write_asks_the_person_on_a_terminal_who_says_yes() {
    let input = json!({"agent": "fixer", "prompt": "Write.", "tools": ["Read", "Write"], "read_only": false});
    let main = Upstream::start(Script::main([vec![delegate(input)]]));
    let stage = Stage::new();
    let file = stage.project().join("written");
    let write = json!({"name": "Write", "input": {"file_path": file, "content": "x"}});
    let glm = Upstream::start(Script::main([vec![write]]));
    stage.providers(&glm.url(), &glm.url()).agent("fixer", "glm/glm-5");
    let words = ["run", "--", "--permission-mode", "default", "Please do it."];
    let mut terminal = Terminal::run(&stage.subagents(&main, &words));
    terminal.expect("fixer works by itself and may change things");
    assert!(glm.questions().is_empty(), "nothing was started");
    terminal.expect("❯ 1. Yes");
    terminal.ponder();
    terminal.keys("\r");
    terminal.expect("upstream heard: ");
    assert_eq!(terminal.leave().0, 0);
    assert_eq!(std::fs::read_to_string(file).unwrap(), "x");
}

#[test]
fn e2_a_launch_hides_agents_for_itself_and_can_do_without_the_agent_tool() {
    let main = Upstream::start(Script::main([vec![delegate(json!({"agent": "reviewer", "prompt": "p"}))]]));
    let glm = Upstream::start(Script::talker("glm"));
    let stage = Stage::new();
    stage.providers(&glm.url(), &glm.url()).agent("reviewer", "glm/glm-5").agent("second", "local/qwen3");
    let tools = |request: &Request| request.json["tools"].to_string();
    for (options, sees_second, has_agent_tool) in [
        (&["--hide", "reviewer"][..], true, true),
        (&["--only-hidden"], false, true),
        (&["--no-agent-tool", "--hide", "reviewer"], false, false),
    ] {
        let words = [&["run"], options, &["--", "-p", "Please do it."]].concat();
        let before = main.questions().len();
        let ended = stage.subagents(&main, &words).run().expect_code(0);
        assert!(ended.stdout.contains("glm says hello."), "callable by name: {ended:#?}");
        let first = &main.questions()[before];
        assert!(!first.holds("Does reviewer."), "{options:?}");
        assert_eq!(first.holds("Does second."), sees_second, "{options:?}");
        assert_eq!(tools(first).contains("\"name\":\"Agent\""), has_agent_tool, "{options:?}");
    }
}
