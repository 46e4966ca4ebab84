//! The end of a body, copied while it passes, and the one thing that is read there.
//!
//! A body is never held for it, and never read twice: what stands elsewhere isn't known.

use std::sync::LazyLock;

use memchr::memmem::Finder;
use serde::Deserialize;

/// Bytes that are kept. Claude Code writes `output_config` behind the messages and the tools, the last but one.
const LENGTH: usize = 2048;

/// Levels are words; anything longer is none.
const LONGEST: usize = 32;

/// Made once: it costs as much as a search.
static KEY: LazyLock<Finder<'static>> = LazyLock::new(|| Finder::new(b"\"output_config\""));

/// The last bytes of a body.
#[derive(Debug, Default)]
pub(super) struct Tail(Vec<u8>);

/// A body from `output_config` on.
#[derive(Deserialize)]
struct Rest {
    output_config: OutputConfig,
}

#[derive(Deserialize)]
struct OutputConfig {
    effort: Option<String>,
}

impl Tail {
    /// The body's next piece.
    pub(super) fn feed(&mut self, piece: &[u8]) {
        let kept = &piece[piece.len().saturating_sub(LENGTH)..];
        let room = LENGTH - kept.len();
        self.0.drain(..self.0.len().saturating_sub(room));
        self.0.extend_from_slice(kept);
    }

    /// The top-level `output_config.effort`, once the body has passed to its end.
    pub(super) fn effort(&self) -> Option<String> {
        // Forwards, which is faster; the last one counts.
        let found = KEY.find_iter(&self.0).filter_map(|at| rest(&self.0[at..])).last();
        let effort = found?.output_config.effort;
        effort.filter(|effort| !effort.is_empty() && effort.len() <= LONGEST)
    }
}

/// What begins with a key and closes exactly one brace more than it opens stands at the top level: only then is it an
/// object with one before it. Within a string its quotes would be escaped.
fn rest(text: &[u8]) -> Option<Rest> {
    serde_json::from_slice(&[b"{", text].concat()).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn effort(body: &str, piece: usize) -> Option<String> {
        let mut tail = Tail::default();
        body.as_bytes().chunks(piece).for_each(|piece| tail.feed(piece));
        tail.effort()
    }

    fn check(body: &str, expect: Option<&str>) {
        for piece in [1, 7, 1000, body.len().max(1)] {
            assert_eq!(effort(body, piece).as_deref(), expect, "{body}");
        }
    }

    #[test]
    fn the_effort_is_read_at_the_end_of_a_body() {
        for (body, expect) in [
            (r#"{"model":"m","output_config":{"effort":"high"},"stream":true}"#, Some("high")),
            (r#"{"model":"m","output_config" : { "format": {"a":[1]}, "effort":"low" } } "#, Some("low")),
            (r#"{"output_config":{"effort":"low"},"output_config":{"effort":"high"}}"#, Some("high")),
            (r#"{"output_config":{"format":{}}}"#, None),
            (r#"{"output_config":{"effort":null}}"#, None),
            (r#"{"output_config":{"effort":""}}"#, None),
            (r#"{"output_config":{"effort":7}}"#, None),
            (r#"{"model":"m"}"#, None),
            ("", None),
        ] {
            check(body, expect);
        }
    }

    #[test]
    fn what_only_looks_like_it_is_none() {
        for body in [
            r#"{"messages":[{"input":{"output_config":{"effort":"high"}}}]}"#,
            r#"{"messages":[{"content":"\"output_config\":{\"effort\":\"high\"}}"}]}"#,
            r#"{"x":["output_config"],"effort":"high"}"#,
            r#"{"x":"output_config","effort":"high"}"#,
            r#"{"output_config":{"effort":"high"},"stream":tr"#,
        ] {
            check(body, None);
        }
        check(r#"{"output_config":{"effort":"high"},"x":{"output_config":{"effort":"low"}}}"#, Some("high"));
    }

    #[test]
    fn no_more_than_the_end_is_kept() {
        let long = "x".repeat(2 * LENGTH);
        check(&format!(r#"{{"messages":"{long}","output_config":{{"effort":"max"}}}}"#), Some("max"));
        check(&format!(r#"{{"output_config":{{"effort":"max"}},"messages":"{long}"}}"#), None);
        check(&format!(r#"{{"output_config":{{"effort":"{}"}}}}"#, "x".repeat(LONGEST + 1)), None);
        let mut tail = Tail::default();
        let long = long.as_bytes();
        for piece in [long, b"ab", &long[..LENGTH - 1]] {
            tail.feed(piece);
            assert!(tail.0.len() <= LENGTH);
        }
        assert_eq!(tail.0[0], b'b');
    }

    proptest::proptest! {
        #[test]
        fn any_bytes_are_survived(bytes: Vec<u8>) {
            let mut tail = Tail::default();
            tail.feed(&bytes);
            tail.effort();
        }
    }
}
