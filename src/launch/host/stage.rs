//! The child's terminal and its screen, and what happens there and among the guests.

use std::io;
use std::time::{Duration, Instant};

use tokio::net::UnixStream;
use tokio::sync::mpsc::{Receiver, Sender, channel};
use tokio::time::{sleep, sleep_until};
use tokio_util::task::TaskTracker;

use super::audience::{Attention, Audience};
use super::guest::{self, Deed, Id};
use super::news::{Item, News};
use super::peer::{self, Origin};
use super::protocol::{About, Ask, Colours, Ended, Kind, Part, Stance, Tell};
use super::socket::Door;
use super::wire::{self, Frame};
use crate::launch::background::Job;
use crate::launch::pty::Terminal;
use crate::launch::screen::{Event, Palette, Screen, Size};
use crate::launch::state::{AnswerError, Answerer, Decision, DialogId};

/// Deeds of guests that wait for the host.
const DEEDS: usize = 256;

/// How often terminals of another size are drawn anew.
const REPAINT_PAUSE: Duration = Duration::from_millis(50);

/// How often those who watch are told the figures.
const FIGURES_PAUSE: Duration = Duration::from_millis(250);

/// How long the child's last words may take after its end.
const DRAIN: Duration = Duration::from_millis(500);

/// How long guests may take to read how it ended.
const FAREWELL: Duration = Duration::from_secs(2);

/// Everything that is to be seen of a session.
pub(super) struct Stage {
    terminal: Terminal,
    pub(super) screen: Screen,
    door: Door,
    audience: Audience,
    /// What the guests' tasks tell.
    deeds: Receiver<(Id, Deed)>,
    telling: Sender<(Id, Deed)>,
    tasks: TaskTracker,
    repaint_at: Option<Instant>,
    /// When those who watch are told figures that have changed.
    figures_at: Option<Instant>,
    about: About,
    news: News,
    output: Output,
}

/// How far the child's output is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Output {
    None,
    Some,
    /// Nobody has the terminal open any more.
    Ended,
}

/// What a step asks of the whole session.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Wish {
    Nothing,
    Stop,
}

impl Stage {
    /// Must be called within a tokio runtime.
    pub(super) fn new(terminal: Terminal, door: Door, about: About, news: News) -> Self {
        let (telling, deeds) = channel(DEEDS);
        Self {
            terminal,
            screen: Screen::new(about.size),
            door,
            audience: Audience::default(),
            deeds,
            telling,
            tasks: TaskTracker::new(),
            repaint_at: None,
            figures_at: None,
            about,
            news,
            output: Output::None,
        }
    }

    pub(super) fn output(&self) -> Output {
        self.output
    }

    /// Tells the child, when it asks, that its terminal looks so.
    pub(super) fn colour(&mut self, colours: Colours) {
        let Colours { foreground, background } = colours;
        self.screen.set_palette(Palette { foreground, background, cursor: foreground });
    }

    /// Waits for one thing to happen, and does what it takes. Nothing is lost when it is dropped before it is done.
    pub(super) async fn step(&mut self, buffer: &mut [u8]) -> io::Result<Wish> {
        let due = [self.screen.deadline(), self.repaint_at, self.figures_at].into_iter().flatten().min();
        // In no fixed order: neither a child that writes on and on nor a guest may keep the others waiting.
        tokio::select! {
            Some((id, deed)) = self.deeds.recv() => return Ok(self.does(id, deed)),
            stream = self.door.next() => self.let_in(stream),
            count = self.terminal.read(buffer), if self.output != Output::Ended => match count? {
                0 => self.output = Output::Ended,
                count => self.drawn(&buffer[..count]),
            },
            item = self.news.next() => self.learn(item),
            () = until(due) => self.tick(Instant::now()),
        }
        Ok(Wish::Nothing)
    }

    /// Takes the child's last words, once it has ended.
    pub(super) async fn drain(&mut self) {
        let mut rest = Vec::new();
        // What can't be read any more is lost with its terminal.
        _ = self.terminal.drain(DRAIN, |bytes| rest.extend_from_slice(bytes)).await;
        self.drawn(&rest);
        self.screen.expire(Instant::now() + Duration::from_secs(1));
    }

