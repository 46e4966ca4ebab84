//! What is remembered of a session beside its requests; and databases that older versions made.

use super::*;

const BEFORE: &str = "
    INSERT INTO sessions VALUES ('00000000-0000-0000-0000-000000000001', 5, 9, 3, '/p', '{\"version\":1}');
    INSERT INTO sessions VALUES ('00000000-0000-0000-0000-000000000002', 6, NULL, NULL, '/q', '{\"version\":1}');
    INSERT INTO requests (session, at, claude_session, agent, route, wire_model, path, outcome, bytes_in, bytes_out,
        total, input_tokens, cost, stray)
        VALUES ('00000000-0000-0000-0000-000000000001', 7, 'c', 'rev', 'p/m', 'rev@p/m', '/v1/messages', 'ok', 1, 2,
        3, 4, 0.5, 0);
    INSERT INTO gaps (session, at, requests) VALUES ('00000000-0000-0000-0000-000000000001', 8, 2);";

/// A database as the first version left it.
fn first_version(folder: &Folder) {
    std::fs::create_dir_all(folder.file().parent().unwrap()).unwrap();
    let connection = Connection::open(folder.file()).unwrap();
    connection.execute_batch(MIGRATIONS[0]).unwrap();
    connection.execute_batch(BEFORE).unwrap();
    connection.pragma_update(None, "user_version", 1).unwrap();
}

#[test]
fn a_database_of_the_first_version_keeps_all_its_rows() {
    let folder = Folder::new();
    first_version(&folder);
    let ledger = folder.ledger();
    let report = ledger.report(By::Session, &Filter::default()).unwrap();
    assert_eq!((report.total.requests, report.total.cost_usd, report.lost), (1, Some(0.5), 2));
    let sessions = ledger.sessions().unwrap();
    let found: Vec<_> = sessions.iter().map(|session| (session.id.as_u128(), session.heard)).collect();
    assert_eq!(found, [(1, 9), (2, 6)]);
    assert_eq!(sessions[0].ending, Some(Ending { at: 9, exit_code: 3 }));
    assert_eq!((&sessions[0].name, sessions[0].kind, sessions[1].ending), (&None, None, None));
    assert_eq!(sessions[0].conversations, ["c"]);
    let launched = ledger.launched(Uuid::from_u128(2)).unwrap().unwrap();
    assert_eq!(launched, Launched { invocation: None, snapshot: json!({"version": 1}) });
    assert_eq!(ledger.check().unwrap(), Vec::<String>::new());
}

#[test]
fn two_processes_that_bring_a_database_up_to_date_at_once_do_it_once() {
    let folder = Folder::new();
    first_version(&folder);
    std::thread::scope(|scope| {
        (0..4).for_each(|_| drop(scope.spawn(|| folder.ledger().sessions().unwrap())));
    });
    assert_eq!(folder.ledger().sessions().unwrap().len(), 2);
}

#[test]
fn lines_of_the_first_version_are_taken_in() {
    let line = r#"{"session":{"id":"00000000-0000-0000-0000-000000000001","started":1,"ended":2,"exit_code":0,
        "folder":"/p","snapshot":"{\"version\":1}"},"requests":[{"at":1,"claude_session":null,"agent_id":null,
        "parent_agent_id":null,"class":null,"attempt":0,"agent":"rev","route":"p/m","wire_model":"rev@p/m","path":"/v1/messages",
        "status":200,"outcome":"ok","blame":null,"bytes_in":1,"bytes_out":1,"ttfb":1,"total":1,"stop_reason":null,
        "input_tokens":1,"output_tokens":1,"cache_read_tokens":null,"cache_write_tokens":null,"cost":0.5,"stray":0}],
        "gaps":[{"at":1,"requests":3}]}"#;
    let mut ledger = Folder::new().ledger();
    assert_eq!(ledger.import(line.replace('\n', "").as_bytes()).unwrap().sessions, 1);
    let report = ledger.report(By::Agent, &Filter::default()).unwrap();
    assert_eq!((report.total.requests, report.lost), (1, 3));
    assert_eq!(ledger.launched(Uuid::from_u128(1)).unwrap().unwrap().snapshot, json!({"version": 1}));
}

#[test]
fn what_is_known_of_a_request_is_kept_with_the_price_it_was_reckoned_by() {
    let folder = Folder::new();
    let mut known = record(1, "rev", "glm/glm-5", Some(0.25));
    std::sync::Arc::make_mut(&mut known.caller).prompt_id = Some("prompt".to_owned());
    write(&folder, &session(1), [known, record(2, "main", "default", None)]);
    let mut lines = Vec::new();
    folder.ledger().export(&mut lines).unwrap();
    let line: serde_json::Value = serde_json::from_slice(&lines).unwrap();
    let [routed, unrouted] = line["requests"].as_array().unwrap().as_slice() else { panic!("{line}") };
    for (key, expect) in [
        ("prompt_id", json!("prompt")),
        ("upstream_model", json!("glm-5")),
        ("effort", json!("high")),
        ("price_input", json!(1.0)),
        ("price_output", json!(2.0)),
        ("price_cache_read", json!(0.5)),
        ("price_cache_write", json!(null)),
    ] {
        assert_eq!(routed[key], expect, "{key}");
    }
    assert_eq!((&unrouted["price_input"], &unrouted["cost"]), (&json!(null), &json!(null)));
}

