//! What stands between Claude Code and the providers: admit, read `model`, choose, forward, stream back, count.
//!
//! `service` is the path of one request. Nothing here knows of disks, terminals or sessions' lives.

mod account;
mod adaptation;
mod admit;
mod answer;
mod caller;
mod choose;
mod count;
mod destination;
mod early;
mod error;
mod forward;
mod gate;
mod late;
mod listen;
mod meter;
mod models;
mod pass;
pub mod peek;
mod pulse;
mod purpose;
mod record;
mod relay;
mod retry_after;
mod service;
mod sums;
pub mod tap;
mod tokens;
mod trip;
mod vigil;

pub use adaptation::Adaptation;
pub use caller::{Caller, Callers, Spoken};
pub use choose::{Ask, Binding, Choice, Refusal, Table};
pub use destination::Destination;
pub use error::{Blame, Error};
pub use forward::{
    Base, BaseError, Credential, CredentialError, Dialer, Exchange, Limits, ProxyVariables, Shared, Trust,
    Upstream,
};
pub use gate::{Allowances, BODY_LIMIT, Breaker, Circuit, Seats};
pub use late::LateFailures;
pub use listen::{Listener, Running};
pub use meter::{DEFAULT_ROUTE, Figures, Meter, Stray};
pub use pass::{Budget, Pass, Passes, Purse, Spent};
pub use pulse::Pulse;
pub use record::{CallerHeaders, Outcome, Record};
pub use relay::ControlBody;
pub use service::{Control, Service};
pub use sums::{Percentiles, Row, Sums};
pub use tokens::{Token, Tokens};
