//! A provider: a named upstream, how it is spoken to and how it is trusted.

use std::fmt;
use std::path::PathBuf;
use std::str::FromStr;
use std::time::Duration;

use super::chat::ChatOptions;
use super::repair::Repairs;
use super::secret::SecretRef;

/// A provider's name: letters, digits, `.`, `_` and `-`, so that a route splits in one way only.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ProviderName(String);

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is no name for a provider: use letters, digits, `.`, `_` and `-`")]
pub struct ProviderNameError(String);

impl ProviderName {
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl FromStr for ProviderName {
    type Err = ProviderNameError;

    fn from_str(text: &str) -> Result<Self, ProviderNameError> {
        let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '_' | '-');
        if text.is_empty() || !text.chars().all(plain) {
            return Err(ProviderNameError(text.escape_debug().to_string()));
        }
        Ok(Self(text.to_owned()))
    }
}

impl fmt::Display for ProviderName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// A named upstream, complete: nothing here is left to a default at the time of use.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Provider {
    pub name: ProviderName,
    /// `http://…` or `https://…`, without a trailing `/`; may hold a path of its own.
    pub base_url: String,
    pub dialect: Dialect,
    pub auth: Auth,
    pub tls: Tls,
    pub timeouts: Timeouts,
    /// The preset that filled in what the file left out.
    pub preset: Option<String>,
    /// Repairs that the person switches for all its routes.
    pub repairs: Repairs,
    /// What it wants where its dialect is one of `OpenAI`'s.
    pub chat: ChatOptions,
}

/// What the upstream understands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Deserialize, serde::Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Dialect {
    /// Anthropic Messages.
    Anthropic,
    /// `OpenAI` Chat Completions.
    OpenaiChat,
    /// `OpenAI` Responses.
    OpenaiResponses,
}

impl Dialect {
    pub const ALL: [Self; 3] = [Self::Anthropic, Self::OpenaiChat, Self::OpenaiResponses];

    /// As config.toml writes it.
    pub fn word(self) -> &'static str {
        match self {
            Self::Anthropic => "anthropic",
            Self::OpenaiChat => "openai-chat",
            Self::OpenaiResponses => "openai-responses",
        }
    }
}

impl fmt::Display for Dialect {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.word())
    }
}

/// How the provider wants its credential. The client's own is taken out in every case.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Auth {
    /// No credential at all.
    None,
    /// `Authorization: Bearer …`
    Bearer(SecretRef),
    /// `x-api-key: …`
    XApiKey(SecretRef),
    /// Both of them (some gateways read one, some the other).
    Both(SecretRef),
    /// A header of the provider's own.
    Header { name: String, secret: SecretRef },
}

impl Auth {
    /// Every kind, as config.toml writes it.
    pub const KINDS: [&str; 5] = ["none", "bearer", "x-api-key", "both", "header"];

    /// One of [`Auth::KINDS`].
    pub fn kind(&self) -> &'static str {
        match self {
            Self::None => "none",
            Self::Bearer(_) => "bearer",
            Self::XApiKey(_) => "x-api-key",
            Self::Both(_) => "both",
            Self::Header { .. } => "header",
        }
    }

    /// The same key for an `OpenAI` endpoint, which knows no `x-api-key`.
    #[must_use]
    pub fn for_openai(&self) -> Self {
        match self {
            Self::XApiKey(secret) => Self::Bearer(secret.clone()),
            other => other.clone(),
        }
    }

    /// The same key as an endpoint of this dialect takes it.
    #[must_use]
    pub fn for_dialect(&self, dialect: Dialect) -> Self {
        match dialect {
            Dialect::Anthropic => self.clone(),
            Dialect::OpenaiChat | Dialect::OpenaiResponses => self.for_openai(),
        }
    }

    pub fn secret(&self) -> Option<&SecretRef> {
        match self {
            Self::None => None,
            Self::Bearer(secret)
            | Self::XApiKey(secret)
            | Self::Both(secret)
            | Self::Header { secret, .. } => Some(secret),
        }
    }
}

/// How the provider's certificate is checked.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum Tls {
    /// Against the system's roots.
    #[default]
    System,
    /// Against the roots in this PEM file only.
    CaFile(PathBuf),
    /// Not at all: `verify_tls = false`. This provider only.
    Unverified,
}

/// Limits of ours on a route; the default upstream has none.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Timeouts {
    pub connect: Duration,
    /// Until the answer's head; `None`: a local model may think for minutes.
    pub first_byte: Option<Duration>,
    /// Between two pieces of an answer's body.
    pub idle: Duration,
    /// From the connection to the answer's end; `None`: as long as it takes.
    pub total: Option<Duration>,
}

impl Default for Timeouts {
    fn default() -> Self {
        Self { connect: Duration::from_secs(10), first_byte: None, idle: Duration::from_mins(5), total: None }
    }
}
