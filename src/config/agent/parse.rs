//! One agent file, from bytes to what it means.

use std::path::Path;

use serde_json::{Map, Value};

use super::front_matter::{self, NoParts, Parts};
use super::{Agent, fields, lenient, yaml};
use crate::config::report::Report;
use crate::config::{Problem, Severity};

/// Bytes. Far above any real file.
const FRONT_MATTER_LIMIT: usize = 64 * 1024;

/// Reads an agent file. No agent means: not used, and the problems say why.
///
/// A `model` of the form `provider/model` is taken for a route; whether it can be used is not checked here.
pub fn parse(file: &Path, text: &[u8]) -> (Option<Agent>, Vec<Problem>) {
    let mut report = Report::new(file);
    let agent = read(file, text, &mut report);
    (agent, report.into_problems())
}

/// What the front matter says and the body below it, whatever its keys mean; `None` where there is none.
pub fn sections(text: &str) -> Option<(Map<String, Value>, &str)> {
    let parts = front_matter::split(text).ok().filter(|parts| parts.yaml.len() <= FRONT_MATTER_LIMIT)?;
    let map = yaml::mapping(parts.yaml).unwrap_or_else(|_| lenient::mapping(parts.yaml));
    Some((map, parts.body))
}

/// What is said of a text that is no agent's file at all, which is no error where documents lie beside agents.
pub(in crate::config) fn is_none(file: &Path, text: &str) -> Option<Vec<Problem>> {
    let (agent, problems) = parse(file, text.as_bytes());
    let is_broken = problems.iter().any(|problem| problem.severity == Severity::Error);
    (agent.is_none() && !is_broken).then_some(problems)
}

/// Whether the front matter is read line by line, because it is no YAML.
pub(in crate::config) fn is_no_yaml(text: &str) -> bool {
    front_matter::split(text).is_ok_and(|parts| yaml::mapping(parts.yaml).is_err())
}

fn read(file: &Path, bytes: &[u8], report: &mut Report) -> Option<Agent> {
    let text = utf8(bytes, report)?;
    let parts = split(text, report)?;
    let map = mapping(parts.yaml, report);
    fields::read(file, &parts, map, report)
}

fn utf8<'t>(bytes: &'t [u8], report: &mut Report) -> Option<&'t str> {
    let told = |error: std::str::Utf8Error| {
        let line = 1 + memchr::memchr_iter(b'\n', &bytes[..error.valid_up_to()]).count();
        report.error(Some(line), "the file is not UTF-8", "save it as UTF-8");
    };
    std::str::from_utf8(bytes).map_err(told).ok()
}

fn split<'t>(text: &'t str, report: &mut Report) -> Option<Parts<'t>> {
    match front_matter::split(text) {
        Ok(parts) if parts.yaml.len() > FRONT_MATTER_LIMIT => {
            report.error(Some(1), "the front matter is longer than 64 KiB", "move the text below it");
            None
        }
        Ok(parts) => {
            if parts.marked {
                let message =
                    "the file starts with a byte order mark: older versions of Claude Code ignore it";
                report.warning(Some(1), message, "save it without one");
            }
            Some(parts)
        }
        Err(NoParts::None) => {
            report.info(None, "this is no agent: it has no front matter", "start it with a `---` line");
            None
        }
        Err(NoParts::NotAtStart) => {
            let message = "this is no agent: something stands before the opening `---`";
            report.error(Some(1), message, "make `---` the very first line");
            None
        }
        Err(NoParts::Open) => {
            report.error(Some(1), "the front matter never ends", "close it with a line `---`");
            None
        }
    }
}

fn mapping(text: &str, report: &mut Report) -> Map<String, Value> {
    match yaml::mapping(text) {
        Ok(map) => {
            warn_of_cut_description(text, report);
            map
        }
        Err(invalid) => {
            let line = invalid.line.map(|line| line + 1);
            let message =
                format!("the front matter is no YAML, so it was read line by line: {}", invalid.reason);
            report.warning(line, message, "put texts that hold `: ` or `#` in quotes");
            lenient::mapping(text)
        }
    }
}

/// In a text without quotes ` #` begins a comment, which hardly anybody means in a description.
fn warn_of_cut_description(text: &str, report: &mut Report) {
    let line = text.lines().find_map(|line| line.strip_prefix("description:"));
    let is_cut =
        line.is_some_and(|rest| !rest.trim_start().starts_with(['"', '\'', '|', '>']) && rest.contains(" #"));
    if is_cut {
        let message = "the description ends at ` #`: what follows is a comment";
        report.warning(
            front_matter::line_of_key(text, "description"),
            message,
            "put the description in quotes",
        );
    }
}
