//! Colours as people write them.

/// A colour of the terminal.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Colour {
    /// `default`: what the terminal takes by itself.
    Default,
    /// One of the terminal's own sixteen by its name, or of its 256 by a number.
    Indexed(u8),
    /// `#rrggbb`
    Rgb(u8, u8, u8),
}

impl Colour {
    /// The sixteen, in the order of their numbers.
    pub(super) const NAMES: [&str; 16] = [
        "black",
        "red",
        "green",
        "yellow",
        "blue",
        "magenta",
        "cyan",
        "white",
        "bright-black",
        "bright-red",
        "bright-green",
        "bright-yellow",
        "bright-blue",
        "bright-magenta",
        "bright-cyan",
        "bright-white",
    ];

    pub(super) const DEFAULT: &str = "default";

    /// `None`: it is no colour.
    pub(super) fn named(text: &str) -> Option<Self> {
        if text == Self::DEFAULT {
            return Some(Self::Default);
        }
        if let Some(place) = Self::NAMES.iter().position(|name| *name == text) {
            return u8::try_from(place).ok().map(Self::Indexed);
        }
        let is_hex =
            |digits: &&str| digits.len() == 6 && digits.bytes().all(|digit| digit.is_ascii_hexdigit());
        let digits = text.strip_prefix('#').filter(is_hex)?;
        let channel = |at: usize| u8::from_str_radix(&digits[at..at + 2], 16).ok();
        Some(Self::Rgb(channel(0)?, channel(2)?, channel(4)?))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_colour_is_a_name_or_six_digits() {
        for (text, expect) in [
            ("default", Some(Colour::Default)),
            ("black", Some(Colour::Indexed(0))),
            ("white", Some(Colour::Indexed(7))),
            ("bright-black", Some(Colour::Indexed(8))),
            ("bright-white", Some(Colour::Indexed(15))),
            ("#fdf6E3", Some(Colour::Rgb(0xfd, 0xf6, 0xe3))),
            ("", None),
            ("#fff", None),
            ("#ggffff", None),
            ("#+1+1+1", None),
            ("#ééé", None),
            ("Red", None),
            ("7", None),
        ] {
            assert_eq!(Colour::named(text), expect, "{text}");
        }
    }
}
