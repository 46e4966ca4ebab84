//! The living sessions: one connection to each host that tells how it is, and one more for each that is shown.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;

use serde_json::Value;
use tokio::sync::mpsc::{Receiver, Sender, channel};
use tokio::task::AbortHandle;
use uuid::Uuid;

use super::driver::Heard;
use super::tasks::Tasks;
use crate::launch::host::protocol::{About, Ask, Colours, Stance, Tell};
use crate::launch::host::{self, Connection, Said};
use crate::launch::live::{self, Live};
use crate::launch::screen::Size;
use crate::launch::sessions::{Answer, Glance, Tally, Waiting};
use crate::launch::state::Dialog;
use crate::ui::app::event::News;

/// Words for a session that may wait; more of them end the showing, which begins anew.
const WORDS: usize = 1024;

/// What is known of those that live.
pub(super) struct Sessions {
    folder: PathBuf,
    living: BTreeMap<Uuid, Known>,
    shown: BTreeMap<Uuid, Shown>,
    tasks: Tasks,
    told: Sender<Heard>,
    /// Those of the terminal that they are shown on, as far as they are known.
    colours: Option<Colours>,
}

/// A living session.
struct Known {
    live: Live,
    about: Option<Box<About>>,
    stats: Arc<Value>,
    dialogs: Vec<Dialog>,
    /// Why it says nothing.
    silence: Option<String>,
    task: Option<AbortHandle>,
}

/// A session that is shown.
struct Shown {
    size: Size,
    words: Sender<Word>,
    task: AbortHandle,
}

/// What is said to a session that is shown.
enum Word {
    Resize(Size),
    /// How it is shown from now on, on a terminal of this size.
    Stand(Size, Stance),
    Type(Vec<u8>),
    Colour(Size, Colours),
}

/// What a session tells.
#[derive(Debug)]
pub(super) enum Report {
    About(Box<About>),
    Stats(Value),
    Dialogs(Vec<Dialog>),
    /// It says nothing any more, and why.
    Silent(String),
}

impl Sessions {
    /// Must be used within a tokio runtime. `told` hears everything.
    pub(super) fn new(folder: PathBuf, told: Sender<Heard>) -> Self {
        let (living, shown) = (BTreeMap::new(), BTreeMap::new());
        Self { folder, living, shown, tasks: Tasks::default(), told, colours: None }
    }

    /// Looks who lives; whether that has changed.
    pub(super) fn look(&mut self) -> bool {
        let living = live::living(&self.folder);
        let is_new = |live: &&Live| self.living.get(&live.session).is_none_or(|known| known.live != **live);
        let new: Vec<Live> = living.iter().filter(is_new).cloned().collect();
        let before = self.living.len();
        self.living.retain(|session, known| {
            let lives = living.iter().any(|live| live.session == *session);
            if !lives {
                known.task.iter().for_each(AbortHandle::abort);
            }
            lives
        });
        let has_changed = self.living.len() != before || !new.is_empty();
        for live in new {
            self.follow(live);
        }
        has_changed
    }

    pub(super) fn count(&self) -> usize {
        self.living.len()
    }

    /// Takes what a session tells, and gives what the app is to know of it beside the list.
    pub(super) fn learn(&mut self, session: Uuid, report: Report) -> Vec<News> {
        let Some(known) = self.living.get_mut(&session) else { return Vec::new() };
        match report {
            Report::About(about) => {
                known.about = Some(about);
                known.silence = None;
                Vec::new()
            }
            Report::Stats(stats) => {
                known.stats = Arc::new(stats);
                let news = News::Stats { session, stats: Arc::clone(&known.stats) };
                // The route of whoever asks is known by the figures.
                let waiting = (!known.dialogs.is_empty()).then(|| News::Waiting(self.waiting()));
                std::iter::once(news).chain(waiting).collect()
            }
            Report::Dialogs(dialogs) if dialogs == known.dialogs => Vec::new(),
            Report::Dialogs(dialogs) => {
                known.dialogs = dialogs;
                vec![News::Waiting(self.waiting())]
            }
            Report::Silent(reason) => {
                known.silence = Some(reason);
                Vec::new()
            }
        }
    }

