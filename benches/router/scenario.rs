//! What is asked for.

/// Streams that stand open while memory is read.
pub(crate) const OPEN_STREAMS: usize = 500;

/// One kind of request.
pub(crate) struct Scenario {
    pub(crate) name: &'static str,
    /// Bytes of the request's body.
    pub(crate) body: usize,
    /// Events of the answer; 0 for a plain one.
    pub(crate) events: usize,
    /// Connections that ask at the same time.
    pub(crate) connections: u32,
    /// Requests of each connection, after one that isn't counted.
    pub(crate) requests: u32,
}

impl Scenario {
    /// All requests of a run, the uncounted ones too.
    pub(crate) fn total(&self) -> u32 {
        self.connections * (self.requests + 1)
    }
}

const KB: usize = 1000;
const MB: usize = 1000 * KB;

pub(crate) const SCENARIOS: [Scenario; 6] = [
    Scenario { name: "2 KB request, c=1", body: 2 * KB, events: 0, connections: 1, requests: 1000 },
    Scenario { name: "200 events, c=1", body: 2 * KB, events: 200, connections: 1, requests: 100 },
    Scenario { name: "200 events, c=64", body: 2 * KB, events: 200, connections: 64, requests: 5 },
    Scenario { name: "200 KB request, c=1", body: 200 * KB, events: 0, connections: 1, requests: 200 },
    Scenario { name: "2 MB request, c=1", body: 2 * MB, events: 0, connections: 1, requests: 40 },
    Scenario { name: "20 MB request, c=1", body: 20 * MB, events: 0, connections: 1, requests: 5 },
];

/// A request's body of about `size` bytes: `model` first, as Claude Code sends it, then one long message.
pub(crate) fn body(size: usize) -> String {
    let head =
        r#"{"model":"bench/model","max_tokens":32000,"stream":true,"messages":[{"role":"user","content":""#;
    let tail = r#""}]}"#;
    let line = "Reviews a change for \\\"correctness\\\" and says what it would break.\\n";
    let room = size.saturating_sub(head.len() + tail.len());
    format!("{head}{}{}{tail}", line.repeat(room / line.len()), " ".repeat(room % line.len()))
}
