//! The loop: waits, takes all that has come, performs, draws.

use std::collections::VecDeque;
use std::io;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};

use jiff::Timestamp;
use jiff::tz::TimeZone;
use tokio::sync::mpsc::{Receiver, Sender, channel};
use tokio::time::sleep_until;
use uuid::Uuid;

use super::answers::Told;
use super::commands::{self, Program};
use super::ending::Ending;
use super::keeper::Keeper;
use super::listing::Listing;
use super::probe::answering;
use super::reading;
use super::requests::{Reader, Requests};
use super::sessions::{Report, Sessions};
use super::tasks::Tasks;
use super::terminal::Screen;
use super::watch::{Watch, is_in};

use crate::command::{Context, Failure, here};
use crate::launch::attach::{Answer, Answers};
use crate::launch::scopes::project_folders;
use crate::launch::sessions::Listed;
use crate::launch::settings;
use crate::ledger::LedgerError;
use crate::ui::app::App;
use crate::ui::app::event::{Configuration, Done, Effect, Event, Moment, News, Task};
use crate::ui::app::input::Input;
use crate::ui::app::keymap::Keymap;
use crate::ui::app::look::Terminal;

/// The shortest time between two frames.
const FRAME: Duration = Duration::from_millis(8);

/// The list is read anew so often at most, in a storm of changes.
const LISTING: Duration = Duration::from_millis(100);

/// What may wait to be taken; whoever brings more waits.
const WAITING: usize = 256;

/// So much is taken between two frames at most, so that a flood never keeps the screen still.
const BATCH: usize = 512;

/// What comes from everything but the terminal.
pub(super) enum Heard {
    Told(Uuid, Report),
    Drawn(Uuid, Vec<u8>),
    /// A session isn't shown any more, and why.
    Closed(Uuid, String),
    Changed(Vec<PathBuf>),
    /// The ledger was written.
    Written,
    /// The ledger was read.
    Read(Reader, Vec<News>),
    /// The list was read, for the living as they were at this count of changes.
    Listed(u64, Result<Listing, LedgerError>),
    /// A command that is followed has said this line.
    Said(Task, String),
    Done(Done),
    /// Providers on this machine that answer, by their presets' names.
    Answering(Vec<String>),
}

/// Brings events to the app and performs what it wants.
pub(super) struct Driver<'a> {
    context: &'a Context,
    program: Program,
    app: App,
    sessions: Sessions,
    heard: Receiver<Heard>,
    told: Sender<Heard>,
    tasks: Tasks,
    listing: Freshness,
    /// Those that don't live, as long as they are the same.
    past: Option<Arc<Vec<Listed>>>,
    /// How often the living have changed.
    changes: u64,
    unsaved: Keeper,
    requests: Requests,
    /// The real terminal's.
    colours: Answers,
    ending: Ending,
    /// Claude Code's own, which hold agents.
    agents: Vec<PathBuf>,
    watch: Option<Watch>,
}

/// Whether what is shown is what is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Freshness {
    Fresh,
    /// It is to be read from then on.
    Stale(Instant),
    /// It is being read; and it is stale again already, or not.
    Reading {
        again: bool,
    },
}

/// Whether it goes on.
enum Step {
    On,
    Quit,
}

/// What becomes of what a command says last, when the app takes the screen back.
#[derive(PartialEq)]
enum Last {
    Goes,
    IsRead,
}

impl<'a> Driver<'a> {
    /// Must be called within a tokio runtime.
    pub(super) fn new(context: &'a Context, keymap: Keymap, terminal: Terminal) -> Result<Self, Failure> {
        let (told, heard) = channel(WAITING);
        let places = &context.places;
        let folder = places.live_dir();
        // Changes are heard of only in folders that are there.
        crate::config::write::create_private_folder(&folder).map_err(Failure::failed)?;
        // It is below the ledger's.
        let requests = Requests::new(&places.ledger_file(), told.clone());
        let agents = agents_folders(context)?;
        let ours = [folder.clone(), places.config_dir.clone(), places.agents_dir(), places.themes_dir()];
        let watch = Watch::begin(ours.iter().chain(&agents), told.clone());
        let watch = watch.inspect_err(|error| tracing::warn!(%error, "changes of files aren't noticed")).ok();
        Ok(Self {
            context,
            program: Program::find(context).map_err(Failure::failed)?,
            app: App::new(Timestamp::now(), keymap, terminal),
            sessions: Sessions::new(folder, told.clone()),
            heard,
            told,
            tasks: Tasks::default(),
            listing: Freshness::Fresh,
            past: None,
            changes: 0,
            unsaved: Keeper::new(places),
            requests,
            colours: Answers::default(),
            ending: Ending::receive().map_err(Failure::failed)?,
            agents,
            watch,
        })
    }

