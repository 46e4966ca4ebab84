//! From a plan to the exact command: program, arguments, environment, files.
//!
//! Pure: the same plan gives the same command, whether it is run or only shown. No token ever stands in an
//! argument, because arguments are readable by everyone on the machine.

use std::collections::BTreeSet;
use std::num::NonZeroU64;
use std::path::{Path, PathBuf};

use serde_json::{Map, Value, json};
use uuid::Uuid;

use super::agents_files;
use super::agents_json::{self, Carrier};
use super::arguments::Arguments;
use super::bind::{Bound, MainRoute};
use super::child_environment::{self, Changes};
use super::overlay::{self, Dialogs, Hooks};
use super::private_files::PrivateFile;
use super::settings::{Layer, Settings, findings};
use crate::config::{Agent, Environment};

/// Everything that decides what is launched.
pub struct Plan<'a> {
    /// Claude Code's executable.
    pub claude: &'a Path,
    /// The profile's arguments, then the user's, read as one line: the last of two counts.
    pub arguments: &'a Arguments,
    /// The agents that this launch takes.
    pub agents: &'a [Bound<'a>],
    /// The user's own `--agents` ([`agents_json::read_own`]).
    pub own_agents: Option<&'a Map<String, Value>>,
    pub settings: &'a Settings,
    pub environment: &'a Environment,
    /// Variables that providers' secrets are read from.
    pub secret_variables: &'a BTreeSet<String>,
    /// The session's own folder, for its files.
    pub folder: &'a Path,
    /// `None`: nothing needs the router, and the child is launched without it.
    pub router: Option<Router>,
}

/// What the child is told of the router. No `Debug`: it holds tokens.
#[derive(Clone)]
pub struct Router {
    /// The id that Claude Code's conversation gets, unless the user names one.
    pub session: Uuid,
    /// `http://127.0.0.1:PORT/s/TOKEN`
    pub base_url: String,
    /// Where hooks are posted to.
    pub hook_url: Option<String>,
    /// Whether a permission's hook may wait for a person.
    pub dialogs: Dialogs,
    pub mcp: Option<McpServer>,
    /// The main session's own route.
    pub main: Option<MainRoute>,
    /// The smallest context window among the bound routes, in tokens.
    pub window: Option<NonZeroU64>,
}

impl Router {
    fn hooks(&self) -> Option<Hooks<'_>> {
        self.hook_url.as_deref().map(|url| Hooks { url, dialogs: self.dialogs })
    }
}

/// The MCP server that the session gets. No `Debug`: it holds a token.
#[derive(Clone)]
pub struct McpServer {
    pub url: String,
    pub token: String,
}

/// What is run. No `Debug`: environment and files hold the session's token.
#[derive(Clone, PartialEq)]
pub struct Command {
    pub program: PathBuf,
    pub args: Vec<String>,
    /// Set on top of this process's environment.
    pub env_set: Vec<(String, String)>,
    pub env_remove: Vec<String>,
    /// To be written before the program starts.
    pub files: Vec<PrivateFile>,
    /// All agents' definitions, however they travel.
    pub agents: Map<String, Value>,
    /// Sentences for the user, each with what to do.
    pub warnings: Vec<String>,
}

/// Why a plan can't be launched.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum CommandError {
    #[error("agents on routes can't be launched: {0}")]
    Bypassed(String),
    #[error("your own --settings can't be read, so it can't be merged: mend the file or the JSON text")]
    OwnSettings,
}

/// Composes the command.
pub fn compose(plan: &Plan<'_>) -> Result<Command, CommandError> {
    if !plan.arguments.opens_session() {
        return Ok(untouched(plan));
    }
    let mut warnings = bypass(plan)?;
    let (agents, clashes) = merged_agents(plan);
    warnings.extend(clashes);
    let carrier = if plan.agents.is_empty() {
        Carrier::Nothing
    } else {
        agents_json::carrier(&agents, plan.arguments.headless())
    };
    let Changes { set, remove, blank, warnings: notes } = child_environment::changes(plan);
    warnings.extend(notes);
    warnings.extend(hooks_notice(plan));
    warnings.extend(permission_notice(plan));
    warnings.extend(folder_notice(plan, &carrier));
    let blanks = blank.into_iter().map(|name| (name, String::new()));
    let variables: Vec<(String, String)> = set.iter().cloned().chain(blanks).collect();
    let settings = settings_file(plan, &carrier, &variables)?;
    let mut files = agent_files(plan, &carrier, &agents);
    files.extend(mcp_file(plan));
    let args = arguments(plan, carrier, settings.as_ref());
    files.extend(settings);
    let program = plan.claude.to_owned();
    Ok(Command { program, args, env_set: set, env_remove: remove, files, agents, warnings })
}

