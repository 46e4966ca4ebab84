//! Makes children: starts one behind tokens of its own, waits, and tells what came of it.

use std::collections::{HashMap, HashSet};
use std::io;
use std::path::PathBuf;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use tokio::sync::mpsc::{UnboundedSender, unbounded_channel};
use tokio::sync::{Semaphore, SemaphorePermit, watch};
use tokio::task::JoinError;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;
use uuid::Uuid;

use super::child::{Cut, Job, Worked};
use super::composition::Composition;
use super::errand::{Book, Errand};
use super::limits::{GRACE, GRACE_IN_BACKGROUND};
use super::outcome::{Ending, Outcome, cut};
use super::refusal::Refusal;
use super::request::Request;
use super::route::Chooser;
use super::sandbox::{self, Held};
use super::shelf::Shelf;
use super::stream::Step;
use super::visitor::{Asker, Visitor};
use crate::catalogue::Cache;
use crate::config::write::{create_private_folder, write_private_file};
use crate::launch::claude::Claude;
use crate::launch::session;
use crate::router::{Budget, Callers, Pass, Passes, Purse, Table, Token, Tokens};

/// Delegations that may wait for a seat.
const WAITING: usize = 64;

/// Where children are made: a session's router, and its folder.
pub struct Workshop {
    pub port: u16,
    pub passes: Arc<Passes>,
    pub visitors: Arc<Tokens<Visitor>>,
    pub claude: Claude,
    /// The session's own folder (0700), removed with it.
    pub folder: PathBuf,
    pub shelf: Shelf,
    /// Lists of models that were kept.
    pub cache: Cache,
}

/// Makes the children of one session.
pub struct Delegator {
    pub book: Book,
    pub workshop: Workshop,
    seats: Semaphore,
    waiting: AtomicUsize,
    background: Mutex<HashMap<Uuid, Pending>>,
    /// This kernel can hold a child.
    sandbox: bool,
    conversations: Arc<Conversations>,
    /// Children of this session, and what calls all of them off.
    children: TaskTracker,
    ending: CancellationToken,
}

type Pending = watch::Receiver<Option<Result<Outcome, Refusal>>>;

/// What somebody who waits sees of it, and how it is called off.
#[derive(Debug, Clone)]
pub struct Watch {
    pub steps: UnboundedSender<Step>,
    pub cancel: CancellationToken,
}

/// What a call comes to.
#[derive(Debug, Clone, PartialEq)]
pub enum Delegated {
    Done(Box<Outcome>),
    /// It goes on without the caller, under this id.
    Begun(Uuid),
}

impl Delegated {
    /// With something more that the caller should know.
    #[must_use]
    pub fn noted(mut self, note: String) -> Self {
        if let Self::Done(outcome) = &mut self {
            outcome.notes.push(note);
        }
        self
    }
}

/// A child's tokens: they die with this.
struct Tickets<'a> {
    workshop: &'a Workshop,
    router: Token,
    control: Token,
    purse: Arc<Purse>,
    life: CancellationToken,
}

impl Drop for Tickets<'_> {
    fn drop(&mut self) {
        self.workshop.passes.revoke(&self.router);
        self.workshop.visitors.revoke(&self.control);
        // What it has handed on in its turn: nobody is left to hear of that.
        self.life.cancel();
    }
}

impl Delegator {
    pub fn new(book: Book, workshop: Workshop) -> Self {
        let seats = Semaphore::new(book.config.delegation.parallel);
        Self {
            book,
            workshop,
            seats,
            waiting: AtomicUsize::new(0),
            background: Mutex::default(),
            sandbox: sandbox::is_there(),
            conversations: Arc::default(),
            children: TaskTracker::new(),
            ending: CancellationToken::new(),
        }
    }