    /// Runs until the person leaves; how many sessions go on.
    pub(super) async fn run(mut self) -> Result<usize, Failure> {
        let mut screen = Screen::take().map_err(Failure::failed)?;
        let size = screen.size().map_err(Failure::failed)?;
        self.tell(News::Unsaved(self.unsaved.all()), &mut screen).await?;
        self.configure(&mut screen).await?;
        self.take(Event::Input(Input::Resize(size)), &mut screen).await?;
        self.look(&mut screen).await?;
        let mut drawn = None;
        let mut is_dirty = true;
        loop {
            let now = Instant::now();
            let is_due = drawn.is_none_or(|drawn: Instant| now.duration_since(drawn) >= FRAME);
            if is_dirty && is_due {
                // What was typed in a session is seen in its echo, which mustn't wait because of a frame that showed nothing.
                if screen.draw(&self.app).map_err(Failure::failed)? {
                    drawn = Some(Instant::now());
                }
                is_dirty = false;
            }
            let frame = drawn.filter(|_| is_dirty).map(|drawn| drawn + FRAME);
            let due = self.due();
            tokio::select! {
                biased;
                () = self.ending.next() => break,
                told = screen.next() => {
                    let Some(told) = told else { break };
                    let Some(event) = self.meant(told) else { continue };
                    if let Step::Quit = self.take(event, &mut screen).await? {
                        break;
                    }
                    is_dirty = true;
                }
                Some(heard) = self.heard.recv() => {
                    self.hear(heard, &mut screen).await?;
                    self.drain(&mut screen).await?;
                    is_dirty = true;
                }
                () = until(frame) => {}
                () = until(due) => {
                    self.read();
                    self.unsaved.write_due();
                    self.read_requests();
                    self.take(Event::Tick, &mut screen).await?;
                    is_dirty = true;
                }
            }
        }
        self.unsaved.write();
        Ok(self.sessions.count())
    }

    /// What the terminal has told the app; `None`: nothing.
    fn meant(&mut self, told: Told) -> Option<Event> {
        let answer = match told {
            Told::Event(event) => return super::keys::taken(event).map(Event::Input),
            Told::Colour(answer) => answer,
        };
        self.colours.take(answer);
        if let Some(colours) = self.colours.colours() {
            self.sessions.colour(colours);
        }
        match answer {
            Answer::Background(background) => Some(Event::News(News::Background(background))),
            _ => None,
        }
    }

    /// Takes all that has come already.
    async fn drain(&mut self, screen: &mut Screen) -> Result<(), Failure> {
        for _ in 0..BATCH {
            let Ok(heard) = self.heard.try_recv() else { break };
            self.hear(heard, screen).await?;
        }
        Ok(())
    }

