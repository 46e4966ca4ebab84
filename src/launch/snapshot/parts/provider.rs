//! The shape of a provider in a snapshot, and back. `secret` is a reference, never a secret.

use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::{Unreadable, read, text};
use crate::config::{Auth, ChatOptions, Dialect, Provider, Repairs, Timeouts, Tls};

#[derive(Serialize, Deserialize)]
pub(super) struct ProviderPart {
    base_url: String,
    dialect: Dialect,
    auth: AuthPart,
    tls: TlsPart,
    timeouts: TimeoutsPart,
    preset: Option<String>,
    #[serde(default, skip_serializing_if = "Repairs::is_empty")]
    repairs: Repairs,
    #[serde(default, skip_serializing_if = "ChatOptions::is_default")]
    chat: ChatOptions,
}

#[derive(Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "kebab-case")]
enum AuthPart {
    None,
    Bearer { secret: String },
    XApiKey { secret: String },
    Both { secret: String },
    Header { name: String, secret: String },
}

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum TlsPart {
    System,
    CaFile(String),
    Unverified,
}

#[derive(Serialize, Deserialize)]
pub(super) struct TimeoutsPart {
    connect: Duration,
    first_byte: Option<Duration>,
    idle: Duration,
    #[serde(default)]
    total: Option<Duration>,
}

impl From<&Provider> for ProviderPart {
    fn from(provider: &Provider) -> Self {
        // The name stands before it.
        let Provider { name: _, base_url, dialect, auth, tls, timeouts, preset, repairs, chat } = provider;
        Self {
            base_url: base_url.clone(),
            dialect: *dialect,
            auth: auth.into(),
            tls: tls.into(),
            timeouts: timeouts.into(),
            preset: preset.clone(),
            repairs: repairs.clone(),
            chat: *chat,
        }
    }
}

impl ProviderPart {
    pub(super) fn provider(self, name: &str) -> Result<Provider, Unreadable> {
        Ok(Provider {
            name: read(name)?,
            base_url: self.base_url,
            dialect: self.dialect,
            auth: self.auth.auth()?,
            tls: self.tls.into(),
            timeouts: self.timeouts.into(),
            preset: self.preset,
            repairs: self.repairs,
            chat: self.chat,
        })
    }
}

impl From<&Auth> for AuthPart {
    fn from(auth: &Auth) -> Self {
        match auth {
            Auth::None => Self::None,
            Auth::Bearer(secret) => Self::Bearer { secret: secret.to_string() },
            Auth::XApiKey(secret) => Self::XApiKey { secret: secret.to_string() },
            Auth::Both(secret) => Self::Both { secret: secret.to_string() },
            Auth::Header { name, secret } => Self::Header { name: name.clone(), secret: secret.to_string() },
        }
    }
}

impl AuthPart {
    fn auth(self) -> Result<Auth, Unreadable> {
        Ok(match self {
            Self::None => Auth::None,
            Self::Bearer { secret } => Auth::Bearer(read(&secret)?),
            Self::XApiKey { secret } => Auth::XApiKey(read(&secret)?),
            Self::Both { secret } => Auth::Both(read(&secret)?),
            Self::Header { name, secret } => Auth::Header { name, secret: read(&secret)? },
        })
    }
}

impl From<&Tls> for TlsPart {
    fn from(tls: &Tls) -> Self {
        match tls {
            Tls::System => Self::System,
            Tls::CaFile(file) => Self::CaFile(text(file)),
            Tls::Unverified => Self::Unverified,
        }
    }
}

impl From<TlsPart> for Tls {
    fn from(part: TlsPart) -> Self {
        match part {
            TlsPart::System => Self::System,
            TlsPart::CaFile(file) => Self::CaFile(file.into()),
            TlsPart::Unverified => Self::Unverified,
        }
    }
}

impl From<&Timeouts> for TimeoutsPart {
    fn from(timeouts: &Timeouts) -> Self {
        let Timeouts { connect, first_byte, idle, total } = *timeouts;
        Self { connect, first_byte, idle, total }
    }
}

impl From<TimeoutsPart> for Timeouts {
    fn from(part: TimeoutsPart) -> Self {
        let TimeoutsPart { connect, first_byte, idle, total } = part;
        Self { connect, first_byte, idle, total }
    }
}
