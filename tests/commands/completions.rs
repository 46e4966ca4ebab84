//! Completions: in each shell that is installed, the real one with the script in it.

use std::io::Write;
use std::process::Command;

use crate::fake::{SESSION, with_an_ended_session, with_claude};
use crate::stage::Stage;

const CONFIG: &str = "[providers.ollama]\npreset = \"ollama\"\n[routes.\"ollama/qwen3:8b\"]\n\
                      [profiles.fast]\nagents = [\"reviewer\"]\n";
const REVIEWER: &str = "---\nname: reviewer\ndescription: \"Reviews: all of it\"\n---\nReview.\n";
const EVIL: &str = "---\nname: \"evil\\u001b[2J\"\ndescription: d\n---\nx\n";

/// With names to complete, in a configuration that must neither be complained about nor changed.
fn stage() -> Stage {
    let stage = Stage::new()
        .with("config/config.toml", CONFIG)
        .with("config/agents/reviewer.md", REVIEWER)
        .with("config/agents/evil.md", EVIL)
        .with("config/agents/broken.md", "---\nname: [\n---\n")
        .with("other/agents/stranger.md", &REVIEWER.replace("reviewer", "stranger"));
    with_claude(stage)
}

/// What the shell prints when it runs the text with the script sourced; `None`: the shell isn't installed.
fn shell(stage: &Stage, program: &str, arguments: &[&str], text: &str) -> Option<String> {
    let ours = stage.command(&[]);
    let mut command = Command::new(program);
    command.args(arguments).arg(text).env_clear().current_dir(ours.get_current_dir().unwrap());
    let output =
        command.envs(ours.get_envs().filter_map(|(name, value)| Some((name, value?)))).output().ok()?;
    assert_eq!(String::from_utf8_lossy(&output.stderr), "", "{program}: {text}");
    Some(String::from_utf8(output.stdout).unwrap())
}

/// The candidates for lines with the cursor at their ends, and what Bash takes for the last word.
fn bash(stage: &Stage, line: &str, word: &str) -> String {
    let text = format!(
        "source <(subagents completions bash); COMP_LINE='{line}'; COMP_POINT=${{#COMP_LINE}}; \
         _subagents_complete subagents '{word}' ''; echo \"${{COMPREPLY[*]}}\""
    );
    shell(stage, "bash", &["--norc", "-c"], &text).unwrap().trim_end().to_owned()
}

#[test]
fn bash_completes_commands_and_the_names_that_there_are() {
    let stage = stage();
    for (line, word, expect) in [
        ("subagents prof", "prof", "profile"),
        ("subagents run --agent ", "", "reviewer"),
        ("subagents run --agent r", "r", "reviewer"),
        ("subagents run --agent=r", "r", "reviewer"),
        ("subagents run --agent x", "x", ""),
        ("subagents stats --agent r", "r", "reviewer"),
        ("subagents agent rm r", "r", "reviewer"),
        ("subagents agent new x --from t", "t", "test-writer"),
        ("subagents agent new x --model o", "o", "ollama/qwen3:8b opus"),
        ("subagents agent import --model opus=o", "o", "ollama/qwen3:8b opus"),
        ("subagents agent import --model=opus=ol", "ol", "ollama/qwen3:8b"),
        ("subagents agent import --model opus=ollama/qwen3:", "", "8b"),
        ("subagents agent import --model opus", "opus", ""),
        ("subagents agent import --rename opus=o", "o", ""),
        ("subagents profile show f", "f", "fast"),
        ("subagents profile set fast --agents reviewer,", "reviewer,", "reviewer,reviewer"),
        ("subagents policy on ol", "ol", "ollama/qwen3:8b"),
        ("subagents policy on ollama/qwen3:", "", "8b"),
        ("subagents policy on \"ollama/q", "ollama/q", "ollama/qwen3:8b"),
        ("subagents --config-dir ../other run --agent ", "", "stranger"),
        ("subagents completions z", "z", "zsh"),
        ("subagents serve --token-file ../conf", "../conf", "../config/"),
    ] {
        assert_eq!(bash(&stage, line, word), expect, "{line}");
    }
    assert!(!stage.at("home/.local").exists(), "nothing was written");
}