    /// Claude Code has moved the session into its background: there is nothing to be seen of it here.
    pub(super) fn let_go(&mut self, jobs: &[Job]) {
        self.output = Output::Ended;
        self.about.background = jobs.iter().map(|job| job.id.clone()).collect();
        self.audience.release(&Tell::Background { jobs: self.about.background.clone() });
        self.settle();
        self.audience.tell_watchers(&self.about_now());
    }

    /// The child has ended, and nothing of the session goes on.
    pub(super) fn ended(&self, code: u8) {
        self.news.desk.exited(code);
    }

    /// Tells everyone the end, and waits a little until they have read it.
    pub(super) async fn close(&mut self, ended: &Ended) {
        self.audience.repaint_stale(&self.screen);
        self.audience.dismiss(ended);
        self.tasks.close();
        let listening = async { while self.deeds.recv().await.is_some() {} };
        tokio::select! {
            () = self.tasks.wait() => {}
            () = listening => {}
            () = sleep(FAREWELL) => {}
        }
    }

    fn let_in(&mut self, stream: UnixStream) {
        let (id, tray) = self.audience.enter(peer::origin(&stream));
        self.tasks.spawn(guest::serve(stream, id, tray, self.telling.clone()));
    }

    /// The child has written something.
    fn drawn(&mut self, bytes: &[u8]) {
        self.output = Output::Some;
        let output = self.screen.feed(bytes, Instant::now());
        let answers = self.screen.take_answers();
        // A child that doesn't read its answers has enough of them.
        _ = self.terminal.write(&answers);
        if self.audience.draw(&output, self.screen.size()) == Attention::Due {
            self.repaint_at.get_or_insert_with(|| Instant::now() + REPAINT_PAUSE);
        }
        for event in self.screen.take_events() {
            self.happened(&event);
        }
        self.news.desk.drawn(&self.screen);
    }

    fn learn(&mut self, item: Item) {
        match item {
            Item::Status(status) => {
                self.about.status = status;
                self.audience.tell_watchers(&self.about_now());
            }
            Item::Notice(notice) => self.news.tell(&notice, &self.audience),
            Item::Request => {
                self.figures_at.get_or_insert_with(|| Instant::now() + FIGURES_PAUSE);
            }
        }
    }

    fn happened(&mut self, event: &Event) {
        self.news.desk.told(event);
        match event {
            Event::ScreenSwitched => self.audience.repaint(&self.screen),
            Event::Restarted => {
                self.audience.repaint(&self.screen);
                self.ask_to_redraw();
            }
            Event::Title(title) => {
                self.about.title.clone_from(title);
                self.audience.tell_watchers(&self.about_now());
            }
            Event::Bell | Event::Copy { .. } | Event::Notification { .. } => {}
        }
    }

    /// A child draws itself again when its size changes.
    fn ask_to_redraw(&mut self) {
        let size = self.screen.size();
        let other = Size::new(size.columns(), size.rows().saturating_sub(1).max(2));
        // It can't be told while it is ending.
        _ = self.terminal.resize(other).and_then(|()| self.terminal.resize(size));
    }

    fn tick(&mut self, now: Instant) {
        self.screen.expire(now);
        if self.repaint_at.is_some_and(|due| due <= now) {
            self.repaint_at = None;
            self.audience.repaint_stale(&self.screen);
        }
        if self.figures_at.is_some_and(|due| due <= now) {
            self.figures_at = None;
            self.audience.tell_watchers(&self.stats());
        }
    }

    fn does(&mut self, id: Id, deed: Deed) -> Wish {
        match deed {
            Deed::Sends(Frame { kind: Kind::Terminal, payload }) => self.typed(id, &payload),
            Deed::Sends(Frame { kind: Kind::Control, payload }) => return self.asked(id, &payload),
            Deed::CatchesUp => self.audience.repaint_for(id, &self.screen),
            Deed::Leaves => {
                self.audience.leave(id);
                self.settle();
            }
        }
        Wish::Nothing
    }

