//! A budget's table: made, and changed one key at a time.

use std::num::NonZeroU64;

use toml_edit::Value;

use super::route::whole;
use crate::config::edit::{Document, DocumentError};
use crate::config::{Period, Routes};

/// What shall change; `None` leaves a key as it is.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct BudgetChange {
    pub per: Option<Period>,
    pub agent: Option<String>,
    pub route: Option<Routes>,
    pub requests: Option<NonZeroU64>,
    pub tokens: Option<NonZeroU64>,
    /// USD.
    pub usd: Option<f64>,
}

/// Removes the budget's table; false where the file has none.
///
/// # Errors
/// It is written in a form that can't be changed.
pub fn remove_budget(document: &mut Document, name: &str) -> Result<bool, DocumentError> {
    document.remove(&["budgets", name])
}

impl BudgetChange {
    /// Nothing would change.
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }

    /// Changes the budget, or makes it.
    ///
    /// # Errors
    /// It is written in a form that can't be changed.
    pub fn write(&self, name: &str, document: &mut Document) -> Result<(), DocumentError> {
        let values = [
            ("per", self.per.map(|per| Value::from(per.word()))),
            ("agent", self.agent.as_deref().map(Value::from)),
            ("route", self.route.as_ref().map(|routes| Value::from(routes.to_string()))),
            ("requests", self.requests.map(whole)),
            ("tokens", self.tokens.map(whole)),
            ("usd", self.usd.map(Value::from)),
        ];
        for (key, value) in values {
            if let Some(value) = value {
                document.set(&["budgets", name, key], value)?;
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_given_is_written_and_the_rest_stays() {
        let old = "[budgets.night]\nper = \"day\" # mine\nusd = 1.5\n";
        let mut document = Document::parse(old).unwrap();
        let change = BudgetChange {
            route: Some("p/*".parse().unwrap()),
            requests: NonZeroU64::new(3),
            usd: Some(2.0),
            ..BudgetChange::default()
        };
        change.write("night", &mut document).unwrap();
        let expect = "[budgets.night]\nper = \"day\" # mine\nusd = 2.0\nroute = \"p/*\"\nrequests = 3\n";
        assert_eq!(document.to_string(), expect);
        let new = BudgetChange {
            per: Some(Period::Request),
            agent: Some("a".to_owned()),
            ..BudgetChange::default()
        };
        new.write("one", &mut document).unwrap();
        assert_eq!(
            document.to_string(),
            format!("{expect}\n[budgets.one]\nper = \"request\"\nagent = \"a\"\n")
        );
        assert!(
            remove_budget(&mut document, "night").unwrap() && !remove_budget(&mut document, "no").unwrap()
        );
    }
}
