//! `subagents budget list`.

use std::process::ExitCode;

use clap::Args;
use jiff::ZonedDateTime;
use serde_json::{Value, json};

use crate::command::{Context, Failure, print};
use crate::launch::live;
use crate::launch::today::{Standing, Use, standings};
use crate::ui::budgets;

#[derive(Debug, Args)]
#[command(
    after_help = "What is used is read from the ledger: of a day's budget today, of a session's in each that \
    runs. What is still on its way isn't in it.\n\nExample:\n  subagents budget list"
)]
pub(super) struct List {
    /// Print JSON (docs/json/budget-list.schema.json).
    #[arg(long)]
    json: bool,
}

impl List {
    pub(super) fn run(self, context: &Context) -> Result<ExitCode, Failure> {
        let (config, problems) = context.config();
        let living = live::living(&context.places.live_dir());
        let standings =
            standings(&config.budgets, &context.places.ledger_file(), &living, &ZonedDateTime::now());
        let standings = standings.map_err(Failure::failed)?;
        if self.json {
            print::json(
                &json!({"version": 1, "budgets": standings.iter().map(standing).collect::<Vec<_>>()}),
            );
        } else if standings.is_empty() {
            print::line("There is no budget: `subagents budget set NAME` makes one.");
        } else {
            print::line(&budgets(&standings, print::colour(&context.environment)));
        }
        print::problems_of(&problems, &context.places.config_file());
        Ok(ExitCode::SUCCESS)
    }
}

fn standing(standing: &Standing<'_>) -> Value {
    let budget = standing.budget;
    json!({
        "name": budget.name,
        "per": budget.per,
        "agent": budget.agent,
        "route": budget.routes.as_ref().map(ToString::to_string),
        "requests": budget.requests,
        "tokens": budget.tokens,
        "usd": budget.usd,
        "used": standing.used.iter().map(used).collect::<Vec<_>>(),
    })
}

fn used(used: &Use) -> Value {
    let (session, name) = used.session.as_ref().map(|(id, name)| (id, name)).unzip();
    json!({
        "session": session,
        "name": name,
        "requests": used.spent.requests,
        "tokens": used.spent.usage.uncached(),
        "cost_usd": used.spent.cost,
    })
}
