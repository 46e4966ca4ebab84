//! `subagents provider test`: reach, catalogue, and one trial.

use std::process::ExitCode;

use clap::Args;
use jiff::Timestamp;
use serde_json::{Value, json};

use super::find;
use crate::catalogue::{Client, Fault, Freshness, Listing};
use crate::command::network::progress;
use crate::command::route::trying::{Tried, try_route};
use crate::command::{Context, Failure, print};
use crate::config::{Config, Provider, ProviderName, RouteId};
use crate::router::Shared;
use crate::ui::visible;

#[derive(Debug, Args)]
#[command(
    after_help = "A list of models proves nothing, so one model is asked for a tiny completion; that costs a \
    few hundred tokens. Exits with 1 where it doesn't answer.\n\n\
    Examples:\n  subagents provider test ollama\n  subagents provider test glm --model glm-5 --json"
)]
pub(super) struct Test {
    /// The provider.
    name: ProviderName,
    /// The model that is tried; else one that is in use, else the first of the list.
    #[arg(long)]
    model: Option<String>,
    /// Print JSON (docs/json/provider-test.schema.json).
    #[arg(long)]
    json: bool,
}

impl Test {
    pub(super) async fn run(self, context: &Context) -> Result<ExitCode, Failure> {
        let (config, _) = context.config();
        let provider = find(&config, &self.name)?;
        let shared = context.shared()?;
        progress(format!("connecting to `{}`", self.name));
        let reached = reach(provider, &shared).await;
        progress("asking for its models");
        let listing = context.catalogue(&shared).models(provider, Freshness::Now, Timestamp::now()).await;
        let route = self.route(&config, listing.as_ref().ok())?;
        let tried = match (&reached, &route) {
            (Ok(()), Some(route)) => Some(try_route(context, &shared, &config, route, progress).await?),
            _ => None,
        };
        self.print(context, &reached, &listing, tried.as_ref());
        let works = tried.is_some_and(|tried| tried.works());
        Ok(if works { ExitCode::SUCCESS } else { ExitCode::FAILURE })
    }

    /// The route to be tried: as named, in use already, or the first of the list that can be one.
    fn route(&self, config: &Config, listing: Option<&Listing>) -> Result<Option<RouteId>, Failure> {
        if let Some(model) = &self.model {
            let named = RouteId::new(&self.name, model);
            return named.map(Some).map_err(|error| Failure::usage(format!("--model: {error}")));
        }
        let agents = config.agents.iter().filter_map(|agent| agent.model.route());
        let used = agents.chain(config.routes.keys()).find(|route| *route.provider() == self.name);
        let mut listed = listing.into_iter().flat_map(|listing| &listing.models);
        let mut first = || listed.find_map(|model| RouteId::new(&self.name, &model.id).ok());
        Ok(used.cloned().or_else(&mut first))
    }

    fn print(
        &self,
        context: &Context,
        reached: &Result<(), Fault>,
        listing: &Result<Listing, Fault>,
        tried: Option<&Tried>,
    ) {
        if self.json {
            let models = listing.as_ref().ok().map(|listing| listing.models.len());
            print::json(&json!({
                "version": 1,
                "provider": self.name.as_str(),
                "ok": tried.is_some_and(Tried::works),
                "reach": {"problem": reached.as_ref().err().map(problem)},
                "catalogue": {"models": models, "problem": listing.as_ref().err().map(problem)},
                "trial": tried.map(Tried::as_json),
            }));
            return;
        }
        let (name, sentence) = (&self.name, |fault: &Fault| visible(&fault.to_string()));
        print::line(&match reached {
            Ok(()) => format!("{name}: connected"),
            Err(fault) => format!("{name}: {}", sentence(fault)),
        });
        if reached.is_ok() {
            print::line(&match listing {
                Ok(listing) => {
                    format!("{name}: models listed at {}: {}", visible(&listing.path), listing.models.len())
                }
                Err(fault) => format!("{name}: no list of models: {}", sentence(fault)),
            });
        }
        match tried {
            Some(tried) => print::line(&tried.text(print::colour(&context.environment))),
            None if reached.is_ok() => print::line("No model is known to try: name one with --model"),
            None => {}
        }
    }
}

async fn reach(provider: &Provider, shared: &Shared) -> Result<(), Fault> {
    Client::new(provider, &provider.base_url, &provider.auth, None, shared)?.reach().await
}

fn problem(fault: &Fault) -> Value {
    json!({"kind": fault.kind(), "message": fault.to_string()})
}
