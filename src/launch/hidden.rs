//! Characters that a terminal obeys, or that make a text look like another one. Pure.

/// Whether a character must not be shown as it is, where somebody else wrote the text: control characters, marks
/// that turn the direction of what follows (Unicode TR 9), line separators, and what takes no place.
pub fn is_hidden(c: char) -> bool {
    c.is_control()
        || matches!(
            c,
            '\u{ad}'
                | '\u{61c}'
                | '\u{200b}'
                | '\u{200e}'
                | '\u{200f}'
                | '\u{2028}'..='\u{202e}'
                | '\u{2060}'..='\u{206f}'
                | '\u{feff}'
                | '\u{e0000}'..='\u{e007f}'
        )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_hides_is_known_and_what_joins_is_not_taken_for_it() {
        for c in ['\u{1b}', '\n', '\u{9b}', '\u{202e}', '\u{2066}', '\u{200b}', '\u{feff}', '\u{e0041}'] {
            assert!(is_hidden(c), "{}", c.escape_unicode());
        }
        for c in ['a', ' ', '漢', '\u{301}', '\u{200d}', '\u{fe0f}', '\u{a0}'] {
            assert!(!is_hidden(c), "{}", c.escape_unicode());
        }
    }
}
