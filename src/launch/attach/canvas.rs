//! What goes to the real terminal, and the one line of ours that is there for a moment.
//!
//! Pure. While the line is there, what the host draws waits: it takes for granted where the cursor is. Afterwards the
//! host has to draw everything anew, which leaves nothing of the line.

use std::fmt::Write;
use std::time::{Duration, Instant};

use bytes::BytesMut;
use unicode_width::UnicodeWidthChar;

use crate::launch::screen::{Shown, Size};

/// How long a line stays, if no key ends it.
const MOMENT: Duration = Duration::from_secs(4);

/// What may wait behind it, in bytes.
const HELD: usize = 512 * 1024;

/// Makes writing plain whatever the child has set: no open frame, no looks, no link, letters, the whole screen.
const PLAIN: &str = "\x1b[?2026l\x1b[0m\x1b]8;;\x1b\\\x1b(B\x0f\x1b[r\x1b[?6l\x1b[4l\x1b[?7l\x1b[?25l";

/// Nothing of what is drawn now is seen until the host's repaint is.
const FRAME: &[u8] = b"\x1b[?2026h";

/// How a repaint names the screen that it is for.
const SCREEN: &[u8] = b"\x1b[?1049";

/// Bytes for the terminal.
#[derive(Debug, Default)]
pub(super) struct Canvas {
    /// What the terminal hasn't taken yet.
    pub(super) waiting: BytesMut,
    line: Option<Line>,
    shown: Option<Shown>,
}

#[derive(Debug)]
struct Line {
    until: Instant,
    held: Vec<u8>,
}

impl Canvas {
    /// The host draws: whole sequences.
    pub(super) fn draw(&mut self, bytes: &[u8]) {
        let named = memchr::memmem::rfind(bytes, SCREEN).and_then(|at| bytes.get(at + SCREEN.len()));
        match named {
            Some(b'h') => self.shown = Some(Shown::Alternate),
            Some(b'l') => self.shown = Some(Shown::Main),
            _ => {}
        }
        match &mut self.line {
            Some(line) => line.held.extend_from_slice(bytes),
            None => self.waiting.extend_from_slice(bytes),
        }
    }

    /// We write in the last row of a terminal of this size.
    pub(super) fn show(&mut self, text: &str, size: Size, now: Instant) {
        let held = self.line.take().map(|line| line.held).unwrap_or_default();
        self.waiting.extend_from_slice(drawn(text, size).as_bytes());
        self.line = Some(Line { until: now + MOMENT, held });
    }

    /// Takes the line away; whether the host has to draw anew.
    #[must_use]
    pub(super) fn wipe(&mut self) -> bool {
        let line = self.line.take();
        if let Some(line) = &line {
            self.waiting.extend_from_slice(FRAME);
            self.waiting.extend_from_slice(&line.held);
        }
        line.is_some()
    }

    /// When the line has been there long enough.
    pub(super) fn due(&self) -> Option<Instant> {
        self.line.as_ref().map(|line| line.until)
    }

    /// Whether the line holds up too much.
    pub(super) fn is_full(&self) -> bool {
        self.line.as_ref().is_some_and(|line| line.held.len() > HELD)
    }

    /// Which screen the session is on; `None`: nothing has been drawn.
    pub(super) fn shown(&self) -> Option<Shown> {
        self.shown
    }
}

fn drawn(text: &str, size: Size) -> String {
    let mut line = format!("{PLAIN}\x1b[{};1H\x1b[7m", size.rows());
    let mut left = usize::from(size.columns());
    for c in text.chars() {
        let width = c.width().unwrap_or(0);
        if width > left {
            break;
        }
        line.push(c);
        left -= width;
    }
    _ = write!(line, "{:left$}\x1b[0m", "");
    line
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(canvas: &mut Canvas) -> String {
        String::from_utf8(canvas.waiting.split().to_vec()).unwrap()
    }

    #[test]
    fn what_is_drawn_waits_while_the_line_is_there_and_none_is_lost() {
        let now = Instant::now();
        let mut canvas = Canvas::default();
        canvas.draw(b"a");
        assert_eq!(text(&mut canvas), "a");
        canvas.show("status", Size::new(10, 5), now);
        let shown = text(&mut canvas);
        assert!(shown.ends_with("\x1b[5;1H\x1b[7mstatus    \x1b[0m"), "{}", shown.escape_debug());
        assert_eq!(canvas.due(), Some(now + MOMENT));
        canvas.draw(b"b");
        canvas.show("help", Size::new(10, 5), now);
        canvas.draw(b"c");
        assert!(text(&mut canvas).contains("help      "));
        assert!(canvas.wipe());
        assert_eq!(text(&mut canvas), "\x1b[?2026hbc");
        assert!(!canvas.wipe() && canvas.due().is_none());
    }

    #[test]
    fn a_line_is_never_wider_than_the_terminal() {
        for (text, columns, expect) in
            [("status", 4, "stat"), ("漢字漢", 5, "漢字 "), ("", 3, "   "), ("e\u{301}x", 2, "e\u{301}x")]
        {
            let drawn = drawn(text, Size::new(columns, 2));
            assert_eq!(drawn.split("\x1b[7m").nth(1), Some(format!("{expect}\x1b[0m").as_str()));
        }
    }

    #[test]
    fn a_line_doesnt_hold_up_everything() {
        let mut canvas = Canvas::default();
        canvas.show("status", Size::new(10, 5), Instant::now());
        assert!(!canvas.is_full());
        canvas.draw(&vec![b'x'; HELD + 1]);
        assert!(canvas.is_full());
    }

    #[test]
    fn the_screen_that_is_shown_is_the_last_that_was_named() {
        let mut canvas = Canvas::default();
        for (drawn, expect) in [
            (&b"plain"[..], None),
            (b"\x1b[?2026h\x1b[?1049hx", Some(Shown::Alternate)),
            (b"plain", Some(Shown::Alternate)),
            (b"\x1b[?1049hx\x1b[?1049l", Some(Shown::Main)),
        ] {
            canvas.draw(drawn);
            assert_eq!(canvas.shown(), expect);
        }
    }
}
