//! What Claude Code would heed on its way to an upstream, and the router must heed in its place.

use std::fs::File;
use std::path::{Path, PathBuf};

use crate::config::Environment;
use crate::router::{ProxyVariables, Trust};

use super::arguments::Arguments;
use super::settings::{Places, Settings};

/// Taken from the variables that Claude Code itself would see: its settings' `env`, then the environment.
#[derive(Debug, Clone, Default)]
pub struct Surroundings {
    pub proxies: ProxyVariables,
    /// `NODE_EXTRA_CA_CERTS`: a PEM file of root certificates, trusted besides the system's.
    pub more_roots: Option<PathBuf>,
    /// The names in `ANTHROPIC_CUSTOM_HEADERS`, which are for the default upstream only: they may hold its key.
    pub own_headers: Vec<String>,
}

impl Surroundings {
    /// Those of whoever works in this folder, with nothing said on the command line.
    pub fn of(project: &Path, environment: &Environment) -> Self {
        let settings = Settings::read(&Places::of(environment, project), &Arguments::parse(&[]), environment);
        Self::read(&settings, environment)
    }

    pub fn read(settings: &Settings, environment: &Environment) -> Self {
        let get = |name: &str| settings.effective(name, environment);
        let more_roots = get("NODE_EXTRA_CA_CERTS").map(PathBuf::from);
        let own_headers = get("ANTHROPIC_CUSTOM_HEADERS").as_deref().map(names).unwrap_or_default();
        Self { proxies: ProxyVariables::read(get), more_roots, own_headers }
    }

    /// How the default upstream's certificate is checked.
    pub fn trust(&self) -> Trust {
        self.more_roots.clone().map_or(Trust::System, Trust::SystemAnd)
    }

    /// What of it can't be heeded, for the user.
    pub fn warning(&self) -> Option<String> {
        let file = self.more_roots.as_ref()?;
        let error = File::open(file).err()?;
        Some(format!(
            "NODE_EXTRA_CA_CERTS: {} can't be read ({error}): only the system's certificates are trusted; name \
             another file, or unset it",
            file.display()
        ))
    }
}

/// The names in lines of `Name: value`.
fn names(headers: &str) -> Vec<String> {
    let name = |line: &str| line.split_once(':').map(|(name, _)| name.trim().to_owned());
    headers.lines().filter_map(name).collect()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::launch::settings::Layer;
    use crate::launch::settings::tests::settings_of;

    fn read(env: &serde_json::Value, environment: &[(&str, &str)]) -> Surroundings {
        let settings = settings_of([(Layer::User, json!({ "env": env }))]);
        Surroundings::read(&settings, &environment.iter().copied().collect())
    }

    #[test]
    fn a09_the_proxies_are_those_that_claude_code_would_take() {
        let environment = [("HTTPS_PROXY", "http://env:1"), ("HTTP_PROXY", "http://env:2")];
        let proxies =
            read(&json!({"HTTPS_PROXY": "http://settings:1", "NO_PROXY": "corp"}), &environment).proxies;
        assert_eq!(
            (&*proxies.https, &*proxies.http, &*proxies.no),
            ("http://settings:1", "http://env:2", "corp")
        );
        assert_eq!(read(&json!({"HTTPS_PROXY": ""}), &environment).proxies.https, "", "an empty one hides");
    }

    #[test]
    fn a09_the_default_upstream_trusts_what_claude_code_trusts() {
        assert_eq!(read(&json!({}), &[]).trust(), Trust::System);
        let named =
            read(&json!({"NODE_EXTRA_CA_CERTS": "/nowhere/ca.pem"}), &[("NODE_EXTRA_CA_CERTS", "/x")]);
        assert_eq!(named.trust(), Trust::SystemAnd("/nowhere/ca.pem".into()));
        assert!(named.warning().is_some_and(|text| text.contains("/nowhere/ca.pem")));
    }

    #[test]
    fn r6_the_users_own_headers_are_known_by_name() {
        let headers = "X-Gateway-Key: sk: 1\r\n x-org : 2\nno header\n";
        assert_eq!(
            read(&json!({"ANTHROPIC_CUSTOM_HEADERS": headers}), &[]).own_headers,
            ["X-Gateway-Key", "x-org"]
        );
    }
}
