//! The process that owns one session: its terminal, its screen, its router, its record.
//!
//! Terminals come and go ([`Connection`]); the session goes on. A host and those who talk to it need not be of one
//! version: both say first which protocol they speak ([`protocol`]).

mod audience;
mod connection;
mod guest;
mod news;
mod peer;
pub mod protocol;
mod relay;
mod session;
mod socket;
mod stage;
mod start;
mod wire;

pub use connection::{Connection, ConnectionError, Said, Sender};
pub use peer::descends_from_a_session;
pub use session::{HostError, Hosted, Outlook, Start};
pub use socket::{SocketError, socket_path};
pub use start::{BeginError, Begun, Report, begin, detach};