    fn typed(&mut self, id: Id, bytes: &[u8]) {
        if !self.audience.is_attached(id) {
            return self.refuse(id, "only an attached terminal can type");
        }
        self.audience.act(id);
        self.settle();
        self.news.desk.received(bytes);
        if let Err(full) = self.terminal.write(bytes) {
            self.refuse(id, &full.to_string());
        }
    }

    fn asked(&mut self, id: Id, payload: &[u8]) -> Wish {
        match wire::said(payload) {
            Ok(Ask::Attach { .. } | Ask::Answer { .. }) if self.audience.origin(id) == Origin::Session => {
                self.refuse(
                    id,
                    "a process of a session can neither attach nor decide: use a terminal of your own",
                );
            }
            Ok(Ask::Attach { .. }) if !self.about.background.is_empty() => {
                self.tell(id, &Tell::Background { jobs: self.about.background.clone() });
            }
            Ok(Ask::Attach { size, colours, stance }) => self.attach(id, size, colours, stance),
            Ok(Ask::Resize { size }) if self.audience.is_attached(id) => {
                self.audience.resize(id, size);
                self.settle();
                self.audience.repaint_for(id, &self.screen);
            }
            Ok(Ask::Resize { .. }) => self.refuse(id, "only an attached terminal has a size"),
            Ok(Ask::About) => self.tell(id, &self.about_now()),
            Ok(Ask::Stats) => self.tell(id, &self.stats()),
            Ok(Ask::Text { part }) => self.tell(id, &Tell::Text { text: self.text(part) }),
            Ok(Ask::Dialogs) => self.tell(id, &Tell::Dialogs { dialogs: self.news.desk.dialogs() }),
            Ok(Ask::Answer { dialog, decision }) => self.answer(id, &dialog, decision),
            Ok(Ask::Watch) => {
                self.audience.watch(id);
                self.tell(id, &self.about_now());
                self.tell(id, &self.stats());
            }
            Ok(Ask::Stop) => return Wish::Stop,
            Err(error) => self.refuse(id, &format!("what is asked can't be read: {error}")),
        }
        Wish::Nothing
    }

    fn answer(&self, id: Id, dialog: &DialogId, decision: Decision) {
        match self.news.desk.answer(dialog, decision, Answerer::Inbox) {
            Ok(()) => self.tell(id, &Tell::Answered),
            Err(AnswerError::NoSuch(_)) => self.tell(id, &Tell::NoSuchDialog),
            Err(error) => self.refuse(id, &error.to_string()),
        }
    }

    fn attach(&mut self, id: Id, size: Size, colours: Option<Colours>, stance: Stance) {
        if let Some(colours) = colours {
            self.colour(colours);
        }
        self.audience.attach(id, size, stance);
        self.settle();
        self.audience.repaint_for(id, &self.screen);
    }

    /// Makes the session as large as the terminal that has the say, and tells who is there.
    fn settle(&mut self) {
        let size = self.audience.size().unwrap_or(self.screen.size());
        if size != self.screen.size() {
            self.screen.resize(size);
            // It can't be told while it is ending.
            _ = self.terminal.resize(size);
            self.audience.repaint(&self.screen);
        }
        let attached = self.audience.attached();
        if (self.about.size, self.about.attached) != (size, attached) {
            (self.about.size, self.about.attached) = (size, attached);
            self.audience.tell_watchers(&self.about_now());
        }
    }

    fn about_now(&self) -> Tell {
        Tell::About(Box::new(self.about.clone()))
    }

    fn stats(&self) -> Tell {
        Tell::Stats { stats: serde_json::to_value(self.news.observer.stats()).unwrap_or_default() }
    }

    fn text(&self, part: Part) -> String {
        match part {
            Part::Screen => self.screen.text(),
            Part::History => self.screen.text_with_history(),
        }
    }

    fn refuse(&self, id: Id, reason: &str) {
        self.tell(id, &Tell::Refused { reason: reason.to_owned() });
    }

    fn tell(&self, id: Id, tell: &Tell) {
        if let Some(tray) = self.audience.tray(id) {
            tray.tell(tell);
        }
    }
}

async fn until(due: Option<Instant>) {
    match due {
        Some(due) => sleep_until(due.into()).await,
        None => std::future::pending().await,
    }
}
