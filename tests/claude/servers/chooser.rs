//! How often a real model gives a task to the right agent, by the labelled tasks that the deterministic chooser is
//! measured on (`src/mcp/chooser/labelled`), and through all that `delegate --auto` does but the work itself.

#[path = "../../../src/mcp/chooser/tests/labelled.rs"]
mod labelled;

use std::collections::BTreeMap;
use std::fs;

use serde_json::Value;

use self::labelled::{HALVES, Member, tasks, team};
use super::llama::{MODEL_NAME, as_it_is};
use super::{MESSAGES, Stage, provider};
use crate::reply::Script;
use crate::room::DONE;
use crate::upstream::Upstream;

/// What came of the tasks of one half.
#[derive(Debug, Default)]
struct Figures {
    right: usize,
    /// An agent was chosen, and another one was meant, or nobody.
    wrong: usize,
    /// Nobody was meant, and nobody was chosen.
    asked_back: usize,
    /// Somebody was meant, and nobody was chosen: by why.
    unsure: BTreeMap<String, usize>,
}

impl Figures {
    fn count(&mut self, meant: &str, answer: &Value) {
        match (meant, answer["agent"].as_str()) {
            (meant, Some(chosen)) if meant == chosen => self.right += 1,
            (_, Some(_)) => self.wrong += 1,
            ("unsure", None) => self.asked_back += 1,
            (_, None) => *self.unsure.entry(why(answer)).or_default() += 1,
        }
    }
}

/// Without what stands in brackets, which differs from task to task.
fn why(answer: &Value) -> String {
    let reason = answer["reason"].as_str().unwrap_or_default();
    reason.lines().next().unwrap_or_default().split('(').next().unwrap_or_default().trim().to_owned()
}

/// A person with these agents, and a script that does any task.
fn stage() -> Stage {
    let stage = Stage::with_script(DONE);
    for Member { name, description } in team() {
        let text = format!("---\nname: {name}\ndescription: {}\n---\nDo it.\n", Value::from(description));
        fs::write(stage.config_dir().join(format!("agents/{name}.md")), text).unwrap();
    }
    stage
}

/// Questions that are asked at once.
const PARALLEL: usize = 4;

fn figures(stage: &Stage, half: &str) -> Figures {
    let main = Upstream::start(Script::talker("main"));
    let mut figures = Figures::default();
    for some in tasks(half).chunks(PARALLEL) {
        let words = ["delegate", "--auto", "--json", "--jobs", "1"].into_iter();
        let words: Vec<&str> = words.chain(some.iter().map(|(_, task)| task.as_str())).collect();
        let ended = stage.subagents(&main, &words).run();
        let answers: Vec<Value> =
            ended.stdout.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
        assert_eq!(answers.len(), some.len(), "{ended:#?}");
        some.iter().zip(&answers).for_each(|((meant, _), answer)| figures.count(meant, answer));
    }
    figures
}

/// Prints the figures of a server that is started with these words more.
#[expect(clippy::print_stdout, reason = "the figures are what the tests are for")]
fn measure(words: &[&str]) {
    let stage = stage();
    let Some(server) = as_it_is(&stage, &[&["--parallel", &PARALLEL.to_string()], words].concat()) else {
        return;
    };
    provider(&stage, &server, MESSAGES);
    stage.config_more(&format!("[delegation]\nchooser = \"served/{MODEL_NAME}\"\n"));
    for (half, text) in HALVES {
        let figures = figures(&stage, text);
        println!("{half}: {figures:?}");
        assert!(!figures.unsure.keys().any(|why| why.contains("can't be asked")), "{figures:?}");
        let unsure: usize = figures.unsure.values().sum();
        assert_eq!(figures.right + figures.wrong + figures.asked_back + unsure, 82);
    }
}

#[test]
#[ignore = "asks a small model 164 times, which takes minutes"]
fn e5_how_often_a_small_model_chooses_right() {
    measure(&[]);
}

/// By a server that lets it write nothing but what was asked for, as some providers do by the request's schema.
#[test]
#[ignore = "asks a small model 164 times, which takes minutes"]
fn e5_how_often_a_small_model_chooses_right_that_is_held_to_the_shape() {
    let names =
        team().into_iter().map(|member| format!("\"{}\"", member.name)).collect::<Vec<_>>().join(" | ");
    let shape = r#"root ::= "{\"agent\": \"" name "\", \"reason\": \"" letter{1,60} "\"}""#;
    measure(&["--grammar", &format!("{shape}\nname ::= {names} | \"unsure\"\nletter ::= [a-zA-Z ,.]")]);
}
