//! The machine as everybody shares it: hooks and the terminal feed it, clients follow it, a person answers.
//!
//! One small lock, never held while anything is waited for. Answers and beginnings of waits go out on bounded channels:
//! a slow reader loses the oldest and is told how many.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use jiff::Timestamp;
use tokio::sync::{Notify, broadcast, oneshot, watch};
use tokio::time::sleep;

use super::super::hook::{Asked, HookAnswer, HookEvent};
use super::super::notice::Notice;
use super::super::screen::{self, Screen};
use super::activity::until;
use super::keys::{focus, is_a_persons};
use super::opening::is_question;
use super::{
    Answer, AnswerError, Answerer, Decision, Dialog, DialogId, Effect, Input, Machine, State, Status,
};

/// Answers and notices that a reader may be behind.
const BACKLOG: usize = 256;

/// What the model reads when the person gives no reason.
const NO_REASON: &str = "The person refused this from the inbox, without a reason. Don't try the same again; ask what to do \
                         instead, or go on without it.";

/// The desk of one session.
#[derive(Debug)]
pub struct Desk {
    /// How people know the session.
    session: String,
    inner: Mutex<Inner>,
    status: watch::Sender<Status>,
    answers: broadcast::Sender<Answer>,
    notices: broadcast::Sender<Notice>,
    /// The machine's deadline may be another now.
    changed: Notify,
}

#[derive(Debug)]
struct Inner {
    machine: Machine,
    /// The hooks that are held open, each for one dialog.
    held: HashMap<DialogId, oneshot::Sender<HookAnswer>>,
}

impl Desk {
    /// A desk for a session that begins now. `session` is how people know it: its name, or its id.
    pub fn new(session: String) -> Self {
        let machine = Machine::new(now());
        let status = watch::Sender::new(machine.status().clone());
        Self {
            session,
            inner: Mutex::new(Inner { machine, held: HashMap::new() }),
            status,
            answers: broadcast::Sender::new(BACKLOG),
            notices: broadcast::Sender::new(BACKLOG),
            changed: Notify::new(),
        }
    }

    /// A hook. A permission that is asked for is listed, and nobody waits for its answer: see [`Desk::hold`].
    pub fn heard(&self, event: &HookEvent) {
        match event {
            HookEvent::PermissionAsked(asked) => drop(self.open(asked)),
            event => self.feed(Input::Hook(event)),
        }
    }

    /// How many requests are on their way, whenever that changes.
    pub fn requests(&self, in_flight: u64) {
        self.feed(Input::Requests(in_flight));
    }

    /// What the child did on its terminal.
    pub fn told(&self, event: &screen::Event) {
        self.feed(Input::Screen(event));
    }

    /// The child has drawn something, and its screen is so now.
    pub fn drawn(&self, screen: &Screen) {
        let mut inner = self.lock();
        if inner.machine.looks() {
            self.apply(&mut inner, Input::Drawn { is_question: is_question(screen) });
        }
    }

    /// What an attached terminal sends goes to the child; only what a person did counts. Call it before it is written:
    /// what a key does can be seen at once.
    pub fn received(&self, input: &[u8]) {
        if is_a_persons(input) {
            self.typed();
        }
        if let Some(has_focus) = focus(input) {
            self.feed(Input::Focus(has_focus));
        }
    }

    /// A person's key goes to the child.
    pub fn typed(&self) {
        self.feed(Input::Key);
    }

    /// The child has ended.
    pub fn exited(&self, code: u8) {
        self.feed(Input::Ended(State::Exited { code }));
    }

    /// The session can't go on.
    pub fn failed(&self, reason: String) {
        self.feed(Input::Ended(State::Failed { reason }));
    }

    /// Never ends. Poll it beside the rest: what time alone changes, changes here.
    pub async fn keep_time(&self) {
        loop {
            let deadline = self.lock().machine.deadline(now());
            let due = async {
                match deadline {
                    Some(deadline) => sleep(until(deadline, now())).await,
                    None => std::future::pending().await,
                }
            };
            tokio::select! {
                () = due => self.feed(Input::Time),
                () = self.changed.notified() => {}
            }
        }
    }

    pub fn status(&self) -> Status {
        self.lock().machine.status().clone()
    }

    /// The status now and whenever it changes.
    pub fn watch(&self) -> watch::Receiver<Status> {
        self.status.subscribe()
    }

