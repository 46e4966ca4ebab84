//! What fits a text that was typed in part, the best first.

use std::cmp::Reverse;

use nucleo_matcher::pattern::{CaseMatching, Normalization, Pattern};
use nucleo_matcher::{Config, Matcher, Utf32Str};

/// Those whose text fits what was typed. All fit where nothing was, in their own order.
pub fn ranked<T>(all: impl IntoIterator<Item = T>, typed: &str, text: impl Fn(&T) -> String) -> Vec<T> {
    let pattern = Pattern::parse(typed, CaseMatching::Ignore, Normalization::Smart);
    let mut matcher = Matcher::new(Config::DEFAULT);
    let mut characters = Vec::new();
    let mut score = |one: &T| pattern.score(Utf32Str::new(&text(one), &mut characters), &mut matcher);
    let mut fitting: Vec<(u32, T)> = all.into_iter().filter_map(|one| Some((score(&one)?, one))).collect();
    fitting.sort_by_key(|(score, _)| Reverse(*score));
    fitting.into_iter().map(|(_, one)| one).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_best_is_first_and_what_does_not_fit_is_left_out() {
        let found = |typed: &str| ranked(["so to open", "stop", "filter"], typed, |text| (*text).to_owned());
        assert_eq!(found(""), ["so to open", "stop", "filter"]);
        assert_eq!(found("stop"), ["stop", "so to open"], "what stands together is better");
        assert!(found("xyz").is_empty());
    }
}
