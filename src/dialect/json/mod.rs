//! JSON as a tree on the text's own bytes, for changes that leave everything else as it is.
//!
//! Only what is looked into is expanded, one level at a time; the rest is a slice of the text. Whatever nobody has
//! touched is written back byte for byte: white space, the order and the duplicates of keys, escapes, numbers. What is
//! skipped is skipped by its brackets, without recursion, so depth costs nothing; its grammar is the reader's to check.

mod cut;
#[cfg(test)]
mod tests;

use std::borrow::Cow;

/// A value, as far as it has been looked into.
#[derive(Debug, Clone)]
pub(super) enum Value<'a> {
    /// As it came, or as somebody has written it: a value's text without white space around it.
    Text(Cow<'a, str>),
    Object(Object<'a>),
    Array(Array<'a>),
}

/// `{…}`, with its members in their order.
#[derive(Debug, Clone, Default)]
pub(super) struct Object<'a> {
    members: Vec<Member<'a>>,
    /// The white space of one without members.
    hollow: &'a str,
}

/// `[…]`, with its items in their order.
#[derive(Debug, Clone, Default)]
pub(super) struct Array<'a> {
    pub(super) items: Vec<Item<'a>>,
    hollow: &'a str,
}

#[derive(Debug, Clone)]
struct Member<'a> {
    /// Without its escapes.
    key: Cow<'a, str>,
    item: Item<'a>,
}

/// A value, and what stands around it up to the commas or brackets.
#[derive(Debug, Clone)]
pub(super) struct Item<'a> {
    /// White space; in an object the key and the colon, too.
    lead: Cow<'a, str>,
    pub(super) value: Value<'a>,
    tail: &'a str,
}

/// A text that is one JSON object, with white space around it.
#[derive(Debug)]
pub(super) struct Document<'a> {
    lead: &'a str,
    pub(super) root: Object<'a>,
    tail: &'a str,
}

impl<'a> Document<'a> {
    pub(super) fn read(text: &'a str) -> Option<Self> {
        let inner = cut::trimmed(text);
        let lead = &text[..cut::space(text)];
        let tail = &text[lead.len() + inner.len()..];
        Some(Self { lead, root: Object::read(inner)?, tail })
    }

    pub(super) fn write(&self) -> String {
        let mut out = String::new();
        out.push_str(self.lead);
        self.root.write(&mut out);
        out.push_str(self.tail);
        out
    }
}

impl<'a> Value<'a> {
    /// A value that is new in the text: `json` is one whole value.
    pub(super) fn new(json: impl Into<Cow<'a, str>>) -> Self {
        Self::Text(json.into())
    }

    /// A string, with the escapes that it needs.
    pub(super) fn string(text: &str) -> Self {
        Self::new(serde_json::Value::from(text).to_string())
    }

    /// Looks into an object. `None`: it is none, or it can't be read.
    pub(super) fn object(&mut self) -> Option<&mut Object<'a>> {
        if let Self::Text(Cow::Borrowed(text)) = self {
            *self = Self::Object(Object::read(text)?);
        }
        if let Self::Object(object) = self { Some(object) } else { None }
    }

    /// Looks into an array. `None`: it is none, or it can't be read.
    pub(super) fn array(&mut self) -> Option<&mut Array<'a>> {
        if let Self::Text(Cow::Borrowed(text)) = self {
            *self = Self::Array(Array::read(text)?);
        }
        if let Self::Array(array) = self { Some(array) } else { None }
    }

    /// The items of an array, into which anything else is turned: a string by `block`, the rest into none.
    pub(super) fn list(&mut self, block: impl FnOnce(Self) -> Item<'a>) -> &mut Vec<Item<'a>> {
        if self.array().is_none() {
            let items = if self.escaped().is_some() { vec![block(self.clone())] } else { Vec::new() };
            *self = Self::Array(Array { items, hollow: "" });
        }
        match self {
            Self::Array(array) => &mut array.items,
            Self::Text(_) | Self::Object(_) => unreachable!("it has just become one"),
        }
    }

    /// The text of a value that is neither object nor array, or has not been looked into.
    pub(super) fn text(&self) -> Option<&str> {
        if let Self::Text(text) = self { Some(text) } else { None }
    }

    /// A string's content between its quotes, escapes as they stand.
    pub(super) fn escaped(&self) -> Option<&str> {
        self.text()?.strip_prefix('"')?.strip_suffix('"')
    }

    /// A string, decoded.
    pub(super) fn decoded(&self) -> Option<Cow<'_, str>> {
        cut::decoded(self.text()?)
    }

    /// A whole number, 0 or more.
    pub(super) fn number(&self) -> Option<u64> {
        self.text()?.parse().ok()
    }

    fn write(&self, out: &mut String) {
        match self {
            Self::Text(text) => out.push_str(text),
            Self::Object(object) => object.write(out),
            Self::Array(array) => array.write(out),
        }
    }
}

