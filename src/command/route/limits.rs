//! What `subagents route add` takes beside facts about a model: how a route is used, and what takes its place.

use std::num::NonZeroU64;

use clap::Args;

use crate::config::RouteId;
use crate::config::changes::{RouteFact, Seconds, TimeoutKind};
use crate::config::repair::{Repair, Switch};

#[derive(Debug, Args)]
pub(super) struct Limits {
    /// Requests that it takes at once; the others wait.
    #[arg(long, value_name = "N")]
    concurrency: Option<NonZeroU64>,
    /// Requests that may wait for that.
    #[arg(long, value_name = "N")]
    queue: Option<NonZeroU64>,
    /// An authorised route to try when this one fails; again for the next one.
    #[arg(long, value_name = "ROUTE")]
    fallback: Vec<RouteId>,
    /// What is sent to it stays on this machine: only local routes take its place.
    #[arg(long)]
    local: bool,
    /// The model reads text only: it gets a line of text in the place of each image.
    #[arg(long)]
    no_images: bool,
    /// How long something may take: connect, `first_byte`, idle or total; again for the next one.
    #[arg(long, value_name = "KIND=SECONDS", value_parser = timeout)]
    timeout: Vec<(TimeoutKind, Seconds)>,
    /// Switch a repair (`subagents route show` lists them): on, off, a number of tokens, or values with commas between.
    #[arg(long, value_name = "NAME[=VALUE]", value_parser = repair)]
    repair: Vec<(Repair, Switch)>,
}

impl Limits {
    pub(super) fn facts(&self) -> Vec<RouteFact> {
        let fallback = Some(self.fallback.clone()).filter(|routes| !routes.is_empty());
        let single = [
            self.concurrency.map(RouteFact::Concurrency),
            self.queue.map(RouteFact::Queue),
            fallback.map(RouteFact::Fallback),
            self.local.then_some(RouteFact::Local),
            self.no_images.then_some(RouteFact::NoImages),
        ];
        let timeouts = self.timeout.iter().map(|(kind, seconds)| RouteFact::Timeout(*kind, *seconds));
        let repairs = self.repair.iter().map(|(repair, switch)| RouteFact::Repair(*repair, switch.clone()));
        single.into_iter().flatten().chain(timeouts).chain(repairs).collect()
    }
}

fn timeout(text: &str) -> Result<(TimeoutKind, Seconds), String> {
    let (kind, seconds) = text.split_once('=').ok_or("write it as KIND=SECONDS, like `first_byte=600`")?;
    let known = TimeoutKind::ALL.into_iter().find(|known| known.word() == kind);
    let kind = known.ok_or("there is `connect`, `first_byte`, `idle` and `total`")?;
    let whole = seconds.parse().ok().map(Seconds::Whole);
    let seconds =
        whole.or_else(|| seconds.parse().ok().filter(|part: &f64| part.is_finite()).map(Seconds::Part));
    Ok((kind, seconds.ok_or("seconds are a number")?))
}

/// Whether the repair takes such a value, the configuration says.
fn repair(text: &str) -> Result<(Repair, Switch), String> {
    let (name, value) = text.split_once('=').unwrap_or((text, "on"));
    let repair = name.parse::<Repair>().map_err(|error| error.to_string())?;
    let switch = match value {
        "on" | "true" => Switch::Plain(true),
        "off" | "false" => Switch::Plain(false),
        value => match value.parse() {
            Ok(tokens) => Switch::Tokens(tokens),
            Err(_) => Switch::Values(value.split(',').map(|value| value.trim().to_owned()).collect()),
        },
    };
    Ok((repair, switch))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_repair_is_switched_by_a_word_a_number_or_values() {
        let values =
            |values: &[&str]| Switch::Values(values.iter().map(|value| (*value).to_owned()).collect());
        for (text, expect) in [
            ("drop-betas", Switch::Plain(true)),
            ("drop-betas=off", Switch::Plain(false)),
            ("drop-betas=a-2025, b-2025", values(&["a-2025", "b-2025"])),
            ("drop-betas=8000", Switch::Tokens(NonZeroU64::new(8000).unwrap())),
        ] {
            assert_eq!(repair(text), Ok((Repair::DropBetas, expect)), "{text}");
        }
        assert!(repair("drop-beta").unwrap_err().contains("drop-betas"));
    }

    #[test]
    fn a_timeout_names_what_is_waited_for() {
        assert_eq!(timeout("first_byte=600"), Ok((TimeoutKind::FirstByte, Seconds::Whole(600))));
        assert_eq!(timeout("idle=0.5"), Ok((TimeoutKind::Idle, Seconds::Part(0.5))));
        for (text, part) in [
            ("600", "KIND=SECONDS"),
            ("first=1", "`first_byte`"),
            ("idle=x", "number"),
            ("idle=inf", "number"),
        ] {
            assert!(timeout(text).unwrap_err().contains(part), "{text}");
        }
    }
}
