//! The time that a terminal shows a session.

use std::io;
use std::time::{Duration, Instant};

use tokio::time::{sleep_until, timeout};

use super::canvas::Canvas;
use super::colours;
use super::input::{Command, Input, Piece};
use super::signals::{Received, Signals};
use super::terminal::RealTerminal;
use super::{AttachError, Ending, Wishes};
use crate::launch::host::protocol::{About, Ask, Stance, Tell};
use crate::launch::host::{Connection, Said, Sender};
use crate::launch::screen::Shown;

/// How long a host may take to say its first word.
const PATIENCE: Duration = Duration::from_secs(5);

/// How long what looks like the beginning of a key waits for its rest.
const HOLD: Duration = Duration::from_millis(50);

/// What may wait for the terminal until nothing more is taken for it, in bytes.
const WAITING: usize = 256 * 1024;

/// The same for the host. Far more than is typed while a host is stuck: the leader must work all that time.
const TYPED: usize = 8 * 1024 * 1024;

/// How long a terminal may take for a session's last words, and a host for those that were typed.
const FAREWELL: Duration = Duration::from_millis(500);

/// A terminal and a host that talk to each other.
pub(super) struct Attached<'a> {
    terminal: &'a RealTerminal,
    wishes: &'a Wishes<'a>,
    connection: Connection,
    sender: Sender,
    signals: Signals,
    input: Input,
    canvas: Canvas,
    /// When what is held of the input was all.
    released_at: Option<Instant>,
    /// For the status line that was asked for, as far as it is known.
    status: Status,
}

#[derive(Debug)]
enum Status {
    NotAsked,
    Asked,
    About(Box<About>),
}

/// What happened.
enum Happening {
    Signal(Received),
    Sent,
    Written(io::Result<()>),
    Typed(usize),
    Said(Option<Said>),
    Due,
}

impl<'a> Attached<'a> {
    pub(super) fn new(
        terminal: &'a RealTerminal,
        wishes: &'a Wishes<'a>,
        (connection, sender): (Connection, Sender),
        signals: Signals,
    ) -> Self {
        Self {
            terminal,
            wishes,
            connection,
            sender,
            signals,
            input: Input::new(wishes.leader),
            canvas: Canvas::default(),
            released_at: None,
            status: Status::NotAsked,
        }
    }

    /// Lets them talk until something ends that, and gives the terminal back.
    pub(super) async fn talk(mut self, name: &str) -> Result<Ending, AttachError> {
        let begun = timeout(PATIENCE, self.begin(name)).await;
        let ending = match begun.unwrap_or_else(|_| Err(AttachError::Silent(name.to_owned()))) {
            Ok(None) => Ok(self.run().await),
            Ok(Some(ending)) => Ok(ending),
            Err(error) => Err(error),
        };
        match ending {
            Ok(Ending::Ended(_)) => self.flush().await,
            // What was typed before is still the session's.
            Ok(Ending::Detached | Ending::Signal(_)) => _ = timeout(FAREWELL, self.sender.send()).await,
            _ => {}
        }
        self.terminal.give_back();
        // What a session has left on the main screen stays there.
        if self.canvas.shown() == Some(Shown::Main) {
            self.terminal.end_line();
        }
        ending
    }

    /// Asks for the session until something of it is drawn, or it is over already.
    async fn begin(&mut self, name: &str) -> Result<Option<Ending>, AttachError> {
        let (colours, typed) = colours::ask(self.terminal, &mut self.input).await;
        let (size, stance) = (self.terminal.size(), Stance::Works);
        self.sender.say(&Ask::Attach { size, colours, stance });
        // A host that has gone is noticed when it is read.
        _ = self.sender.send().await;
        loop {
            match self.connection.next().await {
                Ok(Some(Said::Drawn(bytes))) => {
                    self.canvas.draw(self.terminal.enter().as_bytes());
                    self.canvas.draw(&bytes);
                    return Ok(self.took(typed));
                }
                Ok(Some(Said::Told(Tell::Refused { reason }))) => {
                    return Err(AttachError::Refused { name: name.to_owned(), reason });
                }
                Ok(Some(Said::Told(Tell::Ended(ended)))) => return Ok(Some(Ending::Ended(ended))),
                Ok(Some(Said::Told(Tell::Background { jobs }))) => return Ok(Some(Ending::Background(jobs))),
                Ok(Some(Said::Told(_))) => {}
                Ok(None) | Err(_) => return Ok(Some(Ending::Lost)),
            }
        }
    }

    async fn run(&mut self) -> Ending {
        let mut buffer = vec![0; 64 * 1024];
        loop {
            let ending = match self.next(&mut buffer).await {
                Happening::Signal(received) => self.received(received),
                Happening::Typed(0) | Happening::Written(Err(_)) => Some(Ending::TerminalLost),
                Happening::Typed(count) => {
                    let pieces = self.input.feed(&buffer[..count]);
                    self.released_at = self.input.holds().then(|| Instant::now() + HOLD);
                    self.took(pieces)
                }
                Happening::Said(said) => said.map_or(Some(Ending::Lost), |said| self.said(said)),
                Happening::Due => self.tick(Instant::now()),
                Happening::Sent | Happening::Written(Ok(())) => None,
            };
            if let Some(ending) = ending {
                return ending;
            }
        }
    }

