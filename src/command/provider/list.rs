//! `subagents provider list`.

use std::process::ExitCode;

use clap::Args;
use serde_json::{Value, json};

use crate::command::{Context, print};
use crate::config::secret::resolve;
use crate::config::{Auth, Config, Environment, Provider, SecretRef, Tls};
use crate::ui::table;

#[derive(Debug, Args)]
#[command(after_help = "A key is looked up and never shown. A command or a keyring may ask a person for a \
    passphrase, so those are asked only with --check.\n\n\
    Examples:\n  subagents provider list\n  subagents provider list --json")]
pub(super) struct List {
    /// Ask commands and keyrings for their keys too.
    #[arg(long)]
    check: bool,
    /// Print JSON (docs/json/provider-list.schema.json).
    #[arg(long)]
    json: bool,
}

/// Whether a key is there.
enum Key {
    NotWanted,
    Found,
    Unchecked,
    Missing(String),
}

impl Key {
    fn look(auth: &Auth, environment: &Environment, check: bool) -> Self {
        let Some(reference) = auth.secret() else { return Self::NotWanted };
        let asks = matches!(reference, SecretRef::Command(_) | SecretRef::Keyring { .. });
        if asks && !check {
            return Self::Unchecked;
        }
        resolve(reference, environment).map_or_else(|error| Self::Missing(error.to_string()), |_| Self::Found)
    }

    fn word(&self) -> &'static str {
        match self {
            Self::NotWanted => "none",
            Self::Found => "found",
            Self::Unchecked => "unchecked",
            Self::Missing(_) => "missing",
        }
    }

    fn problem(&self) -> Option<&str> {
        if let Self::Missing(reason) = self { Some(reason) } else { None }
    }
}

impl List {
    pub(super) fn run(self, context: &Context) -> ExitCode {
        let (config, problems) = context.config();
        let keyed = config
            .providers
            .values()
            .map(|provider| (provider, Key::look(&provider.auth, &context.environment, self.check)));
        let keyed: Vec<(&Provider, Key)> = keyed.collect();
        if self.json {
            let providers: Vec<Value> =
                keyed.iter().map(|(provider, key)| as_json(provider, key, &config)).collect();
            print::json(&json!({"version": 1, "providers": providers}));
        } else {
            print_table(&keyed, &config, context);
        }
        print::problems_of(&problems, &context.places.config_file());
        ExitCode::SUCCESS
    }
}

fn print_table(keyed: &[(&Provider, Key)], config: &Config, context: &Context) {
    let rows: Vec<Vec<String>> = keyed.iter().map(|(provider, key)| row(provider, key, config)).collect();
    let heads = ["name", "preset", "base url", "dialect", "auth", "key", "agents"];
    print::line(&table(&heads, &rows, print::colour(&context.environment)));
    if rows.is_empty() {
        print::line_to_stderr(
            "There is no provider yet: `subagents provider presets` shows which are known.",
        );
    }
    for (provider, key) in keyed {
        if let Some(problem) = key.problem() {
            print::line_to_stderr(&format!("warning: provider `{}`: {problem}", provider.name));
        }
    }
}

fn row(provider: &Provider, key: &Key, config: &Config) -> Vec<String> {
    let reference = provider.auth.secret().map(|secret| format!(" {secret}")).unwrap_or_default();
    vec![
        provider.name.to_string(),
        provider.preset.clone().unwrap_or_default(),
        provider.base_url.clone(),
        provider.dialect.to_string(),
        format!("{}{reference}", provider.auth.kind()),
        key.word().to_owned(),
        agents(provider, config).to_string(),
    ]
}

fn as_json(provider: &Provider, key: &Key, config: &Config) -> Value {
    let tls = match provider.tls {
        Tls::System => "system",
        Tls::CaFile(_) => "ca_file",
        Tls::Unverified => "unverified",
    };
    let header = if let Auth::Header { name, .. } = &provider.auth { Some(name) } else { None };
    json!({
        "name": provider.name.as_str(),
        "preset": provider.preset,
        "base_url": provider.base_url,
        "dialect": provider.dialect,
        "auth": {
            "kind": provider.auth.kind(),
            "secret": provider.auth.secret().map(ToString::to_string),
            "header": header,
        },
        "key": key.word(),
        "key_problem": key.problem(),
        "tls": tls,
        "agents": agents(provider, config),
        "repairs": provider.repairs,
    })
}

fn agents(provider: &Provider, config: &Config) -> usize {
    let routes = config.agents.iter().filter_map(|agent| agent.model.route());
    routes.filter(|route| *route.provider() == provider.name).count()
}