impl<'a> Object<'a> {
    fn read(text: &'a str) -> Option<Self> {
        let cuts = cut::children(text, '{', '}')?;
        let members = cuts.children.into_iter().map(|child| {
            let (key, lead) = cut::key(child)?;
            Some(Member { key, item: Item::read(&child[..lead], &child[lead..]) })
        });
        Some(Self { members: members.collect::<Option<_>>()?, hollow: cuts.hollow })
    }

    /// The value of a key; of a key that stands twice the last, as most readers take it.
    pub(super) fn get(&self, key: &str) -> Option<&Value<'a>> {
        self.members.iter().rev().find(|member| member.key == key).map(|member| &member.item.value)
    }

    /// As [`Self::get`], to look into it or to change it.
    pub(super) fn get_mut(&mut self, key: &str) -> Option<&mut Value<'a>> {
        let member = self.members.iter_mut().rev().find(|member| member.key == key);
        member.map(|member| &mut member.item.value)
    }

    /// Whether a key's value is this string.
    pub(super) fn says(&self, key: &str, word: &str) -> bool {
        self.get(key).and_then(Value::decoded).is_some_and(|text| text == word)
    }

    /// Takes a key out, each time that it stands here.
    pub(super) fn remove(&mut self, key: &str) {
        self.members.retain(|member| member.key != key);
    }

    /// Gives a key its value, at the end if it is new.
    pub(super) fn set(&mut self, key: &str, value: Value<'a>) {
        if let Some(place) = self.get_mut(key) {
            *place = value;
            return;
        }
        let lead = format!("{}:", serde_json::Value::from(key));
        let item = Item { lead: lead.into(), value, tail: "" };
        self.members.push(Member { key: key.to_owned().into(), item });
    }

    /// The value of a key, `null` at the end if it is new.
    pub(super) fn entry(&mut self, key: &str) -> &mut Value<'a> {
        let at = self.members.iter().rposition(|member| member.key == key).unwrap_or_else(|| {
            self.set(key, Value::new("null"));
            self.members.len() - 1
        });
        &mut self.members[at].item.value
    }

    pub(super) fn is_empty(&self) -> bool {
        self.members.is_empty()
    }

    fn write(&self, out: &mut String) {
        bracketed(out, ['{', '}'], self.hollow, self.members.iter().map(|member| &member.item));
    }
}

impl<'a> Array<'a> {
    fn read(text: &'a str) -> Option<Self> {
        let cuts = cut::children(text, '[', ']')?;
        let items = cuts.children.into_iter().map(|child| {
            let lead = cut::space(child);
            Item::read(&child[..lead], &child[lead..])
        });
        Some(Self { items: items.collect(), hollow: cuts.hollow })
    }

    fn write(&self, out: &mut String) {
        bracketed(out, ['[', ']'], self.hollow, self.items.iter());
    }
}

impl<'a> Item<'a> {
    /// An item that is new in an array.
    pub(super) fn new(value: Value<'a>) -> Self {
        Self { lead: "".into(), value, tail: "" }
    }

    fn read(lead: &'a str, rest: &'a str) -> Self {
        let value = cut::trimmed(rest);
        Self { lead: lead.into(), value: Value::Text(value.into()), tail: &rest[value.len()..] }
    }
}

fn bracketed<'i, 'a: 'i>(
    out: &mut String,
    [open, close]: [char; 2],
    hollow: &str,
    items: impl Iterator<Item = &'i Item<'a>>,
) {
    out.push(open);
    out.push_str(hollow);
    for (at, item) in items.enumerate() {
        if at > 0 {
            out.push(',');
        }
        out.push_str(&item.lead);
        item.value.write(out);
        out.push_str(item.tail);
    }
    out.push(close);
}
