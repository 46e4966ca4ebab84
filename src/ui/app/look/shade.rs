//! Whether a terminal is dark or light.

use crate::launch::screen::Rgb;

/// What its background is.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Shade {
    /// Most terminals are.
    #[default]
    Dark,
    Light,
}

impl Shade {
    /// By how bright it seems (the weights are those of ITU-R BT.601).
    pub fn of(Rgb(red, green, blue): Rgb) -> Self {
        let brightness = 299 * u32::from(red) + 587 * u32::from(green) + 114 * u32::from(blue);
        if brightness > 127_500 { Self::Light } else { Self::Dark }
    }

    /// What the variable COLORFGBG says, which some terminals set: numbers of the sixteen colours, the background's last.
    /// `None`: nothing that can be understood.
    pub fn told(colorfgbg: &str) -> Option<Self> {
        match colorfgbg.rsplit(';').next()?.parse() {
            Ok(0..=6 | 8) => Some(Self::Dark),
            Ok(7 | 9..=15) => Some(Self::Light),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_background_is_dark_or_light() {
        for (colour, expect) in [
            (Rgb(0, 0, 0), Shade::Dark),
            (Rgb(0x1e, 0x1e, 0x2e), Shade::Dark),
            (Rgb(0, 0, 0xff), Shade::Dark),
            (Rgb(0xfd, 0xf6, 0xe3), Shade::Light),
            (Rgb(0x80, 0x80, 0x80), Shade::Light),
            (Rgb(0, 0xff, 0), Shade::Light),
        ] {
            assert_eq!(Shade::of(colour), expect, "{colour:?}");
        }
        for (text, expect) in [
            ("15;0", Some(Shade::Dark)),
            ("0;15", Some(Shade::Light)),
            ("0;default;15", Some(Shade::Light)),
            ("12;8", Some(Shade::Dark)),
            ("15;default", None),
            ("", None),
            ("0;16", None),
        ] {
            assert_eq!(Shade::told(text), expect, "{text}");
        }
    }
}
