//! Reads front matter that is no YAML, line by line, as Claude Code does with such files.
//!
//! Typical is a description with `: ` in it, or with examples over several lines. Text is never taken for a
//! key that gives more than the file meant, and a `tools` line is never taken for text.

use std::iter::Peekable;
use std::str::Lines;

use serde_json::{Map, Value};

use super::{keys, yaml};

/// Every `key: value` at the top level. Of two with one key the first counts.
pub(super) fn mapping(text: &str) -> Map<String, Value> {
    let (mut map, mut slipped) = (Map::new(), Map::new());
    let mut lines = text.lines().peekable();
    while let Some(line) = lines.next() {
        if let Some((key, rest)) = key_line(line) {
            map.entry(key).or_insert(value(key, rest, &mut lines));
        } else if let Some((key, rest)) = slipped_line(line) {
            slipped.entry(key).or_insert(value(key, rest, &mut lines));
        }
    }
    for (key, value) in slipped {
        map.entry(key).or_insert(value);
    }
    map
}

/// `key: rest`, not indented.
fn key_line(line: &str) -> Option<(&str, &str)> {
    let (key, rest) = line.split_once(':')?;
    let key = key.trim_end();
    let key = key.strip_prefix('"').and_then(|key| key.strip_suffix('"')).unwrap_or(key);
    let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-');
    let separated = rest.is_empty() || rest.starts_with([' ', '\t']);
    (separated && !key.is_empty() && key.chars().all(plain)).then_some((key, rest.trim()))
}

/// An indented `tools: …`: to lose it in the text above would give the agent every tool.
fn slipped_line(line: &str) -> Option<(&str, &str)> {
    key_line(line.trim_start()).filter(|(key, _)| limits_tools(key))
}

fn limits_tools(key: &str) -> bool {
    let meant = if keys::is_known(key) { Some(key) } else { keys::meant_by(key) };
    matches!(meant, Some("tools" | "disallowedTools"))
}

fn value(key: &str, rest: &str, lines: &mut Peekable<Lines<'_>>) -> Value {
    if let Some(style) = block_style(rest) {
        return Value::String(block_scalar(style, &block(lines)));
    }
    if rest.is_empty() || rest.starts_with('#') {
        return below(&block(lines));
    }
    if rest.starts_with(['[', '{', '"', '\'']) {
        let whole = format!("{rest}\n{}", block(lines).join("\n"));
        return yaml::value(&whole).unwrap_or_else(|| listed(key, rest));
    }
    let text = plain_text(rest, lines);
    if key == "description" { Value::String(text) } else { scalar(without_comment(&text)) }
}

/// `|` or `>`, with any chomping or indentation signs.
fn block_style(rest: &str) -> Option<char> {
    let style = rest.chars().next().filter(|style| matches!(style, '|' | '>'))?;
    let signs = without_comment(&rest[1..]);
    signs.trim().chars().all(|c| matches!(c, '+' | '-' | '1'..='9')).then_some(style)
}

/// The lines that belong to the key above: indented ones, list items and blank lines.
fn block<'t>(lines: &mut Peekable<Lines<'t>>) -> Vec<&'t str> {
    let belongs = |line: &&str| {
        line.trim().is_empty() || line.starts_with([' ', '\t']) || line.starts_with("- ") || *line == "-"
    };
    std::iter::from_fn(|| lines.next_if(belongs)).collect()
}

fn block_scalar(style: char, block: &[&str]) -> String {
    let filled = block.iter().filter(|line| !line.trim().is_empty());
    let indent =
        filled.map(|line| line.len() - line.trim_start_matches([' ', '\t']).len()).min().unwrap_or(0);
    let lines: Vec<&str> = block.iter().map(|line| line.get(indent..).unwrap_or_default()).collect();
    let joined = lines.join("\n");
    let text = joined.trim_end();
    if style == '>' { folded(text) } else { format!("{text}\n") }
}

/// Single line breaks become spaces, blank lines become line breaks.
fn folded(text: &str) -> String {
    let paragraphs = text.split("\n\n").map(|paragraph| paragraph.replace('\n', " "));
    paragraphs.collect::<Vec<_>>().join("\n") + "\n"
}

