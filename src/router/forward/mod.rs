//! Step 6: from a chosen upstream to its answer.

mod dial;
mod headers;
mod line;
mod trust;
mod upstream;

pub use dial::{Dialer, ProxyVariables};
pub use headers::{Credential, CredentialError, strip_hop_by_hop, strip_request};
pub use line::{BUFFER, Line};
pub use trust::Trust;
pub use upstream::{Base, BaseError, Exchange, Limits, Shared, Upstream, reason};
