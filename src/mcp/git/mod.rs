//! Tools for git that only look. A shell's git isn't that: `git diff --output`, `git branch NAME`, aliases and pagers write.
//!
//! [`arguments`] makes git's command line of a few typed arguments, `harmless` takes from a repository's settings what would
//! run a program, [`run`] runs it with limits. [`definition`] says what a model sees of them.

pub mod arguments;
pub mod definition;
mod harmless;
pub mod run;
#[cfg(test)]
mod tests;

pub use arguments::Look;
pub use definition::{GitTool, tools};
pub use run::{Failure, look};