    async fn hear(&mut self, heard: Heard, screen: &mut Screen) -> Result<(), Failure> {
        match heard {
            Heard::Told(session, report) => {
                if let Report::Stats(_) = report {
                    self.requests.stale();
                }
                for news in self.sessions.learn(session, report) {
                    self.tell(news, screen).await?;
                }
                self.relist();
            }
            Heard::Drawn(session, bytes) => self.tell(News::Drawn { session, bytes }, screen).await?,
            Heard::Closed(session, reason) => self.tell(News::Closed { session, reason }, screen).await?,
            Heard::Changed(paths) => {
                let configured = &self.context.places.config_dir;
                let is_new = self.watch.as_mut().is_some_and(Watch::look_again);
                if is_new || self.agents.iter().chain([configured]).any(|folder| is_in(&paths, folder)) {
                    self.configure(screen).await?;
                }
                if is_in(&paths, &self.context.places.live_dir()) {
                    self.look(screen).await?;
                }
            }
            Heard::Written => self.requests.stale(),
            Heard::Read(reader, news) => {
                self.requests.end(reader);
                for news in news {
                    self.tell(news, screen).await?;
                }
            }
            Heard::Listed(changes, listed) => {
                self.listing = match self.listing {
                    Freshness::Reading { again: true } => Freshness::Stale(Instant::now() + LISTING),
                    _ => Freshness::Fresh,
                };
                match listed {
                    Ok(listing) => {
                        self.past = (changes == self.changes).then(|| Arc::clone(&listing.past));
                        let all = listing.all();
                        self.requests.list(&all);
                        self.tell(News::Sessions(all), screen).await?;
                    }
                    Err(error) => self.tell(News::Unlisted(error.to_string()), screen).await?,
                }
            }
            Heard::Answering(presets) => self.tell(News::Answering(presets), screen).await?,
            Heard::Said(task, line) => self.tell(News::Said { task, line }, screen).await?,
            Heard::Done(done) => {
                // It may have changed what is remembered.
                self.past = None;
                self.changes += 1;
                self.look(screen).await?;
                self.tell(News::Done(done), screen).await?;
            }
        }
        Ok(())
    }

    async fn tell(&mut self, news: News, screen: &mut Screen) -> Result<(), Failure> {
        self.take(Event::News(news), screen).await.map(drop)
    }

    /// Gives the app an event, and performs what it wants.
    async fn take(&mut self, event: Event, screen: &mut Screen) -> Result<Step, Failure> {
        let moment = Moment { time: Timestamp::now(), instant: Instant::now() };
        let mut effects = VecDeque::from(self.app.update(event, moment));
        while let Some(effect) = effects.pop_front() {
            let may_be_kept = matches!(effect, Effect::Keep { .. } | Effect::HandOver { .. });
            if let Step::Quit = self.perform(effect, screen).await.map_err(Failure::failed)? {
                return Ok(Step::Quit);
            }
            if may_be_kept {
                // At once, before anything else is typed.
                effects.extend(self.app.update(Event::News(News::Unsaved(self.unsaved.all())), moment));
            }
        }
        Ok(Step::On)
    }

    async fn perform(&mut self, effect: Effect, screen: &mut Screen) -> io::Result<Step> {
        match effect {
            Effect::Quit => return Ok(Step::Quit),
            Effect::Attach { session, size } => self.sessions.show(session, size),
            Effect::Detach { session } => self.sessions.hide(session),
            Effect::Resize { session, size } => self.sessions.resize(session, size),
            Effect::Stand { session, stance } => self.sessions.stand(session, stance),
            Effect::Type { session, bytes } => self.sessions.type_in(session, bytes),
            Effect::Run(task) => {
                let command = self.program.command(&task.arguments);
                let told = self.told.clone();
                self.tasks.spawn(async move {
                    let done = commands::run(command, task).await;
                    _ = told.send(Heard::Done(done)).await;
                });
            }
            Effect::Follow(task) => {
                let command = self.program.command(&task.arguments);
                let told = self.told.clone();
                self.tasks.spawn(async move {
                    let done = commands::follow(command, task, &told).await;
                    _ = told.send(Heard::Done(done)).await;
                });
            }
            Effect::HandOver { arguments } => {
                return self.hand_over(&arguments, Last::Goes, screen).await;
            }
            Effect::HandOverToRead { arguments } => {
                return self.hand_over(&arguments, Last::IsRead, screen).await;
            }
            Effect::Probe => {
                let told = self.told.clone();
                self.tasks.spawn(async move { _ = told.send(Heard::Answering(answering().await)).await });
            }
            Effect::Keep { agent, text } => self.unsaved.keep(agent, text),
            Effect::Copy(text) => Screen::copy(&text)?,
            Effect::Redraw => screen.redraw()?,
        }
        Ok(Step::On)
    }

