//! Finds the front matter: where it starts, where it ends, and nothing about what it says.

/// A file cut in two.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Parts<'t> {
    /// Between the two `---` lines. Its first line is the file's second.
    pub(super) yaml: &'t str,
    /// After the closing line.
    pub(super) body: &'t str,
    /// The file starts with a byte order mark, which makes older versions of Claude Code ignore it.
    pub(super) marked: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum NoParts {
    /// No `---` anywhere near the start: some other Markdown file.
    None,
    /// Blank lines or white space stand before the opening `---`.
    NotAtStart,
    /// No line closes the block.
    Open,
}

/// Only a block at the very first byte (after a byte order mark) counts, and the first `---` line ends it.
pub(super) fn split(text: &str) -> Result<Parts<'_>, NoParts> {
    let unmarked = text.strip_prefix('\u{feff}');
    let marked = unmarked.is_some();
    let text = unmarked.unwrap_or(text);
    let opening = text.split_inclusive('\n').next().unwrap_or_default();
    if !is_fence(opening) {
        let late = text.trim_start().lines().next().is_some_and(is_fence);
        return Err(if late { NoParts::NotAtStart } else { NoParts::None });
    }
    let rest = &text[opening.len()..];
    let mut end = 0;
    for line in rest.split_inclusive('\n') {
        if is_fence(line) {
            return Ok(Parts { yaml: &rest[..end], body: &rest[end + line.len()..], marked });
        }
        end += line.len();
    }
    Err(NoParts::Open)
}

/// The file's line of a key at the front matter's top level.
pub(super) fn line_of_key(yaml: &str, key: &str) -> Option<usize> {
    let starts = |line: &str| {
        let line = line.trim_start_matches(['"', '\'']);
        let rest = line.strip_prefix(key).map(|rest| rest.trim_start_matches(['"', '\'']));
        rest.is_some_and(|rest| rest.trim_start().starts_with(':'))
    };
    yaml.lines().position(starts).map(|index| index + 2)
}

/// The file's line of a key, for what is told by its line.
pub fn line_of(text: &str, key: &str) -> Option<usize> {
    line_of_key(split(text).ok()?.yaml, key)
}

fn is_fence(line: &str) -> bool {
    line.trim_end() == "---"
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, expect: Result<(&str, &str), NoParts>) {
        assert_eq!(split(text).map(|parts| (parts.yaml, parts.body)), expect, "{text:?}");
    }

    #[test]
    fn f12_only_a_block_at_the_first_byte_counts_and_its_first_closing_line_ends_it() {
        check("---\na: 1\n---\nbody", Ok(("a: 1\n", "body")));
        check("---\r\na: 1\r\n---\r\nbody\r\n", Ok(("a: 1\r\n", "body\r\n")));
        check("---\na: 1\n--- \nx\n---\ny", Ok(("a: 1\n", "x\n---\ny")));
        check("---\na: 1\n----\nb: 2\n---\n", Ok(("a: 1\n----\nb: 2\n", "")));
        check("---\n---", Ok(("", "")));
        check("\n---\na: 1\n---\n", Err(NoParts::NotAtStart));
        check("# Persona\n```\n---\nname: x\n---\n```\n", Err(NoParts::None));
        check("", Err(NoParts::None));
        check("----\na: 1\n---\n", Err(NoParts::None));
        check("---\na: 1\n --- \n", Err(NoParts::Open));
    }

    #[test]
    fn f01_a_byte_order_mark_is_read_over_and_noticed() {
        let parts = split("\u{feff}---\na: 1\n---\n\u{feff}b").unwrap();
        assert_eq!((parts.yaml, parts.body, parts.marked), ("a: 1\n", "\u{feff}b", true));
    }

    #[test]
    fn the_line_of_a_key_is_counted_in_the_file() {
        let yaml = "name: x\n\"model\" : y\n  tools: z\n";
        let lines = ["name", "model", "tools", "nam"].map(|key| line_of_key(yaml, key));
        assert_eq!(lines, [Some(2), Some(3), None, None]);
    }
}
