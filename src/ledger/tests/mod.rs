//! A real database file: what is written is found again, whatever happens in between.

mod memory;
mod requests;

use std::num::{NonZeroU32, NonZeroU64};
use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use rusqlite::Connection;
use serde_json::json;
use tokio::sync::{broadcast, watch};
use uuid::Uuid;

use super::open::MIGRATIONS;
use super::write::{Entry, Writer};
use super::*;
use crate::config::{Price, Retention};
use crate::router::tap::Usage;
use crate::router::{Outcome, Record};

const HOUR: i64 = 3_600_000;

struct Folder(tempfile::TempDir);

impl Folder {
    fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    fn file(&self) -> PathBuf {
        self.0.path().join("data/ledger.db")
    }

    fn place(&self) -> Place {
        Place { file: self.file(), retention: Retention::default(), living: Vec::new() }
    }

    fn ledger(&self) -> Ledger {
        Ledger::open(&self.file()).unwrap()
    }
}

fn session(id: u128) -> SessionRow {
    let snapshot = json!({"agents": []});
    SessionRow {
        id: Uuid::from_u128(id),
        started: 1,
        folder: PathBuf::from("/p"),
        name: format!("shop-{id}"),
        kind: Kind::Host,
        invocation: Invocation::default(),
        snapshot,
        conversation: None,
    }
}

fn news(records: broadcast::Receiver<Arc<Record>>) -> News {
    News { records, conversations: watch::channel(None).1 }
}

fn record(at: i64, agent: &str, route: &str, cost: Option<f64>) -> Record {
    Record {
        agent: agent.to_owned(),
        route: route.to_owned(),
        wire_model: Some(format!("{agent}@{route}")),
        upstream_model: route.split_once('/').map(|(_, model)| model.to_owned()),
        effort: Some("high".to_owned()),
        usage: Usage { input: Some(7), output: Some(5), cache_read: Some(100), cache_write: None },
        price: cost.map(|_| Price { input: 1.0, output: 2.0, cache_read: Some(0.5), cache_write: None }),
        cost,
        ..super::testing::record(at)
    }
}

fn write(folder: &Folder, session: &SessionRow, records: impl IntoIterator<Item = Record>) -> Option<u64> {
    let (writer, _) = Writer::start(folder.place(), session.id).unwrap();
    writer.write(Entry::Session(Box::new(session.clone())));
    records.into_iter().for_each(|record| writer.write(Entry::Request(Arc::new(record))));
    writer.finish(Ending { at: 2, exit_code: 3 }, Duration::from_secs(30))
}

/// A session that is kept.
async fn begun(folder: &Folder, session: SessionRow, news: News) -> Scribe {
    Draft::open(&folder.place(), session, news).await.unwrap().begin().await
}

#[test]
fn i05_the_file_is_private_and_opens_again() {
    let folder = Folder::new();
    folder.ledger();
    folder.ledger();
    let mode = |path: PathBuf| std::fs::metadata(path).unwrap().permissions().mode() & 0o777;
    assert_eq!((mode(folder.file()), mode(folder.0.path().join("data"))), (0o600, 0o700));
}

#[test]
fn j03_j05_sums_keep_the_four_counts_apart_and_unknown_prices_out() {
    let folder = Folder::new();
    let records = [
        record(0, "main", "default", None),
        record(HOUR, "rev", "glm/glm-5", Some(0.25)),
        record(2 * HOUR, "rev", "glm/glm-5", Some(0.5)),
        record(3 * HOUR, "rev", "ollama/q", Some(0.0)),
        Record {
            outcome: Outcome::Cancelled,
            usage: Usage::default(),
            ..record(4 * HOUR, "main", "default", None)
        },
    ];
    assert_eq!(write(&folder, &session(1), records), Some(0));
    let report = folder.ledger().report(By::Route, &Filter::default()).unwrap();
    let keys: Vec<_> = report.rows.iter().map(|row| (row.key.as_str(), row.requests, row.cost_usd)).collect();
    assert_eq!(keys, [("default", 2, None), ("glm/glm-5", 2, Some(0.75)), ("ollama/q", 1, Some(0.0))]);
    let total = &report.total;
    assert_eq!((total.requests, total.ok, total.cancelled, total.unpriced), (5, 4, 1, 2));
    assert_eq!((total.input_tokens, total.output_tokens), (28, 20));
    assert_eq!((total.cache_read_tokens, total.cache_write_tokens), (400, 0));
    assert_eq!((total.cost_usd, report.lost), (Some(0.75), 0));
}

