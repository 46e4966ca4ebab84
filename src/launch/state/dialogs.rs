//! The dialogs of a session: which wait, which the person has dealt with, and what became of the last ones.

use std::collections::VecDeque;

use jiff::Timestamp;

use super::super::hook::Asked;
use super::{Answer, AnswerError, Answerer, Dialog, DialogId, Outcome, Reach};

/// How many settled dialogs are remembered, for those who answer late.
const REMEMBERED: usize = 32;

/// All dialogs of one session.
#[derive(Debug, Default)]
pub(super) struct Dialogs {
    open: Vec<Open>,
    settled: VecDeque<Answer>,
    /// The last key of a person in the session.
    key: Option<Timestamp>,
}

/// One of which it isn't certain yet what became of it.
#[derive(Debug)]
struct Open {
    dialog: Dialog,
    stage: Stage,
    /// The title has stood still since it was asked: it can have been drawn.
    was_drawn: bool,
    /// The same tool has run with another input, which may be this one as the person changed it.
    is_doubtful: bool,
}

#[derive(Debug)]
enum Stage {
    Waiting,
    /// It has left the screen; how it was answered will be seen.
    Left(Timestamp),
    /// From here. A key may have been faster, which will be seen.
    Answered(Answer),
}

impl Dialogs {
    pub(super) fn open(&mut self, id: DialogId, asked: &Asked, was_drawn: bool, at: Timestamp) -> Dialog {
        let dialog = Dialog {
            id,
            tool: asked.tool.clone(),
            input: asked.input.clone(),
            agent: asked.agent.as_ref().map(|agent| agent.name.clone()),
            agent_id: asked.agent.as_ref().map(|agent| agent.id.clone()),
            since: at,
            reach: Reach::of(&asked.tool, asked.agent.as_ref()),
        };
        let open = Open { dialog: dialog.clone(), stage: Stage::Waiting, was_drawn, is_doubtful: false };
        self.open.push(open);
        dialog
    }

    pub(super) fn key(&mut self, at: Timestamp) {
        self.key = Some(at);
    }

    /// Those that wait, oldest first.
    pub(super) fn waiting(&self) -> impl Iterator<Item = &Dialog> {
        self.open.iter().filter(|open| open.waits()).map(|open| &open.dialog)
    }

    /// Whether it waits and can be answered from here.
    pub(super) fn check(&self, id: &DialogId) -> Result<(), AnswerError> {
        let Some(open) = self.open.iter().find(|open| open.dialog.id == *id) else {
            let settled = self.settled.iter().rfind(|answer| answer.dialog.id == *id);
            return Err(match settled {
                Some(answer) => AnswerError::Settled(Box::new(answer.clone())),
                None => AnswerError::NoSuch(id.clone()),
            });
        };
        match (&open.stage, open.dialog.reach) {
            (Stage::Waiting, Reach::Inbox) => Ok(()),
            (Stage::Waiting, reach) => Err(AnswerError::InSession { id: id.clone(), reach }),
            (Stage::Left(at), _) => {
                Err(AnswerError::Settled(Box::new(self.observed(&open.dialog, Outcome::Unknown, *at))))
            }
            (Stage::Answered(answer), _) => Err(AnswerError::Settled(Box::new(answer.clone()))),
        }
    }

    /// The title stands still: what is open can be on the screen.
    pub(super) fn draw(&mut self) {
        self.open.iter_mut().for_each(|open| open.was_drawn = true);
    }

    /// The title has been busy since then, so what was drawn before has left the screen.
    pub(super) fn leave(&mut self, busy: Timestamp) -> Vec<DialogId> {
        let gone = |open: &&mut Open| open.waits() && open.was_drawn;
        let gone = self.open.iter_mut().filter(gone);
        gone.map(|open| {
            open.stage = Stage::Left(busy);
            open.dialog.id.clone()
        })
        .collect()
    }

    /// An answer from here, once [`Dialogs::check`] has allowed it.
    pub(super) fn answer(
        &mut self,
        id: &DialogId,
        outcome: Outcome,
        by: Answerer,
        at: Timestamp,
    ) -> Option<Answer> {
        let open = self.open.iter_mut().find(|open| open.dialog.id == *id && open.waits())?;
        let answer = Answer { dialog: open.dialog.clone(), outcome, by, at };
        open.stage = Stage::Answered(answer.clone());
        Some(answer)
    }

