//! The mouse, which does what keys do.

use super::*;
use crate::ui::app::App;
use crate::ui::app::testing::{click, click_on, wheel, wheel_on};

fn done(effects: &[Effect], stdout: &serde_json::Value) -> News {
    let task = effects.iter().find_map(|effect| match effect {
        Effect::Run(task) => Some(task.clone()),
        _ => None,
    });
    let task = task.unwrap();
    News::Done(Done { task, code: Some(0), stdout: stdout.to_string(), stderr: String::new() })
}

/// The line that begins with this, without the borders.
fn line_with(app: &App, part: &str) -> String {
    let text = text(app);
    text.lines().find(|line| line.contains(part)).unwrap_or_else(|| panic!("{part}\n{text}")).to_owned()
}

#[test]
fn a_click_in_the_title_or_the_last_line_is_its_key() {
    let mut app = whole(120, 24);
    for (tab, shown) in [("2 Agents", "Agents"), ("4 Monitor", "Requests"), ("1 Sessions", "Routes, this")] {
        click_on(&mut app, tab);
        assert!(text(&app).contains(shown), "{tab}");
    }
    click_on(&mut app, "n new");
    assert!(text(&app).contains("New session"));
    click_on(&mut app, "2 Agents");
    assert!(text(&app).contains("New session"), "what lies under a dialog is out of reach");
    click_on(&mut app, "esc cancel");
    assert!(!text(&app).contains("New session"));
    click_on(&mut app, "? help ");
    assert!(text(&app).contains("Keys"));
    click_on(&mut app, "enter back");
    assert_eq!(click_on(&mut app, "q quit"), [Effect::Quit]);
    tell(&mut app, News::Waiting(vec![waiting(1, Reach::Inbox)]));
    click_on(&mut app, "1 wait");
    assert!(text(&app).contains("Inbox"));
}

#[test]
fn a_click_selects_a_session_and_takes_the_keys_from_a_pane() {
    let mut app = whole(80, 24);
    let size = Size::new(48, 20);
    let turned = [Effect::Detach { session: id(1) }, Effect::Attach { session: id(2), size }];
    assert_eq!(click_on(&mut app, "docs"), turned);
    click(&mut app, 60, 10);
    assert!(text(&app).contains("all keys go to the session"), "a pane that is clicked has the keys");
    click_on(&mut app, "spike");
    assert!(text(&app).contains("n new") && text(&app).contains("spike has ended"));
    wheel_on(&mut app, "· spike", -3);
    assert!(text(&app).contains("api-fix · "), "the wheel goes three lines");
    wheel_on(&mut app, "· spike", 3);
    assert!(text(&app).contains("spike has ended"));
}

#[test]
fn the_inbox_is_answered_and_read() {
    let mut app = whole(80, 24);
    tell(&mut app, News::Waiting(vec![waiting(1, Reach::Inbox), waiting(2, Reach::Inbox)]));
    press(&mut app, "i");
    // The list's second line.
    let row =
        u16::try_from(text(&app).lines().position(|line| line.contains("api-fix  Bash")).unwrap()).unwrap();
    click(&mut app, 10, row + 1);
    let allowed = Effect::Run(Task::new(Purpose::Tell, &["inbox", "allow", "dialog2"]));
    assert_eq!(click_on(&mut app, "a allow"), [allowed]);
}

#[test]
fn a_long_text_scrolls_under_the_wheel() {
    let mut app = whole(80, 12);
    click_on(&mut app, "? help");
    let before = text(&app);
    wheel_on(&mut app, "Keys", 3);
    assert_eq!(text(&app), before, "not over its border");
    click(&mut app, 20, 5);
    wheel(&mut app, 20, 5, 3);
    assert_ne!(text(&app), before);
    wheel(&mut app, 20, 5, -3);
    assert_eq!(text(&app), before);
}

#[test]
fn the_launch_form_is_filled_in() {
    let mut app = whole(100, 30);
    press(&mut app, "n");
    assert!(line_with(&app, "reviewer").contains("[x] reviewer"));
    click_on(&mut app, "[x] reviewer");
    assert!(line_with(&app, "reviewer").contains("[ ] reviewer"));
    assert!(line_with(&app, "fixer").contains("[x] fixer"));
    click_on(&mut app, "Name");
    press(&mut app, "a");
    click_on(&mut app, "Permissions");
    let before = line_with(&app, "Permissions");
    click_on(&mut app, "Permissions");
    assert_ne!(line_with(&app, "Permissions"), before, "another click is the next choice");
    let started = click_on(&mut app, "enter start");
    let Some(Effect::Run(task)) = started.first() else { panic!("{started:?}") };
    let words = task.arguments.join(" ");
    assert!(
        words.contains("--agent fixer") && words.contains("--name a") && !words.contains("reviewer"),
        "{words}"
    );
}

