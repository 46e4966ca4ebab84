//! The routes in use as a table. Pure.

use std::fmt::Display;

use super::colour::Colour;
use super::models::{price, yes_or_no};
use super::table::table;
use crate::catalogue::trial::Origin;
use crate::catalogue::{Authorised, Fact, RouteInUse};

/// Behind what the configuration doesn't say and the catalogue does.
const CATALOGUE: &str = "*";

/// What the mark means, where the table has one.
pub const FOOTNOTE: &str = "* says the provider's catalogue; config.toml says nothing of it";

/// One line for each route.
pub fn routes(routes: &[RouteInUse], colour: Colour) -> String {
    let heads =
        ["route", "context", "output", "in/out usd", "tools", "efforts", "authorised", "main", "agents"];
    let rows: Vec<Vec<String>> = routes.iter().map(row).collect();
    table(&heads, &rows, colour)
}

fn row(route: &RouteInUse) -> Vec<String> {
    let joined = |fact: &Fact<Vec<String>>| Fact { value: fact.value.join(","), source: fact.source };
    let efforts = route.efforts.as_ref().map(joined);
    let price = route.price.as_ref().map(|fact| Fact { value: price(fact.value), source: fact.source });
    let tools = route.tools.as_ref().map(|fact| Fact { value: yes_or_no(fact.value), source: fact.source });
    vec![
        route.route.to_string(),
        marked(route.context_window.as_ref()),
        marked(route.output_limit.as_ref()),
        marked(price.as_ref()),
        marked(tools.as_ref()),
        marked(efforts.as_ref()),
        authorised(route.authorised).to_owned(),
        yes_or_no(route.main),
        route.agents.join(","),
    ]
}

fn marked<T: Display>(fact: Option<&Fact<T>>) -> String {
    let Some(Fact { value, source }) = fact else { return String::new() };
    let mark = if *source == Origin::Catalogue { CATALOGUE } else { "" };
    format!("{value}{mark}")
}

fn authorised(authorised: Authorised) -> &'static str {
    match authorised {
        Authorised::Yes => "yes",
        Authorised::PolicyOff => "policy off",
        Authorised::No => "no",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::catalogue::{Model, overview};
    use crate::config::{Config, RouteSettings};

    #[test]
    fn what_only_the_catalogue_says_is_marked() {
        let tokens = std::num::NonZeroU64::new(4096);
        let settings = RouteSettings { context_window: tokens, ..RouteSettings::default() };
        let config = Config { routes: [("p/m".parse().unwrap(), settings)].into(), ..Config::default() };
        let model = Model { output_limit: tokens, ..Model::default() };
        let drawn = routes(&overview(&config, |_| Some(model.clone())), Colour::Never);
        assert!(drawn.contains("p/m    4096     4096*"), "{drawn}");
    }
}