#[test]
fn reports_are_grouped_and_filtered() {
    let folder = Folder::new();
    write(&folder, &session(1), [record(0, "main", "default", None), record(30 * HOUR, "rev", "p/m", None)]);
    write(&folder, &session(2), [record(60 * HOUR, "rev", "p/m", None)]);
    let keys = |by, filter: Filter| {
        let report = folder.ledger().report(by, &filter).unwrap();
        report.rows.into_iter().map(|row| (row.key, row.requests)).collect::<Vec<_>>()
    };
    let of = |agent: &str, requests| (agent.to_owned(), requests);
    assert_eq!(keys(By::Agent, Filter::default()), [of("rev", 2), of("main", 1)]);
    assert_eq!(keys(By::Agent, Filter { since: Some(HOUR), ..Filter::default() }), [of("rev", 2)]);
    assert_eq!(keys(By::Agent, Filter { until: Some(HOUR), ..Filter::default() }), [of("main", 1)]);
    let second = Filter { session: Some(Uuid::from_u128(2)), ..Filter::default() };
    assert_eq!(keys(By::Model, second), [of("rev@p/m", 1)]);
    let routed = Filter { route: Some("p/m".to_owned()), ..Filter::default() };
    assert_eq!(keys(By::Session, routed.clone()).len(), 2);
    assert_eq!(keys(By::Day, routed).len(), 2);
    assert!(keys(By::Day, Filter { agent: Some("nobody".to_owned()), ..Filter::default() }).is_empty());
}

#[test]
fn several_sessions_write_at_once_and_lose_nothing() {
    let folder = Folder::new();
    folder.ledger();
    std::thread::scope(|scope| {
        for id in 1..=6 {
            let folder = &folder;
            scope.spawn(move || {
                let records = (0..200).map(|at| record(at, "rev", "p/m", None));
                assert_eq!(write(folder, &session(id), records), Some(0));
            });
        }
    });
    let report = folder.ledger().report(By::Session, &Filter::default()).unwrap();
    assert_eq!((report.rows.len(), report.total.requests, report.lost), (6, 1200, 0));
}

#[tokio::test]
async fn what_a_slow_reader_loses_is_kept_as_a_gap() {
    let folder = Folder::new();
    let (sender, records) = broadcast::channel(4);
    for at in 0..10 {
        sender.send(Arc::new(record(at, "rev", "p/m", None))).unwrap();
    }
    let scribe = begun(&folder, session(1), news(records)).await;
    assert_eq!(scribe.finish(Ending { at: 2, exit_code: 0 }), Some(6));
    let report = folder.ledger().report(By::Route, &Filter::default()).unwrap();
    assert_eq!((report.total.requests, report.lost), (4, 6));
}

#[tokio::test]
async fn records_are_on_the_disk_while_the_session_lives() {
    let folder = Folder::new();
    let (sender, records) = broadcast::channel(4);
    let mut scribe = begun(&folder, session(1), news(records)).await;
    sender.send(Arc::new(record(1, "rev", "p/m", None))).unwrap();
    let reader = folder.ledger();
    let seen = async {
        while reader.report(By::Route, &Filter::default()).unwrap().total.requests == 0 {
            tokio::task::yield_now().await;
        }
    };
    tokio::select! {
        () = scribe.work() => {}
        () = seen => {}
    }
    scribe.finish(Ending { at: 2, exit_code: 7 });
    let ended: (i64, i64) = Connection::open(folder.file())
        .unwrap()
        .query_row("SELECT ended, exit_code FROM sessions", [], |row| Ok((row.get(0)?, row.get(1)?)))
        .unwrap();
    assert_eq!(ended, (2, 7));
}

