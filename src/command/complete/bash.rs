//! Bash: gets the line up to the cursor and splits it here, because Bash's own words end at `:`, `=` and `@` too,
//! and routes hold those.

use std::ffi::OsString;
use std::io::{Error, Write};
use std::path::Path;

use clap::Command;
use clap_complete::engine::complete;
use clap_complete::env::EnvCompleter;

use super::registration;

pub(super) struct Bash;

impl EnvCompleter for Bash {
    fn name(&self) -> &'static str {
        "bash"
    }

    fn is(&self, name: &str) -> bool {
        name == self.name()
    }

    fn write_registration(
        &self,
        var: &str,
        name: &str,
        bin: &str,
        completer: &str,
        buf: &mut dyn Write,
    ) -> Result<(), Error> {
        buf.write_all(registration(SCRIPT, var, name, bin, completer).as_bytes())
    }

    /// `args`: the line up to the cursor, and what Bash takes for the word that is to be completed.
    fn write_complete(
        &self,
        cmd: &mut Command,
        args: Vec<OsString>,
        current_dir: Option<&Path>,
        buf: &mut dyn Write,
    ) -> Result<(), Error> {
        let text = |at: usize| args.get(at).map(|arg| arg.to_string_lossy().into_owned()).unwrap_or_default();
        let words = words(&text(0));
        let last = words.last().map(|word| word.to_string_lossy().into_owned()).unwrap_or_default();
        let kept = last.strip_suffix(&text(1)).unwrap_or_default();
        let at = words.len().saturating_sub(1);
        for candidate in complete(cmd, words, at, current_dir)? {
            let value = candidate.get_value().to_string_lossy();
            if let Some(rest) = value.strip_prefix(kept) {
                writeln!(buf, "{}", escaped(rest))?;
            }
        }
        Ok(())
    }
}

const SCRIPT: &str = r#"_NAME_complete() {
    local IFS=$'\n'
    COMPREPLY=($(VARIABLE=bash PROGRAM -- "${COMP_LINE:0:COMP_POINT}" "$2" 2>/dev/null))
    if [[ ${#COMPREPLY[@]} -eq 1 && ${COMPREPLY[0]} == */ ]]; then
        compopt -o nospace 2>/dev/null
    fi
}
complete -o nosort -F _NAME_complete BIN 2>/dev/null || complete -F _NAME_complete BIN
"#;

/// The words of a line that somebody is still typing: an open quote ends with the line, and after a blank a new word
/// has begun.
pub(super) fn words(line: &str) -> Vec<OsString> {
    let (mut words, mut word, mut quote) = (Vec::new(), None::<String>, None);
    let mut characters = line.chars();
    while let Some(c) = characters.next() {
        match (c, quote) {
            (' ' | '\t' | '\n', None) => words.extend(word.take()),
            ('\'' | '"', None) => {
                quote = Some(c);
                word.get_or_insert_default();
            }
            (_, Some(open)) if c == open => quote = None,
            ('\\', None | Some('"')) => word.get_or_insert_default().extend(characters.next()),
            _ => word.get_or_insert_default().push(c),
        }
    }
    words.push(word.unwrap_or_default());
    words.into_iter().map(OsString::from).collect()
}

/// As it would be typed: a backslash before everything that Bash could read as something else.
fn escaped(value: &str) -> String {
    let plain = |c: char| c.is_alphanumeric() || "_-./:=@%+,".contains(c);
    value.chars().flat_map(|c| (!plain(c)).then_some('\\').into_iter().chain([c])).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_is_split_as_a_shell_would_as_far_as_it_goes() {
        for (line, expect) in [
            ("subagents run --agent ", &["subagents", "run", "--agent", ""][..]),
            ("subagents  run", &["subagents", "run"]),
            ("a p/m:3", &["a", "p/m:3"]),
            ("a 'b c", &["a", "b c"]),
            ("a \"b \\\"c\" d\\ e", &["a", "b \"c", "d e"]),
            ("a ''", &["a", ""]),
            ("", &[""]),
        ] {
            let expect: Vec<OsString> = expect.iter().map(OsString::from).collect();
            assert_eq!(words(line), expect, "{line}");
        }
    }

    #[test]
    fn what_bash_would_read_otherwise_is_escaped() {
        assert_eq!(escaped("ollama/qwen3-coder:30b"), "ollama/qwen3-coder:30b");
        assert_eq!(escaped("a b$(x)"), "a\\ b\\$\\(x\\)");
    }
}
