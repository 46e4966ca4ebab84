//! How a route was tried, and what came of it.

use super::{Paragraph, said};
use crate::ui::app::look::Role;
use crate::ui::app::screen::routes::trial::{End, Report, Trial};

pub(super) fn trial(trial: &Trial) -> Vec<Paragraph> {
    let mut text = vec![said(Role::Title, "Trial")];
    text.extend(steps(trial));
    match &trial.end {
        None => {}
        Some(End::Fails(why)) => text.push(said(Role::Bad, format!("  doesn't answer: {why}"))),
        Some(End::Answers(report)) => text.extend(answers(report)),
    }
    text.push(said(Role::Text, ""));
    text
}

/// All while it goes on; none once it has ended, when what it found is there instead.
fn steps(trial: &Trial) -> Vec<Paragraph> {
    if trial.end.is_some() {
        return Vec::new();
    }
    let Some((last, before)) = trial.steps.split_last() else {
        return vec![said(Role::Busy, "  now: beginning")];
    };
    let mut text: Vec<Paragraph> =
        before.iter().map(|step| said(Role::Faint, format!("  done: {step}"))).collect();
    text.push(said(Role::Busy, format!("  now: {last}")));
    text
}

fn answers(report: &Report) -> Vec<Paragraph> {
    let mut text = vec![said(Role::Good, format!("  answers at {}: {}", report.path(), report.times()))];
    for (check, verdict) in report.checks() {
        let role = match verdict.verdict.as_str() {
            "works" => Role::Good,
            "fails" => Role::Bad,
            _ => Role::Text,
        };
        let reason = verdict.reason.as_ref().map(|reason| format!(", {reason}")).unwrap_or_default();
        text.push(said(role, format!("  {check}: {}{reason}", verdict.verdict)));
    }
    let learned = report.learned().map(|line| said(Role::Faint, format!("  config.toml could say: {line}")));
    text.extend(learned);
    text
}