#[test]
fn boxes_and_branches_of_routes_are_clicked() {
    let mut app = whole(100, 30);
    press(&mut app, "3");
    click_on(&mut app, "[ ] glm-5");
    assert!(line_with(&app, "] glm-5").contains("+[x] glm-5"));
    click_on(&mut app, " glm-4.7");
    assert!(line_with(&app, "] glm-4.7").contains("[ ] glm-4.7"), "beside its box it is only selected");
    click_on(&mut app, "[ ] off");
    assert!(text(&app).contains("[x] on"));
    click_on(&mut app, "▾ glm");
    assert!(text(&app).contains("▸ glm") && !text(&app).contains("glm-4.7 "));
}

#[test]
fn what_is_clicked_stays_under_the_pointer() {
    let mut app = whole(100, 20);
    let many = (1..=60).map(|number| listed(number, &format!("s{number:02}"), State::Ended(0))).collect();
    tell(&mut app, News::Sessions(many));
    press(&mut app, "pagedown pagedown");
    for name in ["s24", "s18", "s19"] {
        let before = text(&app);
        click_on(&mut app, name);
        assert!(text(&app).contains(&format!("{name} has ended")), "{}", text(&app));
        let names =
            |text: &str| text.lines().map(|line| line.chars().take(20).collect()).collect::<Vec<String>>();
        assert_eq!(names(&text(&app)), names(&before));
    }
}

#[test]
fn a_list_that_is_clicked_has_the_keys_and_views_are_tabs() {
    let mut app = whole(120, 30);
    press(&mut app, "4");
    let row = |route: &str| json!({"route": route, "requests": 1, "ok": 1});
    let stats = json!({"routes": [row("default"), row("glm/glm-5")], "agents": [], "strays": []});
    tell(&mut app, News::Stats { session: id(1), stats: Arc::new(stats) });
    click_on(&mut app, "glm/glm-5");
    let copied = press(&mut app, "y");
    assert!(matches!(copied.as_slice(), [Effect::Copy(text)] if text.contains("glm/glm-5")), "{copied:?}");
    click_on(&mut app, "Agents Strays");
    assert!(text(&app).contains("[Agents]"));
    click_on(&mut app, "Routes [Agents]");
    assert!(text(&app).contains("[Routes]"));
    let asked = click_on(&mut app, "5 History");
    tell(&mut app, done(&asked, &json!({"version": 1, "by": "day", "rows": [], "total": {}, "lost": 0})));
    click_on(&mut app, "Sessions Agents");
    assert!(!text(&app).contains("[Days]"), "{}", text(&app));
}

#[test]
fn an_agents_tools_and_fields_are_clicked() {
    let mut app = whole(120, 40);
    let agent = json!({
        "name": "fixer", "description": "Does it.", "file": "/c/agents/fixer.md", "usable": true,
        "model": "glm/glm-5", "route": "glm/glm-5", "tools": null, "visibility": "model", "read_only": false,
        "bytes": 9, "wins": true, "namesakes": [], "problems": [],
    });
    let asked = press(&mut app, "2");
    let list = json!({"version": 1, "bytes": 9, "limit": 1, "agents": [agent], "others": []});
    tell(&mut app, done(&asked, &list));
    let asked = click_on(&mut app, "enter edit");
    let text_of = "---\nname: fixer\ndescription: Does it.\ntools: Read\n---\nDo it.\n";
    let told = json!({"agent": agent, "text": text_of, "digest": "0"});
    tell(&mut app, done(&asked, &told));
    click_on(&mut app, "tools");
    press(&mut app, "ctrl-r");
    click_on(&mut app, "[ ] Grep");
    assert!(text(&app).contains("[x] Grep"));
    press(&mut app, "enter");
    assert!(line_with(&app, "tools").contains("Read, Grep"));
    click_on(&mut app, "description");
    press(&mut app, "X");
    assert!(text(&app).contains('X') && text(&app).contains("not saved"));
}

#[test]
fn no_place_is_too_much() {
    for (columns, rows) in [(40, 10), (9, 3)] {
        for keys in ["1", "2", "3", "4", "5", "n", "?", ":", "T", "i", "2 n", "3 a", "5 X"] {
            let mut app = whole(columns, rows);
            press(&mut app, keys);
            for y in 0..rows {
                for x in (0..columns).step_by(4) {
                    click(&mut app, x, y);
                    wheel(&mut app, x, y, if x % 8 == 0 { 3 } else { -3 });
                }
            }
            text(&app);
        }
    }
}
