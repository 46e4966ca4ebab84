//! One end of an HTTP/1 connection, as bytes.

use std::time::Duration;

use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};
use tokio::net::TcpStream;

/// Longer than any step takes on a busy machine: a test that hangs says where.
const PATIENCE: Duration = Duration::from_secs(20);

/// Waits for what must come.
pub(crate) async fn soon<T>(what: &str, future: impl Future<Output = T>) -> T {
    let waited = tokio::time::timeout(PATIENCE, future).await;
    waited.unwrap_or_else(|_| panic!("waited in vain: {what}"))
}

/// A message's head: its exact bytes, and the same taken apart.
#[derive(Debug, Clone)]
pub(crate) struct Head {
    pub(crate) raw: Vec<u8>,
    /// The request line or the status line.
    pub(crate) first: String,
    /// Names as they are written, values byte for byte.
    pub(crate) fields: Vec<(String, Vec<u8>)>,
}

impl Head {
    fn parse(raw: Vec<u8>) -> Self {
        let text = &raw[..raw.len() - 4];
        let mut lines =
            text.split(|&byte| byte == b'\n').map(|line| line.strip_suffix(b"\r").unwrap_or(line));
        let first = String::from_utf8_lossy(lines.next().unwrap_or_default()).into_owned();
        let field = |line: &[u8]| {
            let colon = line.iter().position(|&byte| byte == b':').expect("a header line");
            let name = String::from_utf8(line[..colon].to_vec()).expect("a header's name");
            (name, line[colon + 1..].trim_ascii().to_vec())
        };
        let fields = lines.map(field).collect();
        Self { raw, first, fields }
    }

    /// All values of a header, in their order, whatever the case of its name.
    pub(crate) fn all(&self, name: &str) -> Vec<&[u8]> {
        let same = self.fields.iter().filter(|(field, _)| field.eq_ignore_ascii_case(name));
        same.map(|(_, value)| value.as_slice()).collect()
    }

    /// The only value of a header, as text.
    pub(crate) fn one(&self, name: &str) -> Option<&str> {
        match self.all(name).as_slice() {
            [] => None,
            [value] => Some(std::str::from_utf8(value).expect("text")),
            many => panic!("{name} stands there {} times", many.len()),
        }
    }

    /// `NAME: VALUE` of each header but those named, sorted by name; values of one name keep their order.
    pub(crate) fn sorted(&self, without: &[&str]) -> Vec<(String, String)> {
        let kept = |(name, value): &(String, Vec<u8>)| {
            let left_out = without.iter().any(|other| name.eq_ignore_ascii_case(other));
            (!left_out).then(|| (name.clone(), value.escape_ascii().to_string()))
        };
        let mut sorted: Vec<_> = self.fields.iter().filter_map(kept).collect();
        sorted.sort_by_key(|(name, _)| name.to_ascii_lowercase());
        sorted
    }

    pub(crate) fn status(&self) -> u16 {
        self.first.split(' ').nth(1).and_then(|code| code.parse().ok()).expect("a status line")
    }

    fn length(&self) -> Option<usize> {
        self.one("content-length").map(|length| length.parse().expect("a length"))
    }

    fn chunked(&self) -> bool {
        self.one("transfer-encoding").is_some_and(|coding| coding.eq_ignore_ascii_case("chunked"))
    }

    fn is_answer(&self) -> bool {
        self.first.starts_with("HTTP/")
    }
}

/// A connection of which this side reads and writes every byte itself.
#[derive(Debug)]
pub(crate) struct Wire<S = TcpStream> {
    stream: S,
    unread: Vec<u8>,
    /// Off where the clock is a test's own.
    patient: bool,
}

impl<S: AsyncRead + AsyncWrite + Unpin> Wire<S> {
    pub(crate) fn new(stream: S) -> Self {
        Self { stream, unread: Vec::new(), patient: true }
    }

    /// Waits without limit: for tests with a paused clock.
    pub(crate) fn timeless(mut self) -> Self {
        self.patient = false;
        self
    }

    pub(crate) fn into_stream(self) -> S {
        assert!(self.unread.is_empty(), "bytes would be lost");
        self.stream
    }

    pub(crate) async fn write(&mut self, bytes: impl AsRef<[u8]>) {
        assert!(self.try_write(bytes).await, "the other side has closed the connection");
    }

    /// False: the other side has closed the connection.
    pub(crate) async fn try_write(&mut self, bytes: impl AsRef<[u8]>) -> bool {
        self.stream.write_all(bytes.as_ref()).await.is_ok() && self.stream.flush().await.is_ok()
    }

    /// No more bytes from here (FIN).
    pub(crate) async fn finish(&mut self) {
        self.stream.shutdown().await.expect("a connection");
    }

