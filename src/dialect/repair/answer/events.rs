//! An event stream cut into its events, however it arrives.

/// A longer event is none of Anthropic's: it goes on as it comes, and so does everything behind it. Bytes.
const LONGEST: usize = 32 << 20;

/// The beginning of an event, until its end has come.
#[derive(Debug, Default)]
pub(super) struct Events {
    held: Vec<u8>,
    /// How much of `held` is known to hold no event's end.
    searched: usize,
    given_up: bool,
}

/// The next thing in a stream.
pub(super) enum Piece<'e> {
    /// A whole event, with the empty line that ends it.
    Event(&'e str),
    /// What can't be read as events.
    Bytes(&'e [u8]),
}

impl Events {
    /// Takes what has come, and hands on each event that is whole.
    pub(super) fn feed(&mut self, piece: &[u8], mut each: impl FnMut(Piece<'_>)) {
        self.held.extend_from_slice(piece);
        let mut from = 0;
        while let Some(end) = end_of_event(&self.held, self.searched) {
            each(Piece::of(&self.held[from..end]));
            (from, self.searched) = (end, end);
        }
        self.held.drain(..from);
        // The end may be cut; it is three bytes long at most before its last.
        self.searched = self.held.len().saturating_sub(3);
        self.given_up |= self.held.len() > LONGEST;
        if self.given_up {
            each(Piece::Bytes(&std::mem::take(&mut self.held)));
            self.searched = 0;
        }
    }

    /// What has come of an event that nothing ends.
    pub(super) fn rest(&mut self) -> Vec<u8> {
        std::mem::take(&mut self.held)
    }
}

impl<'e> Piece<'e> {
    fn of(bytes: &'e [u8]) -> Self {
        std::str::from_utf8(bytes).map_or(Self::Bytes(bytes), Self::Event)
    }
}

/// Behind the first empty line at or behind `from`.
fn end_of_event(bytes: &[u8], from: usize) -> Option<usize> {
    let mut at = from;
    loop {
        at += memchr::memchr(b'\n', bytes.get(at..)?)? + 1;
        match &bytes[at..] {
            [b'\n', ..] => return Some(at + 1),
            [b'\r', b'\n', ..] => return Some(at + 2),
            _ => {}
        }
    }
}

/// The content of an event's one `data:` line, and where it stands in the event. More lines than one are nobody's JSON.
pub(super) fn data(event: &str) -> Option<(usize, &str)> {
    let mut found = None;
    let mut at = 0;
    for line in event.split_inclusive('\n') {
        if let Some(content) = line.strip_prefix("data:") {
            if found.is_some() {
                return None;
            }
            let lead = line.len() - content.len();
            found = Some((at + lead, content.trim_end_matches(['\n', '\r'])));
        }
        at += line.len();
    }
    found
}
