//! A request as it came over the socket: nothing normalised, nothing dropped.

use std::io::{BufRead, Read};

use serde_json::Value;

/// Method, target, headers in their order and case, and the body's bytes.
#[derive(Debug, Clone)]
pub(crate) struct Request {
    /// The head as it was received, up to the empty line.
    head: Vec<u8>,
    pub(crate) method: String,
    pub(crate) target: String,
    headers: Vec<(String, String)>,
    body: Vec<u8>,
    /// The body, read; `null` where it is no JSON.
    pub(crate) json: Value,
}

impl Request {
    /// The next request of a connection; `None` at its end.
    pub(crate) fn read(connection: &mut impl BufRead) -> Option<Self> {
        let head = head(connection)?;
        let text = String::from_utf8_lossy(&head).into_owned();
        let mut lines = text.split("\r\n");
        let mut words = lines.next()?.split(' ').map(str::to_owned);
        let (method, target) = (words.next()?, words.next()?);
        let pairs = lines.filter_map(|line| line.split_once(": "));
        let headers: Vec<_> = pairs.map(|(name, value)| (name.to_owned(), value.to_owned())).collect();
        let mut request = Self { head, method, target, headers, body: Vec::new(), json: Value::Null };
        request.body = request.read_body(connection)?;
        request.json = serde_json::from_slice(&request.body).unwrap_or_default();
        Some(request)
    }

    /// All values of a header, joined by `, `; empty when it isn't there.
    pub(crate) fn header(&self, name: &str) -> String {
        let same = self.headers.iter().filter(|(own, _)| own.eq_ignore_ascii_case(name));
        same.map(|(_, value)| value.as_str()).collect::<Vec<_>>().join(", ")
    }

    /// Whether the text stands anywhere in what was received.
    pub(crate) fn holds(&self, text: &str) -> bool {
        let within = |bytes: &[u8]| bytes.windows(text.len()).any(|window| window == text.as_bytes());
        within(&self.head) || within(&self.body)
    }

    /// The body as it came.
    pub(crate) fn text(&self) -> &str {
        std::str::from_utf8(&self.body).unwrap()
    }

    /// A question to a model.
    pub(crate) fn is_inference(&self) -> bool {
        self.method == "POST" && (self.path().ends_with("/v1/messages") || self.is_chat())
    }

    /// One in OpenAI's dialect.
    pub(crate) fn is_chat(&self) -> bool {
        self.path().ends_with("/chat/completions")
    }

    fn path(&self) -> &str {
        self.target.split('?').next().unwrap_or_default()
    }

    /// What was said before has been put into a summary.
    pub(crate) fn is_continued(&self) -> bool {
        self.holds("This session is being continued from a previous conversation")
    }

    pub(crate) fn model(&self) -> &str {
        self.json["model"].as_str().unwrap_or_default()
    }

    pub(crate) fn user_id(&self) -> &str {
        self.json["metadata"]["user_id"].as_str().unwrap_or_default()
    }

    /// The whole system prompt.
    pub(crate) fn system(&self) -> String {
        let blocks = self.json["system"].as_array().into_iter().flatten();
        blocks.filter_map(|block| block["text"].as_str()).collect::<Vec<_>>().join("\n")
    }

    fn read_body(&self, connection: &mut impl BufRead) -> Option<Vec<u8>> {
        if self.header("transfer-encoding").eq_ignore_ascii_case("chunked") {
            return chunks(connection);
        }
        let mut body = vec![0; self.header("content-length").parse().unwrap_or(0)];
        connection.read_exact(&mut body).ok()?;
        Some(body)
    }
}

fn head(connection: &mut impl BufRead) -> Option<Vec<u8>> {
    let mut head = Vec::new();
    while !head.ends_with(b"\r\n\r\n") {
        if connection.read_until(b'\n', &mut head).ok()? == 0 {
            return None;
        }
    }
    Some(head)
}

fn chunks(connection: &mut impl BufRead) -> Option<Vec<u8>> {
    let mut body = Vec::new();
    loop {
        let mut line = String::new();
        connection.read_line(&mut line).ok()?;
        let size = u64::from_str_radix(line.trim(), 16).ok()?;
        connection.take(size).read_to_end(&mut body).ok()?;
        connection.read_line(&mut line).ok()?;
        if size == 0 {
            return Some(body);
        }
    }
}
