//! The shape of a budget in a snapshot, and back.

use std::num::NonZeroU64;

use serde::{Deserialize, Serialize};

use super::{Unreadable, read};
use crate::config::{Budget, Period};

#[derive(Serialize, Deserialize)]
pub(super) struct BudgetPart {
    name: String,
    per: Period,
    agent: Option<String>,
    route: Option<String>,
    requests: Option<NonZeroU64>,
    tokens: Option<NonZeroU64>,
    usd: Option<f64>,
}

impl From<&Budget> for BudgetPart {
    fn from(budget: &Budget) -> Self {
        let Budget { name, per, agent, routes, requests, tokens, usd } = budget;
        Self {
            name: name.clone(),
            per: *per,
            agent: agent.clone(),
            route: routes.as_ref().map(ToString::to_string),
            requests: *requests,
            tokens: *tokens,
            usd: *usd,
        }
    }
}

impl BudgetPart {
    pub(super) fn budget(self) -> Result<Budget, Unreadable> {
        Ok(Budget {
            name: self.name,
            per: self.per,
            agent: self.agent,
            routes: self.route.as_deref().map(read).transpose()?,
            requests: self.requests,
            tokens: self.tokens,
            usd: self.usd,
        })
    }
}
