//! A session on the whole real terminal: what the host draws goes out, what is typed goes in.
//!
//! Nothing of ours is on the screen but, for a moment, a line that was asked for by the leader key ([`Leader`]). However
//! it ends, the terminal is left as it was found.
//!
//! [`Leader`]: crate::config::Leader

mod attached;
mod canvas;
mod colours;
mod input;
mod sequence;
mod signals;
mod terminal;

pub use attached::{AttachError, Ending, Wishes, attach};
pub use colours::colours;
pub use terminal::{RealTerminal, TerminalError};
