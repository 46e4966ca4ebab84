//! What config.toml means: every section read, checked, and left out alone where it can't be used.
//!
//! Pure: text in, a [`Config`] without agents and its problems out.

mod address;
mod auth;
mod budget;
mod chat;
mod delegation;
mod fallback;
mod policy;
pub(super) mod profile;
mod provider;
mod repairs;
mod retention;
mod route;
#[cfg(test)]
mod tests;
mod tui;

use std::path::{Path, PathBuf};

use toml::de::DeTable;

use super::raw::{Lined, Section};
use super::report::{Report, line_of};
use super::theme::Themes;
use super::{ClaudeSettings, Config, Leader, LeaderError, MainSession, RouteId, binding};

/// What is around the file: the folders that paths in it are relative to, and what it can name.
pub(super) struct Around<'f> {
    pub(super) config_dir: &'f Path,
    /// What `~/` stands for.
    pub(super) home: Option<&'f Path>,
    pub(super) themes: &'f Themes,
}

impl Around<'_> {
    /// An absolute path: `~` is the home folder, anything else relative starts in the configuration folder.
    pub(super) fn expand(&self, path: &str) -> PathBuf {
        match (path.strip_prefix("~/"), self.home) {
            (Some(rest), Some(home)) => home.join(rest),
            (None, Some(home)) if path == "~" => home.to_owned(),
            _ => self.config_dir.join(path),
        }
    }
}

/// Reads the whole file. A syntax error leaves everything at its default.
pub(super) fn read(text: &str, around: &Around<'_>, report: &mut Report) -> Config {
    match DeTable::parse(text) {
        Ok(table) => read_sections(Section::root(text, table.get_ref()), around, report),
        Err(error) => {
            let line = error.span().map(|span| line_of(text, span.start));
            let message = format!("this is no TOML: {}", error.message());
            report.error(line, message, "mend this line; until then nothing in the file is used");
            Config::default()
        }
    }
}

fn read_sections(mut root: Section<'_>, around: &Around<'_>, report: &mut Report) -> Config {
    let providers = provider::read_all(&root.section("providers", report), around, report);
    let mut config = Config {
        routes: route::read_all(&root.section("routes", report), &providers, report),
        providers,
        profiles: profile::read_all(&root.section("profiles", report), around, report),
        claude: claude(root.section("claude", report), around, report),
        notify_command: notify(root.section("notify", report), report),
        retention: retention::read(root.section("ledger", report), report),
        leader: leader(root.section("attach", report), report),
        tui: tui::read(root.section("tui", report), around.themes, report),
        ..Config::default()
    };
    config.policy = policy::read(root.section("policy", report), &config, report);
    fallback::read_all(&root.section("routes", report), &mut config, report);
    config.budgets = budget::read_all(&root.section("budgets", report), &config, report);
    config.main = main_session(root.section("main", report), &config, report);
    config.delegation = delegation::read(root.section("delegation", report), &config, report);
    root.finish(report);
    config
}

fn main_session(mut section: Section<'_>, config: &Config, report: &mut Report) -> MainSession {
    let upstream = section.string("upstream", report).and_then(|upstream| {
        let address = address::base_url(upstream.value, super::Dialect::Anthropic);
        address
            .map_err(|error| report.error(upstream.line, error.to_string(), "mend `upstream` of [main]"))
            .ok()
    });
    let route = section.string("route", report).and_then(|text| bound_route("[main]", text, config, report));
    section.finish(report);
    MainSession { upstream, route }
}

/// A route that is used by `place`, if it can be.
fn bound_route(place: &str, text: Lined<&str>, config: &Config, report: &mut Report) -> Option<RouteId> {
    let route: RouteId = match text.value.parse() {
        Ok(route) => route,
        Err(error) => {
            report.error(text.line, format!("{place}: {error}"), "for example `ollama/qwen3-coder:30b`");
            return None;
        }
    };
    if let Err(refusal) = binding::check(&route, &config.providers, &config.routes) {
        report.error(text.line, format!("{place}: {refusal}"), refusal.remedy());
        return None;
    }
    Some(route)
}

fn leader(mut section: Section<'_>, report: &mut Report) -> Leader {
    let named = section.string("leader", report);
    section.finish(report);
    let Some(named) = named else { return Leader::default() };
    named.value.parse().unwrap_or_else(|error: LeaderError| {
        report.error(named.line, error.to_string(), "for example `ctrl-]`");
        Leader::default()
    })
}

fn claude(mut section: Section<'_>, around: &Around<'_>, report: &mut Report) -> ClaudeSettings {
    let path = section.string("path", report).map(|path| around.expand(path.value));
    section.finish(report);
    ClaudeSettings { path }
}

fn notify(mut section: Section<'_>, report: &mut Report) -> Option<String> {
    let command = section.string("command", report);
    section.finish(report);
    let command = command?;
    if command.value.trim().is_empty() {
        report.error(
            command.line,
            "[notify] command is empty",
            "write what a shell is to run, or leave the line out",
        );
        return None;
    }
    Some(command.value.to_owned())
}