    /// Does what is asked, to its end or until it is called off.
    ///
    /// # Errors
    /// See [`Refusal`]: there was no child.
    pub async fn delegate(
        self: &Arc<Self>,
        request: Request,
        asker: &Asker,
        chooser: Chooser<'_>,
        watch: Watch,
    ) -> Result<Delegated, Refusal> {
        if let Some(id) = &request.collects {
            return self.collect(id, &watch.cancel).await;
        }
        let errand = self.errand(request, asker, chooser)?;
        // Refused here already, where somebody hears of it.
        self.held(&errand)?;
        let turn = Turn::take(&self.conversations, errand.id)?;
        let cancel = asker.life.as_ref().unwrap_or(&self.ending).child_token();
        if errand.background {
            return Ok(Delegated::Begun(self.begin(errand, turn, cancel)));
        }
        // Also when the caller goes away without a word: the child then ends by itself, and leaves nothing.
        let _guard = cancel.clone().drop_guard();
        let delegator = Arc::clone(self);
        let below = Watch { steps: watch.steps, cancel: cancel.clone() };
        let mut child = self.children.spawn(async move {
            let _turn = turn;
            delegator.perform(&errand, below, GRACE).await
        });
        let done = tokio::select! {
            done = &mut child => done,
            () = watch.cancel.cancelled() => {
                cancel.cancel();
                child.await
            }
        };
        let broken = |error: JoinError| Refusal::Start(error.to_string());
        done.map_err(broken)?.map(|outcome| Delegated::Done(Box::new(outcome)))
    }

    /// Calls all of them off, and waits until they are gone.
    pub async fn end(&self) {
        self.ending.cancel();
        self.children.close();
        self.children.wait().await;
    }

    /// Does this beside them, until all are called off.
    pub fn until_ended(&self, work: impl Future<Output = ()> + Send + 'static) {
        let ending = self.ending.clone();
        self.children.spawn(async move { ending.run_until_cancelled(work).await });
    }

    fn errand(&self, request: Request, asker: &Asker, chooser: Chooser<'_>) -> Result<Errand, Refusal> {
        let Some(id) = request.continues.clone() else {
            return Errand::new(request, asker, chooser, &self.book);
        };
        let unknown = || Refusal::Unknown(id.escape_debug().to_string());
        let kept = self.workshop.shelf.find(&id).ok_or_else(unknown)?;
        Errand::again(kept, request, asker, chooser, &self.book)
    }

    /// What keeps this child from writing.
    fn held(&self, errand: &Errand) -> Result<Held, Refusal> {
        Held::of(errand.grant.writes, self.book.config.delegation.sandbox, self.sandbox)
    }

    /// In the background: nobody waits, and nobody calls it off but its caller's end.
    fn begin(self: &Arc<Self>, errand: Errand, turn: Turn, cancel: CancellationToken) -> Uuid {
        let id = errand.id;
        let (done, pending) = watch::channel(None);
        self.pending().insert(id, pending);
        let delegator = Arc::clone(self);
        self.children.spawn(async move {
            let watch = Watch { steps: unbounded_channel().0, cancel };
            let came = delegator.perform(&errand, watch, GRACE_IN_BACKGROUND).await;
            // Whoever hears of the end may go on at once.
            drop(turn);
            done.send_replace(Some(came));
        });
        id
    }

    /// The answer of one in the background, once it is there.
    async fn collect(&self, id: &str, cancel: &CancellationToken) -> Result<Delegated, Refusal> {
        let unknown = || Refusal::Unknown(id.escape_debug().to_string());
        let key: Uuid = id.parse().map_err(|_| unknown())?;
        let mut pending = self.pending().get(&key).cloned().ok_or_else(unknown)?;
        let done = tokio::select! {
            done = pending.wait_for(Option::is_some) => done.map_err(|_| unknown())?.clone(),
            () = cancel.cancelled() => None,
        };
        done.ok_or_else(unknown)?.map(|outcome| Delegated::Done(Box::new(outcome)))
    }

