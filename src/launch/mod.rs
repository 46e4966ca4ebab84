//! What runs: finding Claude Code, composing its arguments, environment and files, and running it.
//!
//! Everything that decides is a pure function of values ([`command`], [`overlay`], [`agents_json`]); what
//! touches the system is small and at the edge ([`claude`], [`settings`], [`private_files`],
//! [`foreground`]). Nothing here draws, and nothing here edits a file that the user owns.

pub mod agents_files;
pub mod agents_json;
pub mod arguments;
pub mod assembly;
pub mod attach;
pub mod background;
pub mod bind;
pub mod claude;
pub mod command;
pub mod control;
pub mod delegation;
pub mod demo;
pub mod doctor;
pub mod dry_run;
pub mod explain;
pub mod foreground;
pub mod hidden;
pub mod hook;
pub mod host;
pub mod info;
pub mod install;
pub mod invocation;
pub mod live;
pub mod notice;
pub mod overlay;
pub mod private_files;
pub mod pty;
pub mod resume;
pub mod roster;
pub mod scopes;
pub mod screen;
pub mod session;
pub mod sessions;
pub mod settings;
pub mod snapshot;
pub mod state;
pub mod stats;
pub mod surroundings;
pub mod today;
pub mod unseen;
pub mod upstream;

mod child_environment;
mod json_merge;
mod no_proxy;
mod terminal_modes;

pub use arguments::Arguments;
pub use bind::Bound;
pub use command::{Command, Plan, Router};
pub use settings::{Layer, Places, Settings};
