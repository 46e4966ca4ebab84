//! "Did you mean": the known word that a mistyped one most resembles.

/// The nearest of `known`, if it is near enough to be meant.
///
/// Case and `-`/`_` don't count, so that `allowed-tools` and `AllowedTools` are one word.
pub(super) fn nearest<'k>(word: &str, known: impl IntoIterator<Item = &'k str>) -> Option<&'k str> {
    let word = folded(word);
    // None in a word of two letters, one in a short word, up to a third of a long one.
    let limit = word.chars().count() / 3;
    known
        .into_iter()
        .map(|candidate| (strsim::damerau_levenshtein(&word, &folded(candidate)), candidate))
        .filter(|(distance, _)| *distance <= limit)
        .min_by_key(|(distance, _)| *distance)
        .map(|(_, candidate)| candidate)
}

/// `did you mean …?`, or a list of all that there is.
pub(super) fn suggestion<'k>(word: &str, known: impl IntoIterator<Item = &'k str> + Clone) -> String {
    if let Some(candidate) = nearest(word, known.clone()) {
        return format!("did you mean `{candidate}`?");
    }
    listing(known)
}

/// `there is …`: all of them.
pub(super) fn listing<'k>(known: impl IntoIterator<Item = &'k str>) -> String {
    let all: Vec<String> = known.into_iter().map(|candidate| format!("`{candidate}`")).collect();
    if all.is_empty() { "there is none yet".to_owned() } else { format!("there is {}", all.join(", ")) }
}

fn folded(word: &str) -> String {
    word.chars().filter(|c| !matches!(c, '-' | '_')).flat_map(char::to_lowercase).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_slip_is_recognised_and_a_stranger_is_not() {
        let known = ["base_url", "dialect", "auth", "tools"];
        for (word, expect) in [
            ("base-url", Some("base_url")),
            ("BaseUrl", Some("base_url")),
            ("bas_url", Some("base_url")),
            ("atuh", Some("auth")),
            ("Tools", Some("tools")),
            ("colour", None),
            ("q", None),
            ("", None),
        ] {
            assert_eq!(nearest(word, known), expect, "{word}");
        }
    }
}
