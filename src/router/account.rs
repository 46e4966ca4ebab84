//! Step 8: what is known of an inference request while its answer passes, and how it is counted out.
//!
//! What is logged of a cut answer (C15) explains it, and holds nothing of its content.

use std::sync::Arc;
use std::time::Instant;

use bytes::Bytes;
use hyper::header::{HeaderMap, HeaderName};

use super::count::Pace;
use super::error::Blame;
use super::meter::Flight;
use super::record::Outcome;
use super::tap::{Ending, EventName, Findings, Tap};

const REQUEST_ID: HeaderName = HeaderName::from_static("request-id");

/// Bytes of it that are kept for the log.
const REQUEST_ID_LENGTH: usize = 64;

/// An account that is dropped counts as cancelled.
#[derive(Debug)]
pub(super) struct Account {
    flight: Flight,
    tap: Tap,
    status: u16,
    /// The provider's own name of the request, for its support.
    request_id: Option<String>,
    /// When the last bytes came.
    heard: Instant,
    /// Learns from what was used.
    pace: Arc<Pace>,
}

/// How an answer stopped before its end.
#[derive(Debug, Clone, Copy)]
pub(super) struct Stop<'a> {
    /// `None`: the stream ended in order.
    pub(super) fault: Option<&'a str>,
    /// Who closed first.
    pub(super) by: Blame,
    pub(super) http2: bool,
}

impl Account {
    pub(super) fn new(
        mut flight: Flight,
        tap: Tap,
        status: u16,
        headers: &HeaderMap,
        pace: Arc<Pace>,
    ) -> Self {
        flight.head(status);
        let request_id = headers.get(REQUEST_ID).and_then(|id| id.to_str().ok());
        // A copy: the value itself would keep the buffer that the whole head came in.
        let request_id = request_id.map(|id| id[..id.len().min(REQUEST_ID_LENGTH)].to_owned());
        Self { flight, tap, status, request_id, heard: Instant::now(), pace }
    }

    pub(super) fn tap(&self) -> &Tap {
        &self.tap
    }

    pub(super) fn data(&mut self, piece: &Bytes) {
        self.heard = Instant::now();
        self.tap.feed(piece);
        self.flight.record().bytes_out += piece.len() as u64;
    }

    /// The upstream's part is over: counts the request out.
    pub(super) fn settle(mut self, stop: Stop<'_>) -> Ending {
        let findings = self.tap.finish();
        let ending = match findings.ending {
            // The connection broke after the last event: nothing is missing.
            said if is_said(&findings) => said,
            ending => stop.fault.map_or(ending, |_| Ending::Cut),
        };
        if ending == Ending::Cut {
            let report = self.report(&findings, stop);
            tracing::warn!(%report, "an answer was cut");
        }
        let outcome = outcome(self.status, ending);
        self.conclude(findings, outcome);
        ending
    }

    /// The client hung up, or we end. After the last event, be it an error, the client has all that there is;
    /// before, what was used so far is known.
    pub(super) fn abandon(mut self, stop: Stop<'_>) {
        let findings = self.tap.finish();
        let outcome = if is_said(&findings) {
            outcome(self.status, findings.ending)
        } else {
            let report = self.report(&findings, stop);
            tracing::debug!(%report, "an answer was given up");
            Outcome::Cancelled
        };
        self.conclude(findings, outcome);
    }

    /// C15: everything but the content.
    fn report(&mut self, findings: &Findings, stop: Stop<'_>) -> String {
        let (elapsed, silent) = (self.flight.elapsed().as_millis(), self.heard.elapsed().as_millis());
        let record = self.flight.record();
        let (route, bytes) = (&record.route, record.bytes_out);
        let fault = stop.fault.unwrap_or("the stream ended before its last event");
        let (status, events, by, http2) = (self.status, findings.events, stop.by, stop.http2);
        let last = findings.last_event.map_or("none", EventName::as_str);
        let id = self.request_id.as_deref().unwrap_or("none");
        format!(
            "route={route:?} status={status} by={by:?} fault={fault:?} bytes={bytes} events={events} \
             last_event={last} elapsed_ms={elapsed} silent_ms={silent} http2={http2} request_id={id:?}"
        )
    }

    fn conclude(mut self, findings: Findings, outcome: Outcome) {
        let record = self.flight.record();
        record.usage = findings.usage;
        if let (Outcome::Ok, Some(tokens)) = (outcome, findings.usage.total_input()) {
            self.pace.learn(record.bytes_in, tokens);
        }
        record.stop_reason = findings.stop_reason;
        record.blame = match outcome {
            Outcome::UpstreamError => Some(Blame::Provider),
            Outcome::ClientError => Some(Blame::Client),
            Outcome::Ok | Outcome::Cancelled => None,
        };
        self.flight.finish(outcome);
    }
}

/// Nothing can follow.
fn is_said(findings: &Findings) -> bool {
    findings.events > 0 && matches!(findings.ending, Ending::Complete | Ending::ErrorEvent)
}

fn outcome(status: u16, ending: Ending) -> Outcome {
    match (status, ending) {
        (400..=499, _) => Outcome::ClientError,
        (200..=299, Ending::Complete | Ending::Unknown) => Outcome::Ok,
        _ => Outcome::UpstreamError,
    }
}
