//! The providers that are known by name: `assets/providers.toml`, embedded.

use std::collections::BTreeMap;

use serde::Deserialize;

use super::{Auth, ChatOptions, Dialect, SecretRef};

const FILE: &str = include_str!("../../assets/providers.toml");

/// What a `preset = "NAME"` fills in where the user's file says nothing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Preset {
    pub name: String,
    /// One line for a list to choose from.
    pub about: String,
    pub base_url: String,
    pub dialect: Dialect,
    pub auth: Auth,
    pub catalogue: ModelList,
    pub chat: ChatOptions,
}

/// Where a provider lists its models.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ModelList {
    pub shape: ListShape,
    /// The end of the base URL that `path` takes the place of; empty: `path` is added to it. What is reached by
    /// another end is the provider's `OpenAI` endpoint.
    #[serde(default)]
    pub instead_of: String,
    /// Begins with `/`.
    pub path: String,
}

/// What a list of models looks like.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ListShape {
    /// `{"data": […]}`: Anthropic's, `OpenAI`'s, and their kin's.
    Models,
    /// `/api/tags`, and `/api/show` for each model.
    Ollama,
    /// `/api/v1/models`, and in older ones `/api/v0/models`.
    LmStudio,
}

/// All presets, in the order of their names.
pub fn all() -> Vec<Preset> {
    // The file is ours and a test reads it: an error can't reach a user.
    parse(FILE).unwrap_or_default()
}

/// The preset of this name.
pub fn find(name: &str) -> Option<Preset> {
    all().into_iter().find(|preset| preset.name == name)
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RawPreset {
    about: String,
    base_url: String,
    dialect: Dialect,
    auth: RawAuth,
    catalogue: ModelList,
    #[serde(default)]
    chat: ChatOptions,
}

/// A reference that doesn't read is an error of the file.
#[derive(Deserialize)]
#[serde(tag = "kind", rename_all = "kebab-case", deny_unknown_fields)]
enum RawAuth {
    None,
    Bearer { secret: String },
    XApiKey { secret: String },
}

fn parse(text: &str) -> Result<Vec<Preset>, Box<dyn std::error::Error>> {
    let presets: BTreeMap<String, RawPreset> = toml::from_str(text)?;
    presets.into_iter().map(|(name, raw)| preset(name, raw)).collect()
}

fn preset(name: String, raw: RawPreset) -> Result<Preset, Box<dyn std::error::Error>> {
    let RawPreset { about, base_url, dialect, auth, catalogue, chat } = raw;
    let auth = match auth {
        RawAuth::None => Auth::None,
        RawAuth::Bearer { secret } => Auth::Bearer(secret.parse::<SecretRef>()?),
        RawAuth::XApiKey { secret } => Auth::XApiKey(secret.parse::<SecretRef>()?),
    };
    Ok(Preset { name, about, base_url, dialect, auth, catalogue, chat })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::{Effort, LimitField, ThinkingField};

    fn style(auth: &Auth) -> String {
        let kind = match auth {
            Auth::None => return "none".to_owned(),
            Auth::Bearer(_) => "bearer",
            Auth::XApiKey(_) => "x-api-key",
            Auth::Both(_) | Auth::Header { .. } => "other",
        };
        format!("{kind} {}", auth.secret().unwrap())
    }

    #[test]
    fn a05_each_preset_sends_its_own_style_of_credential_and_never_both() {
        let found: Vec<_> =
            parse(FILE).unwrap().into_iter().map(|preset| (preset.name, style(&preset.auth))).collect();
        let expect = [
            ("anthropic", "x-api-key env:ANTHROPIC_API_KEY"),
            ("deepseek", "x-api-key env:DEEPSEEK_API_KEY"),
            ("glm", "bearer env:ZAI_API_KEY"),
            ("groq", "bearer env:GROQ_API_KEY"),
            ("kimi", "bearer env:MOONSHOT_API_KEY"),
            ("llama-cpp", "none"),
            ("lm-studio", "none"),
            ("minimax", "bearer env:MINIMAX_API_KEY"),
            ("ollama", "none"),
            ("openai", "bearer env:OPENAI_API_KEY"),
            ("openrouter", "bearer env:OPENROUTER_API_KEY"),
            ("vllm", "none"),
            ("xai", "bearer env:XAI_API_KEY"),
        ];
        assert_eq!(found, expect.map(|(name, style)| (name.to_owned(), style.to_owned())));
    }

    #[test]
    fn a_preset_with_a_key_goes_over_tls_and_one_without_stays_here() {
        for preset in all() {
            let encrypted = preset.base_url.starts_with("https://");
            assert_eq!(encrypted, preset.auth.secret().is_some(), "{}", preset.name);
            assert!(!preset.base_url.ends_with('/') && !preset.about.is_empty());
            assert!(encrypted || preset.base_url.starts_with("http://127.0.0.1:"));
        }
    }

    #[test]
    fn what_a_preset_says_of_chat_is_what_its_vendor_documents() {
        let wants = |preset: Preset| (!preset.chat.is_default()).then_some((preset.name, preset.chat));
        let limit = LimitField::MaxCompletionTokens;
        let plain = ChatOptions { limit, ..ChatOptions::default() };
        let expect = [
            (
                "deepseek",
                ChatOptions { thinking: Some(ThinkingField::ReasoningContent), ..ChatOptions::default() },
            ),
            ("groq", plain),
            ("openai", ChatOptions { effort: Some(Effort::High), ..plain }),
            ("xai", plain),
        ];
        let found: Vec<_> = all().into_iter().filter_map(wants).collect();
        assert_eq!(found, expect.map(|(name, chat)| (name.to_owned(), chat)));
    }

    #[test]
    fn a_catalogues_path_fits_the_presets_own_address() {
        for Preset { name, base_url, catalogue, .. } in all() {
            assert!(catalogue.path.starts_with('/'), "{name}");
            assert!(base_url.ends_with(&catalogue.instead_of), "{name}");
        }
    }
}
