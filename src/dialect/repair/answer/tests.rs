//! Streams that break the order of events, cut in any way.

use proptest::prelude::*;

use super::*;
use crate::dialect::repair::tests::plan;

/// The answer as it comes out, however it is cut.
fn mended(on: &[Repair], estimate: u64, stream: &str) -> String {
    let whole = relayed(on, estimate, stream, stream.len());
    for size in [1, 2, 3, 7] {
        assert_eq!(relayed(on, estimate, stream, size), whole, "in pieces of {size}");
    }
    whole
}

fn relayed(on: &[Repair], estimate: u64, stream: &str, size: usize) -> String {
    let mut mender = plan(on).answer(NonZeroU64::new(estimate)).unwrap();
    let mut out = Vec::new();
    for piece in stream.as_bytes().chunks(size.max(1)) {
        mender.feed(piece, &mut out);
    }
    mender.finish(&mut out);
    String::from_utf8(out).unwrap()
}

fn event(data: &str) -> String {
    let value: serde_json::Value = serde_json::from_str(data).unwrap();
    format!("event: {}\ndata: {data}\n\n", value["type"].as_str().unwrap())
}

fn stream(events: &[&str]) -> String {
    events.iter().map(|data| event(data)).collect()
}

const START: &str =
    r#"{"type":"message_start","message":{"id":"m","usage":{"input_tokens":0,"output_tokens":0}}}"#;
const TEXT: &str = r#"{"type":"content_block_start","index":0,"content_block":{"type":"text","text":""}}"#;
const THINKING: &str =
    r#"{"type":"content_block_start","index":0,"content_block":{"type":"thinking","thinking":""}}"#;
const DELTA: &str =
    r#"{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"Grüße"}}"#;
const SIGNATURE: &str =
    r#"{"type":"content_block_delta","index":0,"delta":{"type":"signature_delta","signature":"s"}}"#;
const STOP: &str = r#"{"type":"content_block_stop","index":0}"#;
const END: &str = r#"{"type":"message_stop"}"#;

#[test]
fn d17_a_block_that_starts_with_each_token_starts_once() {
    let sent = stream(&[START, TEXT, DELTA, TEXT, DELTA, TEXT, DELTA, STOP, TEXT, STOP, END]);
    let expect = stream(&[START, TEXT, DELTA, DELTA, DELTA, STOP, TEXT, STOP, END]);
    assert_eq!(mended(&[Repair::CollapseDuplicateStarts], 0, &sent), expect);
    // Another kind at the same place is nothing that we understand.
    let odd = stream(&[TEXT, THINKING, STOP]);
    assert_eq!(mended(&[Repair::CollapseDuplicateStarts], 0, &odd), odd);
}

#[test]
fn d17_thinking_without_a_signature_gets_an_empty_one_and_nothing_else_does() {
    let signed = r#"{"type":"content_block_start","index":0,"content_block":{"type":"thinking","thinking":"","signature":""}}"#;
    let empty =
        r#"{"type":"content_block_delta","index":0,"delta":{"type":"signature_delta","signature":""}}"#;
    let on = [Repair::SignThinking];
    assert_eq!(mended(&on, 0, &stream(&[THINKING, STOP])), stream(&[signed, empty, STOP]));
    let legal = stream(&[START, signed, SIGNATURE, STOP, TEXT, DELTA, STOP, END]);
    assert_eq!(mended(&on, 0, &legal), legal);
    let both = [Repair::SignThinking, Repair::CollapseDuplicateStarts];
    let sent = stream(&[THINKING, THINKING, STOP]);
    assert_eq!(mended(&both, 0, &sent), stream(&[signed, empty, STOP]));
}

#[test]
fn d05_an_answer_that_begins_with_nothing_begins_with_the_estimate() {
    let on = [Repair::UsageAtStart];
    let rest = [TEXT, DELTA, STOP, r#"{"type":"message_delta","usage":{"input_tokens":14}}"#, END];
    let sent = format!("{}{}", event(START), stream(&rest));
    let expect = sent.replacen(r#""input_tokens":0"#, r#""input_tokens":42"#, 1);
    assert_eq!(mended(&on, 42, &sent), expect);
    assert_eq!(mended(&on, 0, &sent), sent, "without an estimate");
    for told in [r#"{"input_tokens":7}"#, r#"{"input_tokens":0,"cache_read_input_tokens":5}"#] {
        let sent = event(&format!(r#"{{"type":"message_start","message":{{"usage":{told}}}}}"#));
        assert_eq!(mended(&on, 42, &sent), sent);
    }
}

#[test]
fn c16_what_can_t_be_read_passes_as_it_came() {
    let on = [Repair::CollapseDuplicateStarts, Repair::SignThinking, Repair::UsageAtStart];
    for odd in [
        ": ping\n\n",
        "event: ping\ndata: {\"type\": \"ping\"}\n\n",
        "event: ping\r\ndata: {\"type\": \"ping\"}\r\n\r\n",
        "data: {\"type\":\"content_block_start\",\"index\":0,\"content_block\":{     }\n\n",
        "data: {\"type\":\"content_block_stop\"}\n\n",
        "data: {\"type\":\"content_block\ndata: _stop\"}\n\n",
        "data: [DONE]\n\n",
        "data:\n\n",
        "data: \0\n\n\n\n",
    ] {
        assert_eq!(mended(&on, 1, odd), odd);
    }
}

#[test]
fn c07_what_was_cut_off_is_left_out_and_a_last_event_without_its_empty_line_is_not() {
    let on = [Repair::SignThinking];
    let whole = stream(&[TEXT, STOP]);
    assert_eq!(mended(&on, 0, &format!("{whole}event: message_stop\ndata: {{\"type\":\"mess")), whole);
    assert_eq!(
        mended(&on, 0, &format!("{whole}event: message_stop\ndata: {END}\n")),
        format!("{whole}{}", event(END))
    );
}

proptest! {
    #[test]
    fn any_bytes_are_survived_however_they_are_cut(stream in "(data: |[{}\":,\n\r a-c]){0,60}", size in 1_usize..9) {
        let on = [Repair::CollapseDuplicateStarts, Repair::SignThinking];
        prop_assert_eq!(relayed(&on, 1, &stream, size), relayed(&on, 1, &stream, stream.len()));
    }
}
