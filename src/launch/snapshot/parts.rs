//! The shape of a snapshot, from the configuration and back. Every field of the configuration is named here once each
//! way, so that one that is added has to be decided about.

mod budget;
mod provider;

use std::collections::BTreeMap;
use std::num::NonZeroU64;
use std::path::Path;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::config::{
    Agent, ChatOptions, Config, MainSession, Model, Policy, Price, Repairs, RouteId, RouteSettings,
    StrayRule, Visibility, WireId,
};
use crate::launch::bind::Bound;

use self::budget::BudgetPart;
use self::provider::{ProviderPart, TimeoutsPart};

/// What can't be read back.
#[derive(Debug)]
pub(super) struct Unreadable(pub(super) String);

#[derive(Serialize, Deserialize)]
pub(super) struct Whole {
    version: u64,
    agents: Vec<AgentPart>,
    providers: BTreeMap<String, ProviderPart>,
    routes: BTreeMap<String, RoutePart>,
    policy: PolicyPart,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    budgets: Vec<BudgetPart>,
    main: MainPart,
}

#[derive(Serialize, Deserialize)]
struct AgentPart {
    name: String,
    description: String,
    prompt: String,
    tools: Option<Vec<String>>,
    /// As an agent file says it.
    model: String,
    wire_id: Option<String>,
    visibility: Visibility,
    read_only: bool,
    fields: Map<String, Value>,
    file: String,
}

#[derive(Serialize, Deserialize)]
struct RoutePart {
    context_window: Option<NonZeroU64>,
    output_limit: Option<NonZeroU64>,
    efforts: Vec<String>,
    default_effort: Option<String>,
    price: Option<Price>,
    no_tools: bool,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    concurrency: Option<NonZeroU64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    queue: Option<NonZeroU64>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    fallback: Vec<String>,
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    local: bool,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    timeouts: Option<TimeoutsPart>,
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    no_images: bool,
    #[serde(default, skip_serializing_if = "Repairs::is_empty")]
    repairs: Repairs,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    chat: Option<ChatOptions>,
}

#[derive(Serialize, Deserialize)]
struct PolicyPart {
    enabled: bool,
    allowed: Vec<String>,
    stray: StrayRule,
}

#[derive(Serialize, Deserialize)]
struct MainPart {
    upstream: Option<String>,
    route: Option<String>,
}

impl Whole {
    pub(super) fn of(agents: &[Bound<'_>], config: &Config) -> Self {
        // Profiles are what the agents and words of a launch were chosen by; `claude` and `retention` are the machine's,
        // and how the app looks is no part of what runs.
        let Config {
            main,
            policy,
            providers,
            routes,
            budgets,
            profiles: _,
            agents: _,
            claude: _,
            retention: _,
            leader: _,
            notify_command: _,
            delegation: _,
            tui: _,
            themes: _,
        } = config;
        Self {
            version: super::VERSION,
            agents: agents.iter().map(AgentPart::of).collect(),
            providers: providers
                .values()
                .map(|provider| (provider.name.to_string(), provider.into()))
                .collect(),
            routes: routes.iter().map(|(id, settings)| (id.to_string(), settings.into())).collect(),
            policy: policy.into(),
            budgets: budgets.iter().map(Into::into).collect(),
            main: main.into(),
        }
    }

    /// The configuration, and the agents' wire ids in their order.
    pub(super) fn config(self) -> Result<(Config, Vec<Option<WireId>>), Unreadable> {
        let (agents, wires): (Vec<_>, Vec<_>) =
            self.agents.into_iter().map(AgentPart::agent).collect::<Result<Vec<_>, _>>()?.into_iter().unzip();
        let providers = self.providers.into_iter().map(|(name, part)| {
            let provider = part.provider(&name)?;
            Ok((provider.name.clone(), provider))
        });
        let routes = self.routes.into_iter().map(|(id, part)| Ok((read(&id)?, part.settings()?)));
        let config = Config {
            main: self.main.main()?,
            policy: self.policy.policy()?,
            providers: providers.collect::<Result<_, _>>()?,
            routes: routes.collect::<Result<_, _>>()?,
            budgets: self.budgets.into_iter().map(BudgetPart::budget).collect::<Result<_, _>>()?,
            profiles: BTreeMap::new(),
            agents,
            ..Config::default()
        };
        Ok((config, wires))
    }
}

impl AgentPart {
    fn of(bound: &Bound<'_>) -> Self {
        // What Claude Code doesn't know is never sent, so it isn't a part of the launch.
        let Agent {
            name,
            description,
            prompt,
            tools,
            model,
            visibility,
            read_only,
            fields,
            unknown: _,
            file,
        } = bound.agent;
        Self {
            name: name.clone(),
            description: description.clone(),
            prompt: prompt.clone(),
            tools: tools.clone(),
            model: model.to_string(),
            wire_id: bound.wire.as_ref().map(ToString::to_string),
            visibility: *visibility,
            read_only: *read_only,
            fields: fields.clone(),
            file: text(file),
        }
    }

