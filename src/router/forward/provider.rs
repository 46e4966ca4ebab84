//! What a provider's settings mean for the connections to it.

use super::{Credential, CredentialError, Limits, Trust};
use crate::config::{Auth, Provider, Secret, Timeouts, Tls};

impl Trust {
    /// How this provider's certificate is checked.
    pub fn of(provider: &Provider) -> Self {
        match &provider.tls {
            Tls::System => Self::System,
            Tls::CaFile(file) => Self::CaFile(file.clone()),
            Tls::Unverified => Self::Unverified,
        }
    }
}

impl Limits {
    pub fn of(timeouts: Timeouts) -> Self {
        let Timeouts { connect, first_byte, idle, total } = timeouts;
        Self { connect, first_byte, idle, total }
    }
}

impl Credential {
    /// The secret as this provider wants it.
    ///
    /// # Errors
    /// The secret or the header's name can't stand in a request.
    pub fn of(auth: &Auth, secret: &Secret) -> Result<Self, CredentialError> {
        match auth {
            Auth::None => Ok(Self::none()),
            Auth::Bearer(_) => Self::bearer(secret),
            Auth::XApiKey(_) => Self::api_key(secret),
            Auth::Both(_) => Self::both(secret),
            Auth::Header { name, .. } => Self::header(name, secret),
        }
    }
}
