//! What is told of the selected agent, and texts that are read to their ends.

use super::*;
use crate::config::edit::NEW_AGENT;
use crate::ui::app::testing::{click_on, wheel_on};

#[test]
fn what_is_told_of_an_agent_is_read_to_its_end() {
    let mut list = listed();
    let long: Vec<String> = (1..=60).map(|number| format!("Line {number}.")).collect();
    list["agents"][1]["description"] = json!(long.join("\n"));
    let mut app = shown(100, 24, &list);
    assert!(!text(&app).contains("more below"), "all of the first is to be seen");
    press(&mut app, "j");
    insta::assert_snapshot!("long_100x24", text(&app));
    press(&mut app, "J J K");
    assert!(text(&app).contains("│         no usable") && !text(&app).contains("can't be"), "{}", text(&app));
    wheel_on(&mut app, "Line 9.", 3);
    assert!(text(&app).contains("│called") && !text(&app).contains("Read, Grep"), "{}", text(&app));
    wheel_on(&mut app, "Line 9.", -3);
    click_on(&mut app, "more below");
    assert!(!text(&app).contains("Read, Grep"), "a click on the mark is its key");
    (0..40).for_each(|_| _ = wheel_on(&mut app, "Line", 3));
    assert!(text(&app).contains("in every session") && !text(&app).contains("more below"), "{}", text(&app));
    for (beyond, back) in [("J", "K"), ("J", "wheel"), ("wheel", "wheel")] {
        let mut turn = |key: &str, lines| match key {
            "wheel" => wheel_on(&mut app, "Line 5", lines),
            key => press(&mut app, key),
        };
        (0..50).for_each(|_| _ = turn(beyond, 3));
        turn(back, -3);
        assert!(text(&app).contains(" 3 more below "), "{beyond} {back}\n{}", text(&app));
    }
    press(&mut app, "j k");
    assert!(text(&app).contains("│runs on  glm"), "another one is read from its beginning");
}

#[test]
fn work_that_is_not_saved_is_told_at_the_start_and_marked_in_the_list() {
    let mut app = app(80, 24);
    let kept = [(unsaved_key("reviewer"), REVIEWER.to_owned()), (unsaved_key(NEW_AGENT), String::new())];
    tell(&mut app, News::Unsaved(Arc::new(kept.into())));
    assert!(text(&app).contains("Not saved, from before: a new agent, reviewer."), "{}", text(&app));
    tell(&mut app, News::Sessions(Vec::new()));
    press(&mut app, "esc 2");
    tell(&mut app, done(Errand::List, 0, &listed().to_string(), ""));
    press(&mut app, "j");
    at_each_size!(app, "unsaved");
    tell(&mut app, News::Unsaved(Arc::default()));
    assert!(!text(&app).contains("isn't saved"), "{}", text(&app));
}

#[test]
fn a_diff_and_a_preview_go_back_from_their_ends() {
    for (opens, on, back) in [
        ("tab tab tab tab tab tab 9 ctrl-s", "j", "k"),
        ("tab tab tab tab tab tab 9 ctrl-s", "down", "up"),
        ("ctrl-o", "pagedown", "pageup"),
    ] {
        let mut app = edited(40, 10);
        press(&mut app, opens);
        (0..50).for_each(|_| _ = press(&mut app, on));
        assert!(!text(&app).contains("more below"), "{opens} {on}");
        press(&mut app, back);
        assert!(text(&app).contains(" more below "), "{opens} {on}\n{}", text(&app));
    }
}
