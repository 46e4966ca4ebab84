//! A session whose child has this terminal.

use std::io;
use std::path::Path;

use tokio::signal::unix::{Signal, SignalKind, signal};

use super::keeper::{Ended, Keeper};
use super::{Launch, LaunchError, Prepared};
use crate::launch::background::Job;
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
        let Prepared { command, mut keeper } = launch.prepare(warn).await?;
        // Before the child is there, because until then the signal would end us.
        let asked = signal(SignalKind::user_defined1())?;
        let child = match spawn(&command, launch.environment, launch.project) {
            Ok(child) => child,
            Err(error) => {
                keeper.give_up().await;
                return Err(error.into());
            }
        };
        if let Err(error) = keeper.begin().await {
            tracing::warn!(%error, "the session runs, but isn't listed");
        }
        Ok(Self { child, keeper, asked })
    }

    /// Waits for the child, then ends the router (L8). On SIGUSR1 the figures so far are written to `stats_file`. If
    /// Claude Code has moved the session into its own background, the router stays until that has ended, and `tell` is
    /// told so.
    ///
    /// # Errors
    /// The child can't be waited for.
    pub async fn wait(self, stats_file: Option<&Path>, tell: impl FnOnce(&[Job])) -> io::Result<Ended> {
        let Self { child, mut keeper, mut asked } = self;
        let code = while_working(&mut keeper, &mut asked, stats_file, child.wait()).await?;
        // Until the child's end these were its own.
        let (mut interrupt, mut terminate) =
            (signal(SignalKind::interrupt())?, signal(SignalKind::terminate())?);
        let background = keeper.background();
        let outlive = async {
            let mut jobs = background.jobs().await;
            if !jobs.is_empty() {
                tell(&jobs);
            }
            while !jobs.is_empty() {
                jobs = background.changed(&jobs).await;
            }
        };
        let ended = async {
            tokio::select! {
                () = outlive => {}
                _ = interrupt.recv() => background.stop().await,
                _ = terminate.recv() => background.stop().await,
            }
        };
        if keeper.observer().is_some() {
            while_working(&mut keeper, &mut asked, stats_file, ended).await;
        }
        Ok(keeper.end(code, stats_file).await)
    }
}

/// Waits for something, and meanwhile keeps what comes and shows the figures to whoever asks for them.
async fn while_working<T>(
    keeper: &mut Keeper,
    asked: &mut Signal,
    stats_file: Option<&Path>,
    something: impl Future<Output = T>,
) -> T {
    let mut something = std::pin::pin!(something);
    loop {
        tokio::select! {
            done = &mut something => return done,
            () = keeper.work() => {}
            // The child goes on whether its figures can be written or not; the end tries again.
            _ = asked.recv() => if let Err(error) = keeper.write_stats(stats_file).await {
                tracing::warn!(%error, "the figures can't be written");
            },
        }
    }
}
