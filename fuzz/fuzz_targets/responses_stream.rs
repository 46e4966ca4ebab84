//! Any bytes in the place of a response's events, cut anywhere: what comes out is the same, and whole events.
//!
//! The first byte is the pieces' size; the rest is the body.
#![no_main]

use libfuzzer_sys::fuzz_target;
use subagents::dialect::responses;

#[path = "../translated.rs"]
mod translated;

fuzz_target!(|data: &[u8]| {
    translated::check(data, || responses::stream("msg_1".to_owned()));
    let _ = responses::whole(data, true, "msg_1".to_owned());
});
