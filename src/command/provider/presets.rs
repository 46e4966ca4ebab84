//! `subagents provider presets`.

use std::process::ExitCode;

use clap::Args;
use serde_json::{Value, json};

use crate::command::{Context, print};
use crate::config::preset::{self, Preset};
use crate::ui::table;

#[derive(Debug, Args)]
#[command(
    after_help = "--json says more of each: what it is, how it wants its key, what it speaks.\n\nExample:\n  subagents provider presets"
)]
pub(super) struct Presets {
    /// Print JSON (docs/json/provider-presets.schema.json).
    #[arg(long)]
    json: bool,
}

impl Presets {
    pub(super) fn run(self, context: &Context) -> ExitCode {
        let presets = preset::all();
        if self.json {
            let presets: Vec<Value> = presets.iter().map(as_json).collect();
            print::json(&json!({"version": 1, "presets": presets}));
        } else {
            let rows: Vec<Vec<String>> = presets.into_iter().map(row).collect();
            let heads = ["preset", "base url", "key"];
            print::line(&table(&heads, &rows, print::colour(&context.environment)));
        }
        ExitCode::SUCCESS
    }
}

fn row(preset: Preset) -> Vec<String> {
    let key = preset.auth.secret().map(ToString::to_string).unwrap_or_default();
    vec![preset.name, preset.base_url, key]
}

fn as_json(preset: &Preset) -> Value {
    json!({
        "name": preset.name,
        "about": preset.about,
        "base_url": preset.base_url,
        "dialect": preset.dialect,
        "auth": {"kind": preset.auth.kind(), "secret": preset.auth.secret().map(ToString::to_string)},
    })
}
