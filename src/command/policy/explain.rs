//! `subagents policy explain`.

use std::process::ExitCode;

use clap::Args;
use serde_json::json;

use crate::command::{Context, Failure, print};
use crate::config::{Config, RouteId};
use crate::launch::explain::{Answer, of_agent, of_route};
use crate::launch::resume;
use crate::ledger::Ledger;

#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  subagents policy explain glm/glm-5\n  subagents policy explain reviewer --json\n  \
                  subagents policy explain glm/glm-5 --session latest"
)]
pub(super) struct Explain {
    /// A route (`provider/model`), or the name of an agent.
    #[arg(value_name = "ROUTE|AGENT")]
    subject: String,
    /// What this session runs on, and not what the files say now: its name, its id or its beginning, or `latest`.
    #[arg(long, value_name = "SESSION")]
    session: Option<String>,
    /// Print JSON (docs/json/policy-explain.schema.json).
    #[arg(long)]
    json: bool,
}

impl Explain {
    pub(super) fn run(self, context: &Context) -> Result<ExitCode, Failure> {
        let (today, _) = context.config();
        let config = match &self.session {
            Some(session) => recorded(context, session, &today)?,
            None => today,
        };
        let answers = self.answers(&config)?;
        if self.json {
            print::json(&json!({
                "version": 1, "subject": self.subject, "session": self.session, "answers": answers,
            }));
        } else {
            for answer in &answers {
                print::line(&sentence(answer));
            }
        }
        Ok(ExitCode::SUCCESS)
    }

    /// An agent's name holds no `/`.
    fn answers(&self, config: &Config) -> Result<Vec<Answer>, Failure> {
        if let Ok(route) = self.subject.parse::<RouteId>() {
            return Ok(of_route(&route, config));
        }
        let agent = config.agents.iter().find(|agent| agent.name == self.subject);
        let unknown =
            || Failure::failed(format!("there is no agent `{}`, and no route is written so", self.subject));
        Ok(of_agent(agent.ok_or_else(unknown)?, config))
    }
}

fn recorded(context: &Context, session: &str, today: &Config) -> Result<Config, Failure> {
    let file = context.places.ledger_file();
    if !file.exists() {
        return Err(Failure::failed(resume::ResumeError::NoLedger));
    }
    let ledger = Ledger::open(&file).map_err(Failure::failed)?;
    resume::recorded(&ledger, session, today).map_err(Failure::failed)
}

fn sentence(answer: &Answer) -> String {
    let sign = if answer.allowed { "yes" } else { "no " };
    format!("{sign}  {}: {}", answer.attempt, answer.rule)
}
