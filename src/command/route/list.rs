//! `subagents route list`.

use std::process::ExitCode;

use clap::Args;
use jiff::Timestamp;
use serde_json::json;

use crate::catalogue::{Cache, RouteInUse, overview};
use crate::command::{Context, print};
use crate::ui::routes::FOOTNOTE;
use crate::ui::{routes, visible};

#[derive(Debug, Args)]
#[command(
    after_help = "Nobody is asked over the network: what a provider's catalogue says is shown where it was \
    asked within the last hour.\n\nExample:\n  subagents route list --json"
)]
pub(super) struct List {
    /// Print JSON (docs/json/route-list.schema.json).
    #[arg(long)]
    json: bool,
}

impl List {
    pub(super) fn run(self, context: &Context) -> ExitCode {
        let (config, problems) = context.config();
        let (cache, now) = (Cache::new(&context.places), Timestamp::now());
        let found = overview(&config, |route| {
            let listing = cache.read(config.providers.get(route.provider())?, now)?;
            listing.find(route.model()).cloned()
        });
        if self.json {
            print::json(&json!({"version": 1, "routes": found}));
        } else {
            print_table(&found, context);
        }
        print::problems_of(&problems, &context.places.config_file());
        ExitCode::SUCCESS
    }
}

fn print_table(found: &[RouteInUse], context: &Context) {
    let table = routes(found, print::colour(&context.environment));
    let marked = table.contains('*');
    print::line(&table);
    if marked {
        print::line_to_stderr(FOOTNOTE);
    }
    for (route, refusal) in found.iter().filter_map(|row| Some((&row.route, row.refusal.as_ref()?))) {
        print::line_to_stderr(&format!("warning: `{route}`: {}", visible(refusal)));
    }
}
