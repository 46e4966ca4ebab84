//! What a person is asked at a terminal.

use std::io::{Read, Write};

use pty_process::blocking;

use crate::provider_servers::{Asked, CANARY, Reply, Server, message, missing, refusal};
use crate::stage::Stage;

/// Runs the binary on a terminal, and gives each answer once its question is seen. What was shown, and the exit code.
fn asked(stage: &Stage, arguments: &[&str], answers: &[(&str, &str)]) -> (String, i32) {
    let (mut pty, pts) = blocking::open().unwrap();
    let mut child = blocking::Command::new(env!("CARGO_BIN_EXE_subagents"))
        .args(arguments)
        .current_dir(stage.at("project"))
        .env_clear()
        .env("HOME", stage.at("home"))
        .env("SUBAGENTS_CONFIG_DIR", stage.at("config"))
        .env("CANARY", CANARY)
        .spawn(pts)
        .unwrap();
    let (mut shown, mut answers, mut buffer) = (String::new(), answers.iter(), [0; 4096]);
    let (mut next, mut from) = (answers.next(), 0);
    // EIO is the end of a terminal's output on Linux.
    while let Ok(count @ 1..) = pty.read(&mut buffer) {
        shown.push_str(&String::from_utf8_lossy(&buffer[..count]));
        if let Some((question, answer)) = next
            && let Some(at) = shown[from..].find(question)
        {
            from += at + question.len();
            pty.write_all(format!("{answer}\n").as_bytes()).unwrap();
            next = answers.next();
        }
    }
    assert!(next.is_none(), "{next:?} was not asked, but: {shown}");
    (shown, child.wait().unwrap().code().unwrap())
}

#[test]
fn what_is_missing_is_asked_for_and_the_file_gets_the_reference() {
    let stage = Stage::new();
    let questions = [
        ("A preset", "https://llm.example/v1"),
        ("How does it want its key", "bearer"),
        ("Where is the key", "env:CANARY"),
    ];
    let (shown, code) = asked(&stage, &["provider", "add", "gw"], &questions);
    assert!(code == 0 && !shown.contains(CANARY), "{shown}");
    let expect = "[providers.gw]\nbase_url = \"https://llm.example/v1\"\nauth = { kind = \"bearer\", secret = \"env:CANARY\" }\n";
    assert_eq!(stage.read("config/config.toml"), expect);
}

#[test]
fn a_presets_own_reference_is_taken_by_an_empty_answer() {
    let stage = Stage::new();
    let (shown, code) = asked(&stage, &["provider", "add", "kimi"], &[("[env:MOONSHOT_API_KEY]", "")]);
    assert_eq!(code, 0, "{shown}");
    assert_eq!(stage.read("config/config.toml"), "[providers.kimi]\npreset = \"kimi\"\n");
}

#[test]
fn i03_a_key_that_is_typed_where_a_reference_belongs_is_refused() {
    let stage = Stage::new();
    let (shown, code) = asked(&stage, &["provider", "add", "kimi"], &[("Where is the key", "sk-typed-4711")]);
    assert!(code == 2 && shown.contains("no reference"), "{shown}");
    assert_eq!(shown.matches("sk-typed-4711").count(), 1, "the terminal's own echo: {shown}");
    assert!(!stage.at("config/config.toml").exists());
}

#[test]
fn i03_a_key_that_is_pasted_where_an_address_belongs_is_not_repeated() {
    let stage = Stage::new();
    let (shown, code) = asked(&stage, &["provider", "add", "gw"], &[("A preset", "sk-typed-4711")]);
    assert!(code == 2 && shown.contains("neither a preset nor an address"), "{shown}");
    assert_eq!(shown.matches("sk-typed-4711").count(), 1, "the terminal's own echo: {shown}");
    assert!(!stage.at("config/config.toml").exists());
}

#[test]
fn i03_no_key_is_read_where_a_terminal_shows_it() {
    let (shown, code) = asked(&Stage::new(), &["provider", "add", "kimi", "--key-stdin"], &[]);
    assert!(code == 2 && shown.contains("no terminal shows it"), "{shown}");
}

#[test]
fn a05_what_was_learned_is_offered_and_written_on_a_yes_with_progress_shown() {
    let server = Server::new(|asked: &Asked| match asked.auth().as_slice() {
        ["x-api-key"] if asked.path() == "/v1/messages" => message(asked),
        ["x-api-key"] => missing(),
        _ => refusal(asked),
    });
    let config = format!(
        "[providers.p]\nbase_url = \"{}\"\nauth = {{ kind = \"bearer\", secret = \"env:CANARY\" }}\n",
        server.url("")
    );
    for (answer, written) in [("n", false), ("y", true)] {
        let stage = Stage::new().with("config/config.toml", &config);
        let (shown, code) =
            asked(&stage, &["route", "test", "p/m"], &[("Write this into config.toml?", answer)]);
        assert!(code == 0 && shown.contains("… counting tokens") && !shown.contains(CANARY), "{shown}");
        assert_eq!(stage.read("config/config.toml").contains("x-api-key"), written);
    }
    // Nothing was learned from a provider that is gone: nobody is asked.
    let gone = Server::new(|_| Reply::Page(502));
    let stage = Stage::new().with("config/config.toml", &config.replace(&server.url(""), &gone.url("")));
    assert_eq!(asked(&stage, &["route", "test", "p/m"], &[]).1, 1);
}
