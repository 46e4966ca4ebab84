//! The real Claude Code on a terminal of ours, behind a router whose control endpoint has a desk.

use std::sync::Arc;
use std::time::{Duration, Instant};

use serde_json::json;
use subagents::config::{Config, Environment, Policy};
use subagents::launch::assembly::{Assembly, Engine, Plan, bind};
use subagents::launch::control::ControlEndpoint;
use subagents::launch::overlay::{self, Dialogs, Hooks};
use subagents::launch::pty::{self, Child, Terminal};
use subagents::launch::screen::{Screen, Size};
use subagents::launch::state::{Answer, Answerer, Decision, Desk, Dialog, State};
use subagents::launch::stats::Observer;
use subagents::launch::{Command, surroundings::Surroundings};
use subagents::router::{Meter, Token};
use tokio::runtime::Runtime;
use tokio::sync::broadcast;
use tokio::time::{sleep, timeout};

use super::launch::PATIENCE;
use super::stage::{Stage, USER_TOKEN};
use super::upstream::Upstream;

/// A person takes as long to read a dialog that has been drawn; keys that come sooner are refused.
const READING: Duration = Duration::from_millis(1500);

/// How often it is looked whether what is waited for is there.
const GLANCE: Duration = Duration::from_millis(20);

/// A session. Dropping it ends Claude Code and what it has started.
pub(crate) struct Hosted {
    pub(crate) desk: Arc<Desk>,
    answers: broadcast::Receiver<Answer>,
    meter: Arc<Meter>,
    screen: Screen,
    terminal: Terminal,
    _child: Child,
    _engine: Engine,
    runtime: Option<Runtime>,
}

impl Hosted {
    /// Begins with a prompt. Whatever isn't plainly harmless is asked about.
    pub(crate) fn start(stage: &Stage, main: &Upstream) -> Self {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        let mut hosted = runtime.block_on(Self::started(stage, main));
        hosted.runtime = Some(runtime);
        hosted
    }

    async fn started(stage: &Stage, main: &Upstream) -> Self {
        let desk = Arc::new(Desk::new("blue".to_owned()));
        let plan = Plan {
            default_upstream: main.url(),
            bindings: Vec::new(),
            open_routes: Vec::new(),
            policy: Policy::default(),
            surroundings: Surroundings::default(),
        };
        let assembly = Assembly::new(&plan, &Config::default(), &Environment::default()).unwrap();
        let (token, control_token) = (Token::random().unwrap(), Token::random().unwrap());
        let listener = bind(0).await.unwrap();
        let port = listener.port();
        let base_url = Engine::base_url(port, &token);
        let hook_url = ControlEndpoint::hook_url(port, &control_token);
        let (meter, callers) = (Arc::clone(&assembly.meter), Arc::clone(&assembly.callers));
        let observer = Observer::new(uuid::Uuid::nil(), Arc::clone(&meter), Arc::clone(&callers), None);
        let control = ControlEndpoint {
            token: control_token,
            observer: Arc::new(observer),
            table: Arc::clone(&assembly.table),
            meter: Arc::clone(&meter),
            callers,
            dialogs: Dialogs::Held,
            desk: Some(Arc::clone(&desk)),
        };
        let engine = assembly.start(listener, token, Some(Arc::new(control)));
        let settings = stage.home().join("session.json");
        let hooks = Hooks { url: &hook_url, dialogs: Dialogs::Held };
        let variables = [("ANTHROPIC_BASE_URL".to_owned(), base_url)];
        let text = serde_json::to_string(&overlay::settings(None, &variables, Some(hooks))).unwrap();
        std::fs::write(&settings, text).unwrap();
        let size = Size::new(120, 40);
        let command = command(stage, settings.to_str().unwrap());
        let environment = Environment::from_iter([("PATH", std::env::var("PATH").unwrap())]);
        let (terminal, child) = pty::spawn(&command, &environment, &stage.project(), size).unwrap();
        let answers = desk.answers();
        let screen = Screen::new(size);
        Self { desk, answers, meter, screen, terminal, _child: child, _engine: engine, runtime: None }
    }

