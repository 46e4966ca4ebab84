//! One field of an agent file, changed where it stands: every other byte stays as the person wrote it. Pure.
//!
//! The lines are found by their form, not by a YAML reader, so that files which only Claude Code's forgiving
//! reading accepts can be changed too. What comes out is read again and compared: a change that would touch
//! another field is refused.

use serde_json::{Map, Value};

use super::block::Block;
use super::{front_matter, lenient, markdown, yaml};

/// The key that stands for the file's body.
const PROMPT: &str = "prompt";

/// Fields whose lists are written as one text with commas: the one form that all versions of Claude Code take.
const COMMA_LISTS: [&str; 2] = ["tools", "disallowedTools"];

/// Why a field isn't changed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum FieldError {
    #[error("the file has no front matter between two `---` lines: add it first")]
    NoFrontMatter,
    #[error("`{0}` is no name of a field")]
    Key(String),
    #[error("`{0}` can't be changed without touching another field: edit the file by hand")]
    Entangled(String),
    #[error("the prompt must be a text that isn't blank")]
    Prompt,
}

/// The file's text with one field changed; `None` removes it.
///
/// `a.b` is the key `b` in the mapping `a`, and `prompt` the file's body. A byte order mark goes: older versions of Claude Code
/// ignore files with one.
///
/// # Errors
/// There is no front matter, or the field can't be changed alone.
pub fn set_field(text: &str, key: &str, value: Option<&Value>) -> Result<String, FieldError> {
    let parts = front_matter::split(text).map_err(|_| FieldError::NoFrontMatter)?;
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let opening = text.split_inclusive('\n').next().unwrap_or_default();
    let closing = &text[opening.len() + parts.yaml.len()..text.len() - parts.body.len()];
    let newline = if opening.ends_with("\r\n") { "\r\n" } else { "\n" };
    let (yaml, closing, body) = if key == PROMPT {
        let closing = format!("{}{newline}", closing.trim_end());
        (parts.yaml.to_owned(), closing, body(parts.body, value, newline)?)
    } else {
        let yaml = front_matter_with(&Block::top(parts.yaml, newline), key, value)?;
        (yaml, closing.to_owned(), parts.body.to_owned())
    };
    Ok([opening, &yaml, &closing, &body].concat())
}

/// The prompt below the blank lines that the body begins with; one, where there is no body yet.
fn body(before: &str, prompt: Option<&Value>, newline: &str) -> Result<String, FieldError> {
    let prompt = prompt.and_then(Value::as_str).map(str::trim).filter(|prompt| !prompt.is_empty());
    let lines = |prompt: &str| prompt.replace("\r\n", "\n").replace('\n', newline);
    let text = before.trim_start();
    let blank = &before[..before.len() - text.len()];
    let blank = &blank[..blank.rfind('\n').map_or(0, |end| end + 1)];
    let blank = if text.is_empty() { newline } else { blank };
    prompt.map(|prompt| format!("{blank}{}{newline}", lines(prompt))).ok_or(FieldError::Prompt)
}

fn front_matter_with(block: &Block<'_>, key: &str, value: Option<&Value>) -> Result<String, FieldError> {
    let plain = |part: &str| {
        !part.is_empty() && part.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '_' | '-'))
    };
    let refused = || FieldError::Key(key.escape_debug().to_string());
    let (outer, inner) = key.split_once('.').map_or((key, None), |(outer, inner)| (outer, Some(inner)));
    if !plain(outer) || !inner.is_none_or(plain) {
        return Err(refused());
    }
    let changed = match inner {
        None => block.with(outer, value.map(|value| written(outer, value)).as_deref()),
        Some(inner) => with_nested(block, outer, inner, value),
    };
    if read(&changed) == expected(read(block.text()), outer, inner, value) {
        return Ok(changed);
    }
    Err(FieldError::Entangled(key.to_owned()))
}

/// A key in a mapping: in its own lines where the mapping has them, else in the mapping written as one value.
fn with_nested(block: &Block<'_>, outer: &str, inner: &str, value: Option<&Value>) -> String {
    let written = value.map(|value| written(inner, value));
    let Some(below) = block.below(outer) else {
        let mut map = read(block.text());
        set_nested(&mut map, outer, inner, value);
        return block.with(outer, map.get(outer).map(markdown::flow).as_deref());
    };
    let lines = below.with(inner, written.as_deref());
    if lines.trim().is_empty() { block.with(outer, None) } else { block.with_below(outer, &lines) }
}

