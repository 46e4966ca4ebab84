//! Where a provider's models may be listed, the likeliest first. Pure.

use crate::config::preset::{self, ListShape, ModelList};
use crate::config::{Auth, Dialect, Provider};

/// The end of base URLs whose provider has an `OpenAI` endpoint beside.
const ANTHROPIC: &str = "/anthropic";

const MODELS: &str = "/v1/models";

/// One place to ask.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Place {
    pub base_url: String,
    pub path: String,
    pub shape: ListShape,
    pub auth: Auth,
}

/// What the preset says, then what most have.
pub fn places(provider: &Provider) -> Vec<Place> {
    let preset = provider.preset.as_deref().and_then(preset::find);
    let mut places: Vec<Place> =
        preset.iter().filter_map(|preset| listed(provider, &preset.catalogue)).collect();
    if places.first().is_some_and(|place| place.shape == ListShape::LmStudio) {
        places.push(below(provider, "/api/v0/models", ListShape::LmStudio));
    }
    places.extend(usual(provider));
    let mut seen: Vec<Place> = Vec::new();
    for place in places {
        if !seen.iter().any(|old| (&old.base_url, &old.path) == (&place.base_url, &place.path)) {
            seen.push(place);
        }
    }
    seen
}

fn listed(provider: &Provider, list: &ModelList) -> Option<Place> {
    if list.instead_of.is_empty() {
        return Some(below(provider, &list.path, list.shape));
    }
    beside(provider, &list.instead_of, &list.path, list.shape)
}

fn usual(provider: &Provider) -> Vec<Place> {
    if provider.dialect != Dialect::Anthropic {
        return vec![below(provider, "/models", ListShape::Models)];
    }
    let own = below(provider, MODELS, ListShape::Models);
    std::iter::once(own).chain(beside(provider, ANTHROPIC, MODELS, ListShape::Models)).collect()
}

fn below(provider: &Provider, path: &str, shape: ListShape) -> Place {
    let (base_url, auth) = (provider.base_url.clone(), provider.auth.clone());
    Place { base_url, path: path.to_owned(), shape, auth }
}

/// At the provider's `OpenAI` endpoint, which takes a bearer.
fn beside(provider: &Provider, end: &str, path: &str, shape: ListShape) -> Option<Place> {
    let base_url = provider.base_url.strip_suffix(end)?.to_owned();
    Some(Place { base_url, path: path.to_owned(), shape, auth: provider.auth.for_openai() })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::{ChatOptions, Repairs, Timeouts, Tls};

    fn check(preset_name: Option<&str>, base_url: Option<&str>, dialect: Dialect, expect: &[(&str, &str)]) {
        let preset = preset_name.and_then(preset::find);
        let provider = Provider {
            name: "p".parse().unwrap(),
            base_url: base_url.map_or_else(|| preset.clone().unwrap().base_url, str::to_owned),
            dialect,
            auth: preset.map_or(Auth::None, |preset| preset.auth),
            tls: Tls::System,
            timeouts: Timeouts::default(),
            preset: preset_name.map(str::to_owned),
            repairs: Repairs::default(),
            chat: ChatOptions::default(),
        };
        let found = places(&provider);
        let found: Vec<_> = found
            .iter()
            .map(|place| (format!("{}{}", place.base_url, place.path), place.auth.kind()))
            .collect();
        let expect: Vec<_> = expect.iter().map(|(url, kind)| ((*url).to_owned(), *kind)).collect();
        assert_eq!(found, expect, "{preset_name:?} {base_url:?}");
    }

    #[test]
    fn each_preset_is_asked_where_its_provider_lists_models() {
        let anthropic = Dialect::Anthropic;
        check(
            Some("deepseek"),
            None,
            anthropic,
            &[
                ("https://api.deepseek.com/models", "bearer"),
                ("https://api.deepseek.com/anthropic/v1/models", "x-api-key"),
                ("https://api.deepseek.com/v1/models", "bearer"),
            ],
        );
        check(
            Some("glm"),
            None,
            anthropic,
            &[
                ("https://api.z.ai/api/paas/v4/models", "bearer"),
                ("https://api.z.ai/api/anthropic/v1/models", "bearer"),
                ("https://api.z.ai/api/v1/models", "bearer"),
            ],
        );
        check(Some("openrouter"), None, anthropic, &[("https://openrouter.ai/api/v1/models", "bearer")]);
        let (tags, list) = ("http://127.0.0.1:11434/api/tags", "http://127.0.0.1:11434/v1/models");
        check(Some("ollama"), None, anthropic, &[(tags, "none"), (list, "none")]);
    }

    #[test]
    fn an_address_of_ones_own_is_asked_at_its_own_host() {
        check(
            Some("kimi"),
            Some("https://m.example/k"),
            Dialect::Anthropic,
            &[("https://m.example/k/v1/models", "bearer")],
        );
        check(
            None,
            Some("https://g.example/v1"),
            Dialect::OpenaiChat,
            &[("https://g.example/v1/models", "none")],
        );
    }
}
