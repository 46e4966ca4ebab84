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
    use crate::config::theme::Role;

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
}
