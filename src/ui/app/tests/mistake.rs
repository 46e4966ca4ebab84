//! A configuration that can't be used: no screen takes it for one in which there is nothing.

use std::sync::Arc;

use serde_json::json;

use super::{CONFIG, config, fs};
use crate::ui::app::App;
use crate::ui::app::event::{Configuration, Done, Effect, News};
use crate::ui::app::testing::{app, at_each_size, press, tell, text};

/// Tells what `config::load` makes of this config.toml.
fn learn(app: &mut App, text: &str) {
    let root = tempfile::tempdir().unwrap();
    fs::write(root.path().join("config.toml"), text).unwrap();
    let (config, mut problems) = config::load(root.path());
    for problem in &mut problems {
        problem.file = "/home/me/subagents/config.toml".into();
    }
    let home = Some("/home/me".into());
    tell(
        app,
        News::Configuration(Arc::new(Configuration { config, problems, home, ..Configuration::default() })),
    );
}

fn answer(app: &mut App, effects: Vec<Effect>, stdout: &serde_json::Value) {
    for effect in effects {
        let Effect::Run(task) = effect else { continue };
        let done = Done { task, code: Some(0), stdout: stdout.to_string(), stderr: String::new() };
        tell(app, News::Done(done));
    }
}

#[test]
fn it_is_told_wherever_there_is_nothing_until_it_is_mended() {
    let mut app = app(80, 24);
    learn(&mut app, &CONFIG.replace("\"glm\"\n", "\"glm\n"));
    assert_eq!(tell(&mut app, News::Sessions(Vec::new())), [], "somebody who has a file isn't new");
    at_each_size!(app, "unreadable");
    let total = json!({"key": "", "name": null, "requests": 0, "ok": 0, "client_error": 0, "upstream_error": 0,
        "cancelled": 0, "input_tokens": 0, "output_tokens": 0, "cache_read_tokens": 0, "cache_write_tokens": 0,
        "cost_usd": null, "unpriced": 0});
    let nothing = json!({"version": 1, "by": "day", "rows": [], "total": total, "lost": 0,
        "bytes": 0, "limit": 1, "agents": [], "others": []});
    for key in ["1", "2", "3", "4", "5"] {
        let effects = press(&mut app, key);
        answer(&mut app, effects, &nothing);
        let text = text(&app);
        assert!(text.contains("~/subagents/config.toml,"), "{key}: {text}");
        let untrue = ["No session", "No agent", "No provider", "Nothing runs", "remembered yet"];
        assert!(!untrue.iter().any(|words| text.contains(words)), "{key}: {text}");
    }
    learn(&mut app, CONFIG);
    press(&mut app, "3");
    assert!(text(&app).contains("glm-5") && !text(&app).contains("~/subagents/"), "{}", text(&app));
}
