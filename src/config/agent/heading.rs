//! What Claude Code itself takes from an agent's file, which is less than [`super::parse`] asks for.
//!
//! For files that are somebody else's: they count in a launch whether we could use them or not.

use serde_json::Value;

use super::parse::sections;
use super::tools;

/// The head of an agent's file, as far as it says who the agent is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Heading {
    pub name: Option<String>,
    pub description: Option<String>,
    /// As the file says it; `inherit` where it says nothing.
    pub model: String,
    /// As written; `None`: all.
    pub tools: Option<Vec<String>>,
}

/// `None`: the file has no front matter at its start, or is no text.
pub fn heading(bytes: &[u8]) -> Option<Heading> {
    let (map, _) = sections(std::str::from_utf8(bytes).ok()?)?;
    let text =
        |key: &str| map.get(key).and_then(Value::as_str).map(str::trim).filter(|text| !text.is_empty());
    Some(Heading {
        name: text("name").map(str::to_owned),
        description: text("description").map(str::to_owned),
        model: text("model").unwrap_or("inherit").to_owned(),
        tools: map.get("tools").and_then(tools::entries).filter(|tools| tools != &["*"]),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, expect: Option<(Option<&str>, Option<&str>, &str)>) {
        let found = heading(text.as_bytes());
        let found = found
            .as_ref()
            .map(|found| (found.name.as_deref(), found.description.as_deref(), found.model.as_str()));
        assert_eq!(found, expect, "{text:?}");
    }

    #[test]
    fn f14_a_heading_is_read_where_claude_code_reads_one() {
        check("---\nname: a\ndescription: d\nmodel: opus\n---\n", Some((Some("a"), Some("d"), "opus")));
        check(
            "---\nname: a\ndescription: it says: this\n---\n",
            Some((Some("a"), Some("it says: this"), "inherit")),
        );
        check("\u{feff}---\nname: a\n---\n", Some((Some("a"), None, "inherit")));
        check("---\nname: 12\nmodel: [x]\n---\nx", Some((None, None, "inherit")));
        check("\n---\nname: a\n---\n", None);
        check("# Read me\n", None);
    }
}
