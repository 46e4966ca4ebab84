//! Words in lines of a width, and figures in few characters. Pure.

use unicode_width::UnicodeWidthStr;

/// Columns of a terminal that nobody widened.
pub(super) const WIDTH: usize = 80;

/// Columns of a terminal: some characters take two, some none.
pub(super) fn columns(text: &str) -> usize {
    text.width()
}

/// The text in lines of `width` columns. A word that is longer stands alone: a path must stay copyable.
pub(super) fn wrap(text: &str, width: usize) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for word in text.split_whitespace() {
        match lines.last_mut() {
            Some(line) if columns(line) + 1 + columns(word) <= width => {
                line.push(' ');
                line.push_str(word);
            }
            _ => lines.push(word.to_owned()),
        }
    }
    lines
}

/// `1 warning`, `2 warnings`
pub(super) fn counted(count: u64, noun: &str) -> String {
    if count == 1 { format!("1 {noun}") } else { format!("{count} {noun}s") }
}

/// `950`, `12.3k`, `4.5M`, `6.7G`
pub(super) fn short(count: u64) -> String {
    let tenths = |unit: u64| format!("{}.{}", count / unit, count % unit / (unit / 10));
    match count {
        0..1_000 => count.to_string(),
        1_000..1_000_000 => format!("{}k", tenths(1_000)),
        1_000_000..1_000_000_000 => format!("{}M", tenths(1_000_000)),
        _ => format!("{}G", tenths(1_000_000_000)),
    }
}

/// `350ms`, `12.3s`
pub(super) fn duration(millis: u64) -> String {
    match millis {
        0..10_000 => format!("{millis}ms"),
        _ => format!("{}.{}s", millis / 1_000, millis % 1_000 / 100),
    }
}

/// USD: `$12.30`, `$0.0042`, `$0` for what is free.
pub(super) fn dollars(amount: f64) -> String {
    if amount <= 0.0 {
        "$0".to_owned()
    } else if amount >= 1.0 {
        format!("${amount:.2}")
    } else {
        format!("${amount:.4}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_are_short() {
        for (count, expect) in [
            (0, "0"),
            (999, "999"),
            (1_000, "1.0k"),
            (12_345, "12.3k"),
            (999_999, "999.9k"),
            (4_560_000, "4.5M"),
            (12_340_000_000, "12.3G"),
        ] {
            assert_eq!(short(count), expect);
        }
        assert_eq!([0, 9_999, 12_345].map(duration), ["0ms", "9999ms", "12.3s"]);
        assert_eq!([0.0, 0.004_2, 12.3].map(dollars), ["$0", "$0.0042", "$12.30"]);
        assert_eq!([0, 1, 2].map(|n| counted(n, "call")), ["0 calls", "1 call", "2 calls"]);
    }

    #[test]
    fn words_wrap_and_long_ones_stand_alone() {
        assert_eq!(wrap("a bb  ccc\n/a/long/path d", 5), ["a bb", "ccc", "/a/long/path", "d"]);
        assert!(wrap(" ", 5).is_empty());
    }
}