    /// Waits for one thing to happen. Nothing is lost when it is dropped.
    async fn next(&mut self, buffer: &mut [u8]) -> Happening {
        let due = [self.released_at, self.canvas.due()].into_iter().flatten().min();
        let (to_host, to_terminal) = (self.sender.waiting(), self.canvas.waiting.len());
        tokio::select! {
            biased;
            received = self.signals.next() => Happening::Signal(received),
            // A host that has gone is noticed when it is read: it may have said why.
            _ = self.sender.send(), if to_host > 0 => Happening::Sent,
            written = self.terminal.write(&mut self.canvas.waiting), if to_terminal > 0 => Happening::Written(written),
            count = self.terminal.read(buffer), if to_host < TYPED => Happening::Typed(count.unwrap_or(0)),
            said = self.connection.next(), if to_terminal < WAITING => Happening::Said(said.unwrap_or(None)),
            () = until(due) => Happening::Due,
        }
    }

    fn received(&mut self, received: Received) -> Option<Ending> {
        match received {
            Received::End(signal) => return Some(Ending::Signal(signal)),
            Received::Resize => {
                _ = self.canvas.wipe();
                self.ask_for_repaint();
            }
            Received::Suspend => return self.suspend(),
            Received::Resume => return self.resume(),
        }
        None
    }

    /// Another program gets the terminal for a while.
    fn suspend(&mut self) -> Option<Ending> {
        // The repaint makes up for what isn't drawn.
        _ = self.canvas.wipe();
        self.canvas.waiting.clear();
        self.terminal.give_back();
        Signals::stop().err().map(|_| Ending::TerminalLost).or_else(|| self.resume())
    }

    fn resume(&mut self) -> Option<Ending> {
        if self.terminal.take().is_err() {
            return Some(Ending::TerminalLost);
        }
        self.canvas.draw(self.terminal.enter().as_bytes());
        self.ask_for_repaint();
        None
    }

    fn ask_for_repaint(&mut self) {
        self.sender.say(&Ask::Resize { size: self.terminal.size() });
    }

    /// Input has come.
    fn took(&mut self, pieces: Vec<Piece>) -> Option<Ending> {
        for piece in pieces {
            match piece {
                Piece::Key(bytes) => {
                    self.wipe();
                    self.sender.type_in(&bytes);
                }
                Piece::Report(bytes) => self.sender.type_in(&bytes),
                Piece::Command(Command::Detach) => return Some(Ending::Detached),
                Piece::Command(command) => self.command(command),
                // Late.
                Piece::Answer(_) => {}
            }
        }
        None
    }

    fn command(&mut self, command: Command) {
        let leader = self.wishes.leader;
        match command {
            Command::Status => {
                self.status = Status::Asked;
                self.sender.say(&Ask::About);
                self.sender.say(&Ask::Stats);
            }
            Command::Help => self.show(&format!(
                "after {leader}: d leaves the session alone, s says how it is, ? this; {leader} again is the session's"
            )),
            Command::Unknown | Command::Detach => {
                self.show(&format!("that key does nothing after {leader}: d detach, s status, ? help"));
            }
        }
    }

    fn said(&mut self, said: Said) -> Option<Ending> {
        match said {
            Said::Drawn(bytes) => {
                self.canvas.draw(&bytes);
                if self.canvas.is_full() {
                    self.wipe();
                }
            }
            Said::Told(Tell::Ended(ended)) => return Some(Ending::Ended(ended)),
            Said::Told(Tell::Background { jobs }) => return Some(Ending::Background(jobs)),
            Said::Told(Tell::Refused { reason }) => self.show(&reason),
            Said::Told(Tell::About(about)) if matches!(self.status, Status::Asked) => {
                self.status = Status::About(about);
            }
            Said::Told(Tell::Stats { stats }) => {
                if let Status::About(about) = std::mem::replace(&mut self.status, Status::NotAsked) {
                    self.show(&(self.wishes.describe)(&about, &stats));
                }
            }
            Said::Told(_) => {}
        }
        None
    }

    fn tick(&mut self, now: Instant) -> Option<Ending> {
        if self.canvas.due().is_some_and(|due| due <= now) {
            self.wipe();
        }
        if self.released_at.take_if(|at| *at <= now).is_some() {
            let pieces = self.input.release();
            return self.took(pieces);
        }
        None
    }

    fn show(&mut self, text: &str) {
        self.canvas.show(text, self.terminal.size(), Instant::now());
    }

    fn wipe(&mut self) {
        if self.canvas.wipe() {
            self.ask_for_repaint();
        }
    }

    /// Shows a session's last words. A terminal that doesn't take them doesn't show them.
    async fn flush(&mut self) {
        _ = self.canvas.wipe();
        let writing = async {
            while !self.canvas.waiting.is_empty() {
                self.terminal.write(&mut self.canvas.waiting).await?;
            }
            Ok::<_, io::Error>(())
        };
        _ = timeout(FAREWELL, writing).await;
    }
}

async fn until(due: Option<Instant>) {
    match due {
        Some(due) => sleep_until(due.into()).await,
        None => std::future::pending().await,
    }
}
