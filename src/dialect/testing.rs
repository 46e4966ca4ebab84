//! A checker of Anthropic's event streams, for the tests of whatever writes them.

use proptest::sample::Index;
use serde_json::{Value, json};

use super::Rewrite;

pub(super) mod bodies;

/// An answer's id.
pub(super) const ID: &str = "msg_0123456789abcdef0123456789abcdef";

/// A stream that keeps the rules, as a client reads it.
#[derive(Debug, Default, PartialEq)]
pub(super) struct Heard {
    /// As in a message: `{"type":"text","text":…}`, a tool's input as the text that came.
    pub(super) blocks: Vec<Value>,
    pub(super) stop_reason: Option<String>,
    pub(super) usage: Value,
    pub(super) end: End,
}

#[derive(Debug, Default, Clone, PartialEq)]
pub(super) enum End {
    #[default]
    Open,
    Stopped,
    /// `event: error`
    Error(Value),
}

/// Where a stream may be.
#[derive(Debug, PartialEq)]
enum State {
    Silent,
    Between,
    In,
    Told,
    Over,
}

/// The data of all events.
///
/// # Panics
/// When the bytes are no whole events, each named as its data is.
pub(super) fn data(stream: &[u8]) -> Vec<Value> {
    let text = std::str::from_utf8(stream).expect("UTF-8");
    assert!(text.is_empty() || text.ends_with("\n\n"), "half an event: {text}");
    let events = text.split("\n\n").filter(|event| !event.is_empty());
    let data = events.map(|event| {
        let (name, data) = event.split_once('\n').expect("two lines");
        let data: Value = serde_json::from_str(data.strip_prefix("data: ").expect("data")).expect("JSON");
        assert_eq!(name.strip_prefix("event: "), data["type"].as_str());
        data
    });
    data.collect()
}

/// Reads a stream as a strict client does.
///
/// # Panics
/// When an event comes where none of its kind may.
pub(super) fn heard(stream: &[u8]) -> Heard {
    let mut heard = Heard::default();
    let mut state = State::Silent;
    for event in data(stream) {
        state = heard.step(state, &event);
    }
    heard
}

impl Heard {
    fn step(&mut self, state: State, event: &Value) -> State {
        match (event["type"].as_str().expect("a type"), state) {
            ("ping", state) if state != State::Over => state,
            ("message_start", State::Silent) => begun(&event["message"]),
            ("content_block_start", State::Between) => self.begin(event),
            ("content_block_delta", State::In) => self.hear(event),
            ("content_block_stop", State::In) => {
                assert_eq!(event["index"], self.blocks.len() - 1);
                State::Between
            }
            ("message_delta", State::Between) => {
                self.stop_reason = event["delta"]["stop_reason"].as_str().map(str::to_owned);
                assert!(event["usage"]["output_tokens"].is_u64());
                self.usage = event["usage"].clone();
                State::Told
            }
            ("message_stop", State::Told) => {
                self.end = End::Stopped;
                State::Over
            }
            ("error", state) if state != State::Over => {
                assert!(event["error"]["type"].is_string() && event["error"]["message"].is_string());
                self.end = End::Error(event["error"].clone());
                State::Over
            }
            (name, state) => panic!("{name} may not come: {state:?}"),
        }
    }

    fn begin(&mut self, event: &Value) -> State {
        assert_eq!(event["index"], self.blocks.len());
        let mut block = event["content_block"].clone();
        match block["type"].as_str() {
            Some("text") => assert_eq!(block["text"], ""),
            Some("thinking") => {
                assert_eq!((&block["thinking"], &block["signature"]), (&json!(""), &json!("")));
            }
            Some("tool_use") => {
                assert!(block["id"].as_str().is_some_and(|id| !id.is_empty()));
                assert!(self.blocks.iter().all(|other| other["id"] != block["id"]), "two calls with one id");
                assert!(block["name"].as_str().is_some_and(|name| !name.is_empty()));
                assert_eq!(block["input"], json!({}), "E08: a client reads no input here");
                block["input"] = json!("");
            }
            other => panic!("a block of {other:?}"),
        }
        self.blocks.push(block);
        State::In
    }

    fn hear(&mut self, event: &Value) -> State {
        assert_eq!(event["index"], self.blocks.len() - 1);
        let block = self.blocks.last_mut().expect("a block");
        let (delta, kind) = (&event["delta"], block["type"].as_str().expect("a type").to_owned());
        let (from, to) = match (kind.as_str(), delta["type"].as_str().expect("a type")) {
            ("text", "text_delta") => ("text", "text"),
            ("thinking", "thinking_delta") => ("thinking", "thinking"),
            ("thinking", "signature_delta") => ("signature", "signature"),
            ("tool_use", "input_json_delta") => ("partial_json", "input"),
            (block, delta) => panic!("E01: {delta} within {block}"),
        };
        let piece = delta[from].as_str().expect("a string");
        let so_far = block[to].as_str().expect("a string");
        block[to] = json!(format!("{so_far}{piece}"));
        State::In
    }
}

/// All that `rewrite` makes of the pieces.
pub(super) fn rewritten(mut rewrite: impl Rewrite, pieces: &[&[u8]]) -> Vec<u8> {
    let mut out = Vec::new();
    for piece in pieces {
        rewrite.feed(piece, &mut out);
    }
    rewrite.finish(&mut out);
    out
}

/// The pieces that `cuts` (as shares of the whole) make of it.
pub(super) fn cut<'a>(bytes: &'a [u8], cuts: &[Index]) -> Vec<&'a [u8]> {
    let mut places: Vec<usize> = cuts.iter().map(|cut| cut.index(bytes.len() + 1)).collect();
    places.extend([0, bytes.len()]);
    places.sort_unstable();
    places.windows(2).map(|pair| &bytes[pair[0]..pair[1]]).collect()
}

/// A message that has said nothing yet.
fn begun(message: &Value) -> State {
    assert_eq!((&message["type"], &message["role"]), (&json!("message"), &json!("assistant")));
    assert_eq!((&message["content"], &message["stop_reason"]), (&json!([]), &Value::Null));
    assert!(message["usage"]["input_tokens"].is_u64() && message["usage"]["output_tokens"].is_u64());
    assert!(message["model"].is_string() && message["id"] == ID);
    State::Between
}
