//! The log alone: what is shown of what has come.

use std::sync::Arc;

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use super::*;
use crate::ui::app::look::{Look, Role};
use crate::ui::app::testing::now;
use crate::ui::app::widget::Canvas;
use crate::ui::app::world::World;

fn row(id: i64) -> Arc<Request> {
    let at = now().as_millisecond() + id;
    let (agent, outcome) = (format!("agent{}", id % 3), "ok".to_owned());
    Arc::new(Request { id, at, agent, outcome, total: 1000 - id.unsigned_abs() % 1000, ..Request::default() })
}

fn rows(ids: std::ops::RangeInclusive<i64>) -> Vec<Arc<Request>> {
    ids.map(row).collect()
}

fn world() -> World {
    World::new(now())
}

fn press(log: &mut Log, action: Action) {
    assert!(log.press("f12".parse().unwrap(), Some(action), &world()).is_ok(), "{action:?}");
}

fn filter(log: &mut Log, text: &str) {
    press(log, Action::Filter);
    for c in text.chars() {
        assert!(log.press(c.to_string().parse().unwrap(), None, &world()).is_ok());
    }
    press(log, Action::Accept);
}

fn shown(log: &Log) -> Vec<i64> {
    log.shown.iter().map(|number| log.row(*number).unwrap().id).collect()
}

fn selected(log: &Log) -> Option<i64> {
    log.selected().map(|row| row.id)
}

#[test]
fn it_follows_until_the_person_goes_elsewhere_and_again_from_the_end() {
    let mut log = Log::default();
    log.take(&rows(1..=5));
    assert_eq!(selected(&log), Some(5));
    press(&mut log, Action::Up);
    log.take(&rows(6..=8));
    assert_eq!(selected(&log), Some(4));
    press(&mut log, Action::Last);
    log.take(&rows(9..=9));
    assert_eq!(selected(&log), Some(9));
    press(&mut log, Action::Follow);
    log.take(&rows(10..=10));
    assert_eq!(selected(&log), Some(9));
}

#[test]
fn a_paused_list_stays_as_it_is_and_counts_what_comes() {
    let mut log = Log::default();
    log.take(&rows(1..=3));
    press(&mut log, Action::Pause);
    log.take(&rows(4..=6));
    assert_eq!((shown(&log), log.flow), (vec![1, 2, 3], Flow::Paused { from: 3 }));
    press(&mut log, Action::Sort);
    assert_eq!(shown(&log), [3, 2, 1].map(|id| 4 - id), "what is hidden stays hidden in another order");
    press(&mut log, Action::Pause);
    assert_eq!(log.shown.len(), 6);
}

#[test]
fn the_oldest_go_where_there_are_too_many_and_the_selected_one_stays_selected() {
    let limit = i64::from(KEPT_REQUESTS);
    let mut log = Log::default();
    log.take(&rows(1..=limit));
    press(&mut log, Action::PageUp);
    assert_eq!(selected(&log), Some(limit - 10));
    log.take(&rows(limit + 1..=limit + 7));
    assert_eq!((log.shown.len(), log.older, selected(&log)), (10_000, 7, Some(limit - 10)));
    press(&mut log, Action::Pause);
    press(&mut log, Action::First);
    log.take(&rows(limit + 8..=limit + 10));
    assert_eq!((log.shown.len(), selected(&log)), (9_997, Some(11)), "what is gone can't be shown");
}

#[test]
fn filters_and_sessions_cut_it_down_and_new_rows_pass_them_too() {
    let mut log = Log::default();
    log.take(&rows(1..=6));
    filter(&mut log, "AGENT1");
    assert_eq!(shown(&log), [1, 4]);
    log.take(&rows(7..=8));
    assert_eq!(shown(&log), [1, 4, 7]);
    log.confine(Some(Uuid::nil()));
    assert!(shown(&log).is_empty());
    log.confine(None);
    press(&mut log, Action::Back);
    assert_eq!(shown(&log).len(), 8);
}

#[test]
fn orders_go_around_and_the_newest_of_equals_is_first() {
    let mut log = Log::default();
    let mut dear = Request { id: 1, cost_usd: Some(0.5), outcome: "ok".to_owned(), ..Request::default() };
    dear.output_tokens = Some(3);
    let slow =
        Request { id: 2, total: 9, ttfb: Some(1), outcome: "cancelled".to_owned(), ..Request::default() };
    let bad = Request { id: 3, ttfb: Some(2), outcome: "upstream_error".to_owned(), ..Request::default() };
    log.take(&[dear, slow, bad].map(Arc::new));
    for expect in [[2, 3, 1], [3, 2, 1], [1, 3, 2], [1, 3, 2], [3, 2, 1], [1, 2, 3]] {
        press(&mut log, Action::Sort);
        assert_eq!(shown(&log), expect, "{:?}", log.order);
    }
}

#[test]
fn a_ledger_that_began_anew_replaces_what_was_there() {
    let mut log = Log::default();
    log.take(&rows(1..=5));
    log.take(&rows(2..=3));
    assert_eq!(shown(&log), [2, 3]);
}

#[test]
fn ten_thousand_rows_are_drawn_by_making_only_those_that_are_seen() {
    let mut log = Log::default();
    log.take(&rows(1..=i64::from(KEPT_REQUESTS)));
    let area = Rect::new(0, 0, 80, 10);
    let mut buffer = Buffer::empty(area);
    let look = Look::default();
    let canvas = &mut Canvas::new(&look, &mut buffer);
    let frame = Frame { title: "Requests", empty: "", role: Role::Focus };
    draw(&log, &frame, &World::new(now()), canvas, area);
    // Everything that is formatted is one of these: a row that isn't seen has no way onto the canvas.
    let seen = log.list.seen(log.shown.len(), 7);
    assert_eq!(seen, 9_993..10_000);
}
