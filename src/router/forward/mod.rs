//! Step 6: from a chosen upstream to its answer.

mod bell;
mod dial;
mod headers;
mod line;
mod provider;
mod trust;
mod upstream;

pub use dial::{Dialer, ProxyVariables};
pub use headers::{Credential, CredentialError};
pub(super) use headers::{strip_hop_by_hop, strip_request};
pub(super) use line::{BUFFER, Line, Outgoing};
pub use trust::Trust;
pub(super) use upstream::reason;
pub use upstream::{Base, BaseError, Exchange, Limits, Shared, Upstream};
