//! What holds of a translated stream, whatever it is made of.

use serde_json::Value;
use subagents::dialect::Rewrite;

/// `data`: the pieces' size in its first byte, then the body.
pub fn check<R: Rewrite>(data: &[u8], stream: impl Fn() -> R) {
    let [size, body @ ..] = data else { return };
    let whole = rewritten(stream(), std::iter::once(body));
    assert_eq!(rewritten(stream(), body.chunks(usize::from(*size).max(1))), whole);
    let text = std::str::from_utf8(&whole).expect("UTF-8");
    let mut kinds = text.split("\n\n").filter(|event| !event.is_empty()).map(kind);
    let mut over = false;
    if let Some(first) = kinds.next() {
        assert!(["message_start", "error"].contains(&first.as_str()), "{first}");
        over = first == "error";
    }
    for kind in kinds {
        assert!(!over && kind != "message_start", "{kind}");
        over = kind == "message_stop" || kind == "error";
    }
}

fn rewritten<'a>(mut stream: impl Rewrite, pieces: impl Iterator<Item = &'a [u8]>) -> Vec<u8> {
    let mut out = Vec::new();
    pieces.for_each(|piece| stream.feed(piece, &mut out));
    stream.finish(&mut out);
    out
}

fn kind(event: &str) -> String {
    let (name, data) = event.split_once("\ndata: ").expect("a name and data");
    let data: Value = serde_json::from_str(data).expect("JSON");
    assert_eq!(name.strip_prefix("event: "), data["type"].as_str());
    name.trim_start_matches("event: ").to_owned()
}