#[test]
fn sessions_that_live_are_completed() {
    let stage = stage().with_variable("THEN", "echo ready; sleep 1000");
    let id = "5e551014-0000-4000-8000-000000000000";
    stage.run(&["run", "--detach", "--name", "shop", "--session", id]).ok();
    for (line, word, expect) in [
        ("subagents attach s", "s", "shop"),
        ("subagents logs 5e", "5e", id),
        ("subagents stop shop sh", "sh", "shop"),
        ("subagents run --name s", "s", ""),
    ] {
        assert_eq!(bash(&stage, line, word), expect, "{line}");
    }
}

#[test]
fn sessions_that_have_ended_complete_where_one_is_resumed() {
    let stage = with_an_ended_session(stage());
    for (line, word, expect) in [
        ("subagents resume l", "l", "latest"),
        ("subagents resume sh", "sh", "shop"),
        ("subagents resume 0000", "0000", SESSION),
    ] {
        assert_eq!(bash(&stage, line, word), expect, "{line}");
    }
}

#[test]
fn fish_completes_with_descriptions() {
    let complete = |line: &str| {
        let text = format!("subagents completions fish | source; complete -C '{line}'");
        shell(&stage(), "fish", &["--no-config", "-c"], &text)
    };
    let Some(agents) = complete("subagents run --agent ") else { return skipped("fish") };
    assert_eq!(agents, "reviewer\tReviews: all of it\n");
    assert_eq!(complete("subagents policy on ollama/qwen3:").unwrap(), "ollama/qwen3:8b\n");
    assert_eq!(complete("subagents agent import --model opus=ol").unwrap(), "opus=ollama/qwen3:8b\n");
}

#[test]
fn zsh_completes_with_descriptions() {
    let complete = |words: &str| {
        let text = format!(
            "autoload -Uz compinit; compinit -u -D; source <(subagents completions zsh); \
             _describe() {{ print -rl -- \"${{(@P)@[-1]}}\" }}; words=({words} ''); CURRENT=$#words; \
             _clap_dynamic_completer_subagents"
        );
        shell(&stage(), "zsh", &["-f", "-c"], &text)
    };
    let Some(agents) = complete("subagents run --agent") else { return skipped("zsh") };
    assert_eq!(agents, "reviewer:Reviews: all of it\n");
    assert!(complete("subagents policy on").unwrap().contains("ollama/qwen3\\:8b"));
}

#[test]
fn nushell_completes_with_descriptions_and_leaves_other_programs_alone() {
    let stage = stage();
    let script = stage.run(&["completions", "nushell"]).ok();
    let stage = stage.with("project/script.nu", &script);
    let complete = |words: &str| {
        let text = format!(
            "source script.nu; do $env.config.completions.external.completer [{words} ''] | to json --raw"
        );
        shell(&stage, "nu", &["--no-config-file", "-c"], &text)
    };
    let Some(agents) = complete("subagents run --agent") else { return skipped("nu") };
    assert_eq!(agents.trim(), r#"[{"value":"reviewer","description":"Reviews: all of it"}]"#);
    assert_eq!(complete("git").unwrap().trim(), "null");
}

fn skipped(shell: &str) {
    let _ = writeln!(std::io::stderr(), "{shell} isn't installed, so its completions were not tried");
}

#[test]
fn a_shell_that_is_not_known_and_a_configuration_that_is_broken_get_silence() {
    let silent = |stage: &Stage, shell: &str| {
        let mut command = stage.command(&["--", "subagents", "run", "--agent", ""]);
        let output = command.env("SUBAGENTS_COMPLETE", shell).output().unwrap();
        assert_eq!((output.stdout.as_slice(), output.stderr.as_slice()), (&[][..], &[][..]), "{shell}");
    };
    silent(&stage(), "tcsh");
    silent(&Stage::new().with("config/config.toml", "[broken"), "fish");
    silent(&Stage::new().with_variable("SUBAGENTS_LOG", "no=such=filter"), "fish");
}

#[test]
fn the_variable_alone_decides_and_an_empty_one_is_none() {
    let stage = Stage::new().with_variable("SUBAGENTS_COMPLETE", "");
    assert!(stage.run(&["profile", "list"]).ok().contains("default"));
}
