//! What the real-socket tests share: raw bytes on both sides of a router, and nothing that sleeps.
//!
//! A test holds both ends itself (the client's and the upstream's [`Wire`]), so that it decides which byte
//! comes before which. Nothing here may correct what it sends or sees.

pub(crate) mod h2;
pub(crate) mod lab;
pub(crate) mod logs;
pub(crate) mod proxy;
pub(crate) mod tls;
pub(crate) mod upstream;
pub(crate) mod wire;

pub(crate) use lab::{Lab, TOKEN};
pub(crate) use upstream::{AutoUpstream, RawUpstream, Refusing, Seen};
pub(crate) use wire::{Head, Wire, chunk, soon};
