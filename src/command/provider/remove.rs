//! `subagents provider rm`.

use std::process::ExitCode;

use clap::Args;

use crate::command::change::tell;
use crate::command::{Context, Failure, print};
use crate::config::ProviderName;
use crate::config::changes::{remove_provider, users};
use crate::config::edit::Document;
use crate::config::secret::store::key_file;

#[derive(Debug, Args)]
#[command(after_help = "Example:\n  subagents provider rm gateway --force")]
pub(super) struct Remove {
    /// The provider.
    name: ProviderName,
    /// Remove it although agents, routes or the policy use it.
    #[arg(long)]
    force: bool,
    /// Print what changed as JSON (docs/json/change.schema.json).
    #[arg(long)]
    json: bool,
}

impl Remove {
    pub(super) fn run(self, context: &Context) -> Result<ExitCode, Failure> {
        let name = &self.name;
        let (config, _) = context.config();
        let users = users(&config, name);
        if !users.is_empty() && !self.force {
            let listed = users.join("\n  ");
            return Err(Failure::failed(format!(
                "provider `{name}` is in use, and was not removed:\n  {listed}\nChange these first, or give --force"
            )));
        }
        let what = format!("provider rm {name}");
        let (file, store) = (context.places.config_file(), context.store());
        let mut transaction = store.begin()?;
        let mut document = Document::parse(&transaction.read(&file)?.unwrap_or_default())?;
        if !remove_provider(&mut document, name.as_str())? {
            return Err(Failure::failed(format!("there is no provider `{name}` in {}", file.display())));
        }
        transaction.put(&file, Some(document.to_string()))?;
        let changes =
            if self.force { transaction.commit_anyway(&what)? } else { transaction.commit(&what)? };
        tell(&what, &changes, self.json);
        let key = key_file(name, &context.places.data_dir);
        if key.exists() {
            print::line_to_stderr(&format!(
                "Its key is still in {}: remove that file if it isn't needed.",
                key.display()
            ));
        }
        Ok(ExitCode::SUCCESS)
    }
}
