//! `count_tokens` on a route: many providers have no such call, and Claude Code asks dozens of times at its start.
//!
//! A route that says so is not asked again, and answered for by an estimate. What may be passing (a refusal, an
//! overload) is handed on as it came; nothing here may hide it, nor ever hold an inference request.

use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use bytes::Bytes;
use http_body_util::{BodyExt, Full, LengthLimitError, Limited};
use hyper::header::{CONTENT_ENCODING, CONTENT_TYPE, HeaderValue};
use hyper::{Response, StatusCode};
use tokio::sync::{Semaphore, SemaphorePermit};

use super::relay::Reply;

/// Calls that may find out at the same time whether a route counts.
const SCOUTS: usize = 3;

/// The longest answer that is looked into, in bytes; a count is a few dozen.
const LONGEST: usize = 64 * 1024;

/// English text and code have about this many bytes for each token: what is taken until the route has answered something.
const BYTES_PER_TOKEN: u64 = 4;

/// No tokenizer has more, whatever a provider says.
const MOST_BYTES_PER_TOKEN: u64 = 16;

/// Bytes after which what was learned before counts half.
const MEMORY: u64 = 16 * 1024 * 1024;

/// What is known of a route's `count_tokens`.
#[derive(Debug)]
pub(super) struct Counting {
    counts: OnceLock<bool>,
    scouts: Semaphore,
    pace: Arc<Pace>,
}

/// How many bytes a route's tokens have, as its answers tell: tokenizers differ by half.
#[derive(Debug, Default)]
pub(super) struct Pace(Mutex<Learned>);

#[derive(Debug, Default, Clone, Copy)]
struct Learned {
    bytes: u64,
    tokens: u64,
}

impl Pace {
    /// A request of `bytes` was so many tokens.
    pub(super) fn learn(&self, bytes: u64, tokens: u64) {
        if tokens.saturating_mul(MOST_BYTES_PER_TOKEN) < bytes || tokens > bytes {
            return; // Some say nothing true.
        }
        let mut learned = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if learned.bytes > MEMORY {
            *learned = Learned { bytes: learned.bytes / 2, tokens: learned.tokens / 2 };
        }
        learned.bytes += bytes;
        learned.tokens += tokens;
    }

    /// An estimate for a body of `bytes`.
    pub(super) fn tokens(&self, bytes: u64) -> u64 {
        let Learned { bytes: known, tokens } = *self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let learned = bytes.saturating_mul(tokens).checked_div(known);
        learned.unwrap_or(bytes / BYTES_PER_TOKEN).max(1)
    }
}

impl Default for Counting {
    fn default() -> Self {
        Self { counts: OnceLock::new(), scouts: Semaphore::new(SCOUTS), pace: Arc::default() }
    }
}

/// Leave to ask the route. `None` within: it is known to count.
#[derive(Debug)]
pub(super) struct Turn<'a>(Option<SemaphorePermit<'a>>);

impl Counting {
    /// Where it is learned how many bytes this route's tokens have.
    pub(super) fn pace(&self) -> Arc<Pace> {
        Arc::clone(&self.pace)
    }

    /// `None`: there is no use in asking.
    pub(super) async fn turn(&self) -> Option<Turn<'_>> {
        let scout = match self.counts.get() {
            Some(_) => None,
            None => self.scouts.acquire().await.ok(),
        };
        // Somebody else may have found out meanwhile.
        match self.counts.get() {
            Some(true) => Some(Turn(None)),
            Some(false) => None,
            None => Some(Turn(scout)),
        }
    }

    /// What the client gets for the route's answer to a body of `bytes`.
    pub(super) async fn judge(&self, turn: Turn<'_>, answer: Response<Reply>, bytes: u64) -> Response<Reply> {
        let unreadable = answer.headers().contains_key(CONTENT_ENCODING);
        match answer.status() {
            _ if turn.0.is_none() => answer,
            StatusCode::NOT_FOUND | StatusCode::METHOD_NOT_ALLOWED | StatusCode::NOT_IMPLEMENTED => {
                self.learn(false);
                self.estimate(bytes)
            }
            status if status.is_success() && !unreadable => self.read(answer, bytes).await,
            _ => answer,
        }
    }

    async fn read(&self, answer: Response<Reply>, bytes: u64) -> Response<Reply> {
        let (parts, body) = answer.into_parts();
        match Limited::new(body, LONGEST).collect().await {
            Ok(body) => {
                let body = body.to_bytes();
                let counts = is_count(&body);
                self.learn(counts);
                if counts {
                    Response::from_parts(parts, Reply::Own(Full::new(body)))
                } else {
                    self.estimate(bytes)
                }
            }
            Err(error) => {
                if error.is::<LengthLimitError>() {
                    self.learn(false);
                }
                self.estimate(bytes)
            }
        }
    }

    fn learn(&self, counts: bool) {
        // Whoever found out first is as right as anyone.
        let _ = self.counts.set(counts);
    }

    /// `{"input_tokens":N}` for a body of `bytes`.
    pub(super) fn estimate(&self, bytes: u64) -> Response<Reply> {
        let body = Bytes::from(format!("{{\"input_tokens\":{}}}", self.pace.tokens(bytes)));
        let mut response = Response::new(Reply::Own(Full::new(body)));
        response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
        response
    }
}

fn is_count(body: &[u8]) -> bool {
    #[derive(serde::Deserialize)]
    struct Count {
        #[serde(rename = "input_tokens")]
        _tokens: u64,
    }
    serde_json::from_slice::<Count>(body).is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn d03_only_a_whole_number_is_a_count() {
        for (body, want) in [
            (r#"{"input_tokens":7}"#, true),
            (r#"{"x":{},"input_tokens":0,"cache":1}"#, true),
            (r#"{"input_tokens":"7"}"#, false),
            (r#"{"input_tokens":-1}"#, false),
            (r#"{"input_tokens":1.5}"#, false),
            (r#"{"error":"x"}"#, false),
            ("<html>", false),
            ("", false),
        ] {
            assert_eq!(is_count(body.as_bytes()), want, "{body}");
        }
    }

    #[test]
    fn j07_tokens_are_reckoned_by_what_was_used_unless_that_can_not_be() {
        let pace = Pace::default();
        assert_eq!((pace.tokens(4000), pace.tokens(0)), (1000, 1));
        for (bytes, tokens) in [(1000, 1), (1000, 0), (10, 1000), (0, 0)] {
            pace.learn(bytes, tokens);
        }
        assert_eq!(pace.tokens(4000), 1000);
        pace.learn(3000, 1000);
        assert_eq!(pace.tokens(3000), 1000);
        // What is newer counts more in the end.
        (0..100).for_each(|_| pace.learn(MEMORY, MEMORY / 8));
        assert!((120..130).contains(&pace.tokens(1000)), "{}", pace.tokens(1000));
    }

    #[tokio::test]
    async fn c14_three_may_ask_at_once_and_the_others_wait_for_what_they_learn() {
        let counting = Counting::default();
        let scouts = [counting.turn().await, counting.turn().await, counting.turn().await];
        assert!(scouts.iter().all(Option::is_some));
        let other = counting.turn();
        counting.learn(false);
        drop(scouts);
        assert!(other.await.is_none() && counting.turn().await.is_none());
    }
}
