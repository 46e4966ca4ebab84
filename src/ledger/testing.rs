//! Ledgers with something in them, for the tests of those who read them.

use std::path::Path;

use serde_json::json;
use uuid::Uuid;

use super::{Invocation, Kind, Ledger, SessionRow, rows};
use crate::router::tap::Usage;
use crate::router::{Outcome, Record};

/// Keeps a session that has no end, with a request at each of these times.
///
/// # Panics
/// The file can't be written.
pub fn keep(file: &Path, session: u128, times: &[i64]) {
    let mut ledger = Ledger::open(file).unwrap();
    let id = Uuid::from_u128(session);
    let row = SessionRow {
        id,
        started: 1,
        folder: "/p".into(),
        name: format!("shop-{session}"),
        kind: Kind::Host,
        invocation: Invocation::default(),
        snapshot: json!({"agents": []}),
        conversation: None,
    };
    ledger.begin(&row).unwrap();
    for at in times {
        rows::request(&ledger.connection, &id.to_string(), &record(*at)).unwrap();
    }
}

pub(super) fn record(at: i64) -> Record {
    Record {
        at,
        agent: "reviewer".to_owned(),
        route: "glm/glm-5".to_owned(),
        wire_model: Some("reviewer@glm/glm-5".to_owned()),
        upstream_model: Some("glm-5".to_owned()),
        path: "/v1/messages".to_owned(),
        status: Some(200),
        outcome: Outcome::Ok,
        bytes_in: 10,
        bytes_out: 20,
        ttfb: Some(3),
        total: 4,
        stop_reason: Some("end_turn".to_owned()),
        usage: Usage { input: Some(7), output: Some(5), cache_read: None, cache_write: None },
        ..Record::default()
    }
}
