//! What stands between Claude Code and the providers: admit, read `model`, choose, forward, stream back, count.
//!
//! `service` is the path of one request. Nothing here knows of disks, terminals or sessions' lives.

mod account;
mod admit;
mod caller;
mod choose;
mod count;
mod error;
mod forward;
mod gate;
mod listen;
mod meter;
mod pass;
pub mod peek;
mod purpose;
mod record;
mod relay;
mod service;
pub mod tap;
mod tokens;
mod vigil;

pub use caller::{Caller, Callers, Spoken};
pub use choose::{Ask, Binding, Choice, Refusal, Table};
pub use error::{Blame, Error};
pub use forward::{
    Base, BaseError, Credential, CredentialError, Dialer, Exchange, Limits, ProxyVariables, Shared, Trust,
    Upstream,
};
pub use gate::BODY_LIMIT;
pub use listen::{Listener, Running};
pub use meter::{DEFAULT_ROUTE, Figures, Meter, Percentiles, Row, Stray};
pub use pass::{Budget, Pass, Passes, Purse, Spent};
pub use record::{CallerHeaders, Outcome, Record};
pub use relay::ControlBody;
pub use service::{Control, Destination, Service};
pub use tokens::{Token, Tokens};
