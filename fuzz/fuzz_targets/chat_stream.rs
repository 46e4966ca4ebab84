//! Any bytes in the place of a provider's chunks, cut anywhere: what comes out is the same, and whole events.
//!
//! The first byte is the pieces' size; the rest is the body.
#![no_main]

use libfuzzer_sys::fuzz_target;
use subagents::dialect::chat;

#[path = "../translated.rs"]
mod translated;

fuzz_target!(|data: &[u8]| {
    translated::check(data, || chat::stream("msg_1".to_owned()));
    let _ = chat::whole(data, true, "msg_1".to_owned());
});
