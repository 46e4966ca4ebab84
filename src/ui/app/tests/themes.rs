//! What the app looks like, and how that is chosen.

use ratatui::buffer::Buffer;
use ratatui::style::{Color, Modifier};

use super::*;
use crate::config::{Motion, Problem, Severity, Signs, ThemeChoice, Tui};
use crate::launch::screen::Rgb;
use crate::ui::Colour;
use crate::ui::app::App;
use crate::ui::app::keymap::Keymap;
use crate::ui::app::look::{Shade, Terminal};
use crate::ui::app::testing::{at_each_size, click_on, resize, style_of};

fn configured(tui: Tui) -> News {
    let mut configuration = Configuration::default();
    configuration.config.tui = tui;
    News::Configuration(Arc::new(configuration))
}

fn named(theme: &str) -> News {
    configured(Tui { theme: ThemeChoice::Named(theme.to_owned()), ..Tui::default() })
}

fn on(terminal: Terminal) -> App {
    let mut app = App::new(now(), Keymap::with("").unwrap(), terminal);
    resize(&mut app, 80, 24);
    tell(&mut app, News::Sessions(sessions()));
    app
}

#[test]
fn the_terminals_background_chooses_between_light_and_dark() {
    let mut app = app(80, 24);
    tell(&mut app, News::Sessions(sessions()));
    let focus = |app: &App| style_of(app, "┌ Sessions").fg;
    assert_eq!(focus(&app), Some(Color::Cyan), "dark, as long as nothing is known");
    tell(&mut app, News::Background(Rgb(0xfd, 0xf6, 0xe3)));
    assert_eq!(focus(&app), Some(Color::Blue));
    tell(&mut app, News::Background(Rgb(0, 0, 0)));
    assert_eq!(focus(&app), Some(Color::Cyan));
    assert_eq!(focus(&on(Terminal { shade: Shade::Light, ..Terminal::default() })), Some(Color::Blue));
    tell(&mut app, named("light"));
    tell(&mut app, News::Background(Rgb(0, 0, 0)));
    assert_eq!(focus(&app), Some(Color::Blue), "who names one has it");
}

#[test]
fn a_theme_with_a_background_fills_the_whole_screen_but_a_session() {
    let mut app = on(Terminal::default());
    tell(&mut app, News::Drawn { session: id(1), bytes: b"hello".to_vec() });
    tell(&mut app, named("paper"));
    let area = app.area;
    let mut buffer = Buffer::empty(area);
    app.draw(area, &mut buffer);
    let paper = Color::Rgb(0xf7, 0xf3, 0xe8);
    let bare = |x, y| buffer[(x, y)].bg == Color::Reset;
    let outside = buffer.area.positions().filter(|at| bare(at.x, at.y)).collect::<Vec<_>>();
    assert_eq!(outside.len(), 48 * 20, "the session's own room is its own");
    assert_eq!(buffer[(0, 0)].bg, paper);
    press(&mut app, "?");
    assert_eq!(style_of(&app, "Open what").bg, Some(paper), "dialogs too");
}

#[test]
fn no_color_and_ascii_win_over_the_file() {
    let terminal = Terminal { colour: Colour::Never, signs: Some(Signs::Ascii), ..Terminal::default() };
    let mut app = on(terminal);
    tell(&mut app, named("paper"));
    let style = style_of(&app, "shell");
    assert_eq!((style.bg, style.add_modifier), (Some(Color::Reset), Modifier::empty()));
    assert!(text(&app).contains("+ Sessions") && !text(&app).contains('┌'));
    press(&mut app, "T");
    assert!(text(&app).contains("NO_COLOR"));
    let mut app = on(Terminal::default());
    tell(&mut app, configured(Tui { signs: Signs::Ascii, ..Tui::default() }));
    assert!(!text(&app).contains('┌'));
}

#[test]
fn a_theme_is_looked_at_kept_or_left() {
    let mut app = on(Terminal::default());
    press(&mut app, "T");
    at_each_size!(app, "themes");
    let shown = |app: &App| style_of(app, "subagents").bg;
    let paper = Some(Color::Rgb(0xf7, 0xf3, 0xe8));
    click_on(&mut app, "paper");
    assert_eq!(shown(&app), paper, "whatever is selected is seen");
    press(&mut app, "esc");
    assert_eq!(shown(&app), Some(Color::Reset));
    press(&mut app, "T");
    click_on(&mut app, "paper");
    assert_eq!(press(&mut app, "space"), [], "for now, nothing is written");
    assert_eq!(shown(&app), paper);
    press(&mut app, "T up esc");
    assert_eq!(shown(&app), paper, "what was tried before is there again");
    press(&mut app, "T up");
    let keep = Task::new(Purpose::Tell, &["config", "theme", "--", "dusk"]);
    assert_eq!(press(&mut app, "enter"), [Effect::Run(keep)]);
    let dusk = Some(Color::Rgb(0x1b, 0x21, 0x30));
    assert_eq!(shown(&app), dusk, "it doesn't flicker until that is done");
    tell(&mut app, named("dusk"));
    assert_eq!(shown(&app), dusk);
    tell(&mut app, named("paper"));
    assert_eq!(shown(&app), paper, "the file counts again");
}

#[test]
fn nothing_moves_where_that_is_not_wanted() {
    let mut app = super::app(160, 30);
    tell(&mut app, News::Sessions(sessions()));
    let row = |requests: u64| json!({"routes": [{"route": "default", "requests": requests, "ok": requests}]});
    for requests in [1, 5] {
        tell(&mut app, News::Stats { session: id(1), stats: Arc::new(row(requests)) });
    }
    press(&mut app, "4");
    assert!(text(&app).contains("LAST MINUTE") && text(&app).contains('█'));
    tell(&mut app, configured(Tui { motion: Motion::Reduced, ..Tui::default() }));
    assert!(text(&app).contains("/MIN") && !text(&app).contains("LAST MINUTE") && !text(&app).contains('█'));
}

#[test]
fn what_can_not_be_used_of_a_theme_is_told_once() {
    let mut app = on(Terminal::default());
    let problem = |line: usize| Problem {
        severity: Severity::Error,
        file: "/c/themes/mine.toml".into(),
        line: Some(line),
        message: "`fg` of [bad] can't be `rde`".to_owned(),
        remedy: "did you mean `red`?".to_owned(),
    };
    for line in [3, 3, 4] {
        let problems = vec![problem(line)];
        tell(&mut app, News::Configuration(Arc::new(Configuration { problems, ..Configuration::default() })));
        assert!(text(&app).contains(&format!("mine.toml:{line}: `fg` of [bad]")), "{}", text(&app));
    }
    press(&mut app, "!");
    assert_eq!(text(&app).matches("mine.toml:3").count(), 1);
}
