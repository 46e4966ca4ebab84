//! Names and lines that are longer than their place.

use serde_json::json;

use super::{Errand, REVIEWER, configuration, done, listed, ours, shown, told};
use crate::ui::app::event::News;
use crate::ui::app::testing::{SIZES, at_each_size, press, resize, tell, text};

#[test]
fn routes_that_differ_at_their_end_are_told_apart() {
    let name = |size: &str| format!("local/qwen3-coder-480b-a35b-instruct-{size}");
    let agents = [
        ours("a-reviewer-with-a-long-name-1", &name("mini"), "Reviews."),
        ours("a-reviewer-with-a-long-name-2", &name("small"), "Reviews."),
    ];
    let list = json!({"version": 1, "bytes": 0, "limit": 1, "agents": agents, "others": []});
    let mut app = shown(80, 24, &list);
    for (columns, rows) in SIZES {
        resize(&mut app, columns, rows);
        let text = text(&app);
        assert!(["-mini", "-small", "name-1", "name-2"].iter().all(|end| text.contains(end)), "{text}");
        insta::assert_snapshot!(format!("alike_{columns}x{rows}"), text);
    }
}

#[test]
fn the_end_of_a_long_line_is_seen_before_it_is_saved() {
    let long = format!("Reviews {}for correctness.", "every change that somebody has made ".repeat(4));
    let file = REVIEWER.replace("Reviews changes for correctness.", &long);
    let mut app = shown(80, 24, &listed());
    tell(&mut app, News::Configuration(configuration()));
    press(&mut app, "j enter");
    tell(&mut app, done(Errand::Edit("reviewer".to_owned()), 0, &told("reviewer", &file), ""));
    press(&mut app, "tab backspace ! ctrl-s");
    at_each_size!(app, "long");
    resize(&mut app, 40, 10);
    press(&mut app, "space space space");
    assert!(text(&app).contains("model: glm/glm-5") && !text(&app).contains("more below"), "{}", text(&app));
}
