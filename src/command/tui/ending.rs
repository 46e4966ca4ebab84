//! The signals that end the app. Received, they leave the time to give the terminal back.

use std::io;

use tokio::signal::unix::{Signal, SignalKind, signal};

/// SIGTERM, SIGHUP and SIGQUIT; and SIGINT, which comes from other processes only and ends nothing.
pub(super) struct Ending {
    ends: [Signal; 3],
    ignored: Signal,
}

impl Ending {
    pub(super) fn receive() -> io::Result<Self> {
        let ends = [SignalKind::terminate(), SignalKind::hangup(), SignalKind::quit()];
        let [terminate, hangup, quit] = ends.map(signal);
        Ok(Self { ends: [terminate?, hangup?, quit?], ignored: signal(SignalKind::interrupt())? })
    }

    /// Until one of them comes.
    pub(super) async fn next(&mut self) {
        let [terminate, hangup, quit] = &mut self.ends;
        loop {
            tokio::select! {
                _ = terminate.recv() => return,
                _ = hangup.recv() => return,
                _ = quit.recv() => return,
                // A command that had the terminal may have been interrupted: that was meant for it.
                _ = self.ignored.recv() => {}
            }
        }
    }
}