/// What stands below a key with nothing behind it: a list, a mapping, nothing, or text.
fn below(block: &[&str]) -> Value {
    let filled: Vec<&str> = block.iter().map(|line| line.trim()).filter(|line| !line.is_empty()).collect();
    if filled.is_empty() {
        return Value::Null;
    }
    if let Some(value) = yaml::value(&block.join("\n")) {
        return value;
    }
    let items: Option<Vec<Value>> = filled.iter().map(|line| item(line)).collect();
    items.map_or_else(|| Value::String(filled.join("\n")), Value::Array)
}

fn item(line: &str) -> Option<Value> {
    let rest = line.strip_prefix('-')?;
    Some(scalar(without_comment(rest.trim())))
}

/// A flow list that YAML refuses, such as `[Read, *]`.
fn listed(key: &str, rest: &str) -> Value {
    let inner = without_comment(rest).strip_prefix('[').and_then(|rest| rest.strip_suffix(']'));
    match inner {
        Some(inner) if key != "description" => {
            inner.split(',').map(|item| Value::String(unquoted(item.trim()).to_owned())).collect()
        }
        _ => Value::String(unquoted(rest).to_owned()),
    }
}

/// The rest of the line, and the lines below up to the next key.
///
/// Once the text has gone on without being a key, only known keys end it: examples are full of `user: …`.
fn plain_text(rest: &str, lines: &mut Peekable<Lines<'_>>) -> String {
    let mut text = rest.to_owned();
    let mut gone_on = false;
    while let Some(line) = lines.next_if(|line| !ends_text(line, gone_on)) {
        gone_on = true;
        text.push('\n');
        text.push_str(line);
    }
    text.trim_end().to_owned()
}

fn ends_text(line: &str, gone_on: bool) -> bool {
    let key = key_line(line).map(|(key, _)| key);
    key.is_some_and(|key| !gone_on || keys::is_known(key)) || slipped_line(line).is_some()
}

fn scalar(text: &str) -> Value {
    match text {
        "" | "~" | "null" => Value::Null,
        "true" => Value::Bool(true),
        "false" => Value::Bool(false),
        _ => text.parse::<u64>().map_or_else(|_| Value::String(unquoted(text).to_owned()), Value::from),
    }
}

fn without_comment(text: &str) -> &str {
    text.find(" #").map_or(text, |at| &text[..at]).trim()
}

fn unquoted(text: &str) -> &str {
    for quote in ['"', '\''] {
        let inner = text.strip_prefix(quote).and_then(|text| text.strip_suffix(quote));
        if let Some(inner) = inner {
            return inner;
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn check(text: &str, expect: &Value) {
        assert_eq!(&Value::Object(mapping(text)), expect, "{text}");
    }

    #[test]
    fn f03_a_colon_in_a_description_is_text() {
        check(
            "name: a\ndescription: Use this when: task A, task B # 12\nmaxTurns: 3\n",
            &json!({"name": "a", "description": "Use this when: task A, task B # 12", "maxTurns": 3}),
        );
    }

    #[test]
    fn f03_examples_below_a_description_belong_to_it() {
        check(
            "description: Use: it\n<example>\nContext: x\nuser: \"hi\"\n</example>\nmodel: sonnet # fast\n",
            &json!({
                "description": "Use: it\n<example>\nContext: x\nuser: \"hi\"\n</example>",
                "model": "sonnet",
            }),
        );
    }

    #[test]
    fn lists_blocks_and_mappings_are_read_below_their_key() {
        check(
            "d: a: b\ntools:\n  - Read\n  - *\nx: >-\n  one\n  two\n\n  three\ny: |\n  a\n    b\nsubagents:\n  \
             visibility: hidden\ne:\n",
            &json!({
                "d": "a: b",
                "tools": ["Read", "*"],
                "x": "one two\nthree\n",
                "y": "a\n  b\n",
                "subagents": {"visibility": "hidden"},
                "e": null,
            }),
        );
        check("tools: [Read, *]\n", &json!({"tools": ["Read", "*"]}));
        check("tools: *\n", &json!({"tools": "*"}));
    }

    #[test]
    fn l4_a_line_that_limits_tools_is_never_lost_in_text() {
        check("description: a: b\n tools: Read\n", &json!({"description": "a: b", "tools": "Read"}));
        check(
            "description: a: b\nmore\nallowed-tools: Read\n",
            &json!({"description": "a: b\nmore", "allowed-tools": "Read"}),
        );
        check(
            "description: a: b\n  tools: All, Of, Them\ntools: Read\n",
            &json!({"description": "a: b", "tools": "Read"}),
        );
    }
}
