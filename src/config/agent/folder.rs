//! The folder of agent files.

use std::io;
use std::path::{Path, PathBuf};

use super::front_matter::line_of_key;
use super::{Agent, parse};
use crate::config::report::Report;
use crate::config::view::View;
use crate::config::{Config, Problem, Severity, binding};

/// Bytes. A prompt of a megabyte fits no context window.
const FILE_LIMIT: u64 = 1024 * 1024;

/// Every agent of the folder's `*.md` files, in the order of the file names, and what is wrong.
///
/// No folder means no agents. Of two files with one name the first counts.
pub(in crate::config) fn load_dir(folder: &Path, view: View<'_>) -> (Vec<Agent>, Vec<Problem>) {
    let files = match files(folder, view) {
        Ok(files) => files,
        Err(error) => {
            let mut report = Report::new(folder);
            report.error(None, format!("the folder can't be read: {error}"), "no agent is used until then");
            return (Vec::new(), report.into_problems());
        }
    };
    let (mut agents, mut problems) = (Vec::new(), Vec::new());
    for file in files {
        let (agent, found) = load_file(&file, view);
        problems.extend(found);
        if let Some(agent) = agent {
            keep_first(agent, &mut agents, &mut problems);
        }
    }
    (agents, problems)
}

/// Whether the route that the agent is bound to can be used; an agent without a route always can.
pub(in crate::config) fn check_route(agent: &Agent, config: &Config, view: View<'_>) -> Result<(), Problem> {
    let Some(route) = agent.model.route() else { return Ok(()) };
    let Err(refusal) = binding::check(route, &config.providers, &config.routes) else { return Ok(()) };
    // Agents don't carry their lines, and this is rare: the file is read once more.
    let bytes = view.bytes(&agent.file, FILE_LIMIT).unwrap_or_default();
    let text = String::from_utf8_lossy(&bytes);
    Err(Problem {
        severity: Severity::Error,
        file: agent.file.clone(),
        line: line_of_key(text.split_once('\n').map_or("", |(_, rest)| rest), "model"),
        message: format!("agent `{}` is not used: {refusal}", agent.name),
        remedy: refusal.remedy(),
    })
}

pub(super) fn files(folder: &Path, view: View<'_>) -> io::Result<Vec<PathBuf>> {
    let mut paths = view.paths(folder)?;
    paths.retain(|path| is_named_like_an_agent(path) && view.is_file(path));
    Ok(paths)
}

/// Editors leave hidden files behind.
fn is_named_like_an_agent(path: &Path) -> bool {
    let hidden = path.file_name().is_some_and(|name| name.as_encoded_bytes().starts_with(b"."));
    !hidden && path.extension().is_some_and(|extension| extension == "md")
}

fn load_file(file: &Path, view: View<'_>) -> (Option<Agent>, Vec<Problem>) {
    let mut report = Report::new(file);
    match view.bytes(file, FILE_LIMIT + 1) {
        Ok(bytes) if bytes.len() as u64 > FILE_LIMIT => {
            report.error(None, "the file is larger than 1 MiB", "shorten it");
        }
        Ok(bytes) => return parse(file, &bytes),
        Err(error) => report.error(None, format!("the file can't be read: {error}"), "the agent is not used"),
    }
    (None, report.into_problems())
}

fn keep_first(agent: Agent, agents: &mut Vec<Agent>, problems: &mut Vec<Problem>) {
    let Some(first) = agents.iter().find(|first| first.name == agent.name) else {
        agents.push(agent);
        return;
    };
    let mut report = Report::new(&agent.file);
    let (first, second) = (first.file.display(), agent.file.display());
    let message = format!("two files hold an agent `{}`: {first} is used, {second} is not", agent.name);
    report.error(None, message, "rename one of them");
    problems.extend(report.into_problems());
}
