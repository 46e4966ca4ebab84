//! Texts that are read line by line.

use super::*;
use crate::ui::app::dialog::{Dialog, Review};
use crate::ui::app::look::Role;
use crate::ui::app::testing::{click_on, resize, wheel, wheel_on};

/// The inbox with one command.
fn asked(size: (u16, u16), command: &str) -> App {
    let mut app = app(size.0, size.1);
    tell(&mut app, News::Sessions(sessions()));
    let mut one = waiting(1, Reach::Inbox);
    one.dialog.input = Arc::new(json!({"command": command}));
    tell(&mut app, News::Waiting(vec![one]));
    press(&mut app, "i");
    app
}

fn long() -> App {
    asked((60, 14), &format!("{}; rm -r ~", "echo ".repeat(200)))
}

fn guide() -> App {
    let mut app = app(50, 12);
    tell(&mut app, News::Sessions(Vec::new()));
    app
}

fn help() -> App {
    let mut app = app(80, 12);
    press(&mut app, "?");
    app
}

fn review() -> App {
    let mut app = app(60, 12);
    let lines = (1..=30).map(|line| (Role::Text, format!("Line {line}."))).collect();
    app.dialogs.push(Dialog::Review(Review::new("Save", lines, Effect::Quit)));
    app
}

#[test]
fn the_guide_is_read_to_its_end_where_there_is_little_room() {
    let mut app = guide();
    assert!(text(&app).contains(" 3 more below ") && !text(&app).contains("esc  close"), "{}", text(&app));
    press(&mut app, "j j");
    click_on(&mut app, "more below");
    wheel_on(&mut app, "d  see", 3);
    assert!(text(&app).contains("esc  close") && !text(&app).contains("more below"), "{}", text(&app));
    assert!(!text(&app).contains("/ filter"), "the last line has no key that does nothing");
    let copied = press(&mut app, "y");
    assert!(matches!(copied.as_slice(), [Effect::Copy(text)] if text.contains("Looking")), "{copied:?}");
    click_on(&mut app, "esc  close");
    assert!(!text(&app).contains("Welcome"));
}

#[test]
fn what_is_asked_is_read_to_its_end_before_it_is_answered() {
    let mut app = long();
    assert!(text(&app).contains(" more below ") && !text(&app).contains("rm -r ~"), "{}", text(&app));
    press(&mut app, "pagedown pagedown pagedown pagedown");
    assert!(text(&app).contains("rm -r ~") && !text(&app).contains(" more below "), "{}", text(&app));
}

#[test]
fn one_key_goes_back_from_the_end_however_often_one_went_on() {
    for (name, open, on, back, lines) in [
        ("help", help as fn() -> App, "j", "k", 1),
        ("help by pages", help, "pagedown", "pageup", 10),
        ("help at once", help, "G", "k", 1),
        ("guide", guide, "down", "up", 1),
        ("inbox", long, "pagedown", "pageup", 10),
        ("review", review, "j", "k", 1),
    ] {
        let mut app = open();
        assert!(text(&app).contains(" more below "), "{name}\n{}", text(&app));
        (0..100).for_each(|_| _ = press(&mut app, on));
        let end = text(&app);
        assert!(!end.contains(" more below "), "{name}\n{end}");
        press(&mut app, back);
        assert!(text(&app).contains(&format!(" {lines} more below ")), "{name}\n{}", text(&app));
        press(&mut app, on);
        assert_eq!(text(&app), end, "{name}");
    }
}

#[test]
fn the_wheel_and_another_size_leave_nothing_beyond_the_end_either() {
    let mut app = help();
    (0..50).for_each(|_| _ = wheel(&mut app, 20, 5, 3));
    wheel(&mut app, 20, 5, -3);
    assert!(text(&app).contains(" 3 more below "), "{}", text(&app));
    press(&mut app, "G");
    resize(&mut app, 80, 20);
    press(&mut app, "k");
    assert!(text(&app).contains(" 1 more below "), "{}", text(&app));
}

#[test]
fn a_command_is_folded_just_where_its_line_ends_and_that_is_seen() {
    let command = "printf '%s'   'two  blanks   here'  |  tee /tmp/模型模型模型模型/a";
    let text = text(&asked((30, 24), command));
    let lines = [
        "│  command: printf '%s'   'tw│",
        "│↳ o  blanks   here'  |  tee │",
        "│↳ /tmp/模型模型模型模型/a   │",
    ];
    assert!(text.contains(&lines.join("\n")), "{text}");
}
