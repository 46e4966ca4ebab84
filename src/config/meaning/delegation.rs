//! `[delegation]`: tasks that are handed to sub-agents which run by themselves.

use super::bound_route;
use crate::config::raw::{Limit, Section};
use crate::config::report::Report;
use crate::config::{Config, DelegationSettings, RouteId, Sandbox, similar};

pub(super) fn read(mut section: Section<'_>, config: &Config, report: &mut Report) -> DelegationSettings {
    let default = DelegationSettings::default();
    let depth = section.count("max_depth", report).and_then(|depth| u32::try_from(depth.get()).ok());
    let parallel = section.count("parallel", report).and_then(|count| usize::try_from(count.get()).ok());
    let settings = DelegationSettings {
        offered: section.flag("tools", report).map_or(default.offered, |tools| tools.value),
        max_depth: depth.unwrap_or(default.max_depth),
        max_turns: section.count("max_turns", report).map_or(default.max_turns, std::num::NonZeroU64::get),
        timeout: match section.seconds_or_none("timeout", report) {
            Some(Limit::None) => None,
            Some(Limit::Of(timeout)) => Some(timeout),
            None => default.timeout,
        },
        parallel: parallel.unwrap_or(default.parallel),
        sandbox: sandbox(&mut section, report),
        chooser: chooser(&mut section, config, report),
    };
    section.finish(report);
    settings
}

/// A mistake here only ever narrows.
fn sandbox(section: &mut Section<'_>, report: &mut Report) -> Sandbox {
    match section.string("sandbox", report).map(|text| (text.value, text.line)) {
        None | Some(("best-effort", _)) => Sandbox::BestEffort,
        Some(("off", _)) => Sandbox::Off,
        Some(("require", _)) => Sandbox::Require,
        Some((other, line)) => {
            let message = format!(
                "`sandbox` of [delegation] can't be `{}`: until it is mended, one is required",
                other.escape_debug()
            );
            report.error(line, message, similar::suggestion(other, ["best-effort", "require", "off"]));
            Sandbox::Require
        }
    }
}

fn chooser(section: &mut Section<'_>, config: &Config, report: &mut Report) -> Option<RouteId> {
    let named = section.string("chooser", report)?;
    bound_route("`chooser` of [delegation]", named, config, report)
}
