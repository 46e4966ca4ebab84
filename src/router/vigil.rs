//! Watches over a route's silent stream: pings while it thinks, an end when it has been silent too long.
//!
//! One timer for each stream, armed again only when it fires: an event costs no timer.

use std::pin::Pin;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use bytes::Bytes;
use tokio::time::{Instant, Sleep, sleep_until};

use super::error;
use super::forward::Limits;

/// Claude Code calls a stream stalled after about 20 s without a byte.
pub(super) const PING_AFTER: Duration = Duration::from_secs(15);
pub(super) const PING: &[u8] = b"event: ping\ndata: {\"type\": \"ping\"}\n\n";

#[derive(Debug)]
pub(super) struct Vigil {
    idle: Duration,
    /// When the whole answer must have come, and the limit that says so.
    end: Option<(Instant, Duration)>,
    /// The body is an event stream that can be added to.
    events: bool,
    heard: Instant,
    sent: Instant,
    timer: Pin<Box<Sleep>>,
}

/// What silence leads to.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Due {
    Ping(Bytes),
    /// A limit is reached: its name among the timeouts.
    Over(&'static str, Duration),
}

impl Vigil {
    /// `events`: the body is an event stream that is neither compressed nor of a fixed length. `begun`: when its request was sent.
    pub(super) fn new(limits: &Limits, events: bool, begun: Instant) -> Self {
        let now = Instant::now();
        let end = limits.total.map(|total| (begun + total, total));
        let first = now + limits.idle.min(PING_AFTER);
        let timer = Box::pin(sleep_until(end.map_or(first, |(end, _)| first.min(end))));
        Self { idle: limits.idle, end, events, heard: now, sent: now, timer }
    }

    /// Whether events of ours may stand in the body.
    pub(super) fn may_add(&self) -> bool {
        self.events
    }

    /// A piece has come.
    pub(super) fn heard(&mut self) {
        self.heard = Instant::now();
    }

    /// Something was sent on just now.
    pub(super) fn sent(&mut self) {
        self.sent = self.heard;
    }

    /// `pingable`: the stream stands between two events.
    pub(super) fn poll(&mut self, cx: &mut Context<'_>, pingable: bool) -> Poll<Due> {
        loop {
            ready!(self.timer.as_mut().poll(cx));
            let now = Instant::now();
            if let Some((_, total)) = self.end.filter(|(end, _)| now >= *end) {
                return Poll::Ready(Due::Over("total", total));
            }
            if now >= self.heard + self.idle {
                return Poll::Ready(Due::Over("idle", self.idle));
            }
            let ping = self.events && pingable && now >= self.sent + PING_AFTER;
            if ping {
                self.sent = now;
            }
            let next = (self.sent + PING_AFTER).max(now + Duration::from_secs(1));
            let end = self.end.map_or(next, |(end, _)| end);
            self.timer.as_mut().reset(next.min(self.heard + self.idle).min(end));
            if ping {
                return Poll::Ready(Due::Ping(Bytes::from_static(PING)));
            }
        }
    }

    /// The event that ends a cut stream; `None` where the body can't be added to. `between`: no event is unfinished.
    pub(super) fn error_event(&self, route: &str, fault: &str, between: bool) -> Option<Bytes> {
        if !self.events {
            return None;
        }
        let body = error::body("api_error", &format!("subagents: {route}: {fault}"));
        // An event that was cut in its middle is ended, not continued.
        let end: &[u8] = if between { b"" } else { b"\n\n" };
        Some([end, b"event: error\ndata: ", &body, b"\n\n"].concat().into())
    }
}

#[cfg(test)]
mod tests {
    use std::future::poll_fn;

    use super::*;

    fn limits(idle: Duration, total: Option<Duration>) -> Limits {
        Limits { connect: idle, first_byte: None, idle, total }
    }

    async fn due(vigil: &mut Vigil, pingable: bool) -> (u64, Due) {
        let begin = Instant::now();
        let due = poll_fn(|cx| vigil.poll(cx, pingable)).await;
        (begin.elapsed().as_secs(), due)
    }

    #[tokio::test(start_paused = true)]
    async fn c01_a_silent_stream_gets_pings_between_events_only() {
        let ping = Due::Ping(Bytes::from_static(PING));
        let mut vigil = Vigil::new(&limits(Duration::from_mins(5), None), true, Instant::now());
        vigil.heard();
        assert_eq!(due(&mut vigil, true).await, (15, ping));
        assert_eq!(due(&mut vigil, true).await.0, 15);
        vigil.heard();
        vigil.sent();
        assert_eq!(due(&mut vigil, false).await, (300, Due::Over("idle", Duration::from_mins(5))));
    }

    #[tokio::test(start_paused = true)]
    async fn c01_no_ping_in_other_bodies() {
        let mut vigil = Vigil::new(&limits(Duration::from_secs(40), None), false, Instant::now());
        vigil.heard();
        assert_eq!(due(&mut vigil, true).await, (40, Due::Over("idle", Duration::from_secs(40))));
        assert_eq!(vigil.error_event("p/m", "gone", true), None);
    }

    #[tokio::test(start_paused = true)]
    async fn a_stream_that_never_ends_is_ended_at_its_limit() {
        let total = Duration::from_secs(20);
        let mut vigil = Vigil::new(&limits(Duration::from_mins(5), Some(total)), true, Instant::now());
        assert_eq!(due(&mut vigil, true).await.0, 15);
        vigil.heard();
        assert_eq!(due(&mut vigil, true).await, (5, Due::Over("total", total)));
    }

    #[tokio::test]
    async fn c07_a_cut_event_is_ended_before_the_error() {
        let vigil = Vigil::new(&limits(Duration::from_secs(1), None), true, Instant::now());
        for (between, begin) in
            [(false, "\n\nevent: error\ndata: {\"type\":\"error\""), (true, "event: error\n")]
        {
            let event = vigil.error_event("p/m", "gone", between).unwrap();
            assert!(event.starts_with(begin.as_bytes()) && event.ends_with(b"}\n\n"));
        }
    }
}