    /// A tool has run: its dialog was allowed.
    pub(super) fn ran(&mut self, ran: &Asked, at: Timestamp) -> Vec<Answer> {
        let id = ran.agent.as_ref().map(|agent| &agent.id);
        let same = |open: &Open| open.dialog.agent_id.as_ref() == id && open.dialog.tool == ran.tool;
        let exact = |open: &Open| open.dialog.reach == Reach::Question || open.dialog.input == ran.input;
        if let Some(found) = self.open.iter().position(|open| same(open) && exact(open)) {
            return Vec::from_iter(self.settle(found, Outcome::Allowed, at));
        }
        self.open.iter_mut().filter(|open| same(open)).for_each(|open| open.is_doubtful = true);
        Vec::new()
    }

    /// All calls of an agent are done: what hasn't run was denied.
    pub(super) fn done(&mut self, agent: Option<&str>, at: Timestamp) -> Vec<Answer> {
        let outcome = |open: &Open| {
            if open.is_doubtful { Outcome::Unknown } else { Outcome::Denied { reason: None } }
        };
        self.settle_all(at, |open| open.dialog.agent_id.as_deref() == agent, outcome)
    }

    /// An agent has ended, or begun anew, and nothing says how its dialogs were answered.
    pub(super) fn forget(&mut self, agent: Option<&str>, at: Timestamp) -> Vec<Answer> {
        self.settle_all(at, |open| open.dialog.agent_id.as_deref() == agent, |_| Outcome::Unknown)
    }

    pub(super) fn forget_all(&mut self, at: Timestamp) -> Vec<Answer> {
        self.settle_all(at, |_| true, |_| Outcome::Unknown)
    }

    /// Claude Code waits no longer for an answer from here. After a key that is a refusal.
    pub(super) fn give_up(&mut self, id: &DialogId, at: Timestamp) -> Option<Answer> {
        let found = self.open.iter().position(|open| open.dialog.id == *id && open.waits())?;
        let outcome = match self.observer(&self.open[found].dialog) {
            Answerer::Terminal => Outcome::Denied { reason: None },
            _ => Outcome::Unknown,
        };
        self.settle(found, outcome, at)
    }

    fn settle_all(
        &mut self,
        at: Timestamp,
        which: impl Fn(&Open) -> bool,
        outcome: impl Fn(&Open) -> Outcome,
    ) -> Vec<Answer> {
        let mut answers = Vec::new();
        while let Some(found) = self.open.iter().position(&which) {
            answers.extend(self.settle(found, outcome(&self.open[found]), at));
        }
        answers
    }

    /// `None`: it turned out as it was answered from here, which has been told.
    fn settle(&mut self, found: usize, outcome: Outcome, at: Timestamp) -> Option<Answer> {
        let Open { dialog, stage, .. } = self.open.remove(found);
        let (answer, is_told) = match stage {
            Stage::Answered(answer) if !contradict(&answer.outcome, &outcome) => (answer, true),
            // When it left the screen, not when that became clear.
            Stage::Answered(Answer { at, .. }) | Stage::Left(at) => {
                (self.observed(&dialog, outcome, at), false)
            }
            Stage::Waiting => (self.observed(&dialog, outcome, at), false),
        };
        self.settled.push_back(answer.clone());
        if self.settled.len() > REMEMBERED {
            self.settled.pop_front();
        }
        (!is_told).then_some(answer)
    }

    /// What wasn't answered from here.
    fn observed(&self, dialog: &Dialog, outcome: Outcome, at: Timestamp) -> Answer {
        Answer { dialog: dialog.clone(), outcome, by: self.observer(dialog), at }
    }

    /// Nobody in the session answers without a key.
    fn observer(&self, dialog: &Dialog) -> Answerer {
        if self.key.is_some_and(|key| key >= dialog.since) { Answerer::Terminal } else { Answerer::Elsewhere }
    }
}

impl Open {
    fn waits(&self) -> bool {
        matches!(self.stage, Stage::Waiting)
    }
}

/// One says it was allowed, the other that it was denied.
fn contradict(told: &Outcome, seen: &Outcome) -> bool {
    matches!(
        (told, seen),
        (Outcome::Allowed, Outcome::Denied { .. }) | (Outcome::Denied { .. }, Outcome::Allowed)
    )
}
