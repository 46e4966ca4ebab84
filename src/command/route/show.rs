//! `subagents route show`.

use std::process::ExitCode;

use clap::Args;
use jiff::Timestamp;
use serde_json::{Value, json};

use crate::catalogue::{Cache, RouteInUse, known};
use crate::command::{Context, Failure, print, provider};
use crate::config::RouteId;
use crate::config::repair::{Because, Standing};
use crate::ui::{repairs, routes};

#[derive(Debug, Args)]
#[command(
    after_help = "Repairs are small changes to what goes to a provider and comes from it. They are switched in \
    config.toml: `repairs` of a provider, or of a route.\n\nExample:\n  subagents route show ollama/qwen3-coder:30b"
)]
pub(super) struct Show {
    /// The route.
    #[arg(value_name = "PROVIDER/MODEL")]
    route: RouteId,
    /// Print JSON (docs/json/route-show.schema.json).
    #[arg(long)]
    json: bool,
}

impl Show {
    pub(super) fn run(self, context: &Context) -> Result<ExitCode, Failure> {
        let (config, problems) = context.config();
        let provider = provider::find(&config, self.route.provider())?;
        let listing = Cache::new(&context.places).read(provider, Timestamp::now());
        let model = listing.and_then(|listing| listing.find(self.route.model()).cloned());
        let route = known(&config, &self.route, model);
        let standings = config.repairs(&self.route);
        if self.json {
            print::json(&as_json(&route, &standings));
        } else {
            let colour = print::colour(&context.environment);
            print::line(&format!("{}\n\n{}", routes(&[route], colour), repairs(&standings, colour)));
        }
        print::problems_of(&problems, &context.places.config_file());
        Ok(ExitCode::SUCCESS)
    }
}

fn as_json(route: &RouteInUse, standings: &[Standing]) -> Value {
    let repairs: Vec<Value> = standings.iter().map(standing).collect();
    json!({"version": 1, "route": route, "repairs": repairs})
}

fn standing(standing: &Standing) -> Value {
    let (because, setting, evidence) = match &standing.because {
        Because::Nobody => ("nobody", None, None),
        Because::Known(evidence) => ("known", None, Some(evidence)),
        Because::Settings(key) => ("settings", Some(key), None),
        Because::Provider => ("provider", None, None),
        Because::Route => ("route", None, None),
    };
    json!({
        "repair": standing.repair,
        "about": standing.repair.about(),
        "on": standing.is_on(),
        "switch": standing.switch,
        "because": because,
        "setting": setting,
        "says": evidence.map(|evidence| &evidence.says),
        "source": evidence.map(|evidence| &evidence.source),
    })
}
