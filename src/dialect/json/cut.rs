//! Where the values of an object or an array begin and end. No recursion, and no memory for what is skipped.

use std::borrow::Cow;

use memchr::memchr;

/// The children of one pair of brackets.
pub(super) struct Cuts<'a> {
    /// Each with the white space around it; in an object with its key.
    pub(super) children: Vec<&'a str>,
    /// What stands between the brackets if no child does.
    pub(super) hollow: &'a str,
}

/// Cuts a text that is `open … close` at its own commas. `None`: it isn't that.
pub(super) fn children(text: &str, open: char, close: char) -> Option<Cuts<'_>> {
    let inner = text.strip_prefix(open)?.strip_suffix(close)?;
    let mut children = Vec::new();
    let mut from = 0;
    while let Some(end) = comma(inner, from)? {
        children.push(&inner[from..end]);
        from = end + 1;
    }
    let last = &inner[from..];
    if children.is_empty() && trimmed(last).is_empty() {
        return Some(Cuts { children, hollow: last });
    }
    children.push(last);
    let whole = children.iter().all(|child| !trimmed(child).is_empty());
    whole.then_some(Cuts { children, hollow: "" })
}

/// The key at the head of an object's child, and how long its lead is: key, colon, white space.
pub(super) fn key(child: &str) -> Option<(Cow<'_, str>, usize)> {
    let open = space(child);
    child[open..].starts_with('"').then_some(())?;
    let end = string(child.as_bytes(), open + 1)?;
    let colon = end + space(&child[end..]);
    child[colon..].starts_with(':').then_some(())?;
    let lead = colon + 1 + space(&child[colon + 1..]);
    (lead < child.len()).then_some(())?;
    Some((decoded(&child[open..end])?, lead))
}

/// A string with its quotes, decoded.
pub(super) fn decoded(text: &str) -> Option<Cow<'_, str>> {
    let inner = text.strip_prefix('"')?.strip_suffix('"')?;
    if memchr(b'\\', inner.as_bytes()).is_none() {
        return Some(inner.into());
    }
    serde_json::from_str::<String>(text).ok().map(Cow::Owned)
}

/// How many bytes of white space a text begins with.
pub(super) fn space(text: &str) -> usize {
    text.bytes().take_while(|byte| is_space(*byte)).count()
}

/// Without the white space around it.
pub(super) fn trimmed(text: &str) -> &str {
    text.trim_matches([' ', '\t', '\n', '\r'])
}

fn is_space(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\n' | b'\r')
}

/// The next comma that lies in no string and in no bracket; `None` inside: there is none before the text's end.
/// `None` outside: brackets or strings don't close.
#[expect(clippy::option_option, reason = "the inner one is an answer, the outer one a failure")]
fn comma(text: &str, from: usize) -> Option<Option<usize>> {
    let bytes = text.as_bytes();
    let (mut at, mut depth) = (from, 0_usize);
    while let Some(byte) = bytes.get(at) {
        at = match byte {
            b'"' => string(bytes, at + 1)?,
            b'{' | b'[' => {
                depth += 1;
                at + 1
            }
            b'}' | b']' => {
                depth = depth.checked_sub(1)?;
                at + 1
            }
            b',' if depth == 0 => return Some(Some(at)),
            _ => at + 1,
        };
    }
    (depth == 0).then_some(None)
}

/// Behind the quote that closes the string of which `from` is the first byte. Quotes are looked for, not backslashes: of
/// those, code has many more.
fn string(bytes: &[u8], from: usize) -> Option<usize> {
    let mut at = from;
    loop {
        at += memchr(b'"', bytes.get(at..)?)?;
        let escapes = bytes[from..at].iter().rev().take_while(|byte| **byte == b'\\').count();
        at += 1;
        if escapes % 2 == 0 {
            return Some(at);
        }
    }
}
