//! LiteLLM's proxy, which speaks both dialects. Its model is played by a rule (`played_model.py`).

use std::fs;

use super::process::Server;
use crate::installed;
use crate::launch::{Ended, headless};
use crate::reply::{Script, agent};
use crate::stage::{GLM_KEY, Stage};
use crate::upstream::Upstream;

const VERSION: &str = "1.108.7";

const CONFIG: &str = "
model_list: [{model_name: played, litellm_params: {model: played/by-a-rule}}]
litellm_settings:
  drop_params: true
  custom_provider_map: [{provider: played, custom_handler: played_model.model}]
";

/// `None`: it can't be installed here.
fn litellm(stage: &Stage) -> Option<Server> {
    let package = format!("litellm[proxy]=={VERSION}");
    let environment = installed::python(&format!("litellm-{VERSION}"), &[&package])?;
    let config = stage.home().join("litellm.yaml");
    fs::write(&config, format!("{CONFIG}general_settings: {{master_key: {GLM_KEY}}}\n")).unwrap();
    fs::write(stage.home().join("played_model.py"), include_str!("played_model.py")).unwrap();
    let mut command = Server::command(environment.join("bin/litellm"), &stage.home());
    command.arg("--config").arg(config);
    // Else it asks the internet for prices.
    command.env("LITELLM_LOCAL_MODEL_COST_MAP", "True");
    Some(Server::start(command))
}

/// A main session delegates to an agent on LiteLLM; what the main session hears of it stands in `stdout`.
fn delegated(stage: &Stage, provider: &str, model: &str) -> Ended {
    let key = "auth = { kind = \"bearer\", secret = \"env:GLM_KEY\" }";
    stage.config(&format!("[providers.litellm]\n{key}\n{provider}\n"));
    stage.agent_with("carrier", &format!("litellm/{model}"), "tools: Bash");
    fs::write(stage.project().join("parcel.txt"), "three red apples\n").unwrap();
    let main = Upstream::start(Script::main([vec![agent("carrier")]]));
    stage.subagents(&main, &headless(&[])).run().expect_code(0)
}

/// A tool is called by what arrives of it, its result goes back, and both requests are counted as LiteLLM counts.
fn carries_a_parcel(provider: impl Fn(&Server) -> String) {
    let stage = Stage::new();
    let Some(server) = litellm(&stage) else { return };
    let ended = delegated(&stage, &provider(&server), "played");
    assert!(ended.stdout.contains("The parcel holds three red apples."), "{ended:#?}");
    let stats = ended.stats();
    let row =
        stats["routes"].as_array().unwrap().iter().find(|row| row["route"] == "litellm/played").unwrap();
    let figures = ["requests", "ok", "input_tokens", "output_tokens"].map(|name| row[name].as_u64());
    assert_eq!(figures, [2, 2, 240, 16].map(Some), "{row}");
}

#[test]
fn an_agent_uses_a_tool_through_litellm_in_anthropics_dialect() {
    carries_a_parcel(|server| format!("base_url = \"{}\"", server.url()));
}

#[test]
fn what_litellm_refuses_is_told_in_its_words() {
    let stage = Stage::new();
    let Some(server) = litellm(&stage) else { return };
    let ended = delegated(&stage, &format!("base_url = \"{}\"", server.url()), "unknown");
    assert!(ended.stdout.contains("Invalid model name"), "{ended:#?}");
}
