//! `subagents provider set`.

use std::process::ExitCode;

use clap::Args;

use super::key::{self, Store};
use crate::command::change::tell;
use crate::command::{Context, Failure};
use crate::config::changes::{ProviderValue, has_provider, set_provider};
use crate::config::edit::Document;
use crate::config::{ProviderName, SecretRef};

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
    /// For auth.secret: read the key itself from stdin, and put it into a store.
    #[arg(long)]
    key_stdin: bool,
    /// The store for --key-stdin.
    #[arg(long, default_value = "file", requires = "key_stdin")]
    store: Store,
    /// Print what changed as JSON (docs/json/change.schema.json).
    #[arg(long)]
    json: bool,
}

impl Set {
    pub(super) fn run(self, context: &Context) -> Result<ExitCode, Failure> {
        if self.key_stdin && self.key != "auth.secret" {
            return Err(Failure::usage("--key-stdin goes with `auth.secret` only"));
        }
        self.must_exist(context)?;
        let stored =
            if self.key_stdin { Some(key::from_stdin(context, &self.name, self.store)?) } else { None };
        let reference = stored.as_ref().map(|stored| stored.reference.to_string());
        let text = reference.as_ref().or(self.value.as_ref());
        let value = text.map_or(ProviderValue::Unset, |text| ProviderValue::Set(text));
        // The value isn't told: what an undo shows may be read by others.
        let what = format!("provider set {} {}", self.name, self.key.escape_debug());
        let change = context
            .change_config(&what, |document| set_provider(document, &self.name, &self.key, value).map(drop));
        let changes = key::kept_if(stored, change)?;
        tell(&what, &changes, self.json);
        if let ("auth.secret", ProviderValue::Set(text)) = (self.key.as_str(), value)
            && let Ok(reference) = text.parse::<SecretRef>()
        {
            key::warn_of_no_key(context, &reference);
        }
        Ok(ExitCode::SUCCESS)
    }

    fn must_exist(&self, context: &Context) -> Result<(), Failure> {
        let store = context.store();
        let text = store.begin()?.read(&context.places.config_file())?.unwrap_or_default();
        let exists = has_provider(&Document::parse(&text)?, self.name.as_str());
        let name = &self.name;
        let missing =
            || Failure::failed(format!("there is no provider `{name}`: `subagents provider add {name}`"));
        exists.then_some(()).ok_or_else(missing)
    }
}