#[test]
fn a_locked_database_loses_nothing_that_the_queue_can_hold() {
    let folder = Folder::new();
    folder.ledger();
    let blocker = Connection::open(folder.file()).unwrap();
    blocker.execute_batch("BEGIN IMMEDIATE").unwrap();
    let (writer, _) = Writer::start(folder.place(), Uuid::from_u128(1)).unwrap();
    writer.write(Entry::Session(Box::new(session(1))));
    (0..500).for_each(|at| writer.write(Entry::Request(Arc::new(record(at, "rev", "p/m", None)))));
    blocker.execute_batch("COMMIT").unwrap();
    assert_eq!(writer.finish(Ending { at: 2, exit_code: 0 }, Duration::from_secs(30)), Some(0));
    assert_eq!(folder.ledger().report(By::Route, &Filter::default()).unwrap().total.requests, 500);
}

#[tokio::test]
async fn a_ledger_that_is_locked_from_the_first_keeps_the_session_later_and_its_gap() {
    let folder = Folder::new();
    std::fs::create_dir_all(folder.file().parent().unwrap()).unwrap();
    let blocker = Connection::open(folder.file()).unwrap();
    // Nobody can even make its tables.
    blocker.execute_batch("BEGIN EXCLUSIVE").unwrap();
    let (sender, records) = broadcast::channel(4);
    let draft = Draft::open(&folder.place(), session(1), news(records)).await.unwrap();
    assert_eq!(draft.readiness, Readiness::Awaited);
    let scribe = draft.begin().await;
    (0..6).for_each(|at| drop(sender.send(Arc::new(record(at, "rev", "p/m", None)))));
    blocker.execute_batch("COMMIT").unwrap();
    let finished = tokio::task::spawn_blocking(|| scribe.finish(Ending { at: 2, exit_code: 0 }));
    assert_eq!(finished.await.unwrap(), Some(2));
    let report = folder.ledger().report(By::Session, &Filter::default()).unwrap();
    assert_eq!((report.total.requests, report.lost), (4, 2));
}

#[tokio::test]
async fn a_session_that_never_begins_leaves_nothing_and_changes_nothing() {
    let folder = Folder::new();
    write(&folder, &session(1), [record(0, "rev", "p/m", None)]);
    let before = (folder.ledger().sessions().unwrap(), folder.ledger().launched(Uuid::from_u128(1)).unwrap());
    for id in [1, 2] {
        let again = SessionRow { name: "other".to_owned(), snapshot: json!({"agents": [1]}), ..session(id) };
        let (_sender, records) = broadcast::channel(4);
        drop(Draft::open(&folder.place(), again, news(records)).await.unwrap());
    }
    let after = (folder.ledger().sessions().unwrap(), folder.ledger().launched(Uuid::from_u128(1)).unwrap());
    assert_eq!(before, after);
}

#[test]
fn what_is_lost_is_told_although_nothing_comes_after_it() {
    let folder = Folder::new();
    let (writer, _) = Writer::start(folder.place(), Uuid::from_u128(1)).unwrap();
    folder.ledger();
    let blocker = Connection::open(folder.file()).unwrap();
    blocker.execute_batch("BEGIN IMMEDIATE").unwrap();
    writer.write(Entry::Session(Box::new(session(1))));
    (0..2000).for_each(|at| writer.write(Entry::Request(Arc::new(record(at, "rev", "p/m", None)))));
    blocker.execute_batch("COMMIT").unwrap();
    let reader = folder.ledger();
    let told = || {
        let report = reader.report(By::Session, &Filter::default()).unwrap();
        (report.lost > 0).then(|| report.total.requests + report.lost)
    };
    let deadline = std::time::Instant::now() + Duration::from_secs(30);
    while told() != Some(2000) {
        assert!(std::time::Instant::now() < deadline, "{:?}", told());
        std::thread::yield_now();
    }
    writer.finish(Ending { at: 2, exit_code: 0 }, Duration::from_secs(30));
}

#[test]
fn a_newer_versions_file_and_a_broken_one_are_told_and_left_alone() {
    let folder = Folder::new();
    folder.ledger();
    Connection::open(folder.file()).unwrap().pragma_update(None, "user_version", 99).unwrap();
    assert!(matches!(Ledger::open(&folder.file()), Err(LedgerError::Newer(_))));
    std::fs::write(folder.file(), "no database at all, but a text that somebody put here").unwrap();
    let told = Ledger::open(&folder.file()).unwrap_err().to_string();
    assert!(told.contains("ledger.db"), "{told}");
}

