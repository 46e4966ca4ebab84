//! Watches over a route's silent stream: pings while it thinks, an end when it has been silent too long.
//!
//! One timer for each stream, armed again only when it fires: an event costs no timer.

use std::pin::Pin;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use bytes::Bytes;
use tokio::time::{Instant, Sleep, sleep_until};

use super::error;

/// Claude Code calls a stream stalled after about 20 s without a byte.
const PING_AFTER: Duration = Duration::from_secs(15);
const PING: &[u8] = b"event: ping\ndata: {\"type\": \"ping\"}\n\n";

#[derive(Debug)]
pub struct Vigil {
    idle: Duration,
    stream: Option<Place>,
    heard: Instant,
    sent: Instant,
    timer: Pin<Box<Sleep>>,
}

/// Where an event stream that can be added to stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Place {
    /// Before `message_start`.
    Before,
    /// Between two events.
    Between,
    Within,
}

/// What silence leads to.
#[derive(Debug, PartialEq, Eq)]
pub enum Due {
    Ping(Bytes),
    /// Nothing for this long: the limit.
    Silence(Duration),
}

impl Vigil {
    /// `events`: the body is an event stream that is neither compressed nor of a fixed length.
    pub fn new(idle: Duration, events: bool) -> Self {
        let now = Instant::now();
        let timer = Box::pin(sleep_until(now + idle.min(PING_AFTER)));
        Self { idle, stream: events.then_some(Place::Before), heard: now, sent: now, timer }
    }

    /// A piece has come, and is sent on.
    pub fn heard(&mut self, piece: &[u8]) {
        self.heard = Instant::now();
        self.sent = self.heard;
        if let Some(place) = &mut self.stream {
            let begun = *place != Place::Before || memchr::memmem::find(piece, b"message_start").is_some();
            let between = piece.ends_with(b"\n\n") || piece.ends_with(b"\r\n\r\n");
            *place = match (begun, between) {
                (false, _) => Place::Before,
                (true, true) => Place::Between,
                (true, false) => Place::Within,
            };
        }
    }

    pub fn poll(&mut self, cx: &mut Context<'_>) -> Poll<Due> {
        loop {
            ready!(self.timer.as_mut().poll(cx));
            let now = Instant::now();
            if now >= self.heard + self.idle {
                return Poll::Ready(Due::Silence(self.idle));
            }
            let ping = self.stream == Some(Place::Between) && now >= self.sent + PING_AFTER;
            if ping {
                self.sent = now;
            }
            let next = (self.sent + PING_AFTER).max(now + Duration::from_secs(1));
            self.timer.as_mut().reset(next.min(self.heard + self.idle));
            if ping {
                return Poll::Ready(Due::Ping(Bytes::from_static(PING)));
            }
        }
    }

    /// The event that ends a cut stream; `None` where the body can't be added to.
    pub fn error_event(&self, route: &str, fault: &str) -> Option<Bytes> {
        let place = self.stream?;
        let body = error::body("api_error", &format!("{route}: {fault}"));
        // An event that was cut in its middle is ended, not continued.
        let end: &[u8] = if place == Place::Between { b"" } else { b"\n\n" };
        Some([end, b"event: error\ndata: ", &body, b"\n\n"].concat().into())
    }
}

#[cfg(test)]
mod tests {
    use std::future::poll_fn;

    use super::*;

    async fn due(vigil: &mut Vigil) -> (u64, Due) {
        let begin = Instant::now();
        let due = poll_fn(|cx| vigil.poll(cx)).await;
        (begin.elapsed().as_secs(), due)
    }

    #[tokio::test(start_paused = true)]
    async fn c01_a_silent_stream_gets_pings_between_events_only() {
        let ping = Due::Ping(Bytes::from_static(PING));
        let mut vigil = Vigil::new(Duration::from_mins(5), true);
        vigil.heard(b"event: message_start\ndata: {}\n\n");
        assert_eq!(due(&mut vigil).await, (15, ping));
        assert_eq!(due(&mut vigil).await.0, 15);
        vigil.heard(b"event: content_block_delta\nda");
        assert_eq!(due(&mut vigil).await, (300, Due::Silence(Duration::from_mins(5))));
    }

    #[tokio::test(start_paused = true)]
    async fn c01_no_ping_before_the_message_and_none_in_other_bodies() {
        for (events, piece) in [(true, &b"\n\n"[..]), (false, b"event: message_start\ndata: {}\n\n")] {
            let mut vigil = Vigil::new(Duration::from_secs(40), events);
            vigil.heard(piece);
            assert_eq!(due(&mut vigil).await, (40, Due::Silence(Duration::from_secs(40))));
        }
    }

    #[test]
    fn c07_a_cut_event_is_ended_before_the_error() {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap();
        let _inside = runtime.enter();
        let mut vigil = Vigil::new(Duration::from_secs(1), true);
        vigil.heard(b"event: message_start\ndata: {}\n\ndata: {\"a");
        let event = vigil.error_event("p/m", "gone").unwrap();
        assert!(event.starts_with(b"\n\nevent: error\ndata: {\"type\":\"error\""));
        assert!(event.ends_with(b"}\n\n"));
    }
}