    /// How each is.
    pub(super) fn glances(&self) -> Vec<Glance> {
        let mut glances: Vec<Glance> = self.living.values().map(Known::glance).collect();
        glances.sort_by_key(|glance| glance.live.started);
        glances
    }

    /// What waits for a person, the oldest first.
    pub(super) fn waiting(&self) -> Vec<Waiting> {
        let of = |known: &Known| -> Vec<Waiting> {
            known.dialogs.iter().map(|dialog| Waiting::of(&known.live, dialog, &known.stats)).collect()
        };
        let mut waiting: Vec<Waiting> = self.living.values().flat_map(of).collect();
        waiting.sort_by_key(|waiting| waiting.dialog.since);
        waiting
    }

    /// Shows a session on a part of the terminal.
    pub(super) fn show(&mut self, session: Uuid, size: Size) {
        self.hide(session);
        let Some(known) = self.living.get(&session) else { return };
        let (words, come) = channel(WORDS);
        let ask = attach(size, self.colours, Stance::Looks);
        let task = self.tasks.spawn(show(known.live.clone(), ask, come, self.told.clone()));
        self.shown.insert(session, Shown { size, words, task });
    }

    /// The terminal has told its colours. Children ask for them when they like, so those that are shown are told.
    pub(super) fn colour(&mut self, colours: Colours) {
        if self.colours.replace(colours) == Some(colours) {
            return;
        }
        let sizes: Vec<(Uuid, Size)> =
            self.shown.iter().map(|(session, shown)| (*session, shown.size)).collect();
        for (session, size) in sizes {
            self.say(session, Word::Colour(size, colours));
        }
    }

    pub(super) fn hide(&mut self, session: Uuid) {
        if let Some(shown) = self.shown.remove(&session) {
            shown.task.abort();
        }
    }

    pub(super) fn resize(&mut self, session: Uuid, size: Size) {
        if let Some(shown) = self.shown.get_mut(&session) {
            shown.size = size;
        }
        self.say(session, Word::Resize(size));
    }

    pub(super) fn stand(&mut self, session: Uuid, stance: Stance) {
        if let Some(size) = self.shown.get(&session).map(|shown| shown.size) {
            self.say(session, Word::Stand(size, stance));
        }
    }

    pub(super) fn type_in(&mut self, session: Uuid, bytes: Vec<u8>) {
        self.say(session, Word::Type(bytes));
    }

    /// Another terminal had them meanwhile: each gets the size again that it has here.
    pub(super) fn claim(&mut self) {
        let sizes: Vec<(Uuid, Size)> =
            self.shown.iter().map(|(session, shown)| (*session, shown.size)).collect();
        for (session, size) in sizes {
            self.say(session, Word::Resize(size));
        }
    }

    fn say(&mut self, session: Uuid, word: Word) {
        let Some(shown) = self.shown.get(&session) else { return };
        if shown.words.try_send(word).is_err() {
            let reason = "The session takes nothing any more. Leave it and open it again.".to_owned();
            _ = self.told.try_send(Heard::Closed(session, reason));
            self.hide(session);
        }
    }

    fn follow(&mut self, live: Live) {
        let session = live.session;
        let told = self.told.clone();
        let task = live.socket.is_some().then(|| self.tasks.spawn(follow(live.clone(), told)));
        let known =
            Known { live, about: None, stats: Arc::default(), dialogs: Vec::new(), silence: None, task };
        self.living.insert(session, known);
    }
}

