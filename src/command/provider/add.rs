//! `subagents provider add`.

use std::process::ExitCode;

use clap::Args;
use clap::builder::PossibleValuesParser;

use super::key::{self, KeyInput};
use crate::command::change::tell;
use crate::command::{Context, Failure, prompt};
use crate::config::changes::{NewProvider, add_provider, has_provider};
use crate::config::edit::Document;
use crate::config::preset::{self, Preset};
use crate::config::{Auth, Dialect, ProviderName, SecretRef};

/// The kind of auth that sends none.
const NO_KEY: &str = "none";

#[derive(Debug, Args)]
#[command(
    after_help = "The name of a preset brings its address and its kind of auth along. The file gets a \
    reference to the key, never the key; a key itself comes in by `--key-stdin < FILE`.\n\nExamples:\n  subagents provider add ollama\n  \
    subagents provider add kimi --secret env:MY_KIMI_KEY\n  \
    subagents provider add glm-work --preset glm --secret file:~/.secrets/glm\n  \
    subagents provider add gateway --base-url https://llm.example/anthropic --auth bearer --secret env:GATEWAY_KEY"
)]
pub(super) struct Add {
    /// Its name: the part of a route before the `/`.
    name: ProviderName,
    /// A preset; without it, one of the same name.
    #[arg(long)]
    preset: Option<String>,
    /// Its address, without `/v1/messages`.
    #[arg(long, value_name = "URL")]
    base_url: Option<String>,
    /// What it speaks.
    #[arg(long, value_name = "DIALECT", value_parser = PossibleValuesParser::new(Dialect::ALL.map(Dialect::word)))]
    dialect: Option<String>,
    /// How it wants its key.
    #[arg(long, value_name = "KIND", value_parser = PossibleValuesParser::new(Auth::KINDS))]
    auth: Option<String>,
    /// The header that the key goes into, for `--auth header`.
    #[arg(long, value_name = "NAME")]
    header: Option<String>,
    /// Where the key is found: `env:NAME`, `file:PATH`, `cmd:COMMAND` or `keyring:SERVICE/ACCOUNT`.
    #[arg(long, value_name = "REFERENCE", conflicts_with = "key_stdin")]
    secret: Option<String>,
    #[command(flatten)]
    key: KeyInput,
    /// Print what changed as JSON (docs/json/change.schema.json).
    #[arg(long)]
    json: bool,
}

impl Add {
    pub(super) fn run(self, context: &Context) -> Result<ExitCode, Failure> {
        let (preset, base_url) = self.origin()?;
        let kind = self.kind(preset.as_ref())?;
        let secret = self.secret(preset.as_ref(), kind.as_deref())?;
        let key = self.key.read()?;
        let mut provider = self.provider(preset.as_ref(), base_url, kind.clone(), secret);
        let what = format!("provider add {}", self.name);
        let mut stored = None;
        let changes = context.change_config(&what, |document| {
            self.must_be_new(document)?;
            if let Some(key) = &key {
                let stored = stored.insert(key.keep(context, &self.name)?);
                provider.secret = Some(stored.reference.clone());
            }
            Ok::<(), Failure>(add_provider(document, &provider)?)
        });
        let changes = key::kept_if(stored, changes)?;
        tell(&what, &changes, self.json);
        let used = provider.secret.or_else(|| preset.and_then(|preset| preset.auth.secret().cloned()));
        if let Some(reference) = used.filter(|_| kind.as_deref() != Some(NO_KEY)) {
            key::warn_of_no_key(context, &reference);
        }
        Ok(ExitCode::SUCCESS)
    }

    fn must_be_new(&self, document: &Document) -> Result<(), Failure> {
        let name = &self.name;
        if has_provider(document, name.as_str()) {
            return Err(Failure::failed(format!(
                "there is a provider `{name}` already: change it with `subagents provider set {name} KEY VALUE`"
            )));
        }
        Ok(())
    }

