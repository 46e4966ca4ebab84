//! Cuts an event stream into the data of its events, wherever its pieces are cut.
//!
//! Names of events, ids and comments are left out: what is translated says in its data what it is.

/// The longest data of an event that is read whole, in bytes. What is cut is no JSON any more, and is refused as such.
const LIMIT: usize = 16 * 1024 * 1024;
const BYTE_ORDER_MARK: &[u8] = b"\xEF\xBB\xBF";

#[derive(Debug, Default)]
pub(super) struct Events {
    /// The beginning of the line that the last piece ended in.
    line: Vec<u8>,
    /// Of the event that hasn't ended.
    data: Vec<u8>,
    /// The last piece ended in CR: an LF that comes next belongs to it.
    after_cr: bool,
}

impl Events {
    /// Shows the data of each event that ends in `piece`. Lines end in LF, CRLF or CR.
    pub(super) fn feed(&mut self, mut piece: &[u8], mut show: impl FnMut(&[u8])) {
        if self.after_cr && !piece.is_empty() {
            self.after_cr = false;
            piece = piece.strip_prefix(b"\n").unwrap_or(piece);
        }
        while let Some(end) = memchr::memchr2(b'\n', b'\r', piece) {
            self.keep(&piece[..end]);
            self.end_line(&mut show);
            let rest = &piece[end + 1..];
            self.after_cr = piece[end] == b'\r' && rest.is_empty();
            let crlf = piece[end] == b'\r' && rest.starts_with(b"\n");
            piece = if crlf { &rest[1..] } else { rest };
        }
        self.keep(piece);
    }

    /// Shows the event that the stream ended in, if there is one; it may be cut.
    pub(super) fn finish(&mut self, mut show: impl FnMut(&[u8])) {
        self.end_line(&mut show);
        self.end_event(&mut show);
    }

    fn keep(&mut self, part: &[u8]) {
        extend(&mut self.line, part);
    }

    fn end_line(&mut self, show: &mut impl FnMut(&[u8])) {
        let mut line = std::mem::take(&mut self.line);
        if line.is_empty() {
            self.end_event(show);
        } else if let Some(data) = data_of(&line) {
            self.add(data, show);
        }
        line.clear();
        self.line = line;
    }

    fn add(&mut self, data: &[u8], show: &mut impl FnMut(&[u8])) {
        if begins_anew(&self.data, data) {
            self.end_event(show);
        }
        if !self.data.is_empty() {
            self.data.push(b'\n');
        }
        extend(&mut self.data, data);
    }

    fn end_event(&mut self, show: &mut impl FnMut(&[u8])) {
        if !self.data.trim_ascii().is_empty() {
            show(&self.data);
        }
        self.data.clear();
    }
}

fn extend(buffer: &mut Vec<u8>, part: &[u8]) {
    let room = LIMIT.saturating_sub(buffer.len());
    buffer.extend_from_slice(&part[..part.len().min(room)]);
}

fn data_of(line: &[u8]) -> Option<&[u8]> {
    let line = line.strip_prefix(BYTE_ORDER_MARK).unwrap_or(line);
    let value = line.strip_prefix(b"data:")?;
    Some(value.strip_prefix(b" ").unwrap_or(value))
}

/// Some providers leave out the blank line. No JSON goes on like this.
fn begins_anew(data: &[u8], next: &[u8]) -> bool {
    data.ends_with(b"}") && (next.starts_with(b"{") || next.starts_with(b"["))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(stream: &str, expect: &[&str]) {
        for cut in 0..=stream.len() {
            let (one, other) = stream.as_bytes().split_at(cut);
            let (mut events, mut seen) = (Events::default(), Vec::new());
            let mut show = |data: &[u8]| seen.push(String::from_utf8(data.to_vec()).unwrap());
            events.feed(one, &mut show);
            events.feed(other, &mut show);
            events.finish(&mut show);
            assert_eq!(seen, expect, "{stream:?} cut at {cut}");
        }
    }

    #[test]
    fn c09_events_are_found_wherever_the_pieces_are_cut() {
        check("data: {\"a\":\"高德🙂\"}\n\ndata: [DONE]\n\n", &["{\"a\":\"高德🙂\"}", "[DONE]"]);
        check("data: 1\r\n\r\ndata: 2\r\n\r\n", &["1", "2"]);
        check("data: 1\r\rdata: 2\r\r", &["1", "2"]);
        check("\u{feff}data:1\n\n", &["1"]);
    }

    #[test]
    fn comments_names_and_empty_events_are_left_out() {
        check(": OPENROUTER PROCESSING\n\nevent: x\nid: 3\ndata: 1\n\ndata:\n\nretry: 3\n\n", &["1"]);
    }

    #[test]
    fn data_of_several_lines_is_joined() {
        check("data: {\ndata: }\n\n", &["{\n}"]);
        check("data: {\r\ndata: }\r\n\r\n", &["{\n}"]);
    }

    #[test]
    fn a_missing_blank_line_parts_two_events() {
        check("data: {\"a\":1}\ndata: {\"a\":2}\ndata: [DONE]\n", &["{\"a\":1}", "{\"a\":2}", "[DONE]"]);
    }

    #[test]
    fn c07_what_the_stream_ended_in_is_shown_last() {
        check("data: 1\n\ndata: {\"cut", &["1", "{\"cut"]);
    }
}