#[test]
fn looking_makes_no_file_and_changes_none() {
    let folder = Folder::new();
    assert!(Ledger::look(&folder.file()).is_none());
    assert!(!folder.file().exists());
    write(&folder, &session(1), []);
    assert_eq!(Ledger::look(&folder.file()).unwrap().sessions().unwrap().len(), 1);
    Connection::open(folder.file()).unwrap().pragma_update(None, "user_version", 1).unwrap();
    assert!(Ledger::look(&folder.file()).is_none(), "it would have to be brought up to date");
}

#[test]
fn what_goes_out_comes_in_again_and_twice_is_once() {
    let (from, to) = (Folder::new(), Folder::new());
    write(&from, &session(1), [record(0, "rev", "p/m", Some(0.25)), record(1, "main", "default", None)]);
    write(&from, &session(2), []);
    let mut lines = Vec::new();
    assert_eq!(from.ledger().export(&mut lines).unwrap(), 2);
    let mut ledger = to.ledger();
    assert_eq!(ledger.import(lines.as_slice()).unwrap(), Imported { sessions: 2, known: 0 });
    assert_eq!(ledger.import(lines.as_slice()).unwrap(), Imported { sessions: 0, known: 2 });
    let mut again = Vec::new();
    ledger.export(&mut again).unwrap();
    assert_eq!(String::from_utf8(again).unwrap(), String::from_utf8(lines).unwrap());
}

#[test]
fn lines_that_are_not_ours_are_named_and_nothing_is_taken_in() {
    let folder = Folder::new();
    let good = "{\"session\":{\"id\":\"x\",\"started\":1,\"folder\":\"/\",\"snapshot\":\"{}\"}}";
    for (bad, part) in [
        ("no json", "line 2"),
        ("{}", "no `session`"),
        ("{\"session\":{\"id\":\"y\",\"snapshot\":\"\"}}", "line 2"),
        ("{\"session\":{\"id\":\"y\",\"started\":1,\"folder\":\"/\"}}", "no `snapshot`"),
        ("{\"session\":{\"id\":\"y\",\"snapshot\":\"\",\"snapshot_id\":1}}", "no column"),
        ("{\"session\":{\"id\":\"y\",\"snapshot\":\"\",\"x; DROP TABLE sessions\":1}}", "no column"),
    ] {
        let told = folder.ledger().import(format!("{good}\n{bad}\n").as_bytes()).unwrap_err().to_string();
        assert!(told.contains(part) && told.contains("nothing was taken in"), "{told}");
    }
    assert_eq!(folder.ledger().import(good.as_bytes()).unwrap().sessions, 1);
}

#[test]
fn the_old_and_the_too_many_are_forgotten_with_their_sessions() {
    let folder = Folder::new();
    write(&folder, &session(1), [record(0, "rev", "p/m", None)]);
    for id in 2..=6 {
        let records = (0..1000).map(|at| record(100 * 24 * HOUR + at, "rev", "p/m", None));
        assert_eq!(write(&folder, &session(id), records), Some(0));
    }
    let mut ledger = folder.ledger();
    let month = Retention { days: NonZeroU32::new(30), bytes: None };
    assert_eq!(ledger.forget(month, 100 * 24 * HOUR, &[]).unwrap(), 1);
    let left = |ledger: &Ledger| ledger.report(By::Session, &Filter::default()).unwrap().total.requests;
    assert_eq!(left(&ledger), 5000);
    let small = Retention { days: None, bytes: NonZeroU64::new(300_000) };
    let gone = ledger.forget(small, 0, &[]).unwrap();
    assert_eq!((gone % 1000, left(&ledger)), (0, 5000 - gone));
    assert!(gone > 0 && gone < 5000, "{gone}");
    ledger.vacuum().unwrap();
    assert!(std::fs::metadata(folder.file()).unwrap().len() < 600_000);
    assert_eq!(ledger.check().unwrap(), Vec::<String>::new());
}
