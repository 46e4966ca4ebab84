//! A stats file, as lines that a test can compare as a whole.

use std::path::Path;

use serde_json::Value;

use super::reply::USAGE;

/// The file's content. Every reading has been checked to add up.
#[derive(Debug)]
pub(crate) struct Figures(Value);

impl Figures {
    pub(crate) fn read(file: &Path) -> Self {
        let text =
            std::fs::read_to_string(file).unwrap_or_else(|error| panic!("{}: {error}", file.display()));
        let figures = Self(serde_json::from_str(&text).unwrap());
        assert_eq!(figures.0["version"], 1);
        assert_eq!(figures.0["bypass"], Value::Null, "{figures:#?}");
        for row in figures.rows("routes").iter().chain(figures.rows("agents")) {
            let ends = ["in_flight", "ok", "client_error", "upstream_error", "cancelled"];
            assert_eq!(count(row, "requests"), ends.iter().map(|end| count(row, end)).sum::<u64>(), "{row}");
            let tokens = ["input_tokens", "output_tokens", "cache_read_tokens", "cache_write_tokens"];
            let used = USAGE.map(|tokens| tokens * count(row, "ok"));
            assert_eq!(tokens.map(|tokens| count(row, tokens)), used, "each answer has used the same: {row}");
        }
        figures
    }

    pub(crate) fn hooks(&self) -> bool {
        self.0["hooks"] == true
    }

    /// `default: 2 ok`
    pub(crate) fn routes(&self) -> Vec<String> {
        self.rows("routes").iter().map(|row| format!("{}: {}", text(row, "route"), ends(row))).collect()
    }

    /// `reviewer on glm/glm-5: 1 ok`
    pub(crate) fn agents(&self) -> Vec<String> {
        let line = |row: &Value| format!("{} on {}: {}", text(row, "agent"), text(row, "route"), ends(row));
        self.rows("agents").iter().map(line).collect()
    }

    /// `reviewer on opus: 1 of 1 refused`
    pub(crate) fn strays(&self) -> Vec<String> {
        let line = |row: &Value| {
            let (refused, requests) = (count(row, "refused"), count(row, "requests"));
            format!("{} on {}: {refused} of {requests} refused", text(row, "agent"), text(row, "model"))
        };
        self.rows("strays").iter().map(line).collect()
    }

    fn rows(&self, list: &str) -> &[Value] {
        self.0[list].as_array().map(Vec::as_slice).unwrap_or_default()
    }
}

/// How the requests of a row have ended; nothing for what has not been.
fn ends(row: &Value) -> String {
    let names = ["in_flight", "ok", "client_error", "upstream_error", "cancelled"];
    let some = names.iter().map(|name| (name, count(row, name))).filter(|(_, count)| *count > 0);
    some.map(|(name, count)| format!("{count} {name}")).collect::<Vec<_>>().join(", ")
}

fn count(row: &Value, name: &str) -> u64 {
    row[name].as_u64().unwrap_or_else(|| panic!("`{name}` is missing: {row}"))
}

fn text<'a>(row: &'a Value, name: &str) -> &'a str {
    row[name].as_str().unwrap_or("?")
}
