//! A provider that remembers the beginning of a prompt finds it again in the next turn, byte for byte.

use serde_json::Value;

use super::launch::headless;
use super::reply::{Script, agent, bash};
use super::request::Request;
use super::stage::Stage;
use super::upstream::{DOWN, Upstream};

const TURNS: usize = 10;

fn turns() -> Vec<Vec<Value>> {
    (0..TURNS).map(|turn| vec![bash(&format!("echo round {turn}"))]).collect()
}

/// A request, cut around its last message.
#[derive(Debug)]
struct Cut<'a> {
    before: &'a str,
    last: Value,
    behind: &'a str,
}

impl<'a> Cut<'a> {
    fn of(request: &'a Request) -> Self {
        let last = request.json["messages"].as_array().unwrap().last().unwrap();
        let (before, behind) = request.text().rsplit_once(&last.to_string()).unwrap();
        Self { before, last: unmarked(last), behind }
    }
}

/// A message as it stands once it is no longer the last: without the mark that moves on with the last one, for which
/// Claude Code makes a list of a single text.
fn unmarked(message: &Value) -> Value {
    let mut message = message.clone();
    if let Some(blocks) = message["content"].as_array_mut() {
        for block in blocks.iter_mut() {
            block.as_object_mut().unwrap().remove("cache_control");
        }
        if let [block] = blocks.as_slice()
            && block["type"] == "text"
        {
            message["content"] = block["text"].clone();
        }
    }
    message
}

/// Whatever moves or takes out a part of a conversation.
const REPAIRS: &str = "repairs = { fold-system-turns = true, drop-cache-control = true, drop-attribution = true, \
    tool-references-as-text = true, drop-context-management = true, drop-output-config = true, \
    thinking-as-budget = true, drop-beta-tool-fields = true }";

/// Each request begins with all of the one before it, and ends as it ended.
fn grows_at_its_end(requests: &[Request]) {
    assert_eq!(requests.len(), TURNS + 1);
    for pair in requests.windows(2) {
        let (earlier, later) = (Cut::of(&pair[0]), Cut::of(&pair[1]));
        assert!(later.before.starts_with(earlier.before), "{earlier:#?}\n{later:#?}");
        let at = pair[0].json["messages"].as_array().unwrap().len() - 1;
        assert_eq!(unmarked(&pair[1].json["messages"][at]), earlier.last);
        assert_eq!(later.behind, earlier.behind);
    }
}

/// Ten turns of an agent, with this about its provider in config.toml.
fn an_agents_turns(provider: &str) -> Vec<Request> {
    let main = Upstream::start(Script::main([vec![agent("reviewer")]]));
    let glm = Upstream::start(Script::talker("glm").with_turns_of_agents(turns()));
    let stage = Stage::new();
    stage.config(&format!("[providers.glm]\nbase_url = \"{}\"\n{provider}\n", glm.url()));
    stage.agent("reviewer", "glm/glm-5");
    stage.subagents(&main, &headless(&[])).run().expect_code(0);
    glm.questions()
}

#[test]
fn ten_turns_of_an_agent_have_one_beginning() {
    grows_at_its_end(&an_agents_turns(""));
}

#[test]
fn ten_turns_of_an_agent_have_one_beginning_in_openais_dialect() {
    grows_at_its_end(&an_agents_turns("dialect = \"openai-chat\""));
}

#[test]
fn ten_turns_of_an_agent_have_one_beginning_after_repairs() {
    let requests = an_agents_turns(REPAIRS);
    let mended = |request: &Request| !request.holds("cache_control") && !request.holds("\"role\":\"system\"");
    assert!(requests.iter().all(mended));
    grows_at_its_end(&requests);
}

#[test]
fn ten_turns_of_a_main_session_on_a_route_have_one_beginning() {
    let main = Upstream::start(Script::talker("main"));
    let glm = Upstream::start(Script::talker("glm").with_turns(turns()));
    let stage = Stage::new();
    stage.providers(&glm.url(), DOWN).agent("reviewer", "glm/glm-5");
    stage.subagents(&main, &headless(&["--agent", "reviewer"])).run().expect_code(0);
    grows_at_its_end(&glm.questions());
}