/// What the fields must be afterwards.
fn expected(
    mut map: Map<String, Value>,
    outer: &str,
    inner: Option<&str>,
    value: Option<&Value>,
) -> Map<String, Value> {
    match (inner, value) {
        (Some(inner), value) => set_nested(&mut map, outer, inner, value),
        (None, Some(value)) => {
            map.insert(outer.to_owned(), as_read(outer, value));
        }
        (None, None) => {
            map.shift_remove(outer);
        }
    }
    map
}

fn set_nested(map: &mut Map<String, Value>, outer: &str, inner: &str, value: Option<&Value>) {
    let mut nested = map.get(outer).and_then(Value::as_object).cloned().unwrap_or_default();
    match value {
        Some(value) => nested.insert(inner.to_owned(), value.clone()),
        None => nested.shift_remove(inner),
    };
    if nested.is_empty() {
        map.shift_remove(outer);
    } else {
        map.insert(outer.to_owned(), Value::Object(nested));
    }
}

fn read(text: &str) -> Map<String, Value> {
    yaml::mapping(text).unwrap_or_else(|_| lenient::mapping(text))
}

fn as_read(key: &str, value: &Value) -> Value {
    comma_list(key, value).map_or_else(|| value.clone(), Value::String)
}

fn written(key: &str, value: &Value) -> String {
    let list = comma_list(key, value);
    match list.as_deref().or(value.as_str()) {
        Some(text) if is_plain(text) => text.to_owned(),
        Some(text) => markdown::flow(&Value::from(text)),
        None => markdown::flow(value),
    }
}

fn comma_list(key: &str, value: &Value) -> Option<String> {
    let items: Option<Vec<&str>> = value.as_array()?.iter().map(Value::as_str).collect();
    let items = items.filter(|items| !items.is_empty() && COMMA_LISTS.contains(&key))?;
    Some(items.join(", "))
}

