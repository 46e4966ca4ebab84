//! A task that is handed to an agent which runs by itself: the real Claude Code, headless, through the same router.
//!
//! What is asked for ([`request`]) by somebody ([`visitor`]) becomes an [`errand`]: an agent, a route, tools and limits, none of
//! them wider than the caller's. They travel in the child's own tokens. The [`delegator`] makes the [`child`]; the rest is pure.

pub mod child;
pub mod chooser;
mod composition;
pub mod delegator;
pub mod errand;
pub mod grant;
pub mod limits;
mod login;
pub mod outcome;
pub mod permission;
pub mod refusal;
pub mod request;
pub mod route;
pub mod sandbox;
pub mod shelf;
pub mod stream;
pub mod tools;
pub mod visitor;
pub mod words;

pub use composition::DEPTH;
pub use delegator::{Delegated, Delegator, Watch, Workshop};
pub use errand::Book;
pub use outcome::{Ending, Outcome};
pub use refusal::Refusal;
pub use request::Request;
pub use route::Chooser;
pub use stream::Step;
pub use visitor::{Asker, Visitor};
