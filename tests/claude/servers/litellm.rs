//! LiteLLM's proxy, which speaks both dialects. Its model is played by a rule (`played_model.py`).

use std::fs;

use super::process::Server;
use super::{CHAT, GLM_KEY, MESSAGES, Stage, carrier, delegated, looks_into_the_parcel, tried};
use crate::installed;

const VERSION: &str = "1.108.7";

const CONFIG: &str = "
model_list: [{model_name: played, litellm_params: {model: played/by-a-rule}}]
litellm_settings:
  drop_params: true
  custom_provider_map: [{provider: played, custom_handler: played_model.model}]
";

/// `None`: it can't be installed here.
fn litellm(stage: &Stage) -> Option<Server> {
    let packages = format!("litellm[proxy]=={VERSION}");
    let environment = installed::python(&format!("litellm-{VERSION}"), &packages, &[])?;
    let config = stage.home().join("litellm.yaml");
    fs::write(&config, format!("{CONFIG}general_settings: {{master_key: {GLM_KEY}}}\n")).unwrap();
    fs::write(stage.home().join("played_model.py"), include_str!("played_model.py")).unwrap();
    let mut command = Server::command(environment.join("bin/litellm"), &stage.home());
    command.arg("--config").arg(config);
    // Else it asks the internet for prices.
    command.env("LITELLM_LOCAL_MODEL_COST_MAP", "True");
    Some(Server::start(command))
}

#[test]
fn an_agent_uses_a_tool_through_litellm_in_anthropics_dialect() {
    let stage = Stage::new();
    let Some(server) = litellm(&stage) else { return };
    carrier(&stage, &server, MESSAGES, "played");
    let row = looks_into_the_parcel(&stage);
    // What the played model says that it has used, twice.
    assert_eq!([&row["input_tokens"], &row["output_tokens"]], [240, 16], "{row}");
}

#[test]
fn what_litellm_refuses_is_told_in_its_words() {
    let stage = Stage::new();
    let Some(server) = litellm(&stage) else { return };
    carrier(&stage, &server, MESSAGES, "unknown");
    let ended = delegated(&stage);
    assert!(ended.stdout.contains("Invalid model name"), "{ended:#?}");
}

#[test]
fn a_trial_of_litellm_finds_that_it_streams_and_counts() {
    let stage = Stage::new();
    let Some(server) = litellm(&stage) else { return };
    carrier(&stage, &server, MESSAGES, "played");
    let found = tried(&stage, "played");
    // The played model is offered no shell there, and calls nothing.
    for line in ["streaming works", "tools accepted", "count_tokens works"] {
        assert!(found.contains(line), "{found}");
    }
}

#[test]
fn an_agent_uses_a_tool_through_litellm_in_openais_dialect() {
    let stage = Stage::new();
    let Some(server) = litellm(&stage) else { return };
    carrier(&stage, &server, CHAT, "played");
    let row = looks_into_the_parcel(&stage);
    assert_eq!([&row["input_tokens"], &row["output_tokens"]], [240, 16], "{row}");
}
