//! What an import would say of a file, for whoever only looks at it. Reads one file.

use std::path::Path;

use super::{NoDefinition, Note, NoteKind, Wishes, definitions, find, settle};
use crate::config::{Config, Problem, Severity};

/// What is to be known of the agents in this file before somebody relies on them. What an import would put in a model's
/// place isn't: that is the import's own doing.
pub fn inspect(file: &Path, config: &Config) -> Vec<Problem> {
    let problem = |severity, message: String| Problem {
        severity,
        file: file.to_owned(),
        line: None,
        message,
        remedy: String::new(),
    };
    let sources = match find(file) {
        Ok(sources) => sources,
        Err(error) => return vec![problem(Severity::Error, error.to_string())],
    };
    let told = |note: Note| Some(problem(weight(note.kind)?, format!("{}: {}", note.kind.name(), note.text)));
    let mut problems = Vec::new();
    for definition in sources.iter().flat_map(definitions) {
        match definition {
            Ok(definition) => {
                let candidate = settle(definition, &Wishes::default(), config);
                problems.extend(candidate.problems);
                problems.extend(candidate.notes.into_iter().filter_map(told));
            }
            Err(NoDefinition::Broken { problems: found, .. }) => problems.extend(found),
            Err(NoDefinition::NotAnAgent { .. }) => {}
        }
    }
    problems
}

fn weight(kind: NoteKind) -> Option<Severity> {
    match kind {
        NoteKind::UnresolvedTool | NoteKind::Changed => Some(Severity::Warning),
        NoteKind::Lost | NoteKind::Power => Some(Severity::Info),
        NoteKind::Model => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, expect: &[(Severity, &str)]) {
        let root = tempfile::tempdir().unwrap();
        let file = root.path().join("a.md");
        std::fs::write(&file, text).unwrap();
        let found = inspect(&file, &Config::default());
        assert_eq!(found.len(), expect.len(), "{found:?}");
        for (found, (severity, part)) in found.iter().zip(expect) {
            assert!(found.severity == *severity && found.message.contains(part), "{found:?}");
        }
    }

    #[test]
    fn what_an_import_would_say_is_said() {
        let with = |more: &str| format!("---\nname: a\ndescription: d\n{more}---\nDo it.\n");
        check(&with("tools: Read\n"), &[]);
        check(&with("model: nobody/m\n"), &[]);
        check("---\nname: a\ndescription: d\n---\n", &[(Severity::Error, "no prompt")]);
        check(&format!("\u{feff}{}", with("")), &[(Severity::Warning, "byte order mark")]);
        check(&with("tools: Read, Frobnicate\n"), &[(Severity::Warning, "no such tool: Frobnicate")]);
        check(&with("memory: user\n"), &[(Severity::Info, "`memory` lets the agent keep notes")]);
        check(
            &with("permissionMode: sometimes\n"),
            &[(Severity::Error, "`permissionMode` is not `default`")],
        );
        check("# Read me\n", &[]);
        let nowhere = inspect(Path::new("/nowhere/a.md"), &Config::default());
        assert!(nowhere[0].severity == Severity::Error && nowhere[0].message.contains("can't be read"));
    }
}
