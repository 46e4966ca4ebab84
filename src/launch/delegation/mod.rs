//! A task that is handed to an agent which runs by itself: the real Claude Code, headless, through the same router.
//!
//! What is asked for ([`request`]) becomes a [`grant::Grant`] that is never wider than its caller's, and travels in the child's
//! own tokens. Everything here is pure but for the child itself.

pub mod grant;
pub mod limits;
pub mod outcome;
pub mod refusal;
pub mod request;
pub mod route;
pub mod stream;
pub mod tools;
