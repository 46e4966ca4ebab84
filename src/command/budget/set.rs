//! `subagents budget set`.

use std::num::NonZeroU64;
use std::process::ExitCode;

use clap::Args;
use clap::builder::{PossibleValuesParser, TypedValueParser};

use crate::command::change::{Unset, tell};
use crate::command::{Context, Failure, print};
use crate::config::changes::BudgetChange;
use crate::config::{Period, Routes};

#[derive(Debug, Args)]
#[command(
    after_help = "What isn't given stays as it is. What is used up refuses the next request; what runs is never \
    cut.\n\nExamples:\n  \
    subagents budget set night --per day --usd 5\n  \
    subagents budget set critic --agent critic --route \"glm/*\" --requests 200\n  \
    subagents budget set large --per request --tokens 100000\n  \
    subagents budget set night --unset usd --tokens 5000000"
)]
pub(super) struct Set {
    /// Its name.
    #[arg(value_name = "BUDGET")]
    name: String,
    /// For how long it is; `session` when nothing is said.
    #[arg(long, value_parser = period())]
    per: Option<Period>,
    /// Only this agent's requests count.
    #[arg(long, value_name = "AGENT")]
    agent: Option<String>,
    /// Only requests to this route count, or, with a `*` for the model, to all of a provider.
    #[arg(long, value_name = "ROUTE")]
    route: Option<Routes>,
    /// Requests.
    #[arg(long, value_name = "N")]
    requests: Option<NonZeroU64>,
    /// Tokens that weren't read from a cache, in and out.
    #[arg(long, value_name = "TOKENS")]
    tokens: Option<NonZeroU64>,
    /// USD; what has no price counts as nothing.
    #[arg(long, value_name = "USD")]
    usd: Option<f64>,
    #[command(flatten)]
    unset: Unset,
    /// Print what changed as JSON (docs/json/change.schema.json).
    #[arg(long)]
    json: bool,
}

impl Set {
    pub(super) fn run(self, context: &Context) -> Result<ExitCode, Failure> {
        let Self { name, per, agent, route, requests, tokens, usd, unset, json } = self;
        let change = BudgetChange { per, agent, route, requests, tokens, usd };
        if change.is_empty() && unset.is_empty() {
            return Err(Failure::usage(
                "nothing is to be changed: give --requests, --tokens, --usd or --unset",
            ));
        }
        let (config, _) = context.config();
        let is_there = |name: &String| config.agents.iter().any(|agent| agent.name == *name);
        if let Some(agent) = change.agent.as_ref().filter(|name| !is_there(name)) {
            print::line_to_stderr(&format!("subagents: there is no agent `{}` yet", agent.escape_debug()));
        }
        let what = format!("budget set {}", name.escape_debug());
        let changes = context.change_config(&what, |document| {
            unset.write(["budgets", &name], document)?;
            if change.is_empty() { Ok(()) } else { change.write(&name, document).map_err(Failure::from) }
        })?;
        tell(&what, &changes, json);
        Ok(ExitCode::SUCCESS)
    }
}

fn period() -> impl TypedValueParser<Value = Period> {
    PossibleValuesParser::new(Period::ALL.map(Period::word)).map(|word| {
        let known = Period::ALL.into_iter().find(|period| period.word() == word);
        known.unwrap_or(Period::Session)
    })
}
