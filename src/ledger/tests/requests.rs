//! Requests one by one.

use super::*;

fn ids(newer: &Newer) -> Vec<i64> {
    newer.rows.iter().map(|row| row.id).collect()
}

#[test]
fn only_what_is_newer_is_read_and_never_more_than_asked_for() {
    let folder = Folder::new();
    write(&folder, &session(1), (0..5).map(|at| record(at, "rev", "p/m", Some(0.5))));
    let ledger = Ledger::look(&folder.file()).unwrap();
    let first = ledger.since(Mark::default(), 3).unwrap();
    assert_eq!((ids(&first), first.skipped, first.lost), (vec![3, 4, 5], 2, 0));
    let row = &first.rows[0];
    assert_eq!((row.name.as_deref(), row.at, row.outcome.as_str()), (Some("shop-1"), 2, "ok"));
    assert_eq!((row.wire_model.as_deref(), row.upstream_model.as_deref()), (Some("rev@p/m"), Some("m")));
    assert_eq!((row.input_tokens, row.cache_write_tokens, row.cost_usd), (Some(7), None, Some(0.5)));
    assert_eq!(ledger.since(first.mark, 3).unwrap(), Newer { mark: first.mark, ..Newer::default() });
    write(&folder, &session(2), [record(9, "main", "default", None)]);
    let next = ledger.since(first.mark, 3).unwrap();
    assert_eq!((ids(&next), next.skipped), (vec![6], 0));
    assert_eq!(next.rows[0].session, Uuid::from_u128(2).to_string());
}

#[test]
fn what_could_not_be_kept_is_told_once() {
    let folder = Folder::new();
    write(&folder, &session(1), [record(0, "rev", "p/m", None)]);
    let lose = |requests| {
        super::super::rows::gap(&folder.ledger().connection, &Uuid::from_u128(1).to_string(), requests)
    };
    lose(6).unwrap();
    let ledger = Ledger::look(&folder.file()).unwrap();
    let first = ledger.since(Mark::default(), 10).unwrap();
    assert_eq!((first.rows.len(), first.lost), (1, 6));
    lose(2).unwrap();
    let next = ledger.since(first.mark, 10).unwrap();
    assert_eq!((next.rows.len(), next.lost), (0, 2));
}

#[test]
fn a_ledger_that_began_anew_is_read_from_its_beginning() {
    let folder = Folder::new();
    write(&folder, &session(1), (0..5).map(|at| record(at, "rev", "p/m", None)));
    let ledger = Ledger::look(&folder.file()).unwrap();
    let mark = ledger.since(Mark::default(), 10).unwrap().mark;
    let everything = Retention { days: NonZeroU32::new(1), bytes: None };
    folder.ledger().forget(everything, 100 * 24 * HOUR, &[]).unwrap();
    write(&folder, &session(2), [record(200 * 24 * HOUR, "rev", "p/m", None)]);
    assert_eq!(ids(&ledger.since(mark, 10).unwrap()), [1]);
}

#[test]
fn the_last_that_a_filter_picks_are_listed_and_all_of_them_counted() {
    let folder = Folder::new();
    write(&folder, &session(1), (0..4).map(|at| record(at, "rev", "p/m", None)));
    write(&folder, &session(2), [record(9, "main", "default", None)]);
    let of = |filter: Filter| {
        let (rows, count) = folder.ledger().requests(&filter, 2).unwrap();
        (rows.iter().map(|row| row.at).collect::<Vec<_>>(), count)
    };
    let first = Filter { session: Some(Uuid::from_u128(1)), ..Filter::default() };
    assert_eq!(of(first), (vec![2, 3], 4));
    assert_eq!(of(Filter { agent: Some("main".to_owned()), ..Filter::default() }), (vec![9], 1));
    assert_eq!(of(Filter { since: Some(3), ..Filter::default() }), (vec![3, 9], 2));
}
