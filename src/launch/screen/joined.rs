//! Which characters make one, and how wide it then is, as Claude Code counts.
//!
//! Claude Code splits text into what a person sees as characters and counts two columns for each that is an emoji:
//! joined by U+200D, with a skin tone, made one by U+FE0F, a flag, a key cap. The emulator counts code points. All
//! other text, the scripts of India too, is the sum of its code points in both.

use unicode_segmentation::UnicodeSegmentation;
use unicode_width::UnicodeWidthChar;

const JOINER: char = '\u{200d}';
const EMOJI_STYLE: char = '\u{fe0f}';
const KEY_CAP: char = '\u{20e3}';

/// More code points than any real character has.
const LONGEST: usize = 32;

/// What the next character does to the one before it.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Joining {
    /// It stands for itself.
    Apart,
    /// It belongs to the one before, whose width stays.
    Joins,
    /// It belongs to the one before, which is two columns wide from now on.
    Widens,
    /// There are too many in one place already.
    Dropped,
}

/// The character that was written last.
#[derive(Default)]
pub(super) struct Last {
    base: Option<char>,
    /// Its other code points.
    joined: Vec<char>,
}

impl Last {
    pub(super) fn of(base: char, joined: &[char]) -> Self {
        Self { base: Some(base), joined: joined.to_vec() }
    }

    /// Nothing is known of what stands before the cursor.
    pub(super) fn forget(&mut self) {
        self.base = None;
        self.joined.clear();
    }

    /// How the next code point relates to this character; it is remembered as its part or as the new last.
    pub(super) fn next(&mut self, next: char) -> Joining {
        let joining = self.joining(next);
        match joining {
            Joining::Apart => {
                self.base = Some(next);
                self.joined.clear();
            }
            Joining::Joins | Joining::Widens => self.joined.push(next),
            Joining::Dropped => {}
        }
        joining
    }

    fn joining(&self, next: char) -> Joining {
        let Some(base) = self.base else { return Joining::Apart };
        // Most of the text there is.
        if next.is_ascii() && self.joined.is_empty() {
            return Joining::Apart;
        }
        let last = self.joined.last().copied().unwrap_or(base);
        if self.joined.len() + 1 >= LONGEST && (next.width() == Some(0) || last == JOINER) {
            return Joining::Dropped;
        }
        match next {
            EMOJI_STYLE if is_pictograph(base) => Joining::Widens,
            KEY_CAP if is_key(base) => Joining::Widens,
            _ if next.width() == Some(0) => Joining::Joins,
            _ if is_flag_letter(next) && is_flag_letter(base) && self.joined.is_empty() => Joining::Widens,
            _ if last == JOINER && is_pictograph(base) && is_pictograph(next) => Joining::Widens,
            _ if is_skin_tone(next)
                && is_pictograph(base)
                && (is_pictograph(last) || last == EMOJI_STYLE) =>
            {
                Joining::Widens
            }
            _ => Joining::Apart,
        }
    }
}

/// Whether it could be the second half of a joined emoji.
fn is_pictograph(character: char) -> bool {
    let joined = ['\u{1f469}', JOINER, character];
    !character.is_ascii()
        && String::from_iter(joined).graphemes(true).count() == 1
        && character.width() != Some(0)
}

fn is_skin_tone(character: char) -> bool {
    ('\u{1f3fb}'..='\u{1f3ff}').contains(&character)
}

fn is_flag_letter(character: char) -> bool {
    ('\u{1f1e6}'..='\u{1f1ff}').contains(&character)
}

fn is_key(character: char) -> bool {
    character.is_ascii_digit() || matches!(character, '#' | '*')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_joins_and_what_widens() {
        use Joining::{Apart, Joins, Widens};
        for (text, expect) in [
            ("ab", vec![Apart, Apart]),
            ("e\u{301}", vec![Apart, Joins]),
            ("\u{2764}\u{fe0f}", vec![Apart, Widens]),
            ("a\u{fe0f}", vec![Apart, Joins]),
            ("1\u{fe0f}\u{20e3}", vec![Apart, Joins, Widens]),
            ("\u{1f469}\u{200d}\u{1f4bb}", vec![Apart, Joins, Widens]),
            ("\u{1f44d}\u{1f3fd}", vec![Apart, Widens]),
            ("x\u{1f3fd}", vec![Apart, Apart]),
            ("\u{1f1e9}\u{1f1ea}\u{1f1eb}\u{1f1f7}", vec![Apart, Widens, Apart, Widens]),
            ("\u{915}\u{94d}\u{200d}\u{937}", vec![Apart, Joins, Joins, Apart]),
        ] {
            let mut last = Last::default();
            let found: Vec<Joining> = text.chars().map(|next| last.next(next)).collect();
            assert_eq!(found, expect, "{text}");
        }
    }

    #[test]
    fn one_place_holds_no_endless_character() {
        let mut last = Last::default();
        last.next('a');
        let joined = (0..1000).filter(|_| last.next('\u{301}') == Joining::Joins).count();
        assert_eq!(joined, LONGEST - 1);
        assert_eq!(last.next('b'), Joining::Apart);
    }
}
