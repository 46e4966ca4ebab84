//! More sessions than there is room for.

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
