//! The signals that concern an attached terminal.

use std::io;

use rustix::process::Signal;
use tokio::signal::unix::{Signal as Receiver, SignalKind, signal};

/// Receiving them keeps them from ending or stopping us unprepared.
pub(super) struct Signals {
    /// SIGTERM, SIGHUP, SIGINT, SIGQUIT: in this mode of the terminal they come from other processes only.
    ends: [(Signal, Receiver); 4],
    resize: Receiver,
    suspend: Receiver,
    resume: Receiver,
}

/// What a signal asks for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Received {
    End(Signal),
    /// The terminal has another size.
    Resize,
    Suspend,
    /// We go on after we were stopped.
    Resume,
}

impl Signals {
    pub(super) fn receive() -> io::Result<Self> {
        let end = |kind| Ok::<_, io::Error>((kind, receive(kind)?));
        Ok(Self {
            ends: [end(Signal::TERM)?, end(Signal::HUP)?, end(Signal::INT)?, end(Signal::QUIT)?],
            resize: receive(Signal::WINCH)?,
            suspend: receive(Signal::TSTP)?,
            resume: receive(Signal::CONT)?,
        })
    }

    /// The next one. Nothing is lost when it is dropped before it is done.
    pub(super) async fn next(&mut self) -> Received {
        let [terminate, hangup, interrupt, quit] = &mut self.ends;
        tokio::select! {
            _ = terminate.1.recv() => Received::End(terminate.0),
            _ = hangup.1.recv() => Received::End(hangup.0),
            _ = interrupt.1.recv() => Received::End(interrupt.0),
            _ = quit.1.recv() => Received::End(quit.0),
            _ = self.suspend.recv() => Received::Suspend,
            _ = self.resume.recv() => Received::Resume,
            _ = self.resize.recv() => Received::Resize,
        }
    }

    /// Stops this process, as SIGTSTP would have. Returns when it goes on.
    pub(super) fn stop() -> io::Result<()> {
        // The kernel never stops an init process.
        if rustix::process::getpid().is_init() {
            return Ok(());
        }
        Ok(rustix::process::kill_process(rustix::process::getpid(), Signal::STOP)?)
    }
}

fn receive(kind: Signal) -> io::Result<Receiver> {
    signal(SignalKind::from_raw(kind.as_raw()))
}
