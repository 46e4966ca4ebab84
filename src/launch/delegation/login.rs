//! Whether Claude Code has a login of the person's own, which it asks for even where a route needs none.

use crate::config::Environment;
use crate::launch::settings::{Places, Settings};

/// Variables that are one.
const VARIABLES: [&str; 3] = ["ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN", "CLAUDE_CODE_OAUTH_TOKEN"];

/// Whether there is any. On macOS it may stand in the keychain, where nobody looks: then one is taken for granted.
pub(super) fn is_there(environment: &Environment, settings: &Settings, places: &Places) -> bool {
    let is_set = |name: &str| settings.effective(name, environment).is_some_and(|value| !value.is_empty());
    cfg!(target_os = "macos")
        || VARIABLES.iter().any(|name| is_set(name))
        || settings.values("apiKeyHelper").next().is_some()
        || places.user.join(".credentials.json").exists()
}

#[cfg(test)]
#[cfg(not(target_os = "macos"))]
mod tests {
    use super::*;
    use crate::launch::Arguments;

    #[test]
    fn a_variable_a_helper_or_a_file_is_a_login() {
        let home = tempfile::tempdir().unwrap();
        let check = |variables: &[(&str, &str)]| {
            let home = ("HOME", home.path().to_str().unwrap());
            let variables = variables.iter().chain([&home]);
            let environment: Environment =
                variables.map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
            let places = Places::of(&environment, home.1.as_ref());
            let settings = Settings::read(&places, &Arguments::parse(&[]), &environment);
            is_there(&environment, &settings, &places)
        };
        assert!(!check(&[]) && !check(&[("ANTHROPIC_API_KEY", "")]));
        assert!(check(&[("ANTHROPIC_AUTH_TOKEN", "x")]));
        let claude = home.path().join(".claude");
        std::fs::create_dir(&claude).unwrap();
        for (file, text) in [("settings.json", "{\"apiKeyHelper\": \"x\"}"), (".credentials.json", "{}")] {
            std::fs::write(claude.join(file), text).unwrap();
            assert!(check(&[]), "{file}");
            std::fs::remove_file(claude.join(file)).unwrap();
        }
    }
}
