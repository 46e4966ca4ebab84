//! How much a route takes, what takes its place, and what is changed on its way. A line only for what somebody has said.

use std::num::NonZeroU64;
use std::time::Duration;

use super::{Paragraph, named};
use crate::config::repair::Standing;
use crate::config::{Config, Provider, Repair, RouteId, RouteSettings, Timeouts};
use crate::ui::budgets::told;
use crate::ui::repairs::{decided_by, switched};

pub(super) fn limits(route: &RouteId, config: &Config) -> Vec<Paragraph> {
    let default = RouteSettings::default();
    let settings = config.routes.get(route).unwrap_or(&default);
    let mut text = Vec::new();
    text.extend(settings.concurrency.map(|places| named("at once", at_once(places, settings))));
    if !settings.fallback.is_empty() {
        let others: Vec<String> = settings.fallback.iter().map(ToString::to_string).collect();
        text.push(named("fallback", others.join(", ")));
    }
    text.extend(settings.local.then(|| named("local", "yes: what is sent here stays on this machine")));
    text.extend(settings.no_images.then(|| named("images", "none: the model reads text only")));
    text.extend(settings.timeouts.map(|timeouts| named("timeouts", waits(timeouts))));
    let covering =
        config.budgets.iter().filter(|budget| budget.routes.as_ref().is_none_or(|routes| routes.hold(route)));
    text.extend(listed("budgets", covering.map(told)));
    text
}

/// Those that hold, each with who decided it.
pub(super) fn repairs(route: &RouteId, config: &Config) -> Vec<Paragraph> {
    let holding = config.repairs(route).into_iter().filter(Standing::is_on);
    let told = |standing: Standing| {
        format!("{} {} ({})", standing.repair, switched(&standing.switch), decided_by(&standing.because))
    };
    listed("repairs", holding.map(told))
}

/// Those that are switched for all of a provider's routes.
pub(super) fn of_provider(provider: &Provider) -> Vec<Paragraph> {
    let said = Repair::ALL.into_iter().filter_map(|repair| Some((repair, provider.repairs.get(repair)?)));
    listed("repairs", said.map(|(repair, switch)| format!("{repair} {}", switched(switch))))
}

/// The name stands before the first of them.
fn listed(name: &'static str, texts: impl Iterator<Item = String>) -> Vec<Paragraph> {
    let names = std::iter::once(name).chain(std::iter::repeat(" "));
    names.zip(texts).map(|(name, text)| named(name, text)).collect()
}

fn at_once(places: NonZeroU64, settings: &RouteSettings) -> String {
    let line = settings.queue.map_or(RouteSettings::QUEUE, NonZeroU64::get);
    format!("{places}; {line} may wait")
}

fn waits(timeouts: Timeouts) -> String {
    let seconds = |time: Duration| format!("{} s", time.as_secs_f64());
    let parts = [
        ("connect", Some(timeouts.connect)),
        ("first byte", timeouts.first_byte),
        ("silence", Some(timeouts.idle)),
        ("whole", timeouts.total),
    ];
    let parts = parts.into_iter().filter_map(|(name, time)| Some(format!("{name} {}", seconds(time?))));
    parts.collect::<Vec<_>>().join(", ")
}
