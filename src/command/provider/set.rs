//! `subagents provider set`.

use std::process::ExitCode;

use clap::Args;

use super::key::{self, KeyInput};
use crate::command::change::tell;
use crate::command::{Context, Failure};
use crate::config::ProviderName;
use crate::config::changes::{ProviderValue, has_provider, set_provider};
use crate::config::edit::Document;
use crate::config::secret::store::Stored;

/// The setting that leads to the key.
const SECRET: &str = "auth.secret";

#[derive(Debug, Args)]
#[command(
    after_help = "Keys: preset, base_url, dialect, auth.kind, auth.secret, auth.header, ca_file, verify_tls, \
    timeouts.connect, timeouts.first_byte, timeouts.idle. A key comes in by `auth.secret --key-stdin < FILE`.\n\n\
    Examples:\n  \
    subagents provider set glm timeouts.first_byte 600\n  \
    subagents provider set glm auth.secret env:OTHER_KEY\n  \
    subagents provider set glm timeouts --unset"
)]
pub(super) struct Set {
    /// The provider.
    name: ProviderName,
    /// The setting, as config.toml names it.
    key: String,
    /// What it is set to.
    #[arg(required_unless_present_any = ["unset", "key_stdin"], conflicts_with_all = ["unset", "key_stdin"])]
    value: Option<String>,
    /// Take the setting out of the file: the preset's or the default counts again.
    #[arg(long, conflicts_with = "key_stdin")]
    unset: bool,
    #[command(flatten)]
    input: KeyInput,
    /// Print what changed as JSON (docs/json/change.schema.json).
    #[arg(long)]
    json: bool,
}

impl Set {
    pub(super) fn run(self, context: &Context) -> Result<ExitCode, Failure> {
        if self.input.is_given() && self.key != SECRET {
            return Err(Failure::usage("--key-stdin goes with `auth.secret` only"));
        }
        let key = self.input.read()?;
        let before = key::stored_for(context, &self.name);
        // The value isn't told: what an undo shows may be read by others.
        let what = format!("provider set {} {}", self.name, self.key.escape_debug());
        let mut stored = None;
        let changes = context.change_config(&what, |document| {
            self.must_exist(document)?;
            if let Some(key) = &key {
                stored = Some(key.keep(context, &self.name)?);
            }
            let reference = stored.as_ref().map(|stored: &Stored| stored.reference.to_string());
            let text = reference.as_ref().or(self.value.as_ref());
            let value = text.map_or(ProviderValue::Unset, |text| ProviderValue::Set(text));
            set_provider(document, &self.name, &self.key, value).map(drop).map_err(Failure::from)
        });
        let changes = key::kept_if(stored, changes)?;
        tell(&what, &changes, self.json);
        key::tell_of_unused(context, before);
        if let (SECRET, Some(Ok(reference))) =
            (self.key.as_str(), self.value.as_ref().map(|text| text.parse()))
        {
            key::warn_of_no_key(context, &reference);
        }
        Ok(ExitCode::SUCCESS)
    }

    fn must_exist(&self, document: &Document) -> Result<(), Failure> {
        let name = &self.name;
        let missing =
            || Failure::failed(format!("there is no provider `{name}`: `subagents provider add {name}`"));
        has_provider(document, name.as_str()).then_some(()).ok_or_else(missing)
    }
}