    pub(crate) async fn head(&mut self) -> Head {
        self.next_head().await.expect("a message's head")
    }

    /// `None`: the other side closed the connection instead.
    pub(crate) async fn next_head(&mut self) -> Option<Head> {
        loop {
            if let Some(end) = find(&self.unread, b"\r\n\r\n") {
                return Some(Head::parse(self.unread.drain(..end + 4).collect()));
            }
            if !self.fill().await {
                assert!(self.unread.is_empty(), "cut: {}", self.unread.escape_ascii());
                return None;
            }
        }
    }

    /// A whole body, without its framing.
    pub(crate) async fn body(&mut self, head: &Head) -> Vec<u8> {
        let (body, whole) = self.what_comes(head).await;
        assert!(whole, "a body was cut: {}", body.escape_ascii());
        body
    }

    /// A body as far as it comes, and whether its end was said.
    pub(crate) async fn what_comes(&mut self, head: &Head) -> (Vec<u8>, bool) {
        if head.chunked() {
            let mut body = Vec::new();
            loop {
                match self.next_chunk().await {
                    Ok(Some(piece)) => body.extend(piece),
                    Ok(None) => return (body, true),
                    Err(piece) => return ([body, piece].concat(), false),
                }
            }
        }
        match head.length() {
            Some(length) => {
                while self.unread.len() < length && self.fill().await {}
                let whole = self.unread.len() >= length;
                (self.unread.drain(..length.min(self.unread.len())).collect(), whole)
            }
            None if head.is_answer() => {
                while self.fill().await {}
                (std::mem::take(&mut self.unread), true)
            }
            None => (Vec::new(), true),
        }
    }

    /// An answer with its whole body.
    pub(crate) async fn answer(&mut self) -> (Head, Vec<u8>) {
        let head = self.head().await;
        let body = self.body(&head).await;
        (head, body)
    }

    /// The next `length` bytes of a chunked body, or a few more.
    pub(crate) async fn stream(&mut self, length: usize) -> Vec<u8> {
        let mut body = Vec::new();
        while body.len() < length {
            body.extend(self.next_chunk().await.expect("a chunk").expect("no end yet"));
        }
        body
    }

    /// Exactly `length` bytes, whatever they mean.
    pub(crate) async fn raw(&mut self, length: usize) -> Vec<u8> {
        while self.unread.len() < length {
            assert!(self.fill().await, "only {} bytes came", self.unread.len());
        }
        self.unread.drain(..length).collect()
    }

    /// Returns when the other side has closed the connection. What still comes before that is dropped.
    pub(crate) async fn gone(&mut self) {
        while self.fill().await {
            self.unread.clear();
        }
    }

    /// `Ok(None)`: the end. `Err`: the connection ended within a chunk, or before the end.
    async fn next_chunk(&mut self) -> Result<Option<Vec<u8>>, Vec<u8>> {
        let end = loop {
            if let Some(end) = find(&self.unread, b"\r\n") {
                break end;
            }
            if !self.fill().await {
                return Err(Vec::new());
            }
        };
        let line = String::from_utf8_lossy(&self.unread[..end]).into_owned();
        let size = usize::from_str_radix(line.trim(), 16).expect("a chunk's size");
        let begin = end + 2;
        while self.unread.len() < begin + size + 2 {
            if !self.fill().await {
                return Err(self.unread.split_off(begin.min(self.unread.len())));
            }
        }
        let piece = self.unread[begin..begin + size].to_vec();
        self.unread.drain(..begin + size + 2);
        Ok((size > 0).then_some(piece))
    }

    /// False at the connection's end, regular or not.
    async fn fill(&mut self) -> bool {
        self.unread.reserve(64 * 1024);
        let read = self.stream.read_buf(&mut self.unread);
        let read = if self.patient { soon("bytes", read).await } else { read.await };
        read.is_ok_and(|bytes| bytes > 0)
    }
}

impl Wire<TcpStream> {
    pub(crate) async fn connect(port: u16) -> Self {
        let stream = TcpStream::connect(("127.0.0.1", port)).await.expect("somebody listens");
        stream.set_nodelay(true).expect("a socket");
        Self::new(stream)
    }

    /// Ends the connection by RST: what the other side has not read yet is lost to it.
    pub(crate) fn reset(self) {
        self.stream.set_zero_linger().expect("a socket");
    }
}

/// One chunk of a chunked body.
pub(crate) fn chunk(bytes: impl AsRef<[u8]>) -> Vec<u8> {
    let bytes = bytes.as_ref();
    [format!("{:x}\r\n", bytes.len()).as_bytes(), bytes, b"\r\n"].concat()
}

fn find(bytes: &[u8], needle: &[u8]) -> Option<usize> {
    memchr::memmem::find(bytes, needle)
}