    /// What waits for a person, oldest first.
    pub fn dialogs(&self) -> Vec<Dialog> {
        self.lock().machine.dialogs()
    }

    /// Every dialog that is settled from now on, with who settled it.
    pub fn answers(&self) -> broadcast::Receiver<Answer> {
        self.answers.subscribe()
    }

    /// Every wait that begins from now on, once.
    pub fn notices(&self) -> broadcast::Receiver<Notice> {
        self.notices.subscribe()
    }

    /// Answers a dialog from outside of the session. The first answer counts, whoever gives it.
    ///
    /// # Errors
    /// It is settled already (by whom and how is said), can't be answered from here, or isn't known.
    pub fn answer(&self, id: &DialogId, decision: Decision, by: Answerer) -> Result<(), AnswerError> {
        let mut inner = self.lock();
        inner.machine.check(id)?;
        let answer = match &decision {
            Decision::Allow => HookAnswer::Permit,
            Decision::Deny { reason } => {
                HookAnswer::Refuse { reason: reason.clone().unwrap_or_else(|| NO_REASON.to_owned()) }
            }
        };
        // Nobody there: Claude Code has just given the dialog up.
        let delivered = inner.held.remove(id).is_some_and(|held| held.send(answer).is_ok());
        let id_of = id.clone();
        let input = if delivered {
            Input::Answered { id: id_of, decision, by }
        } else {
            Input::GivenUp { id: id_of }
        };
        self.apply(&mut inner, input);
        if delivered { Ok(()) } else { inner.machine.check(id) }
    }

    /// Lists the dialog, and waits for what the hook is answered: at once without a decision, where only the session can
    /// answer it. Dropped, it settles the dialog as given up.
    pub async fn hold(&self, asked: &Asked) -> HookAnswer {
        let Some((id, answer)) = self.open(asked) else { return HookAnswer::Nothing };
        let mut held = Held { desk: self, id: Some(id) };
        let answer = answer.await;
        held.id = None;
        answer.unwrap_or(HookAnswer::Nothing)
    }

    /// Lists a dialog. What its hook is to be answered, where it is to be held.
    fn open(&self, asked: &Asked) -> Option<(DialogId, oneshot::Receiver<HookAnswer>)> {
        let id = random_id();
        let mut inner = self.lock();
        self.apply(&mut inner, Input::Asked { id: id.clone(), asked });
        inner.machine.check(&id).ok()?;
        let (send, receive) = oneshot::channel();
        inner.held.insert(id.clone(), send);
        Some((id, receive))
    }

    fn feed(&self, input: Input<'_>) {
        self.apply(&mut self.lock(), input);
    }

    fn apply(&self, inner: &mut Inner, input: Input<'_>) {
        for effect in inner.machine.feed(input, now()) {
            match effect {
                Effect::Begins(dialog) => {
                    // Nobody may listen.
                    let _ = self.notices.send(Notice::new(&self.session, dialog.as_ref()));
                }
                // Its hook is answered without a decision by what is dropped here.
                Effect::Left(id) => drop(inner.held.remove(&id)),
                Effect::Settled(answer) => {
                    inner.held.remove(&answer.dialog.id);
                    let _ = self.answers.send(answer);
                }
            }
        }
        let status = inner.machine.status();
        self.status.send_if_modified(|last| {
            let is_new = last != status;
            if is_new {
                last.clone_from(status);
            }
            is_new
        });
        self.changed.notify_one();
    }

    /// What a panic left is a whole machine: it is fed in one go.
    fn lock(&self) -> MutexGuard<'_, Inner> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A hook that is held open.
struct Held<'a> {
    desk: &'a Desk,
    /// `None`: it has been answered.
    id: Option<DialogId>,
}

impl Drop for Held<'_> {
    fn drop(&mut self) {
        if let Some(id) = self.id.take() {
            self.desk.feed(Input::GivenUp { id });
        }
    }
}

/// To the millisecond: that is what is stored and shown.
fn now() -> Timestamp {
    Timestamp::from_millisecond(Timestamp::now().as_millisecond()).unwrap_or(Timestamp::UNIX_EPOCH)
}

/// 40 bits: enough that two of all sessions' dialogs are never the same.
fn random_id() -> DialogId {
    let id = uuid::Uuid::new_v4().simple().to_string();
    DialogId(id[..10].to_owned())
}
