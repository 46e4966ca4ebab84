//! The terminal app on a machine where nothing is configured: not even a folder is there.

use std::fs;

use crate::ground::{ECHO, Ground};
use crate::window::{Kind, Window};

#[test]
fn what_is_made_first_is_seen_at_once() {
    let ground = Ground::new(ECHO);
    fs::remove_dir_all(ground.0.at("config")).unwrap();
    let mut window = Window::open(&ground.0.command(&[]), (100, 30), Kind::Silent);
    window.expect("Welcome to subagents");
    window.send("\x1b");
    window.until("no guide", |window| !window.text().contains("Welcome"));
    window.send("3");
    window.expect("No provider yet");
    window.send("n");
    window.expect("Add a provider");
    window.send("llama");
    window.until("those that fit", |window| !window.text().contains("OpenRouter"));
    window.send("\r");
    window.expect("http://127.0.0.1:8080");
    window.send("2");
    window.expect("No agent yet");
    let new = ["agent", "new", "helper", "--model", "llama-cpp/any", "--from", "reviewer"];
    ground.0.run(&new).ok();
    window.expect("llama-cpp/any");
    window.send("1n");
    window.expect("New session");
    window.expect("helper");
    window.send("\x1b");
    window.until("no form", |window| !window.text().contains("New session"));
    window.send("q");
    assert_eq!(window.code(), 0);
}
