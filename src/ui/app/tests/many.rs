//! More sessions than there is room for, and none that could be read.

use super::{listed, live, state};
use crate::launch::sessions::State;
use crate::ui::app::event::News;
use crate::ui::app::testing::{app, at_each_size, press, tell, text};

#[test]
fn fifty_sessions_are_gone_through_with_the_selected_one_in_sight() {
    let mut app = app(80, 24);
    let state = |number| if number % 2 == 0 { live(state::State::Idle) } else { State::Ended(0) };
    let name = |number: u128| format!("{}-{number:02}", "a-session-with-a-long-name");
    tell(
        &mut app,
        News::Sessions((1..=50).map(|number| listed(number, &name(number), state(number))).collect()),
    );
    at_each_size!(app, "sessions_huge");
    press(&mut app, "G");
    let last = text(&app);
    press(&mut app, "g");
    assert_ne!(last, text(&app), "the list has moved");
}

#[test]
fn a_list_that_cannot_be_read_says_why_until_it_can() {
    let mut app = app(80, 24);
    tell(&mut app, News::Unlisted("the ledger /d/ledger.db: file is not a database".to_owned()));
    at_each_size!(app, "sessions_failed");
    tell(&mut app, News::Sessions(vec![listed(1, "api-fix", State::Ended(0))]));
    assert!(text(&app).contains("api-fix") && !text(&app).contains("database"));
}
