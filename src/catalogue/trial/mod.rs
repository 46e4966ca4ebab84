//! One route, tried for real: a tiny streamed completion with a tool, on the path that agents would use.
//!
//! A list of models proves nothing: a provider may list them and refuse the completion. Whatever is asked here
//! costs the person a few hundred tokens at most, and each stream is let go as soon as it has shown enough.

mod dialect;
mod lesson;
mod loaded;
mod question;
mod reading;
mod report;
mod run;

pub use lesson::{Lesson, Origin, lessons};
pub use report::{Completion, Elsewhere, Failed, Report, Step, Verdict};
pub use run::Trial;
