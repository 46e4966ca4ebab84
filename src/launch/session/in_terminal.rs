//! A session whose child has this terminal.

use std::io;
use std::path::Path;

use tokio::signal::unix::{Signal, SignalKind, signal};

use super::keeper::{Ended, Keeper};
use super::{Launch, LaunchError};
use crate::launch::foreground::{Foreground, spawn};

/// A child in this terminal, with its router if it has one.
pub struct InTerminal {
    child: Foreground,
    keeper: Keeper,
    /// SIGUSR1: somebody wants to see the figures.
    asked: Signal,
}

impl InTerminal {
    /// Starts everything, the child last. `warn` is told what the user should know.
    ///
    /// # Errors
    /// See [`LaunchError`]; what was started is ended again.
    pub async fn start(launch: &Launch<'_>, warn: impl FnOnce(&[String])) -> Result<Self, LaunchError> {
        let prepared = launch.prepare(warn).await?;
        // Before the child is there, because until then the signal would end us.
        let asked = signal(SignalKind::user_defined1())?;
        let child = spawn(&prepared.command, launch.environment, launch.project)?;
        if let Err(error) = prepared.keeper.publish() {
            tracing::warn!(%error, "the session runs, but isn't listed");
        }
        Ok(Self { child, keeper: prepared.keeper, asked })
    }

    /// Waits for the child, then ends the router (L8). On SIGUSR1 the figures so far are written to `stats_file`.
    ///
    /// # Errors
    /// The child can't be waited for.
    pub async fn wait(self, stats_file: Option<&Path>) -> io::Result<Ended> {
        let Self { child, mut keeper, mut asked } = self;
        let mut child = std::pin::pin!(child.wait());
        let code = loop {
            tokio::select! {
                code = &mut child => break code,
                () = keeper.work() => {}
                // The child goes on whether its figures can be written or not; the end tries again.
                _ = asked.recv() => if let Err(error) = keeper.write_stats(stats_file).await {
                    tracing::warn!(%error, "the figures can't be written");
                },
            }
        };
        Ok(keeper.end(code?, stats_file).await)
    }
}
