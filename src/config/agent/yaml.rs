//! Strict YAML, bounded: a hostile file costs neither the stack nor the memory.

use serde_json::{Map, Value};
use serde_saphyr::{Options, alias_limits, budget, options};

/// Why the text is no mapping in YAML, and on which of its lines (from 1).
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Invalid {
    pub(super) line: Option<usize>,
    pub(super) reason: String,
}

/// The front matter's mapping, in its order.
pub(super) fn mapping(text: &str) -> Result<Map<String, Value>, Invalid> {
    if text.lines().all(|line| line.trim().is_empty() || line.trim_start().starts_with('#')) {
        return Ok(Map::new());
    }
    serde_saphyr::from_str_with_options(text, limits()).map_err(|error| invalid(&error))
}

/// Any one value.
pub(super) fn value(text: &str) -> Option<Value> {
    serde_saphyr::from_str_with_options(text, limits()).ok()
}

fn invalid(error: &serde_saphyr::Error) -> Invalid {
    let error = error.without_snippet();
    let line = error.location().and_then(|place| usize::try_from(place.line()).ok());
    let reason = error.to_string().lines().next().unwrap_or_default().to_owned();
    Invalid { line: line.filter(|line| *line > 0), reason }
}

/// `yes`, `0755` and `1_000` stay text, as they are for Claude Code.
fn limits() -> Options {
    options! {
        budget: budget! {
            max_depth: 32,
            flow_nesting_limit: 32,
            max_nodes: 10_000,
            max_events: 50_000,
            max_anchors: 100,
            max_aliases: 100,
            max_merge_keys: 100,
            max_total_scalar_bytes: 256 * 1024,
            max_documents: 1,
        },
        alias_limits: alias_limits! {
            max_total_replayed_events: 10_000,
            max_replay_stack_depth: 8,
        },
        strict_booleans: true,
        leading_zero_numbers_as_strings: true,
        underscored_numbers_as_strings: true,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn words_that_other_readers_take_for_values_stay_text() {
        let found = mapping("a: yes\nb: no\nc: 0755\nd: 1_000\ne: true\nf: 12\ng:\nh: ~\n").unwrap();
        let expect = json!({"a":"yes","b":"no","c":"0755","d":"1_000","e":true,"f":12,"g":null,"h":null});
        assert_eq!(Value::Object(found), expect);
    }

    #[test]
    fn an_alias_bomb_and_a_deep_nest_are_refused() {
        let level = |(name, below): (char, char)| {
            format!("{name}: &{name} [*{below},*{below},*{below},*{below},*{below},*{below}]")
        };
        let levels: Vec<String> = ('b'..='i').zip('a'..).map(level).collect();
        assert!(mapping(&format!("a: &a [x,x,x,x,x,x,x,x,x]\n{}\n", levels.join("\n"))).is_err());
        assert!(mapping(&format!("a: {}1{}", "[".repeat(500), "]".repeat(500))).is_err());
        let nest: Vec<String> = (0..500).map(|depth| " ".repeat(depth) + "a:\n").collect();
        assert!(mapping(&nest.concat()).is_err());
    }

    #[test]
    fn what_is_no_mapping_is_told_with_its_line() {
        assert_eq!(mapping("name: a\ndescription: b: c\n").unwrap_err().line, Some(2));
        assert!(mapping("- a\n- b\n").is_err());
        assert_eq!(mapping("# nothing\n\n"), Ok(Map::new()));
    }
}
