//! `retry-after` in the one form that Claude Code reads: whole seconds.
//!
//! RFC 9110 (10.2.3) also has a date, and some providers have `retry-after-ms` or fractions of a second.

use hyper::HeaderMap;
use hyper::header::{HeaderValue, RETRY_AFTER};
use jiff::Timestamp;
use jiff::fmt::rfc2822;

/// Rewrites what can't be read; what can't be understood stays as it came.
pub(super) fn make_readable(headers: &mut HeaderMap, now: Timestamp) {
    let text = |name| headers.get(name).and_then(|value: &HeaderValue| value.to_str().ok()).map(str::trim);
    let seconds = match (text(RETRY_AFTER.as_str()), text("retry-after-ms")) {
        (Some(value), _) if value.bytes().all(|byte| byte.is_ascii_digit()) => return,
        (Some(value), _) => fraction(value).or_else(|| until(value, now)),
        (None, Some(value)) => fraction(value).map(|milliseconds| milliseconds.div_ceil(1000)),
        (None, None) => return,
    };
    if let Some(seconds) = seconds {
        headers.insert(RETRY_AFTER, HeaderValue::from(seconds));
    }
}

/// Rounded up: a try that comes too early is refused again.
fn fraction(value: &str) -> Option<u64> {
    let number: f64 = value.parse().ok().filter(|number: &f64| (0.0..1e9).contains(number))?;
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "between 0 and a milliard")]
    Some(number.ceil() as u64)
}

fn until(value: &str, now: Timestamp) -> Option<u64> {
    let then = rfc2822::DateTimeParser::new().parse_timestamp(value).ok()?;
    Some(u64::try_from(then.as_second() - now.as_second()).unwrap_or(0))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whole_seconds_whatever_the_provider_writes() {
        let now: Timestamp = "2026-03-01T12:00:00Z".parse().unwrap();
        for (name, value, expect) in [
            ("retry-after", "7", Some("7")),
            ("retry-after", "0.4", Some("1")),
            ("retry-after", "Sun, 01 Mar 2026 12:00:30 GMT", Some("30")),
            ("retry-after", "Sun, 01 Mar 2026 11:00:30 GMT", Some("0")),
            ("retry-after", "soon", Some("soon")),
            ("retry-after-ms", "1200", Some("2")),
            ("retry-after-ms", "x", None),
            ("x", "7", None),
        ] {
            let mut headers = HeaderMap::new();
            headers.insert(hyper::header::HeaderName::from_static(name), value.parse().unwrap());
            make_readable(&mut headers, now);
            let got = headers.get(RETRY_AFTER).map(|value| value.to_str().unwrap());
            assert_eq!(got, expect, "{name}: {value}");
        }
    }
}
