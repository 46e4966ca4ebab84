//! `subagents provider rm`.

use std::process::ExitCode;

use clap::Args;

use super::key;
use crate::command::change::tell;
use crate::command::{Context, Failure};
use crate::config::ProviderName;
use crate::config::changes::{remove_provider, users};
use crate::config::edit::Document;

#[derive(Debug, Args)]
#[command(
    after_help = "Nobody is asked: `subagents config undo` takes it back.\n\nExample:\n  subagents provider rm gateway --force"
)]
pub(super) struct Remove {
    /// The provider.
    name: ProviderName,
    /// Although it is in use: by agents, routes or the policy.
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
        let before = key::stored_for(context, name);
        let what = format!("provider rm {name}");
        let (file, store) = (context.places.config_file(), context.store());
        let mut transaction = store.begin()?;
        let mut document = Document::parse(&transaction.read(&file)?.unwrap_or_default())?;
        if !remove_provider(&mut document, name.as_str())? {
            return Err(Failure::failed(format!("there is no provider `{name}` in {}", file.display())));
        }
        if !users.is_empty() && !self.force {
            let listed = users.join("\n  ");
            return Err(Failure::failed(format!(
                "provider `{name}` is in use, and was not removed:\n  {listed}\nChange these first, or give --force"
            )));
        }
        transaction.put(&file, Some(document.to_string()))?;
        let changes =
            if self.force { transaction.commit_anyway(&what)? } else { transaction.commit(&what)? };
        tell(&what, &changes, self.json);
        key::tell_of_unused(context, before);
        Ok(ExitCode::SUCCESS)
    }
}