    /// Another command has the whole terminal until it ends, or until both are to end. One that fails says why: that
    /// stays until it is read, too.
    async fn hand_over(&mut self, arguments: &[String], last: Last, screen: &mut Screen) -> io::Result<Step> {
        self.unsaved.write();
        screen.leave();
        let ended = match self.program.command(arguments).spawn() {
            Ok(mut child) => tokio::select! {
                ended = child.wait() => ended,
                () = self.ending.next() => {
                    commands::end(child).await;
                    return Ok(Step::Quit);
                }
            },
            Err(error) => Err(error),
        };
        if last == Last::IsRead || ended.as_ref().is_ok_and(|status| !status.success()) {
            tokio::select! {
                read = reading::read() => read?,
                () = self.ending.next() => return Ok(Step::Quit),
            }
        }
        screen.enter()?;
        self.sessions.claim();
        self.unsaved.read();
        if let Err(error) = ended {
            tracing::warn!(%error, "the command can't be run");
        }
        Ok(Step::On)
    }

    /// Reads the person's files anew.
    async fn configure(&mut self, screen: &mut Screen) -> Result<(), Failure> {
        let (config, problems) = self.context.config();
        screen.give_mouse(config.tui.mouse).map_err(Failure::failed)?;
        let home = self.context.environment.get("HOME").map(PathBuf::from);
        let configuration =
            Configuration { config, problems, here: here()?, home, zone: Some(TimeZone::system()) };
        self.tell(News::Configuration(Arc::new(configuration)), screen).await
    }

    /// Looks who lives.
    async fn look(&mut self, screen: &mut Screen) -> Result<(), Failure> {
        if self.sessions.look() {
            self.past = None;
            self.changes += 1;
            // Whoever has gone waits for nothing.
            self.tell(News::Waiting(self.sessions.waiting()), screen).await?;
        }
        self.relist();
        Ok(())
    }

    /// The list is to be read anew, soon.
    fn relist(&mut self) {
        self.listing = match self.listing {
            Freshness::Fresh => Freshness::Stale(Instant::now()),
            Freshness::Stale(at) => Freshness::Stale(at),
            Freshness::Reading { .. } => Freshness::Reading { again: true },
        };
    }

    /// Reads the list, if that is due.
    fn read(&mut self) {
        if !matches!(self.listing, Freshness::Stale(at) if at <= Instant::now()) {
            return;
        }
        self.listing = Freshness::Reading { again: false };
        let (seen, past, changes) = (self.sessions.glances(), self.past.clone(), self.changes);
        let (file, told) = (self.context.places.ledger_file(), self.told.clone());
        self.tasks.spawn(async move {
            let listed = tokio::task::spawn_blocking(move || Listing::read(seen, past, &file)).await;
            if let Ok(listed) = listed {
                _ = told.send(Heard::Listed(changes, listed)).await;
            }
        });
    }

    /// Reads what is new in the ledger, if that is due.
    fn read_requests(&mut self) {
        let Some((mut reader, alone)) = self.requests.begin() else { return };
        let told = self.told.clone();
        self.tasks.spawn(async move {
            let read = tokio::task::spawn_blocking(move || (reader.read(&alone), reader)).await;
            if let Ok((news, reader)) = read {
                _ = told.send(Heard::Read(reader, news)).await;
            }
        });
    }

    /// When something has to be done although nothing comes.
    fn due(&self) -> Option<Instant> {
        let (frame, toast) = self.app.deadline();
        let now = Timestamp::now();
        let toast = toast.map(|toast| {
            let left = toast.duration_since(now);
            Instant::now() + Duration::try_from(left).unwrap_or_default()
        });
        let listing = match self.listing {
            Freshness::Stale(at) => Some(at),
            _ => None,
        };
        [frame, toast, listing, self.unsaved.due(), self.requests.due()].into_iter().flatten().min()
    }
}

/// Those that are there: of one that is made later nothing is heard.
fn agents_folders(context: &Context) -> Result<Vec<PathBuf>, Failure> {
    let claude = settings::Places::of(&context.environment, &here()?);
    let mut folders = project_folders(&claude);
    folders.push(claude.user.join("agents"));
    folders.retain(|folder| folder.is_dir());
    Ok(folders)
}

pub(super) async fn until(instant: Option<Instant>) {
    match instant {
        Some(instant) => sleep_until(instant.into()).await,
        None => std::future::pending().await,
    }
}
