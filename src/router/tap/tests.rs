//! What a whole tap finds in bodies, however they are cut, encoded and broken.

use std::io::Write;

use proptest::prelude::*;

use super::*;

const MESSAGE: &[u8] = include_bytes!("testdata/message.sse");
/// [`MESSAGE`], flushed after each event; made with Google's encoder, quality 5.
const MESSAGE_BROTLI: &[u8] = include_bytes!("testdata/message.sse.br");
const SSE: Option<&str> = Some("text/event-stream; charset=utf-8");
const JSON: Option<&str> = Some("application/json");

fn tap_chunks<'a>(
    kind: Option<&str>,
    coding: Option<&str>,
    chunks: impl Iterator<Item = &'a [u8]>,
) -> Findings {
    let mut tap = Tap::new(kind, coding);
    chunks.for_each(|chunk| tap.feed(chunk));
    tap.finish()
}

fn tap(kind: Option<&str>, body: &str) -> Findings {
    tap_chunks(kind, None, std::iter::once(body.as_bytes()))
}

fn message_findings() -> Findings {
    Findings {
        usage: usage([14, 42, 9000, 120]),
        stop_reason: Some("end_turn".to_owned()),
        ending: Ending::Complete,
        events: 8,
        last_event: Some(EventName::MessageStop),
    }
}

fn usage([input, output, cache_read, cache_write]: [u64; 4]) -> Usage {
    Usage {
        input: Some(input),
        output: Some(output),
        cache_read: Some(cache_read),
        cache_write: Some(cache_write),
    }
}

/// [`MESSAGE`] in every coding, flushed after each event as servers do.
fn encoded(coding: &str) -> Vec<u8> {
    let fast = flate2::Compression::fast();
    match coding {
        "gzip" => {
            let mut encoder = flate2::write::GzEncoder::new(Vec::new(), fast);
            write_message(&mut encoder);
            encoder.finish().unwrap()
        }
        "zlib" => {
            let mut encoder = flate2::write::ZlibEncoder::new(Vec::new(), fast);
            write_message(&mut encoder);
            encoder.finish().unwrap()
        }
        "deflate" => {
            let mut encoder = flate2::write::DeflateEncoder::new(Vec::new(), fast);
            write_message(&mut encoder);
            encoder.finish().unwrap()
        }
        "zstd" => {
            let mut encoder = zstd::stream::write::Encoder::new(Vec::new(), 3).unwrap();
            write_message(&mut encoder);
            encoder.finish().unwrap()
        }
        "br" => MESSAGE_BROTLI.to_vec(),
        _ => MESSAGE.to_vec(),
    }
}

fn write_message(encoder: &mut dyn Write) {
    for line in MESSAGE.split_inclusive(|byte| *byte == b'\n') {
        encoder.write_all(line).unwrap();
        if line == b"\n" {
            encoder.flush().unwrap();
        }
    }
}

const CODINGS: [&str; 6] = ["identity", "gzip", "zlib", "deflate", "zstd", "br"];

fn header_of(coding: &str) -> &str {
    if coding == "zlib" { "deflate" } else { coding }
}

#[test]
fn c09_every_split_of_every_coding_gives_the_same_findings() {
    for coding in CODINGS {
        let body = encoded(coding);
        for cut in 0..=body.len() {
            let (one, other) = body.split_at(cut);
            let found = tap_chunks(SSE, Some(header_of(coding)), [one, other].into_iter());
            assert_eq!(found, message_findings(), "{coding} cut at {cut}");
        }
        let found = tap_chunks(SSE, Some(header_of(coding)), body.chunks(1));
        assert_eq!(found, message_findings(), "{coding} byte by byte");
    }
}

#[test]
fn an_event_is_seen_with_the_chunk_that_holds_it() {
    for coding in CODINGS {
        let body = encoded(coding);
        let mut tap = Tap::new(SSE, Some(header_of(coding)));
        let shown = body.len() - 20;
        tap.feed(&body[..shown]);
        let found = tap.finish();
        assert!(found.events >= 7, "{coding}: {} events", found.events);
        assert_eq!(found.usage, message_findings().usage, "{coding}");
    }
}