    /// Goes on until it is so.
    pub(crate) fn until(&mut self, what: &str, is_so: impl Fn(&Self) -> bool) {
        let deadline = Instant::now() + PATIENCE;
        while !is_so(self) {
            let status = self.desk.status();
            assert!(Instant::now() < deadline, "not {what}, but {status:?}:\n{}", self.screen.text());
            self.live(GLANCE);
        }
    }

    /// The oldest dialog, once it is on the screen and a person has read it.
    pub(crate) fn dialog(&mut self) -> Dialog {
        self.until("waiting", |hosted| !hosted.desk.dialogs().is_empty());
        self.until("drawn", |hosted| hosted.screen.text().contains("Do you want to proceed?"));
        self.live(READING);
        self.desk.dialogs().remove(0)
    }

    /// Types into the session, as an attached terminal does.
    pub(crate) fn keys(&mut self, keys: &str) {
        self.desk.received(keys.as_bytes());
        self.terminal.write(keys.as_bytes()).unwrap();
    }

    /// Answers a dialog from outside.
    pub(crate) fn answer(&self, dialog: &Dialog, decision: Decision) {
        self.desk.answer(&dialog.id, decision, Answerer::Inbox).unwrap();
    }

    /// The next dialog that is settled.
    pub(crate) fn settled(&mut self) -> Answer {
        let deadline = Instant::now() + PATIENCE;
        loop {
            match self.answers.try_recv() {
                Ok(answer) => return answer,
                Err(error) => assert!(Instant::now() < deadline, "{error}:\n{}", self.screen.text()),
            }
            self.live(GLANCE);
        }
    }

    pub(crate) fn is(&self, state: &State) -> bool {
        self.desk.status().state == *state
    }

    fn live(&mut self, time: Duration) {
        let runtime = self.runtime.take().unwrap();
        // Time is up: that is what was wanted.
        runtime.block_on(async { timeout(time, self.work()).await.ok() });
        self.runtime = Some(runtime);
    }

    /// Never ends.
    async fn work(&mut self) {
        let mut buffer = vec![0; 64 * 1024];
        loop {
            tokio::select! {
                count = self.terminal.read(&mut buffer) => match count.unwrap() {
                    0 => sleep(PATIENCE).await,
                    count => self.drawn(&buffer[..count]),
                },
                () = self.desk.keep_time() => {}
                () = sleep(GLANCE) => {}
            }
            let rows = self.meter.figures().routes;
            self.desk.requests(rows.iter().map(|row| row.in_flight).sum());
        }
    }

    fn drawn(&mut self, bytes: &[u8]) {
        self.screen.feed(bytes, Instant::now());
        let answers = self.screen.take_answers();
        self.terminal.write(&answers).unwrap();
        for event in self.screen.take_events() {
            self.desk.told(&event);
        }
    }
}

fn command(stage: &Stage, settings: &str) -> Command {
    let reviewer = json!({"reviewer": {"description": "Reviews.", "prompt": "You review."}}).to_string();
    let args =
        ["--settings", settings, "--agents", &reviewer, "--permission-mode", "default", "Please do it."];
    let variables = [
        ("HOME", stage.home().to_str().unwrap().to_owned()),
        ("LANG", "C.UTF-8".to_owned()),
        ("ANTHROPIC_AUTH_TOKEN", USER_TOKEN.to_owned()),
        ("HTTPS_PROXY", "http://127.0.0.1:1".to_owned()),
        ("NO_PROXY", "127.0.0.1".to_owned()),
        ("CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC", "1".to_owned()),
        ("DISABLE_AUTOUPDATER", "1".to_owned()),
    ];
    Command {
        program: stage.claude().to_owned(),
        args: args.map(str::to_owned).to_vec(),
        env_set: variables.map(|(name, value)| (name.to_owned(), value)).to_vec(),
        env_remove: Vec::new(),
        files: Vec::new(),
        agents: serde_json::Map::new(),
        warnings: Vec::new(),
    }
}
