//! Whole exchanges, both ways, in `testdata/`. The requests are those of Chat Completions' tests.

use super::*;

fn golden(name: &str, text: &str) {
    insta::with_settings!({
        snapshot_path => "../testdata",
        prepend_module_to_snapshot => false,
        omit_expression => true,
    }, { insta::assert_snapshot!(name, text) });
}

/// In the order in which it stands.
fn pretty(json: &[u8]) -> String {
    let value: Value = serde_json::from_slice(json).unwrap();
    serde_json::to_string_pretty(&value).unwrap()
}

#[test]
fn requests() {
    for (name, body) in [
        ("text-request", include_str!("../../chat/testdata/text-request.json")),
        ("tools-request", include_str!("../../chat/testdata/tools-request.json")),
        ("images-request", include_str!("../../chat/testdata/images-request.json")),
        ("thinking-request", include_str!("../../chat/testdata/thinking-request.json")),
    ] {
        golden(name, &pretty(&request(body.as_bytes(), Some(Effort::Max)).unwrap()));
    }
}

#[test]
fn c09_streams_cut_at_every_byte() {
    for (name, sse) in [
        ("text-stream", include_str!("../testdata/text-stream.sse")),
        ("tools-stream", include_str!("../testdata/tools-stream.sse")),
        ("error-stream", include_str!("../testdata/error-stream.sse")),
    ] {
        let whole = rewritten(stream(), &[sse.as_bytes()]);
        heard(&whole);
        for cut in 0..=sse.len() {
            let (one, other) = sse.as_bytes().split_at(cut);
            assert_eq!(rewritten(stream(), &[one, other]), whole, "{name} cut at {cut}");
        }
        golden(name, std::str::from_utf8(&whole).unwrap());
    }
}

#[test]
fn wholes() {
    let body = include_bytes!("../testdata/whole.json");
    golden("whole-message", &pretty(&whole(body, false).unwrap()));
    let events = whole(body, true).unwrap();
    heard(&events);
    golden("whole-events", std::str::from_utf8(&events).unwrap());
}
