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

/// One that isn't settled.
#[derive(Debug)]
struct Open {
    dialog: Dialog,
    /// The title has stood still since it was asked: it can have been drawn.
    was_drawn: bool,
    /// When it left the screen, although it isn't known how it was answered.
    left: Option<Timestamp>,
    /// The same tool has run with another input, which may be this one as the person changed it.
    is_doubtful: bool,
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
        self.open.push(Open { dialog: dialog.clone(), was_drawn, left: None, is_doubtful: false });
        dialog
    }

    pub(super) fn key(&mut self, at: Timestamp) {
        self.key = Some(at);
    }

    /// Those that wait, oldest first.
    pub(super) fn waiting(&self) -> impl Iterator<Item = &Dialog> {
        self.open.iter().filter(|open| open.left.is_none()).map(|open| &open.dialog)
    }

    /// Whether it waits and can be answered from here.
    pub(super) fn check(&self, id: &DialogId) -> Result<(), AnswerError> {
        if let Some(settled) = self.settled.iter().find(|answer| answer.dialog.id == *id) {
            return Err(AnswerError::Settled(Box::new(settled.clone())));
        }
        let open = self.open.iter().find(|open| open.dialog.id == *id);
        let open = open.ok_or_else(|| AnswerError::NoSuch(id.clone()))?;
        match (open.left, open.dialog.reach) {
            (Some(at), _) => Err(AnswerError::Settled(Box::new(self.unknown(&open.dialog, at)))),
            (None, Reach::Inbox) => Ok(()),
            (None, reach) => Err(AnswerError::InSession { id: id.clone(), reach }),
        }
    }

    /// The title stands still: what is open can be on the screen.
    pub(super) fn draw(&mut self) {
        self.open.iter_mut().for_each(|open| open.was_drawn = true);
    }

    /// The title has been busy since then, so what was drawn before has left the screen.
    pub(super) fn leave(&mut self, busy: Timestamp) -> Vec<DialogId> {
        let gone = |open: &&mut Open| open.left.is_none() && open.was_drawn && open.dialog.since < busy;
        let gone = self.open.iter_mut().filter(gone);
        gone.map(|open| {
            open.left = Some(busy);
            open.dialog.id.clone()
        })
        .collect()
    }

    /// A tool has run: its dialog was allowed.
    pub(super) fn ran(&mut self, ran: &Asked, at: Timestamp) -> Vec<Answer> {
        let id = ran.agent.as_ref().map(|agent| &agent.id);
        let same = |open: &Open| open.dialog.agent_id.as_ref() == id && open.dialog.tool == ran.tool;
        let exact = |open: &Open| open.dialog.reach == Reach::Question || open.dialog.input == ran.input;
        if let Some(found) = self.open.iter().position(|open| same(open) && exact(open)) {
            return vec![self.settle(found, Outcome::Allowed, at)];
        }
        self.open.iter_mut().filter(|open| same(open)).for_each(|open| open.is_doubtful = true);
        Vec::new()
    }

    /// All calls of an agent are done: what hasn't run was denied.
    pub(super) fn done(&mut self, agent: Option<&str>, at: Timestamp) -> Vec<Answer> {
        self.settle_all(
            at,
            |open| open.dialog.agent_id.as_deref() == agent,
            |open| {
                if open.is_doubtful { Outcome::Unknown } else { Outcome::Denied { reason: None } }
            },
        )
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
        let found = self.open.iter().position(|open| open.dialog.id == *id)?;
        let refused =
            self.by(&self.open[found].dialog) == Answerer::Terminal && self.open[found].left.is_none();
        let outcome = if refused { Outcome::Denied { reason: None } } else { Outcome::Unknown };
        Some(self.settle(found, outcome, at))
    }

    /// An answer from here, once [`Dialogs::check`] has allowed it.
    pub(super) fn answer(
        &mut self,
        id: &DialogId,
        outcome: Outcome,
        by: Answerer,
        at: Timestamp,
    ) -> Option<Answer> {
        let found = self.open.iter().position(|open| open.dialog.id == *id)?;
        let dialog = self.open.remove(found).dialog;
        Some(self.remember(Answer { dialog, outcome, by, at }))
    }

    fn settle_all(
        &mut self,
        at: Timestamp,
        which: impl Fn(&Open) -> bool,
        outcome: impl Fn(&Open) -> Outcome,
    ) -> Vec<Answer> {
        let mut answers = Vec::new();
        while let Some(found) = self.open.iter().position(&which) {
            answers.push(self.settle(found, outcome(&self.open[found]), at));
        }
        answers
    }

    fn settle(&mut self, found: usize, outcome: Outcome, at: Timestamp) -> Answer {
        let open = self.open.remove(found);
        let by = self.by(&open.dialog);
        // When it left the screen, not when that became clear.
        self.remember(Answer { by, outcome, at: open.left.unwrap_or(at), dialog: open.dialog })
    }

    fn remember(&mut self, answer: Answer) -> Answer {
        self.settled.push_back(answer.clone());
        if self.settled.len() > REMEMBERED {
            self.settled.pop_front();
        }
        answer
    }

    fn unknown(&self, dialog: &Dialog, at: Timestamp) -> Answer {
        Answer { dialog: dialog.clone(), outcome: Outcome::Unknown, by: self.by(dialog), at }
    }

    /// Who answers what isn't answered here: nobody in the terminal who hasn't pressed a key since it was asked.
    fn by(&self, dialog: &Dialog) -> Answerer {
        if self.key.is_some_and(|key| key >= dialog.since) { Answerer::Terminal } else { Answerer::Elsewhere }
    }
}