    fn pending(&self) -> std::sync::MutexGuard<'_, HashMap<Uuid, Pending>> {
        self.background.lock().unwrap_or_else(PoisonError::into_inner)
    }

    async fn perform(&self, errand: &Errand, watch: Watch, grace: Duration) -> Result<Outcome, Refusal> {
        let _seat = self.seat(errand, &watch.cancel).await?;
        let begun = Instant::now();
        let tickets =
            self.tickets(errand, &watch.cancel).map_err(|error| Refusal::Start(error.to_string()))?;
        let worked = self.work(errand, &tickets, &watch, grace).await;
        // Its settings hold the tokens.
        std::fs::remove_dir_all(self.folder_of(errand)).ok();
        let worked = worked?;
        // What held at its beginning holds for all of it.
        if !errand.resumes
            && let Err(error) = self.workshop.shelf.keep(errand.id, &errand.kept(self.book.session))
        {
            tracing::warn!(%error, "a delegation can't be gone on with");
        }
        Ok(self.outcome(errand, &worked, &tickets.purse, begun.elapsed()))
    }

    /// A child's own.
    fn folder_of(&self, errand: &Errand) -> PathBuf {
        self.workshop.folder.join("delegations").join(errand.id.to_string())
    }

    async fn seat(
        &self,
        errand: &Errand,
        cancel: &CancellationToken,
    ) -> Result<SemaphorePermit<'_>, Refusal> {
        if let Ok(seat) = self.seats.try_acquire() {
            return Ok(seat);
        }
        let busy = |waiting| Refusal::Busy { running: self.book.config.delegation.parallel, waiting };
        // Its caller has a seat and waits for it: where all of them do, nobody would ever get up.
        if errand.grant.depth > 1 {
            return Err(busy(self.waiting.load(Ordering::Relaxed)));
        }
        let _queue = Queue::join(&self.waiting).map_err(busy)?;
        let called_off = || Refusal::Start("it was called off before its turn came".to_owned());
        tokio::select! {
            seat = self.seats.acquire() => seat.map_err(|_| called_off()),
            () = cancel.cancelled() => Err(called_off()),
        }
    }

    /// Lets the child in, with what it was granted and nothing else.
    fn tickets(&self, errand: &Errand, cancel: &CancellationToken) -> Result<Tickets<'_>, getrandom::Error> {
        let (router, control) = (Token::random()?, Token::random()?);
        let name = errand.agent.name.clone();
        let bindings = session::child_bindings(&name, errand.wire.as_ref(), &self.book.config);
        let policy = &self.book.config.policy;
        let table = Arc::new(Table::new(bindings, policy.authorised().cloned().collect(), policy.clone()));
        let callers = Arc::<Callers>::default();
        // Beside its turns, Claude Code makes titles and summaries, and starts over what failed.
        let requests = Some(errand.limits.turns.saturating_mul(8).saturating_add(32));
        let budget = Budget { requests, tokens: errand.limits.tokens };
        let purse = Arc::new(Purse::new(budget));
        let pass = Pass {
            name: name.clone(),
            table: Arc::clone(&table),
            callers: Arc::clone(&callers),
            purse: Arc::clone(&purse),
        };
        self.workshop.passes.grant(router.clone(), pass);
        let life = cancel.child_token();
        let visitor = Visitor::new(&name, errand.grant.clone(), table, callers).living(life.clone());
        self.workshop.visitors.grant(control.clone(), visitor);
        Ok(Tickets { workshop: &self.workshop, router, control, purse, life })
    }

    async fn work(
        &self,
        errand: &Errand,
        tickets: &Tickets<'_>,
        watch: &Watch,
        grace: Duration,
    ) -> Result<Worked, Refusal> {
        let folder = self.folder_of(errand);
        let start = |error: &dyn std::fmt::Display| Refusal::Start(error.to_string());
        let scratch = self.workshop.folder.join("scratch");
        create_private_folder(&scratch).map_err(|error| start(&error))?;
        let composition = Composition {
            errand,
            book: &self.book,
            workshop: &self.workshop,
            router: &tickets.router,
            control: &tickets.control,
            folder: &folder,
            scratch: &scratch,
        };
        let command = composition.command()?;
        let command = match self.held(errand)? {
            Held::Nothing => command,
            Held::Landlock => sandbox::around(command, &self.book.environment, &folder, scratch)
                .map_err(|error| start(&error))?,
        };
        for file in &command.files {
            file.write().map_err(|error| start(&error))?;
        }
        let job = Job {
            command: &command,
            environment: &self.book.environment,
            folder: &errand.folder,
            prompt: &errand.prompt,
            id: &errand.id.to_string(),
            time: errand.limits.seconds.map(Duration::from_secs),
            grace,
            cancel: watch.cancel.clone(),
            steps: &watch.steps,
        };
        job.work().await.map_err(|error: io::Error| start(&error))
    }

    fn outcome(&self, errand: &Errand, worked: &Worked, purse: &Purse, elapsed: Duration) -> Outcome {
        let Worked { run, code, complaint, cut: ended } = worked;
        let spent = purse.spent();
        let ending = match ended {
            Some(Cut::Time) => Ending::Time(errand.limits.seconds.unwrap_or_default()),
            Some(Cut::Cancelled) => Ending::Cancelled,
            None => Ending::of(run, &spent, &errand.limits, *code, complaint),
        };
        let finish = run.result.clone().unwrap_or_default();
        let text = if finish.text.trim().is_empty() || finish.is_error { &run.said } else { &finish.text };
        let mut notes = errand.notes();
        let (text, whole) = match cut(text) {
            None => (text.clone(), None),
            Some(beginning) => (beginning.to_owned(), self.keep_whole(errand.id, text, &mut notes)),
        };
        Outcome {
            id: errand.id.to_string(),
            agent: errand.agent.name.clone(),
            description: errand.description.clone(),
            route: errand.decision.engine.label(),
            effort: errand.decision.effort.clone(),
            sandbox: self.held(errand).map_or("none", Held::word),
            text,
            whole,
            structured: finish.structured,
            tool_calls: run.tool_calls,
            turns: run.turns,
            spent,
            elapsed,
            ending,
            notes,
        }
    }

    /// Keeps something in the folder that a child shares with whoever asked it.
    ///
    /// # Errors
    /// It can't be written.
    pub fn keep(&self, name: &str, bytes: &[u8]) -> io::Result<PathBuf> {
        let scratch = self.workshop.folder.join("scratch");
        create_private_folder(&scratch)?;
        let file = scratch.join(name);
        write_private_file(&file, bytes)?;
        Ok(file)
    }

    /// A text that is too long, in a file that the caller can read.
    fn keep_whole(&self, id: Uuid, text: &str, notes: &mut Vec<String>) -> Option<PathBuf> {
        match self.workshop.shelf.keep_text(id, text) {
            Ok(file) => Some(file),
            Err(error) => {
                notes.push(format!("the rest of the text is lost: {error}"));
                None
            }
        }
    }
}

/// Conversations in which somebody works.
type Conversations = Mutex<HashSet<Uuid>>;

/// Nobody else works in this conversation: two would write one transcript, and remove each other's files.
struct Turn {
    id: Uuid,
    all: Arc<Conversations>,
}

impl Turn {
    fn take(all: &Arc<Conversations>, id: Uuid) -> Result<Self, Refusal> {
        let is_free = all.lock().unwrap_or_else(PoisonError::into_inner).insert(id);
        is_free.then(|| Self { id, all: Arc::clone(all) }).ok_or_else(|| Refusal::Unknown(id.to_string()))
    }
}

impl Drop for Turn {
    fn drop(&mut self) {
        self.all.lock().unwrap_or_else(PoisonError::into_inner).remove(&self.id);
    }
}

/// A place among those who wait.
struct Queue<'a>(&'a AtomicUsize);

impl<'a> Queue<'a> {
    fn join(waiting: &'a AtomicUsize) -> Result<Self, usize> {
        let before = waiting.fetch_add(1, Ordering::Relaxed);
        let place = Self(waiting);
        if before >= WAITING { Err(before) } else { Ok(place) }
    }
}

impl Drop for Queue<'_> {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}
