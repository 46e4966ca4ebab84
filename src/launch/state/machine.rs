//! The state of one session, as a pure machine: an input and its moment in, effects out.

use std::borrow::Cow;
use std::collections::BTreeMap;

use jiff::Timestamp;

use super::super::hook::{Agent, Asked, HookEvent};
use super::super::screen;
use super::activity::{Activity, Doing};
use super::dialogs::Dialogs;
use super::opening::Opening;
use super::title::Mark;
use super::unseen::Unseen;
use super::{
    Answer, AnswerError, Answerer, Decision, Dialog, DialogId, Evidence, Reach, State, Status, Wait,
};

/// The kinds of `Notification` by which Claude Code says that a dialog is shown. Auto mode's own dialogs have no other
/// hook.
const AWAITS: [&str; 5] = [
    "permission_prompt",
    "worker_permission_prompt",
    "agent_needs_input",
    "elicitation_dialog",
    "elicitation_url_dialog",
];

/// What can happen to a session.
#[derive(Debug)]
pub enum Input<'a> {
    /// Any hook but `PermissionRequest`.
    Hook(&'a HookEvent),
    /// `PermissionRequest`, with the id that its dialog gets.
    Asked { id: DialogId, asked: &'a Asked },
    /// How many requests are on their way now.
    Requests(u64),
    /// What the child did on its terminal apart from drawing.
    Screen(&'a screen::Event),
    /// The child has drawn, see [`Machine::looks`]. `is_question`: as it is before a session, something takes keys.
    Drawn { is_question: bool },
    /// A person pressed a key in the session.
    Key,
    /// The session's terminal has got the focus, or lost it.
    Focus(bool),
    /// An answer from outside of the session, which [`Machine::check`] has let pass.
    Answered { id: DialogId, decision: Decision, by: Answerer },
    /// The connection of a dialog that was held is gone.
    GivenUp { id: DialogId },
    /// The child has ended, in [`State::Exited`] or [`State::Failed`].
    Ended(State),
    /// Nothing but time has passed: see [`Machine::deadline`].
    Time,
}

/// What has to be done.
#[derive(Debug, Clone, PartialEq)]
pub enum Effect {
    /// A wait begins, for this dialog or for something unknown. Once for each.
    Begins(Option<Dialog>),
    /// The dialog is no longer on the screen, so its hook is waited for in vain.
    Left(DialogId),
    /// The dialog is settled.
    Settled(Answer),
}

/// The machine.
#[derive(Debug)]
pub struct Machine {
    opening: Opening,
    activity: Activity,
    dialogs: Dialogs,
    /// Somebody is awaited, and for what isn't known.
    unseen: Option<Unseen>,
    /// Those at work, by their ids.
    agents: BTreeMap<String, String>,
    /// The main session's turn has ended, whatever its agents do.
    is_resting: bool,
    end: Option<State>,
    status: Status,
}

impl Machine {
    pub fn new(began: Timestamp) -> Self {
        Self {
            opening: Opening::Silent,
            activity: Activity::new(began),
            dialogs: Dialogs::default(),
            unseen: None,
            agents: BTreeMap::new(),
            is_resting: false,
            end: None,
            status: starting(began),
        }
    }

    pub fn status(&self) -> &Status {
        &self.status
    }

    /// What waits for a person, oldest first.
    pub fn dialogs(&self) -> Vec<Dialog> {
        self.dialogs.waiting().cloned().collect()
    }

    /// Whether an answer from outside can be taken.
    pub fn check(&self, id: &DialogId) -> Result<(), AnswerError> {
        self.dialogs.check(id)
    }

    /// When to feed [`Input::Time`], unless something else happens before.
    pub fn deadline(&self, at: Timestamp) -> Option<Timestamp> {
        let unseen = self.unseen.as_ref().and_then(Unseen::end);
        let seen = [self.opening.deadline(), unseen].into_iter().flatten().filter(|moment| *moment > at);
        seen.chain(self.activity.deadline(at)).min().filter(|_| self.end.is_none())
    }

    /// Whether it has to know what is drawn: before the session is there, and while somebody is awaited.
    pub fn looks(&self) -> bool {
        self.end.is_none() && (self.opening != Opening::Over || self.unseen.is_some())
    }

    /// Something has happened. What comes after the child's end changes nothing.
    pub fn feed(&mut self, input: Input<'_>, at: Timestamp) -> Vec<Effect> {
        if self.end.is_some() {
            return Vec::new();
        }
        let mut effects = self.apply(input, at);
        if let Some(busy) = self.activity.busy_since(at) {
            let left = self.dialogs.leave(busy);
            if !left.is_empty() {
                self.activity.tell(Doing::Working, Evidence::Title, busy);
            }
            effects.extend(left.into_iter().map(Effect::Left));
            self.unseen.take_if(|unseen| unseen.since < busy);
        }
        if self.opening.begins(at) {
            effects.push(Effect::Begins(None));
        }
        if self.unseen.take_if(|unseen| unseen.is_over(at)).is_some() {
            self.is_resting = true;
            self.activity.tell(Doing::Idle, Evidence::Screen, at);
        }
        self.conclude(at);
        effects
    }

    fn apply(&mut self, input: Input<'_>, at: Timestamp) -> Vec<Effect> {
        match input {
            Input::Hook(event) => self.hook(event, at),
            Input::Asked { id, asked } => self.asked(id, asked, at),
            Input::Requests(in_flight) => self.requests(in_flight, at),
            Input::Screen(event) => self.screen(event, at),
            Input::Drawn { is_question } => {
                self.drawn(is_question, at);
                Vec::new()
            }
            Input::Key => {
                self.dialogs.key(at);
                self.unseen.iter_mut().for_each(|unseen| unseen.key(at));
                Vec::new()
            }
            Input::Focus(has_focus) => {
                self.unseen.iter_mut().for_each(|unseen| unseen.focus(has_focus, at));
                Vec::new()
            }
            Input::Answered { id, decision, by } => {
                self.activity.begin(Evidence::Answer { by }, at);
                settled(self.dialogs.answer(&id, decision.into(), by, at))
            }
            Input::GivenUp { id } => self.given_up(&id, at),
            Input::Ended(state) => {
                self.end = Some(state);
                settled(self.dialogs.forget_all(at))
            }
            Input::Time => Vec::new(),
        }
    }

    fn drawn(&mut self, is_question: bool, at: Timestamp) {
        self.unseen.iter_mut().for_each(|unseen| unseen.draw(at));
        let before = self.opening;
        self.opening.draw(is_question, at);
        if before == Opening::Asks && self.opening != before {
            self.start(at);
        }
    }

    /// The session is there.
    fn opened(&mut self, at: Timestamp) {
        let before = std::mem::replace(&mut self.opening, Opening::Over);
        if before == Opening::Asks {
            self.start(at);
        }
    }

    /// It starts anew, because until now it only asked.
    fn start(&mut self, at: Timestamp) {
        self.activity = Activity::new(at);
        self.unseen = None;
        self.status = starting(at);
    }

    fn hook(&mut self, event: &HookEvent, at: Timestamp) -> Vec<Effect> {
        self.opened(at);
        if !matches!(event, HookEvent::Notified { .. } | HookEvent::Other) {
            self.unseen = None;
        }
        let answers = match event {
            HookEvent::Prompt => {
                self.is_resting = false;
                self.activity.begin(Evidence::Hook { event: Cow::Borrowed("UserPromptSubmit") }, at);
                self.dialogs.forget(None, at)
            }
            HookEvent::AgentCall { .. } | HookEvent::OwnTool(_) => {
                self.activity.hook(Doing::Working, "PreToolUse", at);
                Vec::new()
            }
            HookEvent::AgentStarted { id, name } => {
                self.agents.insert(id.clone(), name.clone());
                self.activity.hook(Doing::Working, "SubagentStart", at);
                Vec::new()
            }
            HookEvent::AgentStopped { id } => {
                self.agent_stopped(id, at);
                self.dialogs.forget(Some(id), at)
            }
            HookEvent::ToolRan(ran) => {
                self.activity.hook(Doing::Working, "PostToolUse", at);
                self.dialogs.ran(ran, at)
            }
            HookEvent::ToolsDone { agent } => {
                self.activity.hook(Doing::Working, "PostToolBatch", at);
                self.dialogs.done(agent.as_deref(), at)
            }
            HookEvent::Notified { kind, .. } => return self.notified(kind, at),
            HookEvent::Stopped { running } => {
                self.stopped(running, at);
                self.dialogs.forget(None, at)
            }
            HookEvent::SessionEnded { .. } => {
                self.agents.clear();
                self.rest("SessionEnd", at);
                self.dialogs.forget_all(at)
            }
            HookEvent::PermissionAsked(_) | HookEvent::Other => Vec::new(),
        };
        settled(answers)
    }

    fn asked(&mut self, id: DialogId, asked: &Asked, at: Timestamp) -> Vec<Effect> {
        self.opened(at);
        self.unseen = None;
        self.activity.begin(Evidence::Hook { event: Cow::Borrowed("PermissionRequest") }, at);
        let dialog = self.dialogs.open(id, asked, self.activity.is_still(), at);
        vec![Effect::Begins(Some(dialog))]
    }

    /// The main session has ended its turn. Agents may go on.
    fn stopped(&mut self, running: &[Agent], at: Timestamp) {
        self.agents = running.iter().map(|agent| (agent.id.clone(), agent.name.clone())).collect();
        self.rest("Stop", at);
    }

    /// Only where the main session is idle does the last agent's end make all of it idle.
    fn agent_stopped(&mut self, id: &str, at: Timestamp) {
        self.agents.remove(id);
        if self.is_resting {
            self.rest("SubagentStop", at);
        } else {
            self.activity.hook(Doing::Working, "SubagentStop", at);
        }
    }

    /// The main session is idle.
    fn rest(&mut self, event: &'static str, at: Timestamp) {
        self.is_resting = true;
        if self.agents.is_empty() {
            self.activity.hook(Doing::Idle, event, at);
        } else {
            let names = self.agents.values().cloned().collect();
            self.activity.tell(Doing::Working, Evidence::Agents { names }, at);
        }
    }

    fn notified(&mut self, kind: &str, at: Timestamp) -> Vec<Effect> {
        match kind {
            kind if AWAITS.contains(&kind) => {
                self.awaited(Evidence::Hook { event: Cow::Borrowed("Notification") }, at)
            }
            "idle_prompt" if self.dialogs.waiting().next().is_none() => {
                self.activity.hook(Doing::Idle, "Notification", at);
                Vec::new()
            }
            _ => Vec::new(),
        }
    }

    /// Somebody is awaited: for a dialog that is known already, or for something else.
    fn awaited(&mut self, evidence: Evidence, at: Timestamp) -> Vec<Effect> {
        let is_known = self.opening == Opening::Asks || self.dialogs.waiting().next().is_some();
        if self.unseen.is_some() || is_known {
            return Vec::new();
        }
        self.unseen = Some(Unseen::new(evidence, at));
        vec![Effect::Begins(None)]
    }

    fn given_up(&mut self, id: &DialogId, at: Timestamp) -> Vec<Effect> {
        let answer = self.dialogs.give_up(id, at);
        if answer.as_ref().is_some_and(|answer| answer.by == Answerer::Terminal) {
            self.is_resting = true;
            self.activity.tell(Doing::Idle, Evidence::GivenUp, at);
        }
        settled(answer)
    }

    fn requests(&mut self, in_flight: u64, at: Timestamp) -> Vec<Effect> {
        self.activity.requests(in_flight, at);
        if in_flight > 0 && !self.activity.is_told() {
            self.unseen = None;
        }
        Vec::new()
    }

    /// Where hooks tell, they tell it better than the bell.
    fn screen(&mut self, event: &screen::Event, at: Timestamp) -> Vec<Effect> {
        match event {
            screen::Event::Title(title) => {
                if !title.is_empty() {
                    self.opened(at);
                }
                match Mark::of(title) {
                    Some(mark) => self.activity.mark(mark, at),
                    None => self.activity.unmark(),
                }
                if self.activity.is_still() {
                    self.dialogs.draw();
                }
                Vec::new()
            }
            screen::Event::Bell if !self.activity.is_told() => self.awaited(Evidence::Bell, at),
            screen::Event::Notification { .. } if !self.activity.is_told() => {
                self.awaited(Evidence::Notification, at)
            }
            _ => Vec::new(),
        }
    }

    fn conclude(&mut self, at: Timestamp) {
        let Some((state, evidence)) = self.concluded(at) else { return };
        let since = if state == self.status.state { self.status.since } else { at };
        self.status = Status { state, evidence, since };
    }

    fn concluded(&self, at: Timestamp) -> Option<(State, Evidence)> {
        if let Some(end) = &self.end {
            return Some((end.clone(), Evidence::Child));
        }
        if let Some(dialog) = self.dialogs.waiting().next() {
            let (reach, more) = (dialog.reach, self.dialogs.waiting().count() - 1);
            let wait = Wait { dialog: Some(dialog.clone()), more, reach };
            let event = Cow::Borrowed("PermissionRequest");
            return Some((State::Waiting(wait), Evidence::Hook { event }));
        }
        let unseen = self.unseen.as_ref().map(|unseen| unseen.evidence.clone());
        let asks = (self.opening == Opening::Asks).then_some(Evidence::Screen);
        if let Some(evidence) = unseen.or(asks) {
            let wait = Wait { dialog: None, more: 0, reach: Reach::Unseen };
            return Some((State::Waiting(wait), evidence));
        }
        self.activity.conclude(at)
    }
}

fn starting(since: Timestamp) -> Status {
    Status { state: State::Starting, evidence: Evidence::None, since }
}

fn settled(answers: impl IntoIterator<Item = Answer>) -> Vec<Effect> {
    answers.into_iter().map(Effect::Settled).collect()
}