/// `claude mcp list` and its like open no session: they get what the user wrote, and nothing of ours.
fn untouched(plan: &Plan<'_>) -> Command {
    let alone = Plan { router: None, agents: &[], ..*plan };
    let Changes { remove, warnings, .. } = child_environment::changes(&alone);
    Command {
        program: plan.claude.to_owned(),
        args: plan.arguments.without(&[]),
        env_set: Vec::new(),
        env_remove: remove,
        files: Vec::new(),
        agents: Map::new(),
        warnings,
    }
}

/// The first agent that Claude Code gets with a route.
fn routed<'a>(plan: &Plan<'a>) -> Option<&'a Agent> {
    let ours = agents_json::handed_over(plan.agents, plan.own_agents);
    ours.into_iter().find(|bound| bound.wire.is_some()).map(|bound| bound.agent)
}

/// What keeps requests from the router: fatal for routed agents where it is certain, else a warning.
fn bypass(plan: &Plan<'_>) -> Result<Vec<String>, CommandError> {
    let Some(router) = &plan.router else { return Ok(Vec::new()) };
    let cloud = findings::other_cloud(plan.settings, plan.environment);
    match cloud {
        Some(reason) if router.main.is_some() || routed(plan).is_some() => {
            Err(CommandError::Bypassed(reason))
        }
        reason => Ok(reason.into_iter().chain(findings::pinned_base_url(plan.settings)).collect()),
    }
}

/// Our definitions with the user's own laid over them; theirs win.
fn merged_agents(plan: &Plan<'_>) -> (Map<String, Value>, Vec<String>) {
    let mut agents = agents_json::definitions(plan.agents);
    let mut warnings = Vec::new();
    for (name, definition) in plan.own_agents.into_iter().flatten() {
        if agents.insert(name.clone(), definition.clone()).is_some() {
            warnings.push(format!(
                "agent `{name}` comes from your own --agents and not from your agent files, so it may run on \
                 another route; rename one of the two"
            ));
        }
    }
    (agents, warnings)
}

/// Without hooks the launch works, but less is known.
fn hooks_notice(plan: &Plan<'_>) -> Option<String> {
    let url = plan.router.as_ref()?.hook_url.as_deref()?;
    let reason = findings::hooks_off(plan.settings, plan.arguments, plan.environment, url)?;
    Some(format!(
        "{reason}: it is then not known which agent a request belongs to, whether a person is awaited, or \
         whether an agent was called off its route, and nothing is refused"
    ))
}

/// Auto mode's check is answered by Anthropic's servers only, so a routed agent's actions can't be checked.
fn permission_notice(plan: &Plan<'_>) -> Option<String> {
    let router = plan.router.as_ref()?;
    let main = router.main.as_ref().map(|_| "the main session");
    let who = main.or_else(|| routed(plan).map(|agent| agent.name.as_str()))?;
    let in_settings = plan.settings.values("permissions").find_map(|(_, value)| value.get("defaultMode"));
    if plan.arguments.chooses_permissions() || in_settings.is_some_and(|mode| mode != "auto") {
        return None;
    }
    Some(format!(
        "no permission mode is chosen: auto mode's safety check can't be answered on the route of {who}, and \
         Claude Code will ask for each action. Choose one, such as `--permission-mode acceptEdits`, or make it \
         the default in config.toml: `[profiles.default] args = [\"--permission-mode\", \"acceptEdits\"]`"
    ))
}

