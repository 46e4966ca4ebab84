//! `subagents provider …`: where models are served.

mod add;
mod key;
mod list;
mod models;
mod presets;
mod remove;
mod set;
mod test;

use std::process::ExitCode;

use clap::{Args, Subcommand};

use super::{Context, Failure};
use crate::config::{Config, Provider as Configured, ProviderName};

/// Where models are served: add one, look at its models, test it.
#[derive(Debug, Args)]
pub(super) struct Provider {
    #[command(subcommand)]
    verb: Verb,
}

#[derive(Debug, Subcommand)]
enum Verb {
    /// All providers, whether their key is found, and how many agents run on them.
    List(list::List),
    /// The providers that are known by name.
    Presets(presets::Presets),
    /// Add a provider; its key is referred to, or put into a store.
    Add(add::Add),
    /// Change one setting of a provider.
    Set(set::Set),
    /// Remove a provider that nobody uses.
    Rm(remove::Remove),
    /// The models that a provider lists now, with what it says of them.
    Models(models::Models),
    /// Test a provider: is it there, what does it list, does one model answer.
    Test(test::Test),
}

impl Provider {
    pub(super) async fn run(self, context: &Context) -> Result<ExitCode, Failure> {
        match self.verb {
            Verb::List(list) => Ok(list.run(context)),
            Verb::Presets(presets) => Ok(presets.run(context)),
            Verb::Add(add) => add.run(context),
            Verb::Set(set) => set.run(context),
            Verb::Rm(remove) => remove.run(context),
            Verb::Models(models) => models.run(context).await,
            Verb::Test(test) => test.run(context).await,
        }
    }
}

/// The provider of this name, if it can be used.
pub(super) fn find<'c>(config: &'c Config, name: &ProviderName) -> Result<&'c Configured, Failure> {
    config.providers.get(name).ok_or_else(|| {
        let names: Vec<String> = config.providers.keys().map(|known| format!("`{known}`")).collect();
        let known = if names.is_empty() { "there is none yet".to_owned() } else { names.join(", ") };
        Failure::configuration(format!(
            "there is no usable provider `{name}` ({known}): add it with `subagents provider add {name}`, or see \
             what is wrong with `subagents config check`"
        ))
    })
}
