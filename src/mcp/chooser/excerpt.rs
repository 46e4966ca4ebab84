//! Long texts, cut to what is worth reading.

/// The text, or its beginning and its end where it is longer than `most` bytes: people paste logs before or
/// after what they ask for. Three quarters are the beginning. At most `most` bytes and a line that tells.
pub(super) fn excerpt(text: &str, most: usize) -> String {
    if text.len() <= most {
        return text.to_owned();
    }
    let head = text.floor_char_boundary(most / 4 * 3);
    let tail = text.ceil_char_boundary(text.len() - most / 4);
    format!("{}\n[…]\n{}", &text[..head], &text[tail..])
}

/// One line of at most `most` characters, for a person: control characters, marks that turn the direction of
/// writing, and runs of space become one space.
pub(super) fn line(text: &str, most: usize) -> String {
    let mut line = String::new();
    for word in text.split(parts_words).filter(|word| !word.is_empty()) {
        if !line.is_empty() {
            line.push(' ');
        }
        line.push_str(word);
        if let Some((at, _)) = line.char_indices().nth(most) {
            line.truncate(at);
            line.push('…');
            break;
        }
    }
    line
}

fn parts_words(c: char) -> bool {
    let turns = matches!(c, '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
    c.is_whitespace() || c.is_control() || turns
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_beginning_and_the_end_are_kept() {
        for (text, most, expect) in [
            ("short", 8, "short"),
            ("0123456789", 8, "012345\n[…]\n89"),
            ("ééééééé", 8, "ééé\n[…]\né"),
            ("日本語日本", 4, "日\n[…]\n"),
            ("x", 0, "\n[…]\n"),
        ] {
            assert_eq!(excerpt(text, most), expect, "{text}");
        }
    }

    #[test]
    fn a_line_is_one_line() {
        for (text, expect) in [
            (" a\n\tb ", "a b"),
            ("a\u{1b}[31mb", "a [31mb"),
            ("abcdefghijk", "abcdefghij…"),
            ("abcde fghi", "abcde fghi"),
            ("a\u{202e}b", "a b"),
            ("", ""),
        ] {
            assert_eq!(line(text, 10), expect, "{text:?}");
        }
    }
}
