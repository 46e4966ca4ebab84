//! Any output, cut anywhere, on any sizes: no panic, not even one that the screen contains, and the same screen as if
//! it had come whole.
//!
//! The first three bytes choose the size and the pieces' size, the rest is the output.
#![no_main]

use std::time::Instant;

use libfuzzer_sys::fuzz_target;
use subagents::launch::screen::{Event, Screen, Size};

fuzz_target!(|data: &[u8]| {
    let [columns, rows, piece, output @ ..] = data else { return };
    let (start, size) = (Instant::now(), Size::new(u16::from(*columns), u16::from(*rows)));
    let mut whole = Screen::new(size);
    whole.feed(output, start);
    let mut pieces = Screen::new(size);
    output.chunks(usize::from(*piece).max(1)).for_each(|piece| _ = pieces.feed(piece, start));
    assert_eq!(pieces.text_with_history(), whole.text_with_history());
    assert_eq!(pieces.repaint(size), whole.repaint(size));
    whole.resize(Size::new(u16::from(*rows), u16::from(*columns)));
    whole.feed(output, start);
    assert!(!whole.take_events().contains(&Event::Restarted));
});
