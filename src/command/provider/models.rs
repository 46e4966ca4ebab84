//! `subagents provider models`.

use std::process::ExitCode;

use clap::Args;
use jiff::Timestamp;
use serde_json::json;

use super::find;
use crate::catalogue::{Freshness, Listing};
use crate::command::network::progress;
use crate::command::{Context, Failure, print};
use crate::config::ProviderName;
use crate::ui::{models, visible};

/// How the ids begin that Claude Code's own picker shows.
const PICKED: [&str; 2] = ["claude", "anthropic"];

#[derive(Debug, Args)]
#[command(
    after_help = "A list is kept for an hour. Claude Code's own picker shows only ids that begin with \
    `claude` or `anthropic`; sub-agents can use the others all the same.\n\n\
    Examples:\n  subagents provider models ollama\n  subagents provider models openrouter --refresh --json"
)]
pub(super) struct Models {
    /// The provider.
    name: ProviderName,
    /// Ask again, although the list is less than an hour old.
    #[arg(long)]
    refresh: bool,
    /// Print JSON (docs/json/provider-models.schema.json).
    #[arg(long)]
    json: bool,
}

impl Models {
    pub(super) async fn run(self, context: &Context) -> Result<ExitCode, Failure> {
        let (config, _) = context.config();
        let provider = find(&config, &self.name)?;
        let shared = context.shared()?;
        let freshness = if self.refresh { Freshness::Now } else { Freshness::AnHour };
        progress(format!("asking `{}` for its models", self.name));
        let listing = context.catalogue(&shared).models(provider, freshness, Timestamp::now()).await;
        let told = |fault: crate::catalogue::Fault| {
            Failure::failed(format!("provider `{}`: {}", self.name, visible(&fault.to_string())))
        };
        self.print(&listing.map_err(told)?, context);
        Ok(ExitCode::SUCCESS)
    }

    fn print(&self, listing: &Listing, context: &Context) {
        let Listing { fetched, path, models: found } = listing;
        if self.json {
            print::json(&json!({
                "version": 1,
                "provider": self.name.as_str(),
                "source": "catalogue",
                "fetched": fetched,
                "path": path,
                "models": found,
            }));
            return;
        }
        print::line(&models(found, print::colour(&context.environment)));
        if found.iter().any(|model| !PICKED.iter().any(|start| model.id.starts_with(start))) {
            print::line_to_stderr(
                "Claude Code's own picker shows only ids that begin with `claude` or `anthropic`; sub-agents can use \
                 them all.",
            );
        }
    }
}
