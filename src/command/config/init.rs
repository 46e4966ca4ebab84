//! `subagents config init`.

use std::process::ExitCode;

use clap::Args;

use crate::command::change::tell;
use crate::command::{Context, Failure};
use crate::config::{CONFIG_SCHEMA, CONFIG_SCHEMA_FILE, DEFAULT_CONFIG};

#[derive(Debug, Args)]
#[command(
    after_help = "Beside it goes the JSON schema that editors complete and check by. A config.toml that is there \
                  already is left as it is.\n\nExample:\n  subagents config init"
)]
pub(super) struct Init {
    /// Print what changed as JSON.
    #[arg(long)]
    json: bool,
}

impl Init {
    pub(super) fn run(self, context: &Context) -> Result<ExitCode, Failure> {
        let file = context.places.config_file();
        let store = context.store();
        let mut transaction = store.begin()?;
        if transaction.read(&file)?.is_some() {
            let file = file.display();
            return Err(Failure::failed(format!(
                "{file} is there already: `subagents config edit` opens it"
            )));
        }
        transaction.put(&file, Some(DEFAULT_CONFIG.to_owned()))?;
        let schema = context.places.config_dir.join(CONFIG_SCHEMA_FILE);
        transaction.put(&schema, Some(CONFIG_SCHEMA.to_owned()))?;
        let changes = transaction.commit("config init")?;
        tell("config init", &changes, self.json);
        Ok(ExitCode::SUCCESS)
    }
}
