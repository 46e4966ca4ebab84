//! The real Claude Code in a host of its own, with a terminal that is attached to it, and the inbox beside it.

use std::path::PathBuf;
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process};
use serde_json::{Value, json};
use subagents::launch::live;
use subagents::ledger::Ledger;

use super::launch::{Ended, PATIENCE};
use super::stage::Stage;
use super::terminal::Terminal;
use super::upstream::Upstream;

/// How often another process is asked whether what is waited for is there.
const GLANCE: Duration = Duration::from_millis(20);

/// What every session of this kind is called.
pub(crate) const NAME: &str = "blue";

/// A terminal of another size than the one that a session begins with.
const SIZE: (u16, u16) = (110, 36);

/// A session. Dropping it ends Claude Code and what it has started.
pub(crate) struct Hosted<'a> {
    stage: &'a Stage,
    main: &'a Upstream,
    pub(crate) terminal: Terminal,
}

impl<'a> Hosted<'a> {
    /// Begins with a prompt. Whatever isn't plainly harmless is asked about.
    pub(crate) fn start(stage: &'a Stage, main: &'a Upstream) -> Self {
        Self::with(stage, main, &["Please do it."])
    }

    /// Begins with these words for Claude Code.
    pub(crate) fn with(stage: &'a Stage, main: &'a Upstream, words: &[&str]) -> Self {
        Self::in_mode(stage, main, "default", words)
    }

    /// The same in this permission mode.
    pub(crate) fn in_mode(stage: &'a Stage, main: &'a Upstream, mode: &str, words: &[&str]) -> Self {
        stage.config("");
        let reviewer = json!({"reviewer": {"description": "Reviews.", "prompt": "You review."}}).to_string();
        let run = ["run", "--detach", "--name", NAME, "--", "--agents", &reviewer];
        let words = [&run[..], &["--permission-mode", mode], words].concat();
        stage.subagents(main, &words).run().expect_code(0);
        Self::attach(stage, main, SIZE)
    }

    /// Goes to the session that runs.
    pub(crate) fn attach(stage: &'a Stage, main: &'a Upstream, size: (u16, u16)) -> Self {
        let terminal = Terminal::sized(&stage.subagents(main, &["attach", NAME]), size);
        Self { stage, main, terminal }
    }

    /// Goes on until it is so.
    #[track_caller]
    pub(crate) fn until<T>(&mut self, what: &str, look: impl Fn(&Self) -> Option<T>) -> T {
        let deadline = Instant::now() + PATIENCE;
        loop {
            if let Some(found) = look(self) {
                return found;
            }
            let screen = self.terminal.text();
            assert!(Instant::now() < deadline, "not {what}, but {}:\n{screen}", self.listed());
            self.terminal.read(GLANCE);
        }
    }

    /// The oldest dialog as the inbox lists it, once it is on the screen and a person has read it.
    #[track_caller]
    pub(crate) fn dialog(&mut self) -> Value {
        self.until("waiting", |hosted| hosted.dialogs().pop());
        self.terminal.expect("Do you want to proceed?");
        self.terminal.ponder();
        self.dialogs().remove(0)
    }

    /// What the inbox lists.
    pub(crate) fn dialogs(&self) -> Vec<Value> {
        let mut inbox = self.json(&["inbox", "--json"]);
        serde_json::from_value(inbox["dialogs"].take()).unwrap()
    }

    /// The sessions that wait for what the inbox doesn't know.
    pub(crate) fn unseen(&self) -> usize {
        self.json(&["inbox", "--json"])["unseen"].as_array().unwrap().len()
    }

    /// Answers a dialog from outside.
    pub(crate) fn answer(&self, words: &[&str], dialog: &Value) -> Ended {
        let words = [&["inbox", words[0], dialog["id"].as_str().unwrap()], &words[1..]].concat();
        self.stage.subagents(self.main, &words).run()
    }

    /// The last answer that the ledger has, once it has so many: the decision and who gave it.
    #[track_caller]
    pub(crate) fn settled(&mut self, count: usize) -> (String, String) {
        let answers =
            self.until("answered", |hosted| Some(hosted.answers()).filter(|all| all.len() == count));
        answers[count - 1].clone()
    }

    /// All answers that the ledger has.
    pub(crate) fn answers(&self) -> Vec<(String, String)> {
        let ledger = Ledger::open(&self.stage.home().join(".local/share/subagents/ledger.db")).unwrap();
        let mut lines = Vec::new();
        ledger.export(&mut lines).unwrap();
        let session: Value = serde_json::from_slice(&lines).unwrap();
        let text = |answer: &Value, key: &str| answer[key].as_str().unwrap().to_owned();
        let answers = session["answers"].as_array().unwrap().iter();
        answers.map(|answer| (text(answer, "decision"), text(answer, "by"))).collect()
    }

    #[track_caller]
    pub(crate) fn until_state(&mut self, state: &str) {
        self.until(state, |hosted| (hosted.listed()["state"] == state).then_some(()));
    }

    /// The session, as it is listed.
    pub(crate) fn listed(&self) -> Value {
        self.json(&["sessions", "--all", "--json"])["sessions"][0].take()
    }

    /// Ends the host as a crash does. What the terminal says of it, and its exit code.
    pub(crate) fn kill(mut self) -> (i32, String) {
        let [live] = live::living(&self.live_folder()).try_into().unwrap();
        let process = Pid::from_raw(live.process.try_into().unwrap()).unwrap();
        kill_process(process, Signal::KILL).unwrap();
        self.terminal.end()
    }

    fn json(&self, words: &[&str]) -> Value {
        let ended = self.stage.subagents(self.main, words).run().expect_code(0);
        serde_json::from_str(&ended.stdout).unwrap()
    }

    fn live_folder(&self) -> PathBuf {
        self.stage.home().join(".local/share/subagents/live")
    }
}

impl Drop for Hosted<'_> {
    fn drop(&mut self) {
        if !live::living(&self.live_folder()).is_empty() {
            // A test that fails has said why already.
            self.stage.subagents(self.main, &["stop", NAME]).start().wait().ok();
        }
    }
}
