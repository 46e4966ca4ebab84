//! The repairs of a route, as a table. Pure.

use super::colour::Colour;
use super::table::table;
use crate::config::repair::{Because, Standing, Switch};

/// One line for each, and below what was seen at the provider.
pub fn repairs(standings: &[Standing], colour: Colour) -> String {
    let rows: Vec<Vec<String>> = standings.iter().map(row).collect();
    let notes = standings.iter().filter_map(|standing| match &standing.because {
        Because::Known(evidence) => {
            Some(format!("\n{}: {}\n  {}", standing.repair, evidence.says, evidence.source))
        }
        _ => None,
    });
    let table = table(&["repair", "here", "decided by", "what it does"], &rows, colour);
    std::iter::once(table).chain(notes).collect::<Vec<_>>().join("\n")
}

fn row(standing: &Standing) -> Vec<String> {
    let (switch, by) = (switched(&standing.switch), decided_by(&standing.because));
    vec![standing.repair.to_string(), switch, by, standing.repair.about().to_owned()]
}

/// Empty: nobody has.
pub(super) fn decided_by(because: &Because) -> String {
    match because {
        Because::Nobody => String::new(),
        Because::Known(_) => "reports".to_owned(),
        Because::Settings(key) => format!("the route's {key}"),
        Because::Provider => "the provider's repairs".to_owned(),
        Because::Route => "the route's repairs".to_owned(),
    }
}

pub(super) fn switched(switch: &Switch) -> String {
    match switch {
        Switch::Plain(true) => "on".to_owned(),
        Switch::Plain(false) => "off".to_owned(),
        Switch::Tokens(tokens) => format!("{tokens} tokens"),
        Switch::Values(values) => values.join(","),
    }
}

#[cfg(test)]
mod tests {
    use std::num::NonZeroU64;

    use super::*;
    use crate::config::{Auth, ChatOptions, Config, Dialect, Provider, Repair, RouteSettings, Timeouts, Tls};

    #[test]
    fn each_repair_has_its_line_and_what_is_known_its_source() {
        let budget = (Repair::ThinkingAsBudget, Switch::Tokens(NonZeroU64::new(4000).unwrap()));
        let betas = (Repair::DropBetas, Switch::Values(vec!["a-2025".to_owned(), "b-2025".to_owned()]));
        let provider = Provider {
            name: "p".parse().unwrap(),
            base_url: "https://example.com".to_owned(),
            dialect: Dialect::Anthropic,
            auth: Auth::None,
            tls: Tls::System,
            timeouts: Timeouts::default(),
            preset: Some("deepseek".to_owned()),
            repairs: [budget].into_iter().collect(),
            chat: ChatOptions::default(),
        };
        let settings = RouteSettings {
            no_images: true,
            repairs: [betas, (Repair::DropAttribution, Switch::Plain(false))].into_iter().collect(),
            ..RouteSettings::default()
        };
        let route = "p/m".parse().unwrap();
        let config = Config {
            providers: [(provider.name.clone(), provider)].into(),
            routes: [("p/m".parse().unwrap(), settings)].into(),
            ..Config::default()
        };
        insta::assert_snapshot!(repairs(&config.repairs(&route), Colour::Never));
    }
}