    fn provider(
        &self,
        preset: Option<&Preset>,
        base_url: Option<String>,
        auth_kind: Option<String>,
        secret: Option<SecretRef>,
    ) -> NewProvider {
        NewProvider {
            name: self.name.clone(),
            preset: preset.map(|preset| preset.name.clone()),
            base_url,
            dialect: self.dialect.clone(),
            auth_kind,
            header: self.header.clone(),
            secret,
        }
    }

    /// The preset and the address: as given, by the provider's name, or as the person says.
    fn origin(&self) -> Result<(Option<Preset>, Option<String>), Failure> {
        if let Some(name) = &self.preset {
            return Ok((Some(known(name)?), self.base_url.clone()));
        }
        if self.base_url.is_some() {
            return Ok((None, self.base_url.clone()));
        }
        if let Some(preset) = preset::find(self.name.as_str()) {
            return Ok((Some(preset), None));
        }
        let names: Vec<String> = preset::all().into_iter().map(|preset| preset.name).collect();
        let question = format!("A preset ({}) or a base URL for `{}`", names.join(", "), self.name);
        let answer = prompt::ask(&question, None, "--preset NAME or --base-url URL")?;
        if answer.contains("://") {
            return Ok((None, Some(answer)));
        }
        // It isn't repeated: a key may have been pasted here.
        let neither = "this is neither a preset nor an address that begins with `https://` or `http://`: nothing was changed";
        preset::find(&answer).map(|preset| (Some(preset), None)).ok_or_else(|| Failure::usage(neither))
    }

    /// The kind of auth to be written; `None`: the preset's will do.
    fn kind(&self, preset: Option<&Preset>) -> Result<Option<String>, Failure> {
        let has_key = self.key.is_given() || self.secret.is_some();
        if has_key && self.auth.as_deref() == Some(NO_KEY) {
            return Err(Failure::usage("`--auth none` sends no key: give another kind, or no key"));
        }
        let preset_has_kind = preset.is_some_and(|preset| preset.auth != Auth::None);
        if self.auth.is_some() || preset_has_kind || (preset.is_some() && !has_key) {
            return Ok(self.auth.clone());
        }
        let default = if has_key { None } else { Some(NO_KEY) };
        let question = format!("How does it want its key ({})", Auth::KINDS.join(", "));
        let answer = prompt::ask(&question, default, "--auth bearer or --auth x-api-key")?;
        if !Auth::KINDS.contains(&answer.as_str()) {
            return Err(Failure::usage("there is no such kind of auth: nothing was changed"));
        }
        Ok(Some(answer))
    }

    /// The reference to be written; `None`: the preset's will do, or none is wanted.
    fn secret(&self, preset: Option<&Preset>, kind: Option<&str>) -> Result<Option<SecretRef>, Failure> {
        if let Some(text) = &self.secret {
            return text.parse().map(Some).map_err(|error| Failure::usage(format!("--secret: {error}")));
        }
        let usual = preset.and_then(|preset| preset.auth.secret());
        let wanted = kind.map_or(usual.is_some(), |kind| kind != NO_KEY);
        if self.key.is_given() || !wanted || (usual.is_some() && !prompt::possible()) {
            return Ok(None);
        }
        let question = "Where is the key found (env:NAME, file:PATH, cmd:COMMAND, keyring:SERVICE/ACCOUNT)";
        let usual = usual.map(ToString::to_string);
        let answer = prompt::ask(question, usual.as_deref(), "--secret env:NAME or --key-stdin")?;
        if Some(&answer) == usual.as_ref() {
            return Ok(None);
        }
        answer.parse().map(Some).map_err(Failure::usage)
    }
}

fn known(name: &str) -> Result<Preset, Failure> {
    preset::find(name).ok_or_else(|| {
        let names: Vec<String> = preset::all().into_iter().map(|preset| preset.name).collect();
        Failure::usage(format!("there is no preset `{}`: there is {}", name.escape_debug(), names.join(", ")))
    })
}
