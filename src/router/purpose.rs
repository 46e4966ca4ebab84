//! What a call is for. Only two of the API's calls name a model that a route can serve; nothing else is looked into.

use hyper::Method;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Purpose {
    /// Inference.
    Message,
    /// How many tokens a message has.
    Count,
    /// Which models there are.
    Models,
    /// For the default upstream alone, untouched: batches, files, OAuth, telemetry, …
    Other,
}

impl Purpose {
    /// `call`: path and query, without the token's prefix.
    pub(super) fn of(method: &Method, call: &str) -> Self {
        match path_of(call) {
            "/v1/messages" if method == Method::POST => Self::Message,
            "/v1/messages/count_tokens" if method == Method::POST => Self::Count,
            "/v1/models" if method == Method::GET => Self::Models,
            _ => Self::Other,
        }
    }
}

/// A call without its query.
pub(super) fn path_of(call: &str) -> &str {
    memchr::memchr(b'?', call.as_bytes()).map_or(call, |end| &call[..end])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_exact_calls_are_for_routes() {
        for (method, call, want) in [
            (Method::POST, "/v1/messages", Purpose::Message),
            (Method::POST, "/v1/messages?beta=true", Purpose::Message),
            (Method::POST, "/v1/messages/count_tokens?beta=true", Purpose::Count),
            (Method::GET, "/v1/models?limit=1000", Purpose::Models),
            (Method::POST, "/v1/models", Purpose::Other),
            (Method::GET, "/v1/messages", Purpose::Other),
            (Method::POST, "/v1/messages/", Purpose::Other),
            (Method::POST, "/v1/messages/batches", Purpose::Other),
            (Method::POST, "/x/v1/messages", Purpose::Other),
            (Method::POST, "/v1/files?x=/v1/messages", Purpose::Other),
        ] {
            assert_eq!(Purpose::of(&method, call), want, "{method} {call}");
        }
    }
}
