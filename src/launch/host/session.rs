//! One session in a process of its own, from its start to its end.

use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::time::{Duration, Instant};

use jiff::Timestamp;
use tokio::signal::unix::{Signal, SignalKind, signal};
use tokio::time::sleep;

use super::news::News;
use super::protocol::{About, Colours, Ended};
use super::socket::{Door, SocketError};
use super::stage::{Output, Stage, Wish};
use crate::launch::background::is_daemon;
use crate::launch::bind::secret_variables;
use crate::launch::notice::NoticeCommand;
use crate::launch::pty::{self, Child, Patience, Process, Step, Stopped};
use crate::launch::screen::Size;
use crate::launch::session::{Keeper, Launch, LaunchError, Prepared};
use crate::launch::state::{Desk, Status};

/// A child that ends so early has something to say about why.
const EARLY: Duration = Duration::from_secs(2);

/// How long a child has to live on after its first words until it counts as started.
const FIRST_WORDS: Duration = Duration::from_millis(200);

/// A child that draws nothing for so long counts as started all the same.
const SILENCE: Duration = Duration::from_secs(10);

/// A session with its own terminal, which others attach to.
pub struct Hosted {
    keeper: Keeper,
    child: Child,
    stage: Stage,
    signals: Signals,
    started: Instant,
}

/// The terminal that the child begins with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Outlook {
    pub size: Size,
    /// `None`: they aren't known.
    pub colours: Option<Colours>,
}

