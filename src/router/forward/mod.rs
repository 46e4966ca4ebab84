//! Step 6: from a chosen upstream to its answer.

mod dial;
mod headers;
mod line;
mod trust;
mod upstream;

pub use dial::{Dialer, ProxyVariables};
pub use headers::{Credential, CredentialError};
pub(super) use headers::{strip_hop_by_hop, strip_request};
pub(super) use line::{BUFFER, Line};
pub use trust::Trust;
pub use upstream::{Base, BaseError, Limits, Shared, Upstream};
pub(super) use upstream::{Exchange, reason};