/// Texts that need no quotes in any reading of YAML: they can't be taken for a number, a mapping or a comment.
fn is_plain(text: &str) -> bool {
    let word =
        |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '_' | '/' | '@' | ':' | '-' | ',' | ' ');
    let reserved = ["true", "false", "null", "yes", "no", "on", "off", "y", "n"];
    text.starts_with(|c: char| c.is_ascii_alphabetic())
        && text.chars().all(word)
        && !text.ends_with([':', ' '])
        && !text.contains(": ")
        && !reserved.contains(&text.to_ascii_lowercase().as_str())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;

    const FILE: &str = "---\n# who\nname: rev\ndescription: >-\n  Reviews: all\n  # of it\n\ntools:\n- Read\n- Grep\n\
                        # which\nmodel: sonnet # cheap\n\"effort\" : 'low'\nsubagents:\n  visibility: hidden # by name\n  read_only: true\n\
                        unknown: {a: 1}\n---\n\nDo it.\n---\nmodel: x\n";

    fn check(old: &str, new: &str, key: &str, value: Value) {
        let value = Some(value).filter(|value| !value.is_null());
        assert_eq!(FILE.matches(old).count(), 1, "{old:?}");
        assert_eq!(set_field(FILE, key, value.as_ref()).unwrap(), FILE.replacen(old, new, 1), "{key}");
    }

    #[test]
    fn only_the_fields_own_bytes_change() {
        check("sonnet # cheap", "p/m:1b # cheap", "model", json!("p/m:1b"));
        check("'low'", "high", "effort", json!("high"));
        check(" >-\n  Reviews: all\n  # of it\n", " \"a: b # c\"\n", "description", json!("a: b # c"));
    }

    #[test]
    fn a_list_of_tools_is_a_comma_text_and_none_stays_none() {
        check("tools:\n- Read\n- Grep\n", "tools: Bash, Read\n", "tools", json!(["Bash", "Read"]));
        check(
            "tools:\n- Read\n- Grep\n",
            "tools: \"Bash(git log:*, x)\"\n",
            "tools",
            json!(["Bash(git log:*, x)"]),
        );
        check("tools:\n- Read\n- Grep\n", "tools: []\n", "tools", json!([]));
        check("tools:\n- Read\n- Grep\n", "", "tools", Value::Null);
    }

    #[test]
    fn our_own_map_is_changed_in_the_form_that_it_has() {
        check("hidden # by name", "\"off\" # by name", "subagents.visibility", json!("off"));
        check("  visibility: hidden # by name\n", "", "subagents.visibility", Value::Null);
        check("  read_only: true\n", "  read_only: true\n  more: 1\n", "subagents.more", json!(1));
        check("{a: 1}", "{\"a\":1,\"b\":true}", "unknown.b", json!(true));
        let plain = "---\nname: x\n---\nDo.";
        let with = "---\nname: x\nsubagents: {\"visibility\":\"hidden\"}\n---\nDo.";
        assert_eq!(set_field(plain, "subagents.visibility", Some(&json!("hidden"))).unwrap(), with);
        assert_eq!(set_field(with, "subagents.visibility", None).unwrap(), plain);
    }

    #[test]
    fn a_new_field_stands_last_and_line_ends_are_kept() {
        check("unknown: {a: 1}\n", "unknown: {a: 1}\nmaxTurns: 12\n", "maxTurns", json!(12));
        let text = "---\r\nname: x\r\nmodel: a\r\n---\r\nDo.\r\n";
        let expect = "---\r\nname: x\r\nmodel: b\r\ncolor: red\r\n---\r\nDo.\r\n";
        let changed = set_field(text, "model", Some(&json!("b"))).unwrap();
        assert_eq!(set_field(&changed, "color", Some(&json!("red"))).unwrap(), expect);
        let changed = set_field(text, "prompt", Some(&json!("One.\nTwo.\r\n"))).unwrap();
        assert_eq!(changed, "---\r\nname: x\r\nmodel: a\r\n---\r\nOne.\r\nTwo.\r\n");
    }

    #[test]
    fn f01_a_byte_order_mark_goes() {
        let changed = set_field("\u{feff}---\nname: x\n---\nDo.\n", "model", Some(&json!("opus"))).unwrap();
        assert_eq!(changed, "---\nname: x\nmodel: opus\n---\nDo.\n");
    }

    #[test]
    fn the_prompt_is_the_body() {
        let file = |body: &str| format!("---\nname: x\n---\n{body}");
        for (before, after) in [
            ("Do.", "Be.\n"),
            ("  Do.\n", "Be.\n"),
            ("\n \n Do.\n", "\n \nBe.\n"),
            ("", "\nBe.\n"),
            (" \n\n", "\nBe.\n"),
        ] {
            let changed = set_field(&file(before), "prompt", Some(&json!("Be.\n"))).unwrap();
            assert_eq!(changed, file(after), "{before:?}");
        }
        let changed = file("Be.");
        assert_eq!(set_field(&changed, "prompt", Some(&json!(" "))), Err(FieldError::Prompt));
    }

    #[test]
    fn f03_a_file_that_only_the_forgiving_reading_accepts_can_be_changed_where_that_touches_nothing_else() {
        let text =
            "---\nname: x\ndescription: Use: when\n<example>\nContext: c\n</example>\nmodel: a\n---\nDo.\n";
        let changed = set_field(text, "model", Some(&json!("b"))).unwrap();
        assert_eq!(changed, text.replace("model: a", "model: b"));
        let entangled = set_field(text, "description", Some(&json!("short")));
        assert_eq!(entangled, Err(FieldError::Entangled("description".to_owned())));
    }

    #[test]
    fn what_is_no_field_is_refused() {
        for key in ["", "a.b.c", "a b", "a:", ".a"] {
            assert!(matches!(set_field(FILE, key, Some(&json!(1))), Err(FieldError::Key(_))), "{key}");
        }
        assert_eq!(set_field("# no agent", "a", None), Err(FieldError::NoFrontMatter));
    }

    proptest! {
        #[test]
        fn f03_any_text_is_written_so_that_it_reads_back(text in any::<String>(), key in "name|description|color|x") {
            let changed = set_field(FILE, &key, Some(&json!(text))).unwrap();
            let parts = front_matter::split(&changed).unwrap();
            prop_assert_eq!(&yaml::mapping(parts.yaml).unwrap()[&key], &json!(text));
            prop_assert!(changed.ends_with("---\n\nDo it.\n---\nmodel: x\n"));
        }

        #[test]
        fn any_sequence_of_edits_and_their_reversal_gives_the_same_bytes(
            edits in prop::collection::vec(("[a-z]{1,3}", any::<i32>()), 1..6)
        ) {
            let taken = ["on", "off"];
            let edits: Vec<_> = edits.into_iter().filter(|(key, _)| !taken.contains(&key.as_str())).collect();
            let mut text = FILE.to_owned();
            for (key, value) in &edits {
                text = set_field(&text, key, Some(&json!(value))).unwrap();
            }
            for (key, _) in &edits {
                text = set_field(&text, key, None).unwrap();
            }
            prop_assert_eq!(text, FILE);
        }
    }
}
