//! The default upstream: where everything goes that is on no route (R19).

use super::settings::{Layer, Settings};
use crate::config::environment::Environment;

/// Where Claude Code goes when nobody says otherwise.
const ANTHROPIC: &str = "https://api.anthropic.com";

/// A base URL, and who chose it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Upstream {
    /// Without a trailing `/`, and without a pasted `/v1` or `/v1/messages`.
    pub base_url: String,
    pub origin: Origin,
}

/// Who chose the default upstream.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Origin {
    /// `[main] upstream` in config.toml.
    Config,
    /// `env.ANTHROPIC_BASE_URL` in one of Claude Code's settings.
    Settings(Layer),
    /// `ANTHROPIC_BASE_URL` in the environment.
    Environment,
    /// Nobody.
    Default,
}

impl std::fmt::Display for Origin {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Config => f.write_str("[main] upstream in config.toml"),
            Self::Settings(layer) => write!(f, "env.ANTHROPIC_BASE_URL in {}", layer.name()),
            Self::Environment => f.write_str("ANTHROPIC_BASE_URL"),
            Self::Default => f.write_str("the default"),
        }
    }
}

/// `[main] upstream`, else the strongest settings' `env`, else the environment, else Anthropic itself.
///
/// An empty variable is unset; an empty one in settings also hides those below it, as in Claude Code.
pub fn default_upstream(
    configured: Option<&str>,
    settings: &Settings,
    environment: &Environment,
) -> Upstream {
    let name = "ANTHROPIC_BASE_URL";
    let (url, origin) = match (configured, settings.variable(name), environment.get(name)) {
        (Some(url), _, _) if !url.trim().is_empty() => (url.to_owned(), Origin::Config),
        (_, Some((_, url)), _) if url.is_empty() => (ANTHROPIC.to_owned(), Origin::Default),
        (_, Some((layer, url)), _) => (url, Origin::Settings(layer)),
        (_, None, Some(url)) => (url.to_owned(), Origin::Environment),
        (_, None, None) => (ANTHROPIC.to_owned(), Origin::Default),
    };
    Upstream { base_url: trimmed(&url).to_owned(), origin }
}

/// A base URL as it may be shown: what may be a login, and the query, are masked.
pub fn shown(url: &str) -> String {
    let (scheme, rest) = url.find("://").map_or(("", url), |at| url.split_at(at + "://".len()));
    // Whatever stands before an `@` may be a password, which may hold any character.
    let (login, rest) = rest.rsplit_once('@').map_or(("", rest), |(_, rest)| ("***@", rest));
    let (address, query) = rest.split_once('?').map_or((rest, ""), |(address, _)| (address, "?***"));
    format!("{scheme}{login}{address}{query}")
}

fn trimmed(url: &str) -> &str {
    let url = url.trim().trim_end_matches('/');
    let base = url.strip_suffix("/v1/messages").or_else(|| url.strip_suffix("/v1"));
    base.unwrap_or(url).trim_end_matches('/')
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::launch::settings::tests::settings_of;

    fn check(configured: Option<&str>, layers: &[(Layer, &str)], env: &str, expect: (&str, Origin)) {
        let settings = layers
            .iter()
            .map(|(layer, url)| (*layer, serde_json::json!({"env": {"ANTHROPIC_BASE_URL": url}})));
        let environment = [("ANTHROPIC_BASE_URL".to_owned(), env.to_owned())].into_iter().collect();
        let upstream = default_upstream(configured, &settings_of(settings), &environment);
        assert_eq!((upstream.base_url.as_str(), upstream.origin), expect);
    }

    #[test]
    fn r19_order_of_the_default_upstream() {
        use Layer::{Arguments, Local, Managed, Project, User};
        let all = [
            (Managed, "http://m"),
            (Arguments, "http://a"),
            (Local, "http://l"),
            (Project, "http://p"),
            (User, "http://u"),
        ];
        check(Some("http://c"), &all, "http://e", ("http://c", Origin::Config));
        for skipped in 0..all.len() {
            let (layer, url) = all[skipped];
            check(None, &all[skipped..], "http://e", (url, Origin::Settings(layer)));
        }
        check(None, &[], "http://e", ("http://e", Origin::Environment));
        check(None, &[], "", (ANTHROPIC, Origin::Default));
        check(Some(" "), &[], "http://e", ("http://e", Origin::Environment));
    }

    #[test]
    fn r19_an_empty_setting_hides_what_stands_below_it() {
        check(
            None,
            &[(Layer::Local, ""), (Layer::User, "http://u")],
            "http://e",
            (ANTHROPIC, Origin::Default),
        );
    }

    #[test]
    fn a_pasted_path_is_trimmed_and_a_gateways_own_path_kept() {
        for (url, expect) in [
            ("https://g.example/", "https://g.example"),
            ("https://g.example/v1", "https://g.example"),
            ("https://g.example/v1/", "https://g.example"),
            ("https://g.example/v1/messages", "https://g.example"),
            ("https://g.example/api/anthropic//", "https://g.example/api/anthropic"),
            ("https://g.example/av1", "https://g.example/av1"),
            (" https://g.example ", "https://g.example"),
        ] {
            check(Some(url), &[], "", (expect, Origin::Config));
        }
    }

    #[test]
    fn a_login_in_a_base_url_is_never_shown() {
        for (url, expect) in [
            ("https://g.example/api", "https://g.example/api"),
            ("https://me:canary@g.example/api", "https://***@g.example/api"),
            ("https://me:can/ary@g.example?key=canary", "https://***@g.example?***"),
            ("https://me:can?ary@g.example", "https://***@g.example"),
            ("me:canary@g.example", "***@g.example"),
            ("", ""),
        ] {
            assert_eq!(shown(url), expect);
        }
    }

    #[test]
    fn the_origin_is_told_in_words() {
        assert_eq!(Origin::Settings(Layer::User).to_string(), "env.ANTHROPIC_BASE_URL in your settings.json");
    }
}
