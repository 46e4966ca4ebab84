//! Why a provider gave no usable answer: the cause, and what mends it.
//!
//! A fault holds no address and no key. What the provider said is in it, cut short and without the key; whoever
//! shows it makes its control characters visible.

use crate::config::SecretError;
use crate::router::{BaseError, CredentialError, Error};

/// What the certificate checker's reasons have in common.
const CERTIFICATE: &str = "certificate";

#[derive(Debug, thiserror::Error)]
pub enum Fault {
    #[error("no key: {0}")]
    Secret(#[from] SecretError),
    #[error("the key can't be sent: {0}")]
    Credential(#[from] CredentialError),
    #[error("{0}")]
    Address(#[from] BaseError),
    #[error("no connection: {reason}. Is the provider running, and is its base_url right?")]
    Unreachable { reason: String },
    #[error(
        "its certificate isn't trusted: {reason}. If you know who made it, name that root in `ca_file`; \
         `verify_tls = false` trusts anybody, for this provider only"
    )]
    Certificate { reason: String },
    #[error(
        "nothing came for {seconds} s ({setting}). Is a model still loading? Set `timeouts` if it needs longer"
    )]
    Silent { seconds: f64, setting: &'static str },
    /// Names no address: a `Location` can hold a login.
    #[error("it redirects ({status}), and redirects aren't followed: set base_url to the final address")]
    Redirects { status: u16 },
    #[error(
        "it refused the key ({status}, sent as `{kind}`): {told}. Is the key right, and `auth.kind` too?"
    )]
    Denied { status: u16, kind: &'static str, told: String },
    #[error("it has nothing at {path} ({status}). Is base_url right?")]
    Missing { status: u16, path: String },
    #[error("it answered {status}: {told}")]
    Refused { status: u16, told: String },
    #[error(
        "a web page came instead of JSON ({status}): base_url leads to a site, or a proxy's login page is between"
    )]
    Page { status: u16 },
    #[error("it answered {status}, and an error: {told}")]
    ErrorBody { status: u16, told: String },
    #[error("it answered {status}, and that it is overloaded: {told}. Try again later")]
    Overloaded { status: u16, told: String },
    #[error("it answered {status}, and no JSON. Is base_url right?")]
    NoJson { status: u16 },
    #[error("it answered with JSON that is no list of models. Is base_url right?")]
    NoList,
    #[error("its list of models is empty: load or pull a model, or ask its owner for access")]
    Empty,
    #[error("its answer is larger than {limit} bytes")]
    TooLarge { limit: usize },
    #[error("its answer broke off: {reason}. Try again")]
    Cut { reason: String },
}

impl Fault {
    /// One word, for programs.
    pub fn kind(&self) -> &'static str {
        match self {
            Self::Secret(_) => "secret",
            Self::Credential(_) => "credential",
            Self::Address(_) => "address",
            Self::Unreachable { .. } => "unreachable",
            Self::Certificate { .. } => "certificate",
            Self::Silent { .. } => "timeout",
            Self::Redirects { .. } => "redirect",
            Self::Denied { .. } => "denied",
            Self::Missing { .. } => "missing",
            Self::Refused { .. } => "refused",
            Self::Page { .. } => "page",
            Self::ErrorBody { .. } => "error_body",
            Self::Overloaded { .. } => "overloaded",
            Self::NoJson { .. } => "no_json",
            Self::NoList => "no_list",
            Self::Empty => "empty",
            Self::TooLarge { .. } => "too_large",
            Self::Cut { .. } => "cut",
        }
    }

    /// Somebody answered, but not what was asked for: another path may.
    pub(super) fn is_wrong_path(&self) -> bool {
        matches!(
            self,
            Self::Missing { .. }
                | Self::Page { .. }
                | Self::NoJson { .. }
                | Self::NoList
                | Self::ErrorBody { .. }
                | Self::Redirects { .. }
        )
    }

    /// What may be passing says nothing of what the provider can do.
    pub(super) fn may_pass(&self) -> bool {
        match self {
            Self::Refused { status, .. } => *status == 429 || *status >= 500,
            Self::Overloaded { .. } | Self::Silent { .. } | Self::Cut { .. } | Self::Unreachable { .. } => {
                true
            }
            _ => false,
        }
    }

    /// What kept the router's own connection from giving an answer.
    pub(super) fn of_router(error: Error) -> Self {
        match error {
            Error::Unreachable { reason, .. } => Self::of_reason(reason),
            Error::Broken { reason, .. } => Self::Cut { reason },
            other => Self::Cut { reason: other.to_string() },
        }
    }

    /// Why no connection was made.
    pub(super) fn of_reason(reason: String) -> Self {
        if reason.contains(CERTIFICATE) { Self::Certificate { reason } } else { Self::Unreachable { reason } }
    }
}
