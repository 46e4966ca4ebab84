//! A route's table: facts about a model, each with a note of who says so.

use std::fmt;
use std::num::NonZeroU64;

use toml_edit::{Array, InlineTable, Value};

use super::noted;
use crate::config::edit::{Document, DocumentError};
use crate::config::repair::{Repair, Switch};
use crate::config::{Price, RouteId};

/// One thing that a route's table says.
#[derive(Debug, Clone, PartialEq)]
pub enum RouteFact {
    ContextWindow(NonZeroU64),
    OutputLimit(NonZeroU64),
    Efforts(Vec<String>),
    DefaultEffort(String),
    Price(Price),
    /// Whether the model can call tools. That it can is said by saying nothing.
    Tools(bool),
    /// The model reads text only.
    NoImages,
    /// Requests at once.
    Concurrency(NonZeroU64),
    /// Requests that may wait.
    Queue(NonZeroU64),
    /// Routes to try in its place, in their order.
    Fallback(Vec<RouteId>),
    /// What is sent here stays on this machine.
    Local,
    Timeout(TimeoutKind, Seconds),
    Repair(Repair, Switch),
}

/// What is waited for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TimeoutKind {
    Connect,
    FirstByte,
    Idle,
    Total,
}

impl TimeoutKind {
    pub const ALL: [Self; 4] = [Self::Connect, Self::FirstByte, Self::Idle, Self::Total];

    /// As config.toml writes it.
    pub fn word(self) -> &'static str {
        match self {
            Self::Connect => "connect",
            Self::FirstByte => "first_byte",
            Self::Idle => "idle",
            Self::Total => "total",
        }
    }
}

/// As they were written: a whole number stays one.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Seconds {
    Whole(i64),
    Part(f64),
}

impl RouteFact {
    /// The key in the route's table.
    pub fn key(&self) -> &'static str {
        match self {
            Self::ContextWindow(_) => "context_window",
            Self::OutputLimit(_) => "output_limit",
            Self::Efforts(_) => "efforts",
            Self::DefaultEffort(_) => "default_effort",
            Self::Price(_) => "price",
            Self::Tools(_) => "tools",
            Self::NoImages => "images",
            Self::Concurrency(_) => "concurrency",
            Self::Queue(_) => "queue",
            Self::Fallback(_) => "fallback",
            Self::Local => "local",
            Self::Timeout(..) => "timeouts",
            Self::Repair(..) => "repairs",
        }
    }

    /// The key within a table below that one.
    fn part(&self) -> Option<&'static str> {
        match self {
            Self::Timeout(kind, _) => Some(kind.word()),
            Self::Repair(repair, _) => Some(repair.word()),
            _ => None,
        }
    }

    fn value(&self) -> Value {
        match self {
            Self::ContextWindow(count)
            | Self::OutputLimit(count)
            | Self::Concurrency(count)
            | Self::Queue(count)
            | Self::Repair(_, Switch::Tokens(count)) => whole(*count),
            Self::Efforts(efforts) => Value::from(efforts.iter().map(String::as_str).collect::<Array>()),
            Self::DefaultEffort(effort) => Value::from(effort.as_str()),
            Self::Price(price) => Value::from(price_table(price)),
            Self::Tools(able) => Value::from(*able),
            Self::NoImages => Value::from(false),
            Self::Local => Value::from(true),
            Self::Fallback(routes) => Value::from(routes.iter().map(RouteId::to_string).collect::<Array>()),
            Self::Timeout(_, Seconds::Whole(seconds)) => Value::from(*seconds),
            Self::Timeout(_, Seconds::Part(seconds)) => Value::from(*seconds),
            Self::Repair(_, Switch::Plain(on)) => Value::from(*on),
            Self::Repair(_, Switch::Values(values)) => {
                Value::from(values.iter().map(String::as_str).collect::<Array>())
            }
        }
    }
}

/// As config.toml writes it.
impl fmt::Display for RouteFact {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let part = self.part().map(|part| format!(".{part}")).unwrap_or_default();
        write!(f, "{}{part} = {}", self.key(), self.value())
    }
}

/// Makes sure that the route has a table.
///
/// # Errors
/// The file is written in a form that can't be changed.
pub fn add_route(document: &mut Document, route: &RouteId) -> Result<(), DocumentError> {
    document.set(&["routes", &route.to_string()], Value::from(InlineTable::new()))
}

/// Writes one fact into the route's table, with a note behind it.
///
/// # Errors
/// The file is written in a form that can't be changed.
pub fn set_fact(
    document: &mut Document,
    route: &RouteId,
    fact: &RouteFact,
    note: Option<&str>,
) -> Result<(), DocumentError> {
    let route = route.to_string();
    let path: Vec<&str> = ["routes", route.as_str(), fact.key()].into_iter().chain(fact.part()).collect();
    if *fact == RouteFact::Tools(true) {
        return document.remove(&path).map(drop);
    }
    if let (RouteFact::Price(price), true) = (fact, document.has(&path)) {
        // What isn't said of the price now was said before, and stays.
        for (part, dollars) in price_parts(price) {
            document.set(&[path.as_slice(), &[part]].concat(), dollars)?;
        }
        return Ok(());
    }
    document.set(&path, fact.value())?;
    if let Some(note) = note {
        *document = noted(document.clone(), &path, note)?;
    }
    Ok(())
}

