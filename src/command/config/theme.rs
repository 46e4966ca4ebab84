//! `subagents config theme`.

use std::process::ExitCode;

use clap::Args;
use serde_json::{Value, json};

use crate::command::change::tell;
use crate::command::{Context, Failure, print};
use crate::config::{Config, ThemeChoice};
use crate::ui::table;

#[derive(Debug, Args)]
#[command(
    after_help = "A file themes/NAME.toml in the configuration folder is a theme too; `inherits = \"dark\"` takes the rest \
                  from another one.\n\nExamples:\n  subagents config theme\n  subagents config theme light"
)]
pub(super) struct Theme {
    /// The theme that is taken from now on; `auto` takes the one that fits the terminal. Without it all are listed.
    #[arg(value_name = "THEME")]
    name: Option<String>,
    /// Print the list, or what changed, as JSON.
    #[arg(long)]
    json: bool,
}

impl Theme {
    pub(super) fn run(self, context: &Context) -> Result<ExitCode, Failure> {
        let (config, _) = context.config();
        let Some(name) = &self.name else {
            self.show(&config, context);
            return Ok(ExitCode::SUCCESS);
        };
        config.themes.choose(name).map_err(Failure::usage)?;
        let what = format!("config theme {name}");
        let changes =
            context.change_config(&what, |document| document.set(&["tui", "theme"], name.as_str()))?;
        tell(&what, &changes, self.json);
        Ok(ExitCode::SUCCESS)
    }

    fn show(&self, config: &Config, context: &Context) {
        let chosen = config.tui.theme.name();
        let rows = config.themes.choices().map(|name| (name, name == chosen, config.themes.is_own(name)));
        if self.json {
            let themes: Vec<Value> =
                rows.map(|(name, chosen, own)| json!({"name": name, "chosen": chosen, "own": own})).collect();
            print::json(&json!({"version": 1, "themes": themes}));
            return;
        }
        let row = |(name, chosen, own): (&str, bool, bool)| {
            let from = match name {
                ThemeChoice::AUTO => "light or dark, as your terminal is",
                _ if own => "your own",
                _ => "built in",
            };
            vec![name.to_owned(), from.to_owned(), if chosen { "chosen" } else { "" }.to_owned()]
        };
        let rows: Vec<Vec<String>> = rows.map(row).collect();
        print::line(&table(&["theme", "from", ""], &rows, print::colour(&context.environment)));
    }
}
