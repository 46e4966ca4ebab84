//! From text to the words that count: split, freed of stop words, stemmed, and with the kind of work they stand for.

use std::collections::{HashMap, HashSet};

use bm25::Tokenizer;
use frostem::{Algorithm, Stemmer};

/// English function words, and what all descriptions of agents say alike.
const STOP: &str = include_str!("stop.txt");

/// Words of the same kind of work, one kind a line.
const KINDRED: &str = include_str!("kindred.txt");

/// Stands before the name of a kind, so that it's no word.
const KIND: char = '~';

/// What is known of words. English; of other languages only those words count that English shares.
pub(super) struct Vocabulary {
    stemmer: Stemmer,
    stop: HashSet<&'static str>,
    /// By stem, the kinds in the order of the file.
    kinds: HashMap<String, Vec<String>>,
}

impl Vocabulary {
    pub(super) fn new() -> Self {
        let stemmer = Stemmer::new(Algorithm::English);
        let kinds = kinds(stemmer);
        Self { stemmer, stop: STOP.split_whitespace().collect(), kinds }
    }
}

impl Tokenizer for &Vocabulary {
    /// Each word's stem and its kinds, as often as it is said.
    fn tokenize(&self, text: &str) -> Vec<String> {
        let mut words = Vec::new();
        for (at, word) in split(text).into_iter().enumerate() {
            let stem = self.stemmer.stem(&word).into_owned();
            let kinds = self.kinds.get(&stem).map(Vec::as_slice).unwrap_or_default();
            // A question's first word says that it's one; further on it says nothing.
            let says = !self.stop.contains(word.as_str()) || at == 0 && !kinds.is_empty();
            if says {
                words.extend_from_slice(kinds);
                words.push(stem);
            }
        }
        words
    }
}

/// Whether a word is no word of the text, but a kind of work.
pub(super) fn is_kind(word: &str) -> bool {
    word.starts_with(KIND)
}

fn kinds(stemmer: Stemmer) -> HashMap<String, Vec<String>> {
    let mut kinds: HashMap<String, Vec<String>> = HashMap::new();
    for line in KINDRED.lines().filter(|line| !line.starts_with('#')) {
        let Some((kind, words)) = line.split_once(':') else { continue };
        let kind = format!("{KIND}{kind}");
        for word in words.split_whitespace() {
            let known = kinds.entry(stemmer.stem(word).into_owned()).or_default();
            if !known.contains(&kind) {
                known.push(kind.clone());
            }
        }
    }
    kinds
}

/// An agent's name, and beside each `checker` in it what such a one does: the stemmer keeps the two apart.
pub(super) fn name(name: &str) -> String {
    let mut said = name.to_owned();
    for word in split(name) {
        let deed = word.strip_suffix("er").or_else(|| word.strip_suffix("or"));
        if let Some(deed) = deed.filter(|deed| deed.len() > 3) {
            // As in `formatter`.
            let doubled = ["bb", "dd", "gg", "mm", "nn", "pp", "tt"].iter().any(|end| deed.ends_with(end));
            said.push(' ');
            said.push_str(&deed[..deed.len() - usize::from(doubled)]);
        }
    }
    said
}

/// Lower-case words of two characters or more: cut at all that is neither letter nor digit, and inside
/// `camelCase`. An apostrophe joins (`don't` is `dont`).
fn split(text: &str) -> Vec<String> {
    let joined = text.replace(['\'', '’'], "");
    let words = joined.split(|c: char| !c.is_alphanumeric()).flat_map(humps);
    words.filter(|word| word.chars().nth(1).is_some()).collect()
}

/// The parts of `camelCase` and `HTTPServer`, and the whole beside them, where there is more than one part.
fn humps(run: &str) -> Vec<String> {
    let chars: Vec<char> = run.chars().collect();
    let starts = |at: usize| {
        let (before, here, after) = (chars[at - 1], chars[at], chars.get(at + 1));
        here.is_uppercase() && (before.is_lowercase() || after.is_some_and(|after| after.is_lowercase()))
    };
    let mut words: Vec<String> = Vec::new();
    let mut from = 0;
    for at in (1..chars.len()).filter(|at| starts(*at)).chain([chars.len()]) {
        words.push(chars[from..at].iter().collect::<String>().to_lowercase());
        from = at;
    }
    if words.len() > 1 {
        words.push(run.to_lowercase());
    }
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_cut_where_a_person_would() {
        for (text, expect) in [
            ("test-writer", vec!["test", "writer"]),
            ("database_migrator", vec!["database", "migrator"]),
            ("performanceEngineer", vec!["performance", "engineer", "performanceengineer"]),
            ("HTTPServer", vec!["http", "server", "httpserver"]),
            ("don't  X, y2 é", vec!["dont", "y2"]),
            ("", vec![]),
            ("ÄNDERUNG İx", vec!["änderung", "i̇x"]),
        ] {
            assert_eq!(split(text), expect, "{text}");
        }
    }

    #[test]
    fn stems_meet_and_kinds_stand_beside_them() {
        let vocabulary = &Vocabulary::new();
        let words = |text| vocabulary.tokenize(text);
        assert_eq!(words("the refactored module"), words("Refactoring MODULES"));
        assert_eq!(words("sluggish"), ["~performance", "sluggish"]);
        assert_eq!(words("Where is it"), ["~question", "where"]);
        assert_eq!(words("a place where it rains"), ["place", "rain"]);
        assert_eq!(words("please use the agent when needed"), Vec::<String>::new());
    }

    #[test]
    fn a_name_says_what_is_done() {
        for (text, expect) in [
            ("parserChecker", "parserChecker pars check parsercheck"),
            ("code-formatter", "code-formatter format"),
            ("her-editor", "her-editor edit"),
            ("Prüfer", "Prüfer prüf"),
        ] {
            assert_eq!(name(text), expect);
        }
    }

    #[test]
    fn each_line_of_the_tables_is_read() {
        let vocabulary = &Vocabulary::new();
        let lines = KINDRED.lines().filter(|line| !line.starts_with('#'));
        for line in lines {
            let (kind, words) = line.split_once(": ").expect(line);
            for word in words.split(' ') {
                let said = vocabulary.tokenize(word);
                assert!(said.contains(&format!("{KIND}{kind}")), "{word}: {said:?}");
            }
        }
    }
}