/// Why there is no host.
#[derive(Debug, thiserror::Error)]
pub enum HostError {
    #[error(transparent)]
    Launch(#[from] LaunchError),
    #[error(transparent)]
    Socket(#[from] SocketError),
    #[error("this launch opens no session that could be left alone: run it without --detach")]
    NoSession,
}

/// What became of a start.
#[derive(Debug)]
pub enum Start<'a> {
    Lives,
    Ended(&'a Ended),
}

impl Hosted {
    /// Starts everything, the child last. `warn` is told what the user should know.
    ///
    /// # Errors
    /// See [`HostError`]; what was started is ended again.
    pub async fn start(
        launch: &Launch<'_>,
        outlook: Outlook,
        warn: impl FnOnce(&[String]),
    ) -> Result<Self, HostError> {
        let desk = Arc::new(Desk::new(launch.entry.name.clone()));
        let launch = &Launch { desk: Some(Arc::clone(&desk)), counted: true, ..launch.clone() };
        let Prepared { command, mut keeper } = launch.prepare(warn).await?;
        let (Some(socket), Some(observer)) = (launch.entry.socket.clone(), keeper.observer()) else {
            return Err(HostError::NoSession);
        };
        let door = Door::open(socket)?;
        // Before the child is there, because until then they would end us.
        let signals = Signals::receive().map_err(LaunchError::Io)?;
        let started = Instant::now();
        let spawned = pty::spawn(&command, launch.environment, launch.project, outlook.size);
        let (terminal, child) = match spawned {
            Ok(spawned) => spawned,
            Err(error) => {
                keeper.give_up().await;
                return Err(LaunchError::Spawn(error).into());
            }
        };
        let child = child.sparing(is_daemon);
        let about = about(launch, outlook.size, desk.status());
        let mut stage = Stage::new(terminal, door, about, News::of(observer, desk, notice_command(launch)));
        outlook.colours.into_iter().for_each(|colours| stage.colour(colours));
        keeper.begin().await.map_err(LaunchError::Io)?;
        Ok(Self { keeper, child, stage, signals, started })
    }

    /// Lets the session live until its child ends or somebody ends it. `tell` is called once, when the child has drawn
    /// something or has ended.
    ///
    /// # Errors
    /// The child can't be waited for.
    pub async fn run(mut self, tell: impl FnOnce(Start<'_>)) -> io::Result<Ended> {
        let mut tell = Some(tell);
        let mut buffer = vec![0; 64 * 1024];
        let (stopped, cause) =
            self.live(&mut buffer, || tell.take().into_iter().for_each(|tell| tell(Start::Lives))).await?;
        let lived = self.started.elapsed();
        let swept = self.leave().await;
        self.outlive(&mut buffer, cause).await?;
        let ended = Ended {
            code: stopped.exit.code(),
            steps: stopped.steps.into_iter().map(|step| word(step).to_owned()).collect(),
            swept: swept.into_iter().map(|process| process.command).collect(),
            text: (lived < EARLY).then(|| self.stage.screen.text_with_history()),
        };
        self.stage.ended(ended.code);
        let kept = self.keeper.end(ended.code, None).await;
        if kept.unkept != Some(0) {
            tracing::warn!(unkept = ?kept.unkept, "requests are not in the ledger");
        }
        // Whoever hears it finds nothing of the session any more.
        tell.take().into_iter().for_each(|tell| tell(Start::Ended(&ended)));
        self.stage.close(&ended).await;
        Ok(ended)
    }

    /// Until the child has ended. `tell` is called once it has drawn something and goes on, or has been silent for long.
    async fn live(&mut self, buffer: &mut [u8], mut tell: impl FnMut()) -> io::Result<(Stopped, Cause)> {
        let mut due = Box::pin(sleep(SILENCE));
        let mut output = Output::None;
        // The timer itself can't say it: it may have elapsed while something else was taken first.
        let mut is_told = false;
        loop {
            tokio::select! {
                exit = self.child.wait() => {
                    return Ok((Stopped { exit: exit?, steps: Vec::new() }, Cause::Itself));
                }
                () = self.signals.next() => return Ok((self.stop(buffer).await?, Cause::Asked)),
                wish = self.stage.step(buffer) => match wish? {
                    Wish::Stop => return Ok((self.stop(buffer).await?, Cause::Asked)),
                    // What it draws first may be why it ends.
                    Wish::Nothing if output == Output::None && self.stage.output() != Output::None => {
                        output = self.stage.output();
                        due.as_mut().reset(tokio::time::Instant::now() + FIRST_WORDS);
                    }
                    Wish::Nothing => {}
                },
                () = self.keeper.work() => {}
                () = &mut due, if !is_told => {
                    is_told = true;
                    tell();
                }
            }
        }
    }

    /// Asks the child to end, then harder; whoever is attached sees its last words.
    async fn stop(&mut self, buffer: &mut [u8]) -> io::Result<Stopped> {
        let mut stopping = std::pin::pin!(self.child.stop(Patience::default()));
        loop {
            tokio::select! {
                stopped = &mut stopping => return stopped,
                step = self.stage.step(buffer) => drop(step?),
                () = self.keeper.work() => {}
            }
        }
    }

    /// Takes the child's last words, and ends what it has left behind.
    async fn leave(&mut self) -> Vec<Process> {
        // Soon, because later the child's id may be another's.
        let swept = self.child.sweep().await;
        self.stage.drain().await;
        swept
    }

    /// Stays for as long as Claude Code needs the router for what it has moved into its background, or until somebody
    /// ends that too.
    async fn outlive(&mut self, buffer: &mut [u8], mut cause: Cause) -> io::Result<()> {
        let background = self.keeper.background();
        let mut jobs = Vec::new();
        while cause == Cause::Itself {
            let mut changed = Box::pin(async {
                if jobs.is_empty() { background.jobs().await } else { background.changed(&jobs).await }
            });
            let served = self.serve(buffer, changed.as_mut()).await?;
            drop(changed);
            match served {
                Served::Done(now) if now.is_empty() => return Ok(()),
                Served::Done(now) => {
                    self.stage.let_go(&now);
                    jobs = now;
                }
                Served::Asked => cause = Cause::Asked,
            }
        }
        let mut stop = Box::pin(background.stop());
        // To be asked again changes nothing.
        while let Served::Asked = self.serve(buffer, stop.as_mut()).await? {}
        Ok(())
    }

    /// Waits for something, and meanwhile does for guests and ledger what there is to be done.
    async fn serve<T>(
        &mut self,
        buffer: &mut [u8],
        mut something: Pin<&mut impl Future<Output = T>>,
    ) -> io::Result<Served<T>> {
        loop {
            tokio::select! {
                done = &mut something => return Ok(Served::Done(done)),
                () = self.signals.next() => return Ok(Served::Asked),
                wish = self.stage.step(buffer) => if wish? == Wish::Stop { return Ok(Served::Asked) },
                () = self.keeper.work() => {}
            }
        }
    }
}

/// Why a child has ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Cause {
    Itself,
    Asked,
}

/// What came of waiting for something.
enum Served<T> {
    Done(T),
    /// The session is to end.
    Asked,
}

/// The person's own command for notices. It needs no provider's key.
fn notice_command(launch: &Launch<'_>) -> Option<NoticeCommand> {
    let secret = secret_variables(launch.config);
    let environment =
        launch.environment.iter().filter(|(name, _)| name.to_str().is_none_or(|name| !secret.contains(name)));
    let command = launch.config.notify_command.clone()?;
    Some(NoticeCommand::new(command, environment.collect()))
}

fn about(launch: &Launch<'_>, size: Size, status: Status) -> About {
    About {
        session: launch.session,
        name: launch.entry.name.clone(),
        folder: launch.project.to_owned(),
        version: env!("CARGO_PKG_VERSION").to_owned(),
        started: Timestamp::now().as_millisecond(),
        status,
        title: String::new(),
        attached: 0,
        size,
        background: Vec::new(),
    }
}

fn word(step: Step) -> &'static str {
    match step {
        Step::Hangup => "hangup",
        Step::Terminate => "terminate",
        Step::Kill => "kill",
    }
}

/// The signals that end a host, and with it its child.
struct Signals([Signal; 3]);

impl Signals {
    fn receive() -> io::Result<Self> {
        let receive = |kind| signal(kind);
        Ok(Self([
            receive(SignalKind::terminate())?,
            receive(SignalKind::hangup())?,
            receive(SignalKind::interrupt())?,
        ]))
    }

    async fn next(&mut self) {
        let [terminate, hangup, interrupt] = &mut self.0;
        tokio::select! {
            _ = terminate.recv() => {}
            _ = hangup.recv() => {}
            _ = interrupt.recv() => {}
        }
    }
}
