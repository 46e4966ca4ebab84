//! Any bytes in the place of a request, with any repairs: what is repaired is JSON, and repairing it again changes
//! nothing.
//!
//! The first four bytes choose the repairs; the rest is the body.
#![no_main]

use libfuzzer_sys::fuzz_target;
use serde_json::Value;
use subagents::config::Repair;
use subagents::config::repair::{Because, Standing, Switch};
use subagents::dialect::repair::Plan;

fuzz_target!(|data: &[u8]| {
    let Some((choice, body)) = data.split_first_chunk() else { return };
    let choice = u32::from_le_bytes(*choice);
    let chosen = Repair::ALL.into_iter().enumerate().filter(|(at, _)| choice & (1 << at) != 0);
    let standings = chosen.map(|(_, repair)| Standing {
        repair,
        switch: Switch::Plain(true),
        because: Because::Route,
    });
    let plan = Plan::new(standings.collect());
    let Ok(repaired) = plan.request(body) else { return };
    if serde_json::from_slice::<Value>(body).is_err() {
        return;
    }
    serde_json::from_slice::<Value>(&repaired).expect("JSON");
    assert_eq!(plan.request(&repaired).as_ref(), Ok(&repaired));
});