/// Claude Code asks about every folder that it is given and doesn't trust; its first choice is to leave.
///
/// Seen with 2.1.332. An answer holds for that session only, so a folder that stays the same would be asked about
/// again. Nothing is asked where the folder lies below one in which Claude Code was started and trusted, and links are
/// followed first. Other ways cost more than an answer: `permissions.additionalDirectories` asks nothing and loads no
/// agents, nor does it spare `--add-dir` the question; `--plugin-dir` asks nothing and calls the agent `PLUGIN:NAME`;
/// of two `--agents` the last counts; an interactive `--agents` takes no file; `CLAUDE_CODE_SANDBOXED` trusts the
/// person's project, too, which isn't ours to do.
fn folder_notice(plan: &Plan<'_>, carrier: &Carrier) -> Option<String> {
    let folder = added_folder(plan);
    (*carrier == Carrier::Folder).then(|| {
        format!(
            "the agents are too large for an argument and travel in {}, where a project's agent of the same name may \
             win. Unless it lies below a folder that you trust, Claude Code will ask whether you trust it: it is this \
             session's own, so answer `Yes, add it`, as its first choice, `No, exit`, ends the session. Never to be \
             asked again, start `claude` once in {} and trust it there, or shorten the agents' prompts",
            folder.display(),
            plan.folder.parent().unwrap_or(plan.folder).display()
        )
    })
}

/// Also written without a router where `--add-dir` would else be the last option of ours, which would swallow
/// the user's prompt.
fn settings_file(
    plan: &Plan<'_>,
    carrier: &Carrier,
    variables: &[(String, String)],
) -> Result<Option<PrivateFile>, CommandError> {
    if plan.router.is_none() && variables.is_empty() && *carrier != Carrier::Folder {
        return Ok(None);
    }
    let own = plan.settings.layer(Layer::Arguments);
    if own.is_none() && plan.arguments.has("settings") {
        return Err(CommandError::OwnSettings);
    }
    let hooks = plan.router.as_ref().and_then(Router::hooks);
    Ok(Some(json_file(plan, "settings.json", overlay::settings(own, variables, hooks))))
}

fn agent_files(plan: &Plan<'_>, carrier: &Carrier, agents: &Map<String, Value>) -> Vec<PrivateFile> {
    match carrier {
        Carrier::Nothing | Carrier::Argument(_) => Vec::new(),
        Carrier::File(text) => vec![PrivateFile { path: agents_path(plan), contents: text.clone() }],
        Carrier::Folder => {
            let folder = added_folder(plan).join(".claude/agents");
            let files = agents_files::files(agents).into_iter();
            files.map(|(name, contents)| PrivateFile { path: folder.join(name), contents }).collect()
        }
    }
}

fn mcp_file(plan: &Plan<'_>) -> Option<PrivateFile> {
    let McpServer { url, token } = plan.router.as_ref()?.mcp.as_ref()?;
    let headers = json!({"Authorization": format!("Bearer {token}")});
    let server = json!({"type": "http", "url": url, "headers": headers});
    let servers = Map::from_iter([("mcpServers".to_owned(), json!({"subagents": server}))]);
    Some(json_file(plan, "mcp.json", servers))
}

fn json_file(plan: &Plan<'_>, name: &str, content: Map<String, Value>) -> PrivateFile {
    PrivateFile { path: plan.folder.join(name), contents: format!("{:#}\n", Value::Object(content)) }
}

/// Ours first, those that take many values before the rest, one that takes exactly one value last.
fn arguments(plan: &Plan<'_>, carrier: Carrier, settings: Option<&PrivateFile>) -> Vec<String> {
    let mut args: Vec<String> = Vec::new();
    let mut add = |name: &str, value: String| args.extend([name.to_owned(), value]);
    let mut taken = Vec::new();
    if carrier == Carrier::Folder {
        add("--add-dir", text(&added_folder(plan)));
    }
    if let Some(file) = mcp_file(plan) {
        add("--mcp-config", text(&file.path));
    }
    if carrier != Carrier::Nothing {
        taken.push("agents");
    }
    match carrier {
        Carrier::Argument(json) => add("--agents", json),
        Carrier::File(_) => add("--agents", text(&agents_path(plan))),
        Carrier::Nothing | Carrier::Folder => {}
    }
    if let Some(router) = &plan.router
        && !plan.arguments.names_session()
    {
        add("--session-id", router.session.to_string());
    }
    if let Some(file) = settings {
        add("--settings", text(&file.path));
        taken.push("settings");
    }
    args.extend(plan.arguments.without(&taken));
    args
}

fn agents_path(plan: &Plan<'_>) -> PathBuf {
    plan.folder.join("agents.json")
}

/// A folder of its own, because Claude Code may read all of it: the settings file is no part of it.
fn added_folder(plan: &Plan<'_>) -> PathBuf {
    plan.folder.join("agents")
}

fn text(path: &Path) -> String {
    path.to_string_lossy().into_owned()
}

#[cfg(test)]
pub(crate) mod tests;
