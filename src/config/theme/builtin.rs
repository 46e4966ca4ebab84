//! The themes that everybody has.

use std::path::Path;

use super::{Theme, read};
use crate::config::report::Report;

const FILES: [(&str, &str); 5] = [
    ("dark", include_str!("../../../assets/themes/dark.toml")),
    ("light", include_str!("../../../assets/themes/light.toml")),
    ("high-contrast", include_str!("../../../assets/themes/high-contrast.toml")),
    ("dusk", include_str!("../../../assets/themes/dusk.toml")),
    ("paper", include_str!("../../../assets/themes/paper.toml")),
];

/// In the order in which they are offered.
pub(super) const NAMES: [&str; FILES.len()] = [FILES[0].0, FILES[1].0, FILES[2].0, FILES[3].0, FILES[4].0];

/// Each stands by itself and inherits nothing.
pub(super) fn theme(name: &str) -> Option<Theme> {
    let (_, text) = FILES.iter().find(|(known, _)| *known == name)?;
    // A test holds that nothing is wrong with them.
    let said = read::read(text, &mut Report::new(Path::new(name)))?;
    Some(Theme(said.styles))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::theme::{Colour, Role};

    #[test]
    fn each_is_whole_and_nothing_is_wrong_with_it() {
        for (name, text) in FILES {
            let mut report = Report::new(Path::new(name));
            let said = read::read(text, &mut report).unwrap();
            assert_eq!(report.into_problems(), [], "{name}");
            assert!(said.inherits.is_none(), "{name}");
            for (role, word) in Role::ALL {
                assert!(said.styles.contains_key(&role), "{name} says nothing of {word}");
            }
        }
    }

    /// Relative luminance, as WCAG 2 defines it.
    fn luminance(colour: Colour) -> f64 {
        let Colour::Rgb(red, green, blue) = colour else { panic!("{colour:?} is the terminal's own") };
        let [red, green, blue] = [red, green, blue].map(|channel| {
            let value = f64::from(channel) / 255.0;
            if value <= 0.039_28 { value / 12.92 } else { ((value + 0.055) / 1.055).powf(2.4) }
        });
        0.2126 * red + 0.7152 * green + 0.0722 * blue
    }

    #[test]
    fn what_is_read_on_a_background_of_a_themes_own_can_be_read() {
        for (name, least) in [("high-contrast", 7.0), ("dusk", 4.5), ("paper", 4.5)] {
            let theme = theme(name).unwrap();
            let ground = theme.style(Role::Text).bg.unwrap();
            for (role, word) in Role::ALL.into_iter().filter(|(role, _)| *role != Role::Border) {
                let style = theme.style(role);
                let pair = [style.fg.unwrap(), style.bg.unwrap_or(ground)].map(luminance);
                let contrast = (pair[0].max(pair[1]) + 0.05) / (pair[0].min(pair[1]) + 0.05);
                assert!(contrast >= least, "{word} of {name}: {contrast:.1} to 1");
            }
        }
    }
}