impl Known {
    fn glance(&self) -> Glance {
        let answer = match (&self.about, &self.silence) {
            _ if self.live.socket.is_none() => Answer::Alone,
            (_, Some(reason)) => Answer::Silent(reason.clone()),
            (Some(about), None) => Answer::Told(about.clone(), Tally::of(&self.stats)),
            (None, None) => Answer::Silent("it hasn't answered yet".to_owned()),
        };
        Glance { live: self.live.clone(), answer }
    }
}

fn attach(size: Size, colours: Option<Colours>, stance: Stance) -> Ask {
    Ask::Attach { size, colours, stance }
}

/// Tells how a session is until it ends.
async fn follow(live: Live, told: Sender<Heard>) {
    let session = live.session;
    let (mut connection, mut sender) = match Connection::open(&live).await {
        Ok(open) => open,
        Err(error) => return report(&told, session, Report::Silent(error.to_string())).await,
    };
    if sender.ask(&Ask::Watch).await.is_err() {
        return;
    }
    loop {
        match connection.told().await {
            Ok(Tell::About(about)) => {
                report(&told, session, Report::About(about)).await;
                // What waits changes with the state.
                if sender.ask(&Ask::Dialogs).await.is_err() {
                    break;
                }
            }
            Ok(Tell::Stats { stats }) => report(&told, session, Report::Stats(stats)).await,
            Ok(Tell::Dialogs { dialogs }) => report(&told, session, Report::Dialogs(dialogs)).await,
            Ok(Tell::Ended(_)) | Err(_) => break,
            Ok(_) => {}
        }
    }
    report(&told, session, Report::Silent("it has hung up".to_owned())).await;
}

async fn report(told: &Sender<Heard>, session: Uuid, report: Report) {
    // Whoever listened has gone.
    _ = told.send(Heard::Told(session, report)).await;
}

/// Shows a session until it ends. A screen that is full makes the host wait, who draws it anew then.
async fn show(live: Live, ask: Ask, mut words: Receiver<Word>, told: Sender<Heard>) {
    let reason = match Connection::open(&live).await {
        Ok((connection, mut sender)) => {
            sender.say(&ask);
            talk(&live, (connection, sender), &mut words, &told).await
        }
        Err(error) => error.to_string(),
    };
    _ = told.send(Heard::Closed(live.session, reason)).await;
}

/// Why it has ended.
async fn talk(
    live: &Live,
    (mut connection, mut sender): (Connection, host::Sender),
    words: &mut Receiver<Word>,
    told: &Sender<Heard>,
) -> String {
    let (mut colours, mut stance) = (None, Stance::Looks);
    loop {
        tokio::select! {
            sent = sender.send(), if sender.waiting() > 0 => match sent {
                Ok(()) => {}
                Err(error) => return format!("{} has hung up: {error}", live.name),
            },
            Some(word) = words.recv() => match word {
                Word::Resize(size) => sender.say(&Ask::Resize { size }),
                Word::Stand(size, now) => {
                    stance = now;
                    sender.say(&attach(size, colours, stance));
                }
                Word::Type(bytes) => sender.type_in(&bytes),
                Word::Colour(size, known) => {
                    colours = Some(known);
                    sender.say(&attach(size, colours, stance));
                }
            },
            said = connection.next() => match said {
                Ok(Some(Said::Drawn(bytes))) => _ = told.send(Heard::Drawn(live.session, bytes)).await,
                Ok(Some(Said::Told(Tell::Ended(ended)))) => {
                    let text = ended.text.unwrap_or_default();
                    return format!("{}\n{} has ended with exit code {}.", text.trim_end(), live.name, ended.code);
                }
                Ok(Some(Said::Told(Tell::Background { jobs }))) => {
                    return format!("It goes on in Claude Code's own background: claude attach {}", jobs.join(", "));
                }
                Ok(Some(Said::Told(Tell::Refused { reason }))) => return reason,
                Ok(Some(Said::Told(_))) => {}
                Ok(None) => return format!("{} has hung up.", live.name),
                Err(error) => return format!("{} has hung up: {error}", live.name),
            },
        }
    }
}
