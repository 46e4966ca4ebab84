//! Which agent a task is for: chosen from names and descriptions, or asked back. Pure.
//!
//! Two ways lead to the same [`Verdict`]. [`Ranking`] needs no model: it weighs the words of the task against
//! those of each agent (BM25), says the same on every machine, and prefers to be unsure over being wrong.
//! [`question`] and [`reading`] are the two ends of asking a model once; what lies between them, a request on a
//! route of the person's choice, is somebody else's.
//!
//! What it must never see is a model or a credential: a [`Candidate`] has no room for them (E4).

mod description;
mod doubt;
mod excerpt;
mod model;
mod ranking;
mod words;

#[cfg(test)]
mod tests;

pub use doubt::Doubt;
pub use model::{question, reading, schema};
pub use ranking::{Ranking, Scored};

/// An agent as the chooser sees it.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Candidate {
    pub name: String,
    pub description: String,
}

/// At least one candidate, by name, each name once: the order in which they were found decides nothing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Candidates(Vec<Candidate>);

/// There is nobody to choose from; nothing is asked then.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("there is no agent to choose from: write one, or make one visible to this session")]
pub struct Nobody;

impl Candidates {
    /// Of several with one name, the description that sorts first counts.
    pub fn new(mut candidates: Vec<Candidate>) -> Result<Self, Nobody> {
        candidates.sort();
        candidates.dedup_by(|later, first| later.name == first.name);
        if candidates.is_empty() { Err(Nobody) } else { Ok(Self(candidates)) }
    }

    fn all(&self) -> std::slice::Iter<'_, Candidate> {
        self.0.iter()
    }

    fn named(&self, name: &str) -> Option<&Candidate> {
        let at = self.0.binary_search_by(|candidate| candidate.name.as_str().cmp(name)).ok()?;
        self.0.get(at)
    }
}

/// What came of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Verdict {
    /// This agent, and why, in one line.
    Chosen { agent: String, why: String },
    /// Nobody is chosen; [`Doubt::question`] is what to ask the person or the model that wanted one.
    Unsure(Doubt),
}
