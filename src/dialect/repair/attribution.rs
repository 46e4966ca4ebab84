//! The line by which Claude Code tells Anthropic what a request is for. It changes with each of them, and stands at the
//! head of `system`, where it keeps every cache of prefixes from finding anything.

use crate::dialect::ATTRIBUTION;
use crate::dialect::json::{Object, Value};

/// Takes the line out, the block that holds nothing else, and a `system` of which nothing is left.
pub(super) fn drop(root: &mut Object<'_>) {
    let Some(system) = root.get_mut("system") else { return };
    let emptied = match system.array() {
        Some(blocks) => {
            let before = blocks.items.len();
            blocks.items.retain_mut(|item| !drop_line(block_text(&mut item.value)));
            blocks.items.is_empty() && before > 0
        }
        None => drop_line(Some(system)),
    };
    if emptied {
        root.remove("system");
    }
}

fn block_text<'b, 'a>(block: &'b mut Value<'a>) -> Option<&'b mut Value<'a>> {
    block.object()?.get_mut("text")
}

/// Whether nothing is left of the text behind its line.
fn drop_line(text: Option<&mut Value<'_>>) -> bool {
    let Some(text) = text else { return false };
    let Some(mut left) = text.escaped() else { return false };
    if !left.starts_with(ATTRIBUTION) {
        return false;
    }
    while left.starts_with(ATTRIBUTION) {
        left = behind_line(left);
    }
    let left = format!("\"{left}\"");
    let emptied = left.len() == 2;
    *text = Value::new(left);
    emptied
}

/// What stands behind the first line of a string's content, which holds its line ends as escapes.
fn behind_line(escaped: &str) -> &str {
    let bytes = escaped.as_bytes();
    let mut at = 0;
    while let Some(found) = bytes.get(at..).and_then(|rest| memchr::memchr(b'\\', rest)) {
        let escape = at + found;
        if bytes.get(escape + 1) == Some(&b'n') {
            return &escaped[escape + 2..];
        }
        at = escape + 2;
    }
    ""
}
