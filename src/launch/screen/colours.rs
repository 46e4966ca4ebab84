//! Colours: those of cells, and those that the child hears when it asks (OSC 4, 10, 11, 12).

use serde::{Deserialize, Serialize};

/// A colour as the child named it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Colour {
    /// The terminal's own foreground or background.
    #[default]
    Default,
    /// 0 to 15: the terminal's palette; then a cube of 216 and 24 greys.
    Indexed(u8),
    Rgb(Rgb),
}

/// Red, green, blue.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Rgb(pub u8, pub u8, pub u8);

/// The colours of the terminal that shows the screen, as far as it has told them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Palette {
    pub foreground: Rgb,
    pub background: Rgb,
    pub cursor: Rgb,
}

impl Default for Palette {
    /// Light on dark, as most terminals are.
    fn default() -> Self {
        Self { foreground: Rgb(0xd8, 0xd8, 0xd8), background: Rgb(0, 0, 0), cursor: Rgb(0xd8, 0xd8, 0xd8) }
    }
}

/// Whether a background is dark; what `CSI ? 996 n` asks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Scheme {
    Dark,
    Light,
}

impl Palette {
    pub fn scheme(&self) -> Scheme {
        let Rgb(red, green, blue) = self.background;
        // Perceived brightness, in thousandths of 255.
        let brightness = u32::from(red) * 299 + u32::from(green) * 587 + u32::from(blue) * 114;
        if brightness < 127_500 { Scheme::Dark } else { Scheme::Light }
    }
}

/// Xterm's sixteen.
const NAMED: [Rgb; 16] = [
    Rgb(0, 0, 0),
    Rgb(205, 0, 0),
    Rgb(0, 205, 0),
    Rgb(205, 205, 0),
    Rgb(0, 0, 238),
    Rgb(205, 0, 205),
    Rgb(0, 205, 205),
    Rgb(229, 229, 229),
    Rgb(127, 127, 127),
    Rgb(255, 0, 0),
    Rgb(0, 255, 0),
    Rgb(255, 255, 0),
    Rgb(92, 92, 255),
    Rgb(255, 0, 255),
    Rgb(0, 255, 255),
    Rgb(255, 255, 255),
];

/// What an index means where nobody has set another colour.
pub(super) fn indexed(index: u8) -> Rgb {
    match index {
        0..=15 => NAMED[usize::from(index)],
        16..=231 => {
            let cube = index - 16;
            let level = |step: u8| if step == 0 { 0 } else { 55 + 40 * step };
            Rgb(level(cube / 36), level(cube / 6 % 6), level(cube % 6))
        }
        232..=255 => {
            let grey = 8 + 10 * (index - 232);
            Rgb(grey, grey, grey)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn indices_are_xterms() {
        for (index, expect) in [
            (1, Rgb(205, 0, 0)),
            (16, Rgb(0, 0, 0)),
            (21, Rgb(0, 0, 255)),
            (110, Rgb(135, 175, 215)),
            (231, Rgb(255, 255, 255)),
            (232, Rgb(8, 8, 8)),
            (255, Rgb(238, 238, 238)),
        ] {
            assert_eq!(indexed(index), expect, "{index}");
        }
    }

    #[test]
    fn g14_a_light_background_is_a_light_scheme() {
        for (background, expect) in [
            (Rgb(0, 0, 0), Scheme::Dark),
            (Rgb(0xfd, 0xf6, 0xe3), Scheme::Light),
            (Rgb(0, 0, 255), Scheme::Dark),
        ] {
            assert_eq!(Palette { background, ..Palette::default() }.scheme(), expect);
        }
    }
}
