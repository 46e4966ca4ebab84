//! Cuts a stream into lines, wherever its chunks are cut.
//!
//! A line that lies within one chunk is shown where it is. Of one that doesn't, only what may matter is
//! copied: the head of an idle event's data, and of any line no more than [`LINE_LIMIT`].

use super::event::EventName;
use super::events::data_of;

/// The longest line that is read, in bytes; the rest of a longer one is skipped.
pub(super) const LINE_LIMIT: usize = 256 * 1024;
/// How much of a line tells whether it is idle: what lies behind is not looked at for that, so that a line
/// means the same whether it came in one piece or not.
const HEAD: usize = 64;
/// A longer buffer is given back after its line, so that one long line costs no memory for the rest of the stream.
const KEPT_CAPACITY: usize = 4 * 1024;
const BYTE_ORDER_MARK: &[u8] = b"\xEF\xBB\xBF";

/// A line without its end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Line<'a> {
    pub(super) bytes: &'a [u8],
    /// The name of an event whose data this is, and need not be read.
    pub(super) idle: Option<EventName>,
    /// False when bytes are missing at its end: it is idle, or too long.
    pub(super) whole: bool,
}

/// The state between two chunks.
#[derive(Debug, Default)]
pub(super) struct Lines {
    /// The beginning of the line that the last chunk ended in.
    carry: Vec<u8>,
    /// Bytes of that line were left out.
    skipped: bool,
    /// The last chunk ended in CR: an LF that comes next belongs to it.
    after_cr: bool,
    /// A line has been shown: a byte order mark can't come any more.
    started: bool,
}

impl Lines {
    /// Shows each line that ends in `bytes`. Lines end in LF, CRLF or CR.
    pub(super) fn feed(&mut self, mut bytes: &[u8], mut show: impl FnMut(Line<'_>)) {
        if self.after_cr && !bytes.is_empty() {
            self.after_cr = false;
            bytes = bytes.strip_prefix(b"\n").unwrap_or(bytes);
        }
        while let Some(end) = memchr::memchr2(b'\n', b'\r', bytes) {
            self.end_line(&bytes[..end], &mut show);
            bytes = self.after(bytes, end);
        }
        self.keep(bytes);
    }

    /// Shows the line that the stream ended in, if there is one.
    pub(super) fn finish(&mut self, show: impl FnMut(Line<'_>)) {
        if self.is_within() {
            self.end_line(&[], show);
        }
    }

    /// Is a line begun and not ended?
    pub(super) fn is_within(&self) -> bool {
        !self.carry.is_empty()
    }

    /// May an LF that comes next belong to the last line?
    pub(super) fn is_after_cr(&self) -> bool {
        self.after_cr
    }

    fn end_line(&mut self, part: &[u8], mut show: impl FnMut(Line<'_>)) {
        let first = !std::mem::replace(&mut self.started, true);
        if self.carry.is_empty() {
            show(line(part, first, true));
            return;
        }
        self.keep(part);
        show(line(&self.carry, first, !self.skipped));
        self.carry.clear();
        self.carry.shrink_to(KEPT_CAPACITY);
        self.skipped = false;
    }

    fn after<'a>(&mut self, bytes: &'a [u8], end: usize) -> &'a [u8] {
        let rest = &bytes[end + 1..];
        if bytes[end] == b'\n' {
            return rest;
        }
        self.after_cr = rest.is_empty();
        rest.strip_prefix(b"\n").unwrap_or(rest)
    }

    /// Copies what may matter of a part of a line. The head comes first, because it decides on the rest.
    fn keep(&mut self, part: &[u8]) {
        let (head, rest) = part.split_at(part.len().min(HEAD.saturating_sub(self.carry.len())));
        self.carry.extend_from_slice(head);
        if rest.is_empty() {
            return;
        }
        let limit = if idle_data(&self.carry).is_some() { HEAD } else { LINE_LIMIT };
        let taken = rest.len().min(limit.saturating_sub(self.carry.len()));
        self.carry.extend_from_slice(&rest[..taken]);
        self.skipped |= taken < rest.len();
    }
}

fn line(bytes: &[u8], first: bool, whole: bool) -> Line<'_> {
    let (bytes, whole) =
        if bytes.len() > LINE_LIMIT { (&bytes[..LINE_LIMIT], false) } else { (bytes, whole) };
    let bytes = if first { bytes.strip_prefix(BYTE_ORDER_MARK).unwrap_or(bytes) } else { bytes };
    Line { bytes, idle: idle_data(bytes), whole }
}

fn idle_data(line: &[u8]) -> Option<EventName> {
    data_of(&line[..HEAD.min(line.len())]).and_then(EventName::of_idle_data)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines_of(chunks: &[&[u8]]) -> Vec<(String, bool)> {
        let mut lines = Lines::default();
        let mut seen = Vec::new();
        let mut show =
            |line: Line<'_>| seen.push((String::from_utf8_lossy(line.bytes).into_owned(), line.whole));
        for chunk in chunks {
            lines.feed(chunk, &mut show);
        }
        lines.finish(&mut show);
        seen
    }

    fn check(text: &str, expect: &[&str]) {
        for cut in 0..=text.len() {
            let (one, other) = text.as_bytes().split_at(cut);
            let seen: Vec<String> = lines_of(&[one, other]).into_iter().map(|(line, _)| line).collect();
            assert_eq!(seen, expect, "{text:?} cut at {cut}");
        }
    }

    #[test]
    fn lines_end_in_lf_crlf_or_cr_wherever_the_chunks_are_cut() {
        check("", &[]);
        check("a\nb\n", &["a", "b"]);
        check("a\r\nb\r\n\r\nc", &["a", "b", "", "c"]);
        check("a\rb\r\rc\r", &["a", "b", "", "c"]);
        check("a\n\rb", &["a", "", "b"]);
        check("\n\n", &["", ""]);
    }

    #[test]
    fn a_byte_order_mark_is_taken_off_the_first_line_only() {
        check("\u{feff}a\n\u{feff}b\n", &["a", "\u{feff}b"]);
    }

    #[test]
    fn c09_characters_of_many_bytes_may_be_cut_anywhere() {
        check("data: 高德🙂\n한국어\n", &["data: 高德🙂", "한국어"]);
    }

    #[test]
    fn of_an_idle_line_only_the_head_is_copied() {
        let head = br#"data: {"type":"content_block_delta","delta":{"text":""#;
        let seen = lines_of(&[head, &[b'x'; 5000], b"\"}}\n"]);
        assert_eq!(seen.len(), 1);
        assert_eq!((seen[0].0.len(), seen[0].1), (HEAD, false));
    }

    #[test]
    fn a_line_over_the_limit_is_cut_alike_in_one_chunk_and_in_many() {
        let long = vec![b'x'; LINE_LIMIT + 1];
        let ended = [long.as_slice(), b"\n"].concat();
        let (one, other) = ended.split_at(100_000);
        for seen in [lines_of(&[&ended]), lines_of(&[one, other])] {
            assert_eq!((seen[0].0.len(), seen[0].1), (LINE_LIMIT, false));
        }
    }

    #[test]
    fn the_buffer_of_a_long_line_is_given_back() {
        let mut lines = Lines::default();
        lines.feed(&vec![b'x'; 100_000], |_| ());
        lines.feed(b"\n", |_| ());
        assert!(lines.carry.capacity() <= KEPT_CAPACITY);
    }
}