/// TOML's numbers are signed; nothing here is that large.
pub(super) fn whole(count: NonZeroU64) -> Value {
    Value::from(i64::try_from(count.get()).unwrap_or(i64::MAX))
}

fn price_table(price: &Price) -> InlineTable {
    price_parts(price).map(|(key, dollars)| (key, Value::from(dollars))).collect()
}

fn price_parts(price: &Price) -> impl Iterator<Item = (&'static str, f64)> {
    let optional = [("cache_read", price.cache_read), ("cache_write", price.cache_write)];
    let parts = [("input", Some(price.input)), ("output", Some(price.output))].into_iter().chain(optional);
    parts.filter_map(|(key, dollars)| Some((key, dollars?)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn written(text: &str, facts: &[RouteFact]) -> String {
        let mut document = Document::parse(text).unwrap();
        let route = "p/m:1".parse().unwrap();
        for fact in facts {
            set_fact(&mut document, &route, fact, Some("catalogue")).unwrap();
        }
        document.to_string()
    }

    #[test]
    fn facts_are_written_with_a_note_of_who_says_so() {
        let price = Price { input: 0.6, output: 2.0, cache_read: Some(0.06), cache_write: None };
        let efforts = vec!["low".to_owned(), "high".to_owned()];
        let window = NonZeroU64::new(4096).unwrap();
        let facts = [RouteFact::ContextWindow(window), RouteFact::Efforts(efforts), RouteFact::Price(price)];
        let expect = "[routes.\"p/m:1\"]\ncontext_window = 4096   # catalogue\n\
                      efforts = [\"low\", \"high\"]   # catalogue\n\
                      price = { input = 0.6, output = 2.0, cache_read = 0.06 }   # catalogue\n";
        assert_eq!(written("", &facts), expect);
        assert_eq!(facts[0].to_string(), "context_window = 4096");
    }

    #[test]
    fn a_new_price_keeps_what_it_says_nothing_of() {
        let price = Price { input: 1.0, output: 2.5, cache_read: None, cache_write: Some(3.0) };
        for (old, expect) in [
            (
                "price = { input = 9, output = 9, cache_read = 0.5 } # mine\n",
                "price = { input = 1.0, output = 2.5, cache_read = 0.5, cache_write = 3.0 } # mine\n",
            ),
            (
                "price.input = 9\nprice.output = 9\nprice.cache_read = 0.5\nprice.cache_write = 9 # w\n",
                "price.input = 1.0\nprice.output = 2.5\nprice.cache_read = 0.5\nprice.cache_write = 3.0 # w\n",
            ),
        ] {
            let table = "[routes.\"p/m:1\"]\n";
            assert_eq!(
                written(&format!("{table}{old}"), &[RouteFact::Price(price)]),
                format!("{table}{expect}")
            );
        }
    }

    #[test]
    fn limits_and_repairs_are_written_and_written_over() {
        let repair = |word: &str, switch| RouteFact::Repair(word.parse().unwrap(), switch);
        let count = |count| NonZeroU64::new(count).unwrap();
        let facts = [
            RouteFact::Concurrency(count(2)),
            RouteFact::Queue(count(8)),
            RouteFact::Fallback(vec!["q/a".parse().unwrap(), "q/b".parse().unwrap()]),
            RouteFact::Local,
            RouteFact::NoImages,
            RouteFact::Timeout(TimeoutKind::FirstByte, Seconds::Whole(600)),
            RouteFact::Timeout(TimeoutKind::Idle, Seconds::Part(0.5)),
            repair("thinking-as-budget", Switch::Tokens(count(4000))),
            repair("drop-betas", Switch::Values(vec!["a-2025".to_owned()])),
            repair("drop-attribution", Switch::Plain(false)),
        ];
        let old = "[routes.\"p/m:1\"]\nlocal = false # mine\n[routes.\"p/m:1\".repairs]\ndrop-betas = true\n";
        let mut document = Document::parse(old).unwrap();
        for fact in &facts {
            set_fact(&mut document, &"p/m:1".parse().unwrap(), fact, None).unwrap();
        }
        insta::assert_snapshot!(document.to_string());
    }

    #[test]
    fn tools_are_denied_by_a_key_and_given_back_by_its_absence() {
        let without = written("", &[RouteFact::Tools(false)]);
        assert_eq!(without, "[routes.\"p/m:1\"]\ntools = false   # catalogue\n");
        assert!(!written(&without, &[RouteFact::Tools(true)]).contains("tools"));
    }

    #[test]
    fn a_route_of_which_nothing_is_known_has_a_table_all_the_same() {
        let mut document = Document::parse("").unwrap();
        add_route(&mut document, &"p/m".parse().unwrap()).unwrap();
        assert_eq!(document.to_string(), "[routes]\n\"p/m\" = {}\n");
    }
}