#[tokio::test]
async fn conversations_are_kept_in_their_order_and_the_one_in_use_is_the_last() {
    let folder = Folder::new();
    let (_records, records) = broadcast::channel(4);
    let (now, conversations) = watch::channel(None);
    let row = SessionRow { conversation: Some("a".to_owned()), ..session(1) };
    let mut scribe = begun(&folder, row, News { records, conversations }).await;
    let reader = folder.ledger();
    let known = || reader.sessions().unwrap().remove(0).conversations;
    for (said, expect) in
        [("a", &["a"][..]), ("b", &["a", "b"]), ("c", &["a", "b", "c"]), ("a", &["b", "c", "a"])]
    {
        now.send(Some(said.to_owned())).unwrap();
        let seen = async {
            while known() != expect {
                tokio::task::yield_now().await;
            }
        };
        tokio::select! {
            () = scribe.work() => {}
            () = seen => {}
        }
    }
    now.send(Some("d".to_owned())).unwrap();
    scribe.finish(Ending { at: 2, exit_code: 0 });
    assert_eq!(known(), ["b", "c", "a", "d"]);
}

#[tokio::test]
async fn answers_are_kept_with_who_gave_them() {
    let folder = Folder::new();
    let (_records, records) = broadcast::channel(4);
    let scribe = begun(&folder, session(1), news(records)).await;
    let answer =
        |decision, by| Answer { at: 4, tool: "Bash".to_owned(), agent: "main".to_owned(), decision, by };
    scribe.answer(answer(Decision::Allow, Answerer::Inbox));
    scribe.answer(answer(Decision::Deny, Answerer::Terminal));
    scribe.finish(Ending { at: 2, exit_code: 0 });
    let mut lines = Vec::new();
    folder.ledger().export(&mut lines).unwrap();
    let line: serde_json::Value = serde_json::from_slice(&lines).unwrap();
    let kept = |decision: &str, by: &str| json!({"at": 4, "tool": "Bash", "agent": "main", "decision": decision, "by": by});
    assert_eq!(line["answers"], json!([kept("allow", "inbox"), kept("deny", "terminal")]));
}

#[test]
fn a_session_that_goes_on_keeps_its_start_and_gets_its_new_launch() {
    let folder = Folder::new();
    let words = |words: &[&str]| Invocation {
        words: words.iter().map(|word| (*word).to_owned()).collect(),
        ..Invocation::default()
    };
    write(&folder, &SessionRow { invocation: words(&["--a"]), ..session(1) }, []);
    let again = SessionRow {
        started: 50,
        kind: Kind::Terminal,
        invocation: words(&["--b"]),
        snapshot: json!({"version": 2}),
        ..session(1)
    };
    let mut ledger = folder.ledger();
    ledger.begin(&again).unwrap();
    let [kept] = ledger.sessions().unwrap().try_into().unwrap();
    assert_eq!((kept.started, kept.ending, kept.kind), (1, None, Some(Kind::Terminal)));
    let launched = ledger.launched(again.id).unwrap().unwrap();
    assert_eq!(launched, Launched { invocation: Some(words(&["--b"])), snapshot: json!({"version": 2}) });
    assert_eq!(ledger.launched(Uuid::from_u128(9)).unwrap(), None);
    let snapshots: i64 =
        ledger.connection.query_row("SELECT count(*) FROM snapshots", [], |row| row.get(0)).unwrap();
    assert_eq!(snapshots, 1, "the one before is nobody's any more");
}

#[test]
fn one_snapshot_of_many_launches_is_kept_once_and_goes_with_the_last() {
    let folder = Folder::new();
    for id in 1..=5 {
        write(&folder, &session(id), [record(1, "rev", "p/m", None)]);
    }
    let mut ledger = folder.ledger();
    let count = |ledger: &Ledger| -> i64 {
        ledger.connection.query_row("SELECT count(*) FROM snapshots", [], |row| row.get(0)).unwrap()
    };
    assert_eq!(count(&ledger), 1);
    let day = Retention { days: NonZeroU32::new(1), bytes: None };
    ledger.forget(day, 100 * 24 * HOUR, &[]).unwrap();
    assert_eq!((count(&ledger), ledger.sessions().unwrap().len()), (0, 0));
}

#[test]
fn an_old_session_without_an_end_goes_unless_it_lives() {
    let folder = Folder::new();
    let mut ledger = folder.ledger();
    let started = |id, started| SessionRow { started, ..session(id) };
    for row in [started(1, 0), started(2, 0), started(3, 90 * 24 * HOUR)] {
        ledger.begin(&row).unwrap();
    }
    let month = Retention { days: NonZeroU32::new(30), bytes: None };
    ledger.forget(month, 100 * 24 * HOUR, &[Uuid::from_u128(2)]).unwrap();
    let left: Vec<u128> = ledger.sessions().unwrap().iter().map(|session| session.id.as_u128()).collect();
    assert_eq!(left, [3, 2]);
}

#[test]
fn sums_by_session_have_its_name() {
    let folder = Folder::new();
    write(&folder, &session(1), [record(0, "rev", "p/m", None)]);
    let report = folder.ledger().report(By::Session, &Filter::default()).unwrap();
    assert_eq!((report.rows[0].name.as_deref(), &report.total.name), (Some("shop-1"), &None));
    let report = folder.ledger().report(By::Agent, &Filter::default()).unwrap();
    assert_eq!(report.rows[0].name, None);
}
