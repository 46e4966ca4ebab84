//! Who gets a task that names nobody (E5): by words alone, or by a model on a route of the person's choice, asked once.

use serde_json::Value;

use super::chooser::{Candidate, Candidates, Doubt, Ranking, Verdict, question, reading};
use crate::launch::delegation::{Delegator, Refusal};

/// Tokens that an answer may take.
const ANSWER: u64 = 500;

/// Somebody who was chosen, and why.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Chosen {
    pub agent: String,
    pub why: String,
}

/// Chooses for a task.
///
/// # Errors
/// There is nobody to choose from, or nobody clearly fits: then it asks back.
pub async fn choose(task: &str, delegator: &Delegator) -> Result<Chosen, Refusal> {
    let agents = delegator.book.callable();
    let candidates = agents
        .map(|agent| Candidate { name: agent.name.clone(), description: agent.description.clone() })
        .collect();
    let candidates = Candidates::new(candidates).map_err(|nobody| Refusal::Agent(nobody.to_string()))?;
    let verdict = match &delegator.book.config.delegation.chooser {
        None => ranked(task.to_owned(), candidates.clone()).await?,
        Some(_) => asked(task, &candidates, delegator).await?,
    };
    match verdict {
        Verdict::Chosen { agent, why } => Ok(Chosen { agent, why }),
        Verdict::Unsure(doubt) => Err(Refusal::Agent(format!("{doubt}\n{}", doubt.question(&candidates)))),
    }
}

/// On a thread of its own: many long descriptions take their time, and requests must not wait.
async fn ranked(task: String, candidates: Candidates) -> Result<Verdict, Refusal> {
    let ranking = tokio::task::spawn_blocking(move || Ranking::new(&task, &candidates).verdict());
    ranking.await.map_err(|error| Refusal::Start(error.to_string()))
}

async fn asked(task: &str, candidates: &Candidates, delegator: &Delegator) -> Result<Verdict, Refusal> {
    let mut body = question(task, candidates);
    body["max_tokens"] = ANSWER.into();
    let answer = delegator.ask_chooser(body).await?;
    let text = answer["content"].as_array().into_iter().flatten().find_map(|block| block["text"].as_str());
    Ok(text.map_or_else(|| unreadable(&answer), |text| reading(text, candidates)))
}

fn unreadable(answer: &Value) -> Verdict {
    let said = answer["error"]["message"].as_str().unwrap_or("it said nothing");
    Verdict::Unsure(Doubt::Unreadable(said.to_owned()))
}
