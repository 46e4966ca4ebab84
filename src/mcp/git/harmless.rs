//! Takes from a repository's settings what names a program. Pure.
//!
//! Their keys hold names that the repository chooses, so no list of ours can hold them: git is asked for its keys, which runs
//! nothing, and gets other values for these.

/// The environment that says to git what these keys mean from now on.
pub(super) fn settings(keys: &[u8]) -> Vec<(String, String)> {
    let mut overruled: Vec<(&str, &str)> = Vec::new();
    for key in keys.split(|byte| *byte == 0) {
        // One that isn't text can't be said again; `run` refuses then.
        if let Ok(key) = std::str::from_utf8(key)
            && let Some(value) = harmless(key)
            && !overruled.contains(&(key, value))
        {
            overruled.push((key, value));
        }
    }
    let count = overruled.len().to_string();
    let each = overruled.iter().enumerate().flat_map(|(at, (key, value))| {
        [
            (format!("GIT_CONFIG_KEY_{at}"), (*key).to_owned()),
            (format!("GIT_CONFIG_VALUE_{at}"), (*value).to_owned()),
        ]
    });
    std::iter::once(("GIT_CONFIG_COUNT".to_owned(), count)).chain(each).collect()
}

/// A value that runs nothing, of a key that names a program. Git writes the first and the last part small.
fn harmless(key: &str) -> Option<&'static str> {
    let (section, rest) = key.split_once('.')?;
    let (_, last) = rest.rsplit_once('.')?;
    match (section, last) {
        ("filter", "clean" | "smudge" | "process")
        | ("diff", "command" | "textconv")
        | ("merge", "driver") => Some(""),
        ("filter", "required") => Some("false"),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_names_a_program_is_overruled_whatever_its_name() {
        let keys =
            b"core.bare\0filter.a.b=c.clean\0filter.lfs.required\0filter.lfs.required\0diff.X y.textconv\0\
            diff.algorithm\0merge.m.driver\0filter.clean\0";
        let set: Vec<_> = settings(keys).into_iter().map(|(name, value)| format!("{name}={value}")).collect();
        assert_eq!(
            set,
            [
                "GIT_CONFIG_COUNT=4",
                "GIT_CONFIG_KEY_0=filter.a.b=c.clean",
                "GIT_CONFIG_VALUE_0=",
                "GIT_CONFIG_KEY_1=filter.lfs.required",
                "GIT_CONFIG_VALUE_1=false",
                "GIT_CONFIG_KEY_2=diff.X y.textconv",
                "GIT_CONFIG_VALUE_2=",
                "GIT_CONFIG_KEY_3=merge.m.driver",
                "GIT_CONFIG_VALUE_3=",
            ]
        );
    }
}
