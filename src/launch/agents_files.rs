//! Definitions as agent files, for the launch whose definitions are too large for one argument.
//!
//! Values are written as JSON, which is YAML too, so that no description can break the front matter.

use std::collections::HashSet;
use std::fmt::Write;

use serde_json::{Map, Value};

/// Keys that Claude Code's file format wants as a comma list.
const LISTS: [&str; 3] = ["tools", "disallowedTools", "skills"];

/// A file's name and its content, for each definition. No two names are the same, in any case of letters.
pub fn files(definitions: &Map<String, Value>) -> Vec<(String, String)> {
    let mut taken = HashSet::new();
    let named = definitions.iter().filter_map(|(name, value)| Some((name, value.as_object()?)));
    named.map(|(name, definition)| (file_name(name, &mut taken), markdown(name, definition))).collect()
}

fn markdown(name: &str, definition: &Map<String, Value>) -> String {
    let mut text = format!("---\nname: {}\n", scalar(&name.into()));
    for (key, value) in definition.iter().filter(|(key, _)| *key != "prompt") {
        // Writing to a String can't fail.
        writeln!(text, "{key}: {}", scalar(&comma_list(key, value))).ok();
    }
    let prompt = definition.get("prompt").and_then(Value::as_str).unwrap_or_default();
    format!("{text}---\n{}\n", prompt.trim_end_matches('\n'))
}

/// A list becomes a comma string; an empty one stays `[]`, which means none.
fn comma_list(key: &str, value: &Value) -> Value {
    let words = |list: &Vec<Value>| list.iter().map(|item| item.as_str().map(str::to_owned)).collect();
    match value {
        Value::Array(list) if LISTS.contains(&key) && !list.is_empty() => {
            let words: Option<Vec<String>> = words(list);
            words.map_or_else(|| value.clone(), |words| words.join(", ").into())
        }
        other => other.clone(),
    }
}

/// JSON with those characters escaped that JSON allows and YAML doesn't.
fn scalar(value: &Value) -> String {
    let special = |c: char| {
        matches!(c, '\u{7f}'..='\u{9f}' | '\u{2028}' | '\u{2029}' | '\u{feff}' | '\u{fffe}' | '\u{ffff}')
    };
    value.to_string().chars().fold(String::new(), |mut text, c| {
        if special(c) {
            write!(text, "\\u{:04x}", u32::from(c)).ok();
        } else {
            text.push(c);
        }
        text
    })
}

fn file_name(name: &str, taken: &mut HashSet<String>) -> String {
    let keep = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-');
    let plain: String = name.chars().take(80).map(|c| if keep(c) { c } else { '-' }).collect();
    let numbered = (2..).map(|n| format!("{plain}-{n}"));
    let mut candidates = std::iter::once(plain.clone()).chain(numbered);
    let free = candidates.find(|candidate| taken.insert(candidate.to_lowercase()));
    format!("{}.md", free.unwrap_or(plain))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;

    fn one(name: &str, definition: Value) -> String {
        let definitions = Map::from_iter([(name.to_owned(), definition)]);
        files(&definitions).remove(0).1
    }

    #[test]
    fn f09_a_file_has_comma_lists_and_the_prompt_as_its_body() {
        let definition = json!({"description": "Use: \"x\" #1\nmore", "prompt": "You review.\n---\nEnd.\n\n",
            "tools": ["Read", "Bash(git log:*, x)"], "model": "r@o/m:30b", "maxTurns": 3, "skills": []});
        let expect = "---\nname: \"rev\"\ndescription: \"Use: \\\"x\\\" #1\\nmore\"\n\
            tools: \"Read, Bash(git log:*, x)\"\nmodel: \"r@o/m:30b\"\nmaxTurns: 3\nskills: []\n---\n\
            You review.\n---\nEnd.\n";
        assert_eq!(one("rev", definition), expect);
    }

    #[test]
    fn no_two_agents_share_a_file() {
        let some = json!({"description": "d"});
        let names = ["a b", "a/b", "A-B", "../../etc/x"];
        let definitions = names.iter().map(|name| ((*name).to_owned(), some.clone())).collect();
        let files: Vec<String> = files(&definitions).into_iter().map(|(name, _)| name).collect();
        assert_eq!(files, ["a-b.md", "a-b-2.md", "A-B-3.md", "------etc-x.md"]);
    }

    proptest! {
        #[test]
        fn f03_any_description_survives_strict_yaml(description in "\\PC*|(?s:.*)") {
            #[derive(serde::Deserialize)]
            struct Front { description: String }
            let text = one("x", json!({"description": description, "prompt": "p"}));
            let front = text.strip_prefix("---\n").unwrap().split("\n---\n").next().unwrap();
            let front: Front = serde_saphyr::from_str(front).unwrap();
            prop_assert_eq!(front.description, description);
        }
    }
}
