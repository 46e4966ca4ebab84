//! The chooser that needs no model: BM25 over names, descriptions, and what descriptions warn of.

use std::collections::HashSet;

use bm25::{EmbedderBuilder, Embedding, Scorer, TokenEmbedder, TokenEmbedding, Tokenizer};

use super::description::Purpose;
use super::doubt::Doubt;
use super::excerpt::excerpt;
use super::words::{self, Vocabulary};
use super::{Candidates, Verdict};

// The weights below were chosen on `labelled/development.toml`: the most careful ones that still choose much.

/// Bytes of a task that are read: enough for what is asked for, and what bounds the time on a pasted log.
const TASK: usize = 4 * 1024;

/// A word in an agent's name counts as much, beside the same word in its description.
const NAME: f32 = 1.5;

/// A word in what an agent is not for counts as much against it.
const AGAINST: f32 = 1.0;

/// The kind of work that a word stands for counts as much, beside the word itself.
const KIND: f32 = 0.6;

/// BM25's saturation, and how much the length of a description matters.
const K1: f32 = 1.2;
const B: f32 = 0.3;

/// What the first one needs, as a share of the score of one word that nobody else says.
const ENOUGH: f32 = 1.3;

/// From this share of the first one's score on, the second one is too near.
const NEAR: f32 = 0.65;

/// How well one candidate fits.
#[derive(Debug, Clone, PartialEq)]
pub struct Scored {
    pub name: String,
    /// To two decimals: what is shown is what decides. Comparable within one ranking only.
    pub score: f32,
}

/// `reviewer 7.42`
impl std::fmt::Display for Scored {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} {:.2}", self.name, self.score)
    }
}

/// All candidates, the best first, and by name where they are equal.
#[derive(Debug, Clone, PartialEq)]
pub struct Ranking(Vec<Scored>);

impl Ranking {
    /// Reads the first 3 KiB and the last 1 KiB of a long task.
    pub fn new(task: &str, candidates: &Candidates) -> Self {
        let vocabulary = Vocabulary::new();
        let asked = asked(task, &vocabulary);
        let purposes: Vec<Purpose> =
            candidates.all().map(|candidate| Purpose::read(&candidate.description)).collect();
        let called: Vec<String> = candidates.all().map(|candidate| words::name(&candidate.name)).collect();
        let names = Field::new(called.iter().map(String::as_str), &vocabulary);
        let wanted = Field::new(purposes.iter().map(|purpose| purpose.wanted.as_str()), &vocabulary);
        let against = Field::new(purposes.iter().map(|purpose| purpose.against.as_str()), &vocabulary);
        let score = |at: usize| {
            let all = NAME * names.score(at, &asked) + wanted.score(at, &asked)
                - AGAINST * against.score(at, &asked);
            // Zero has one sign.
            (all * 100.0).round() / 100.0 + 0.0
        };
        let scored = candidates.all().enumerate();
        let scored = scored.map(|(at, candidate)| Scored { name: candidate.name.clone(), score: score(at) });
        let mut ranking: Vec<Scored> = scored.collect();
        // Stable, and they came by name.
        ranking.sort_by(|one, other| other.score.total_cmp(&one.score));
        Self(ranking)
    }

    /// The best first.
    pub fn scores(&self) -> &[Scored] {
        &self.0
    }

    /// The best one, if there is enough to go by and nobody else is near.
    pub fn verdict(&self) -> Verdict {
        let mut best = self.0.iter();
        let Some(first) = best.next().filter(|first| first.score >= ENOUGH * self.lone_word()) else {
            return Verdict::Unsure(Doubt::NoEvidence);
        };
        match best.next().filter(|second| second.score > 0.0) {
            Some(second) if second.score >= NEAR * first.score => {
                Verdict::Unsure(Doubt::Close(first.clone(), second.clone()))
            }
            Some(second) => {
                Verdict::Chosen { agent: first.name.clone(), why: format!("{first}, before {second}") }
            }
            None => Verdict::Chosen { agent: first.name.clone(), why: format!("{first}, before all others") },
        }
    }

    /// What a word is worth that only one candidate says, once, in a description of usual length.
    #[expect(clippy::cast_precision_loss, reason = "as many agents as that have no names")]
    fn lone_word(&self) -> f32 {
        ((self.0.len() as f32 + 1.0) / 1.5).ln()
    }
}

/// The task's words, each once.
fn asked(task: &str, vocabulary: &Vocabulary) -> Embedding<Word> {
    let mut seen = HashSet::new();
    let words = vocabulary.tokenize(&excerpt(task, TASK)).into_iter();
    let fresh = words.filter(|word| seen.insert(word.clone()));
    Embedding(fresh.map(|word| TokenEmbedding { index: Word(word), value: 1.0 }).collect())
}

/// A word stands for itself. The crate would hash it, and two of one hash would be one.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
struct Word(String);

impl TokenEmbedder for Word {
    type EmbeddingSpace = Self;

    fn embed(word: &str) -> Self {
        Self(word.to_owned())
    }
}

/// One text of each candidate, in the candidates' order.
struct Field(Scorer<usize, Word>);

impl Field {
    fn new<'a>(texts: impl Iterator<Item = &'a str>, vocabulary: &Vocabulary) -> Self {
        let texts: Vec<&str> = texts.collect();
        let fit = EmbedderBuilder::<Word, _>::with_tokenizer_and_fit_to_corpus(vocabulary, &texts);
        let embedder = fit.k1(K1).b(B).build();
        let mut scorer = Scorer::new();
        for (at, text) in texts.iter().enumerate() {
            let mut embedding = embedder.embed(text);
            for word in embedding.0.iter_mut().filter(|word| words::is_kind(&word.index.0)) {
                word.value *= KIND;
            }
            scorer.upsert(&at, embedding);
        }
        Self(scorer)
    }

    fn score(&self, at: usize, words: &Embedding<Word>) -> f32 {
        self.0.score(&at, words).unwrap_or_default()
    }
}