#[test]
fn lines_may_end_in_crlf_or_cr_and_begin_with_a_byte_order_mark() {
    let text = std::str::from_utf8(MESSAGE).unwrap();
    for end in ["\r\n", "\r"] {
        let body = format!("\u{feff}{}", text.replace('\n', end));
        for cut in 0..=body.len() {
            let (one, other) = body.as_bytes().split_at(cut);
            assert_eq!(tap_chunks(SSE, None, [one, other].into_iter()), message_findings(), "cut at {cut}");
        }
    }
}

#[test]
fn d05_the_last_figure_that_is_not_zero_counts() {
    let check = |start: &str, delta: &str, expect: Usage| {
        let body = format!(
            "data: {{\"type\":\"message_start\",\"message\":{{\"usage\":{start}}}}}\n\n\
             data: {{\"type\":\"message_delta\",\"usage\":{delta}}}\n\n"
        );
        assert_eq!(tap(SSE, &body).usage, expect, "{start} then {delta}");
    };
    let none = Usage::default();
    check("null", "null", none);
    check("{}", "{}", none);
    check("[1]", r#""x""#, none);
    let said = r#"{"input_tokens":14,"output_tokens":7,"cache_read_input_tokens":3,"cache_creation_input_tokens":2}"#;
    let zero =
        r#"{"input_tokens":0,"output_tokens":0,"cache_read_input_tokens":0,"cache_creation_input_tokens":0}"#;
    check(zero, said, usage([14, 7, 3, 2]));
    check(said, zero, usage([14, 7, 3, 2]));
    check(said, "{}", usage([14, 7, 3, 2]));
    check(zero, zero, usage([0, 0, 0, 0]));
    check(said, r#"{"input_tokens":15,"output_tokens":9}"#, usage([15, 9, 3, 2]));
    let odd = r#"{"input_tokens":"5","output_tokens":-1,"cache_read_input_tokens":null,"cache_creation_input_tokens":2.5}"#;
    check(odd, odd, none);
    check(odd, r#"{"output_tokens":3}"#, Usage { output: Some(3), ..none });
}

#[test]
fn j01_figures_are_totals_and_never_added_up() {
    let delta = "data: {\"type\":\"message_delta\",\"usage\":{\"output_tokens\":7}}\n\n".repeat(3);
    assert_eq!(tap(SSE, &delta).usage.output, Some(7));
}

#[test]
fn the_name_of_an_event_is_its_data_s_type_and_else_its_event_line_s() {
    let check = |body: &str, name, ending| {
        let found = tap(SSE, body);
        assert_eq!((found.last_event, found.ending), (name, ending), "{body:?}");
    };
    check(
        "event: ping\ndata: {\"type\":\"message_stop\"}\n\n",
        Some(EventName::MessageStop),
        Ending::Complete,
    );
    check("data: {\"type\":\"message_stop\"}\n\n", Some(EventName::MessageStop), Ending::Complete);
    check("event: message_stop\ndata: {}\n\n", Some(EventName::MessageStop), Ending::Complete);
    check("event:message_stop\ndata:{\"type\":7}\n\n", Some(EventName::MessageStop), Ending::Complete);
    check(
        "data: {\"a\":1,\ndata: \"type\":\"message_stop\"}\n\n",
        Some(EventName::MessageStop),
        Ending::Complete,
    );
    check("event: message_stop\ndata: {\"type\":\n\n", Some(EventName::MessageStop), Ending::Cut);
    check("event: message_stop\n\n", Some(EventName::MessageStop), Ending::Cut);
    check("event: ping\n\n", Some(EventName::Ping), Ending::Cut);
    check(": a comment\nid: 7\nretry: 3\ndatabase: x\n\n", None, Ending::Cut);
    check(
        "data: {\"index\":0,\"type\":\"content_block_delta\"}\n\n",
        Some(EventName::ContentBlockDelta),
        Ending::Cut,
    );
}

#[test]
fn any_error_event_is_an_error_whatever_its_data() {
    for body in [
        "event: error\ndata: {\"type\":\"error\",\"error\":{\"type\":\"overloaded_error\",\"message\":\"…\"}}\n\n",
        "data: {\"type\":\"error\"}\n\n",
        "event: error\ndata: not json\n\n",
        "event: error\ndata: {\"type\":\"message_stop\"}\n\n",
        "event: error\n\n",
        "event: error\ndata: {\"type\":\"err",
        "event: error",
    ] {
        let found = tap(SSE, body);
        assert_eq!(
            (found.ending, found.last_event),
            (Ending::ErrorEvent, Some(EventName::Error)),
            "{body:?}"
        );
    }
}

#[test]
fn what_ends_a_stream_first_counts() {
    let stop = "data: {\"type\":\"message_stop\"}\n\n";
    let error = "event: error\ndata: {}\n\n";
    assert_eq!(tap(SSE, &[stop, error].concat()).ending, Ending::Complete);
    assert_eq!(tap(SSE, &[error, stop].concat()).ending, Ending::ErrorEvent);
}

#[test]
fn c15_a_stream_cut_at_any_byte_is_cut_until_message_stop_is_said() {
    let said = MESSAGE.len() - "\n\n".len();
    for end in 0..=MESSAGE.len() {
        let found = tap_chunks(SSE, None, std::iter::once(&MESSAGE[..end]));
        let expect = if end < said { Ending::Cut } else { Ending::Complete };
        assert_eq!(found.ending, expect, "cut at {end}");
    }
    let found = tap_chunks(SSE, None, std::iter::once(&MESSAGE[..said - 40]));
    assert_eq!((found.events, found.last_event), (7, Some(EventName::MessageDelta)));
}

#[test]
fn c16_a_broken_event_spoils_only_itself() {
    let broken = "data: {\"type\":\"message_start\",\"message\":{\"us                  }\n\n\
                  data: {\"type\":\"message_delta\",\"delta\":{\"stop_reason\":\"a\nb\"}}\n\n";
    let body = [broken.as_bytes(), MESSAGE].concat();
    let found = tap_chunks(SSE, None, std::iter::once(body.as_slice()));
    assert_eq!(found, Findings { events: 10, ..message_findings() });
}

#[test]
fn an_event_over_the_limit_is_counted_and_not_read() {
    let long = format!("event: message_delta\ndata: {{\"x\":\"{}\"}}\n\n", "y".repeat(lines::LINE_LIMIT));
    let many = format!("event: message_delta\n{}\n", format!("data: {}\n", "y".repeat(1000)).repeat(1000));
    for body in [long, many] {
        let found = tap_chunks(SSE, None, [body.as_bytes(), MESSAGE].into_iter());
        assert_eq!(found, Findings { events: 9, ..message_findings() });
    }
}

#[test]
fn a_stream_of_another_api_is_unknown() {
    let found = tap(SSE, "data: {\"choices\":[]}\n\ndata: [DONE]\n\n");
    assert_eq!((found.ending, found.events), (Ending::Unknown, 2));
    assert_eq!(tap(SSE, "").ending, Ending::Cut);
}

#[test]
fn j03_a_json_body_gives_four_separate_figures() {
    let body = r#"{"id":"m","type":"message","content":[{"type":"text","text":"{\"usage\":{\"input_tokens\":1}}"}],
        "stop_reason":"tool_use","usage":{"input_tokens":7,"cache_read_input_tokens":9000,
        "cache_creation_input_tokens":1200,"output_tokens":5,"service_tier":"standard"}}"#;
    let found = tap(JSON, body);
    assert_eq!(found.usage, usage([7, 5, 9000, 1200]));
    assert_eq!((found.ending, found.stop_reason.as_deref()), (Ending::Complete, Some("tool_use")));
}

#[test]
fn j03_what_went_in_is_the_sum_of_what_was_said() {
    let check = |input, cache_read, cache_write, expect| {
        let usage = Usage { input, output: Some(5), cache_read, cache_write };
        assert_eq!(usage.total_input(), expect, "{usage:?}");
    };
    check(Some(7), Some(9000), Some(1200), Some(10_207));
    check(Some(7), None, None, Some(7));
    check(None, Some(9000), None, Some(9000));
    check(None, None, None, None);
    check(Some(u64::MAX), Some(1), None, Some(u64::MAX));
}

#[test]
fn json_bodies_are_whole_cut_or_unknown() {
    let check = |body: &str, expect| assert_eq!(tap(JSON, body).ending, expect, "{body:.40}");
    check(r#"{"type":"error","error":{"type":"not_found_error","message":"no"}}"#, Ending::Complete);
    check(r#"{"type":"message","usage":{"inp"#, Ending::Cut);
    check("<html>", Ending::Unknown);
    check("", Ending::Unknown);
    check(&format!("{{\"x\":\"{}\"}}", "y".repeat(1024 * 1024)), Ending::Unknown);
}

#[test]
fn what_the_tap_does_not_read_is_unknown() {
    let message = std::str::from_utf8(MESSAGE).unwrap();
    for (kind, coding) in
        [(None, None), (Some("text/html"), None), (SSE, Some("gzip, br")), (SSE, Some("lzma"))]
    {
        let found = tap_chunks(kind, coding, std::iter::once(message.as_bytes()));
        assert_eq!(found, Findings::default(), "{kind:?} {coding:?}");
    }
    assert_eq!(tap(Some("Text/Event-Stream;x=y"), message), message_findings());
}

#[test]
fn after_a_decoder_s_error_what_was_seen_stays_and_the_ending_is_unknown() {
    for coding in ["gzip", "zlib", "deflate", "zstd", "br"] {
        let mut body = encoded(coding);
        let middle = body.len() * 3 / 4;
        body[middle..].fill(0xff);
        let found = tap_chunks(SSE, Some(header_of(coding)), body.chunks(100));
        assert!(matches!(found.ending, Ending::Unknown | Ending::Cut), "{coding}: {found:?}");
        assert_eq!(found.usage.input, Some(14), "{coding}");
    }
    let noise = tap_chunks(SSE, Some("gzip"), std::iter::once(MESSAGE));
    assert_eq!(noise, Findings::default());
}

#[test]
fn bytes_after_a_compressed_body_change_nothing() {
    for coding in ["gzip", "zlib", "deflate", "zstd", "br"] {
        let body = [encoded(coding).as_slice(), b"\0\0trailing"].concat();
        let found = tap_chunks(SSE, Some(header_of(coding)), body.chunks(7));
        assert_eq!(found, message_findings(), "{coding}");
    }
}

#[test]
fn a_body_in_several_gzip_members_or_zstd_frames_is_read_to_its_end() {
    let (one, other) = MESSAGE.split_at(500);
    let member = |part: &[u8]| {
        let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
        encoder.write_all(part).unwrap();
        encoder.finish().unwrap()
    };
    let frame = |part| zstd::stream::encode_all(part, 3).unwrap();
    for (coding, body) in
        [("gzip", [member(one), member(other)].concat()), ("zstd", [frame(one), frame(other)].concat())]
    {
        assert_eq!(tap_chunks(SSE, Some(coding), body.chunks(3)), message_findings(), "{coding}");
        assert_eq!(tap_chunks(SSE, Some(coding), body.chunks(9999)), message_findings(), "{coding}");
    }
}

#[test]
fn a_compressed_bomb_is_given_up() {
    let zeros = vec![0; 70 * 1024 * 1024];
    let bomb = zstd::stream::encode_all(zeros.as_slice(), 1).unwrap();
    let found = tap_chunks(SSE, Some("zstd"), std::iter::once(bomb.as_slice()));
    assert_eq!(found, Findings::default());
    let wide = [0x11, 30, 0, 0, 0, 0];
    assert_eq!(tap_chunks(SSE, Some("br"), wide.chunks(1)), Findings::default());
}

#[test]
fn the_router_may_add_an_event_only_between_two() {
    let check = |body: &str, expect| {
        let mut tap = Tap::new(SSE, None);
        tap.feed(body.as_bytes());
        assert_eq!(tap.between_events(), expect, "{body:?}");
    };
    check("", true);
    check("event: ping\n", false);
    check("event: pi", false);
    check("event: ping\ndata: {\"type\":\"ping\"}\n\n", true);
    check("data: {\"type\":\"content_block_delta\"}\r\n\r\n", true);
    check("data: {\"type\":\"message_stop\"}\n", false);
    assert!(!Tap::new(SSE, Some("gzip")).between_events());
    assert!(!Tap::new(JSON, None).between_events());
}

#[test]
fn c01_a_ping_may_stand_between_events_however_the_pieces_are_cut() {
    let begin = b"event: message_start\r\ndata: {\"type\":\"message_start\"}\r\n\r\n";
    for cut in 1..begin.len() {
        let mut tap = Tap::new(SSE, None);
        tap.feed(b": waiting\n\n");
        assert!(tap.between_events());
        tap.feed(&begin[..cut]);
        assert!(!tap.between_events(), "{cut}");
        tap.feed(&begin[cut..]);
        assert!(tap.between_events(), "{cut}");
    }
}

#[test]
fn a_tap_is_small_and_may_go_to_another_thread() {
    fn sent<T: Send + 'static>() -> usize {
        size_of::<T>()
    }
    assert!(sent::<Tap>() < 300, "{} bytes", sent::<Tap>());
}

/// Lines that mean something to the tap, whole and broken.
const LINES: [&[u8]; 11] = [
    b"event: message_delta",
    b"event: error",
    b"data: {\"type\":\"message_stop\"}",
    b"data: {\"type\":\"content_block_delta\",\"delta\":{\"text\":\"\xe9\x82\xa3 and more, past the head\"}}",
    b"data: {\"type\":\"message_delta\",\"usage\":{\"output_tokens\":5}}",
    b"data: {\"type\":",
    b"",
    b"\r",
    b"\xef\xbb\xbf",
    b"data",
    b"\0",
];

proptest! {
    #[test]
    fn c16_mutated_bodies_never_make_it_panic(
        coding in 0..CODINGS.len(),
        json in any::<bool>(),
        changes in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>(), 0..4_u8), 0..6),
        size in 1..400_usize,
    ) {
        let coding = CODINGS[coding];
        let mut body = encoded(coding);
        for (place, byte, change) in changes {
            let place = place.index(body.len());
            match change {
                0 => body[place] = byte,
                1 => body.insert(place, byte),
                2 => body.insert(place, b'\n'),
                _ => body.truncate(place.max(1)),
            }
        }
        let kind = if json { JSON } else { SSE };
        let found = tap_chunks(kind, Some(header_of(coding)), body.chunks(size));
        prop_assert!(found.events < 64);
    }

    #[test]
    fn c09_any_lines_in_any_chunks_give_what_they_give_whole(
        lines in prop::collection::vec(
            prop::sample::select(&LINES[..]),
            0..24,
        ),
        sizes in prop::collection::vec(1..40_usize, 1..50),
    ) {
        let body = lines.join(&b'\n');
        let whole = tap_chunks(SSE, None, std::iter::once(body.as_slice()));
        let mut rest = body.as_slice();
        let chunks = sizes.iter().cycle().map_while(|size| {
            let (chunk, left) = rest.split_at((*size).min(rest.len()));
            rest = left;
            (!chunk.is_empty()).then_some(chunk)
        });
        prop_assert_eq!(tap_chunks(SSE, None, chunks), whole, "{}", body.escape_ascii());
    }
}
