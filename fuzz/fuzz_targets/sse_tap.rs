//! Any bytes, in any coding, cut anywhere: the tap must not panic, and a body that is not encoded must give
//! what it gives whole.
//!
//! The first byte chooses coding and format, the second the chunks' size; the rest is the body.
#![no_main]

use libfuzzer_sys::fuzz_target;
use subagents::router::tap::{Findings, Tap};

const CODINGS: [Option<&str>; 5] = [None, Some("gzip"), Some("deflate"), Some("br"), Some("zstd")];
const KINDS: [&str; 2] = ["text/event-stream", "application/json"];

fuzz_target!(|data: &[u8]| {
    let [choice, size, body @ ..] = data else { return };
    let coding = CODINGS[usize::from(choice / 2) % CODINGS.len()];
    let kind = KINDS[usize::from(choice % 2)];
    let in_chunks = read(kind, coding, body.chunks(usize::from(*size).max(1)));
    if coding.is_none() {
        assert_eq!(in_chunks, read(kind, coding, std::iter::once(body)));
    }
});

fn read<'a>(kind: &str, coding: Option<&str>, chunks: impl Iterator<Item = &'a [u8]>) -> Findings {
    let mut tap = Tap::new(Some(kind), coding);
    chunks.for_each(|chunk| tap.feed(chunk));
    tap.finish()
}
