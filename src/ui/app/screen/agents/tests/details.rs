//! What is told of the selected agent.

use super::*;
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
    assert!(text(&app).contains("│Line 4.") && !text(&app).contains("Line 3. "), "{}", text(&app));
    wheel_on(&mut app, "Line 9.", 3);
    assert!(text(&app).contains("│Line 7.") && !text(&app).contains("Line 6. "));
    wheel_on(&mut app, "Line 9.", -3);
    click_on(&mut app, "more below");
    assert!(!text(&app).contains("Line 6. "), "a click on the mark is its key");
    (0..40).for_each(|_| _ = wheel_on(&mut app, "Line", 3));
    assert!(text(&app).contains("412 bytes") && !text(&app).contains("more below"), "{}", text(&app));
    for (beyond, back) in [("J", "K"), ("J", "wheel"), ("wheel", "wheel")] {
        let mut turn = |key: &str, lines| match key {
            "wheel" => wheel_on(&mut app, "Line 6", lines),
            key => press(&mut app, key),
        };
        (0..50).for_each(|_| _ = turn(beyond, 3));
        turn(back, -3);
        assert!(text(&app).contains(" 3 more below "), "{beyond} {back}\n{}", text(&app));
    }
    press(&mut app, "j k");
    assert!(text(&app).contains("│Line 1."), "another one is read from its beginning");
}
