//! Any bytes as an agent file: reading must not panic, and an agent that was read and written again is the same
//! agent, above all with the same tools.
#![no_main]

use std::path::Path;

use libfuzzer_sys::fuzz_target;
use subagents::config::agent::{Agent, parse, write_markdown};

fuzz_target!(|data: &[u8]| {
    let file = Path::new("agent.md");
    let (Some(agent), _) = parse(file, data) else { return };
    let written = write_markdown(&agent, &agent.model.to_string());
    let (again, problems) = parse(file, written.as_bytes());
    // A prompt's own blank edges are not kept.
    let agent = Agent { prompt: agent.prompt.trim().to_owned(), ..agent };
    assert_eq!(again, Some(agent), "{written}\n{problems:?}");
});
