//! From what the files say to whole themes. Pure.

use std::collections::BTreeMap;

use super::read::Said;
use super::{Theme, builtin};
use crate::config::report::Report;
use crate::config::similar;

/// What a person's files say, by the themes' names.
pub(super) type Files = BTreeMap<String, Said>;

/// The theme of this file with all that it inherits; `None`, and a problem of this file: it can't be used.
pub(super) fn theme(name: &str, files: &Files, report: &mut Report) -> Option<Theme> {
    let mut chain = vec![name];
    let mut said = files.get(name)?;
    let mut styles = said.styles.clone();
    let line = said.inherits.as_ref().and_then(|(_, line)| *line);
    while let Some((parent, _)) = &said.inherits {
        // A file that has a built-in theme's name builds on that one.
        let is_own = parent != chain[chain.len() - 1] || builtin::theme(parent).is_none();
        match files.get(parent).filter(|_| is_own) {
            Some(_) if chain.contains(&parent.as_str()) => {
                chain.push(parent);
                let message = format!("the theme inherits from itself: {}", chain.join(" > "));
                report.error(line, message, "let one of them inherit from another theme, or from none");
                return None;
            }
            Some(next) => {
                said = next;
                chain.push(parent);
                said.styles.iter().for_each(|(role, style)| _ = styles.entry(*role).or_insert(*style));
            }
            None => {
                let Some(whole) = builtin::theme(parent) else {
                    unknown(parent, chain[chain.len() - 1], files, line, report);
                    return None;
                };
                whole.0.into_iter().for_each(|(role, style)| _ = styles.entry(role).or_insert(style));
                break;
            }
        }
    }
    Some(Theme(styles))
}

fn unknown(parent: &str, child: &str, files: &Files, line: Option<usize>, report: &mut Report) {
    let known = builtin::NAMES.iter().copied().chain(files.keys().map(String::as_str));
    let known: Vec<&str> = known.filter(|name| *name != child).collect();
    let message = format!("`{child}` inherits from `{}`, and there is no such theme", parent.escape_debug());
    report.error(line, message, similar::suggestion(parent, known));
}