    fn agent(self) -> Result<(Agent, Option<WireId>), Unreadable> {
        let wire = self.wire_id.as_deref().map(wire).transpose()?;
        let model = match (self.model.as_str(), &wire) {
            ("inherit", _) => Model::Inherit,
            (route, Some(_)) => Model::Route(read(route)?),
            (model, None) => Model::Claude(model.to_owned()),
        };
        let agent = Agent {
            name: self.name,
            description: self.description,
            prompt: self.prompt,
            tools: self.tools,
            model,
            visibility: self.visibility,
            read_only: self.read_only,
            fields: self.fields,
            unknown: Map::new(),
            file: self.file.into(),
        };
        Ok((agent, wire))
    }
}

impl From<&RouteSettings> for RoutePart {
    fn from(settings: &RouteSettings) -> Self {
        let RouteSettings {
            context_window,
            output_limit,
            efforts,
            default_effort,
            price,
            no_tools,
            concurrency,
            queue,
            fallback,
            local,
            timeouts,
            no_images,
            repairs,
            chat,
        } = settings;
        Self {
            context_window: *context_window,
            output_limit: *output_limit,
            efforts: efforts.clone(),
            default_effort: default_effort.clone(),
            price: *price,
            no_tools: *no_tools,
            concurrency: *concurrency,
            queue: *queue,
            fallback: fallback.iter().map(ToString::to_string).collect(),
            local: *local,
            timeouts: timeouts.as_ref().map(Into::into),
            no_images: *no_images,
            repairs: repairs.clone(),
            chat: *chat,
        }
    }
}

impl RoutePart {
    fn settings(self) -> Result<RouteSettings, Unreadable> {
        Ok(RouteSettings {
            context_window: self.context_window,
            output_limit: self.output_limit,
            efforts: self.efforts,
            default_effort: self.default_effort,
            price: self.price,
            no_tools: self.no_tools,
            no_images: self.no_images,
            repairs: self.repairs,
            concurrency: self.concurrency,
            queue: self.queue,
            fallback: self.fallback.iter().map(|route| read(route)).collect::<Result<_, _>>()?,
            local: self.local,
            timeouts: self.timeouts.map(Into::into),
            chat: self.chat,
        })
    }
}

impl From<&Policy> for PolicyPart {
    fn from(policy: &Policy) -> Self {
        let Policy { enabled, allowed, stray } = policy;
        Self { enabled: *enabled, allowed: allowed.iter().map(ToString::to_string).collect(), stray: *stray }
    }
}

impl PolicyPart {
    fn policy(self) -> Result<Policy, Unreadable> {
        let allowed = self.allowed.iter().map(|route| read(route)).collect::<Result<_, _>>()?;
        Ok(Policy { enabled: self.enabled, allowed, stray: self.stray })
    }
}

impl From<&MainSession> for MainPart {
    fn from(main: &MainSession) -> Self {
        let MainSession { upstream, route } = main;
        Self { upstream: upstream.clone(), route: route.as_ref().map(ToString::to_string) }
    }
}

impl MainPart {
    fn main(self) -> Result<MainSession, Unreadable> {
        let route = self.route.as_deref().map(read).transpose()?;
        Ok(MainSession { upstream: self.upstream, route })
    }
}

fn wire(text: &str) -> Result<WireId, Unreadable> {
    let (agent, route): (&str, RouteId) =
        WireId::split(text).ok_or_else(|| Unreadable(format!("`{text}` is no wire id")))?;
    Ok(WireId::new(agent, &route))
}

fn read<T: std::str::FromStr<Err: std::fmt::Display>>(text: &str) -> Result<T, Unreadable> {
    text.parse().map_err(|error: T::Err| Unreadable(error.to_string()))
}

fn text(path: &Path) -> String {
    path.to_string_lossy().into_owned()
}
