//! A day's budget over several routers: each learns from the ledger what the others have used.

use std::path::Path;

use subagents::config::Retention;
use subagents::launch::today::Today;
use subagents::ledger::{Draft, Ending, Invocation, Kind, News, Place, Scribe, SessionRow, Whose};
use uuid::Uuid;

use crate::process::Serving;
use crate::support::lab::message;
use crate::support::{AutoUpstream, Lab};

const BODY: &str = r#"{"model":"reviewer@glm/glm-5","max_tokens":1}"#;

async fn lab(url: &str, budget: &str) -> Lab {
    let file = format!("[budgets.night]\nper = \"day\"\n{budget}");
    Lab::setup(url).provider("glm", url).agent("reviewer", "glm/glm-5").config(&file).start().await
}

async fn ask(lab: &Lab) -> u16 {
    lab.ask(lab.post(&[], BODY)).await.0.status()
}

/// The session whose requests these are, as it is kept.
async fn scribe(lab: &Lab, ledger: &Path, session: u128) -> Scribe {
    let news = News { records: lab.meter.records(), conversations: lab.callers.conversations() };
    let place = Place { file: ledger.to_owned(), retention: Retention::default(), living: Vec::new() };
    let row = SessionRow {
        id: Uuid::from_u128(session),
        started: 1,
        folder: "/p".into(),
        name: format!("shop-{session}"),
        kind: Kind::Host,
        invocation: Invocation::default(),
        snapshot: serde_json::json!({"agents": []}),
        conversation: None,
    };
    Draft::open(&place, row, news).await.expect("a ledger").begin().await
}

/// Whatever the router has told is in the ledger then.
async fn kept(scribe: Scribe) {
    let finish = move || scribe.finish(Ending { at: 2, exit_code: 0 });
    assert_eq!(tokio::task::spawn_blocking(finish).await.expect("an end"), Some(0));
}

fn others(session: u128) -> Whose {
    Whose::AllBut { session: Uuid::from_u128(session), since: 0 }
}

/// What one request uses: 3 tokens in and 2 out.
#[tokio::test]
async fn what_one_router_has_used_of_a_days_budget_is_missing_to_the_other() {
    let upstream = AutoUpstream::start(|_| message()).await;
    for budget in ["requests = 3", "tokens = 15", "agent = \"reviewer\"\nroute = \"glm/*\"\nrequests = 3"] {
        let folder = tempfile::tempdir().expect("a folder");
        let ledger = folder.path().join("ledger.db");
        let (first, second) = (lab(&upstream.url(), budget).await, lab(&upstream.url(), budget).await);
        let scribe = scribe(&first, &ledger, 1).await;
        assert_eq!((ask(&first).await, ask(&first).await), (200, 200));
        first.settled("glm/glm-5").await;
        kept(scribe).await;
        let mut today = Today::of(&second.allowances, &ledger, others(2)).expect("a budget of a day");
        today.tell().await;
        assert_eq!((ask(&second).await, ask(&second).await), (200, 403), "{budget}");
        // Its own requests stand in the ledger too, and count once.
        let mut today = Today::of(&first.allowances, &ledger, others(1)).expect("a budget of a day");
        today.tell().await;
        assert_eq!((ask(&first).await, ask(&first).await), (200, 403), "{budget}");
    }
}

#[tokio::test]
async fn what_a_budget_doesnt_cover_counts_for_nobody_else_either() {
    let upstream = AutoUpstream::start(|_| message()).await;
    let folder = tempfile::tempdir().expect("a folder");
    let ledger = folder.path().join("ledger.db");
    let first = lab(&upstream.url(), "requests = 1\nagent = \"critic\"").await;
    let second = lab(&upstream.url(), "requests = 1\nagent = \"critic\"").await;
    let scribe = scribe(&first, &ledger, 1).await;
    assert_eq!(ask(&first).await, 200);
    first.settled("glm/glm-5").await;
    kept(scribe).await;
    Today::of(&second.allowances, &ledger, others(2)).expect("a budget of a day").tell().await;
    assert_eq!(ask(&second).await, 200);
}

#[tokio::test]
async fn without_a_budget_of_a_day_there_is_nothing_to_ask_for() {
    let lab = lab("http://127.0.0.1:9", "requests = 3").await;
    assert!(Today::of(&lab.allowances, Path::new("none"), Whose::Everybody).is_some());
    let config = "[budgets.night]\nper = \"session\"\nrequests = 3";
    let lab = Lab::setup("http://127.0.0.1:9").config(config).start().await;
    assert!(Today::of(&lab.allowances, Path::new("none"), Whose::Everybody).is_none());
}

#[tokio::test]
async fn a_router_alone_reads_what_all_sessions_have_used() {
    let upstream = AutoUpstream::start(|_| message()).await;
    let folder = tempfile::tempdir().expect("a folder");
    let config = format!(
        "[providers.glm]\nbase_url = \"{}\"\n[routes.\"glm/glm-5\"]\n[budgets.night]\nper = \"day\"\nrequests = 2\n",
        upstream.url()
    );
    std::fs::write(folder.path().join("config.toml"), config).expect("a file");
    let ledger = folder.path().join(".local/share/subagents/ledger.db");
    let first = lab(&upstream.url(), "requests = 9").await;
    let scribe = scribe(&first, &ledger, 1).await;
    assert_eq!(ask(&first).await, 200);
    first.settled("glm/glm-5").await;
    kept(scribe).await;
    let serving = Serving::start_in(folder, &upstream.url(), 256).await;
    for expect in [200, 403] {
        assert_eq!(serving.ask(r#"{"model":"glm/glm-5"}"#).await, expect);
    }
}

#[tokio::test(start_paused = true)]
async fn others_are_asked_about_at_once_and_then_every_15_seconds() {
    let lab = lab("http://127.0.0.1:9", "requests = 3").await;
    let folder = tempfile::tempdir().expect("a folder");
    let ledger = folder.path().join("none");
    let mut today = Today::of(&lab.allowances, &ledger, Whose::Everybody).expect("a budget of a day");
    let begun = tokio::time::Instant::now();
    for expect in [0, 15, 30] {
        today.tell().await;
        assert_eq!(begun.elapsed().as_secs(), expect);
    }
    assert!(!ledger.exists(), "a question makes no file");
}
