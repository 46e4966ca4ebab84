//! `[budgets.NAME]`: how much may be used.
//!
//! A budget that can't be read is an error, and nothing is limited by it.

use crate::config::raw::Section;
use crate::config::report::Report;
use crate::config::{Budget, Config, Period, Routes, similar};

/// All budgets, in the order of their names.
pub(super) fn read_all(section: &Section<'_>, config: &Config, report: &mut Report) -> Vec<Budget> {
    let sections = section.sections(report);
    let mut budgets: Vec<Budget> =
        sections.into_iter().filter_map(|(name, section)| read(name, section, config, report)).collect();
    budgets.sort_by(|a, b| a.name.cmp(&b.name));
    budgets
}

fn read(name: &str, mut section: Section<'_>, config: &Config, report: &mut Report) -> Option<Budget> {
    let before = report.errors();
    let budget = Budget {
        name: name.to_owned(),
        per: per(&mut section, report),
        agent: section.string("agent", report).map(|agent| agent.value.to_owned()),
        routes: routes(&mut section, config, report),
        requests: section.count("requests", report),
        tokens: section.count("tokens", report),
        usd: section.amount("usd", report),
    };
    let (line, title) = (section.line, section.title.clone());
    section.finish(report);
    let limited = budget.requests.is_some() || budget.tokens.is_some() || budget.usd.is_some();
    if !limited && report.errors() == before {
        report.error(line, format!("{title} limits nothing"), "add `requests`, `tokens` or `usd`");
    }
    if budget.per == Period::Request && budget.requests.is_some() {
        report.error(line, format!("{title}: a request is always one request"), "take `requests` out");
    }
    (report.errors() == before).then_some(budget)
}

fn per(section: &mut Section<'_>, report: &mut Report) -> Period {
    let Some(text) = section.string("per", report) else { return Period::Session };
    let known = Period::ALL.into_iter().find(|period| period.word() == text.value);
    known.unwrap_or_else(|| {
        let message = format!("`per` in {} can't be `{}`", section.title, text.value.escape_debug());
        report.error(text.line, message, similar::suggestion(text.value, Period::ALL.map(Period::word)));
        Period::Session
    })
}

fn routes(section: &mut Section<'_>, config: &Config, report: &mut Report) -> Option<Routes> {
    let text = section.string("route", report)?;
    let told = |message: String, report: &mut Report| {
        report.error(text.line, message, "for example `openrouter/*`, or one route's whole name");
    };
    match text.value.parse::<Routes>() {
        Ok(routes) if config.providers.contains_key(routes.provider()) => Some(routes),
        Ok(routes) => {
            told(
                format!("`route` in {}: there is no provider `{}`", section.title, routes.provider()),
                report,
            );
            None
        }
        Err(error) => {
            told(format!("`route` in {}: {error}", section.title), report);
            None
        }
    }
}
