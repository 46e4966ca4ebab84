//! The log: a private file, and only for those who ask for it by `SUBAGENTS_LOG`. The terminal is Claude Code's.

use std::fs::OpenOptions;
use std::os::unix::fs::OpenOptionsExt;
use std::sync::Mutex;

use tracing_subscriber::filter::{Targets, filter_fn};
use tracing_subscriber::layer::{Layer, SubscriberExt};
use tracing_subscriber::util::SubscriberInitExt;

use super::{Context, Failure};
use crate::config::write::create_private_folder;

/// What is logged: levels by module, such as `debug` or `subagents::router=trace`.
const VARIABLE: &str = "SUBAGENTS_LOG";

/// From now on, what the filter lets through is added to the log file. Without the variable there is no log.
///
/// Other crates are left out whatever the filter says: who knows what they write of headers.
///
/// # Errors
/// The filter is none, or the file can't be opened.
pub(super) fn begin(context: &Context) -> Result<(), Failure> {
    let Some(text) = context.environment.get(VARIABLE) else { return Ok(()) };
    let filter: Targets = text.parse().map_err(|error| Failure::usage(format!("{VARIABLE}: {error}")))?;
    let file = context.places.log_file();
    let named = |error| Failure::failed(format!("{VARIABLE}: {}: {error}", file.display()));
    create_private_folder(&context.places.state_dir).map_err(named)?;
    let file = OpenOptions::new().append(true).create(true).mode(0o600).open(&file).map_err(named)?;
    let ours = filter_fn(|metadata| metadata.target().starts_with(env!("CARGO_CRATE_NAME")));
    let lines = tracing_subscriber::fmt::layer().with_ansi(false).with_writer(Mutex::new(file));
    tracing_subscriber::registry()
        .with(lines.with_filter(ours).with_filter(filter))
        .try_init()
        .map_err(Failure::failed)
}
