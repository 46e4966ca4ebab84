//! What the commands that launch have in common: their arguments, and the way from them to a launch.

use std::path::PathBuf;

use clap::Args;
use uuid::Uuid;

use super::profile::{chosen, tell_unused};
use super::{Context, Failure, print};
use crate::catalogue::Cache;
use crate::config::{Config, Profile, Severity, Visibility, WireId};
use crate::launch::bind::{Bound, bind};
use crate::launch::claude::Claude;
use crate::launch::delegation::shelf::Shelf;
use crate::launch::invocation::invocation;
use crate::launch::live;
use crate::launch::session::{Entry, Launch, LaunchError, Memory};
use crate::launch::snapshot::bound;
use crate::ledger::{Invocation, Place};

#[derive(Debug, Args)]
pub(super) struct LaunchArguments {
    /// The profile of config.toml that says which agents and arguments are taken, and where the session starts
    /// (else the project's, if it is trusted, else `default`).
    #[arg(long, value_name = "PROFILE")]
    pub(super) profile: Option<String>,
    /// Take this agent only; may be given several times.
    #[arg(long, value_name = "AGENT")]
    pub(super) agent: Vec<String>,
    /// Hide this agent from the main model for this launch: it can be delegated to by its name only. May be given
    /// several times.
    #[arg(long, value_name = "AGENT")]
    pub(super) hide: Vec<String>,
    /// Hide all agents from the main model for this launch.
    #[arg(long)]
    pub(super) only_hidden: bool,
    /// Launch without Claude Code's own tool for calling agents.
    #[arg(long)]
    pub(super) no_agent_tool: bool,
    /// The session's id.
    #[arg(long, value_name = "UUID")]
    pub(super) session: Option<Uuid>,
    /// What the session is called in lists (else as its folder).
    #[arg(long, value_name = "NAME")]
    pub(super) name: Option<String>,
    /// Arguments for Claude Code.
    #[arg(last = true, value_name = "CLAUDE_ARGS")]
    pub(super) claude_args: Vec<String>,
}

/// All that a launch is made of, but its agents.
pub(super) struct Ingredients {
    pub(super) config: Config,
    pub(super) taken: Taken,
    pub(super) claude: Claude,
    /// The profile's arguments, then the person's.
    pub(super) words: Vec<String>,
    pub(super) invocation: Invocation,
    pub(super) project: PathBuf,
    pub(super) session: Uuid,
    pub(super) name: String,
    pub(super) counted: bool,
}

/// Which of the configuration's agents a launch takes.
pub(super) enum Taken {
    All,
    /// Those that the profile names.
    By(Profile),
    /// Those that the person names.
    Named(Vec<String>),
    /// All, with the wire ids that they had.
    Recorded(Vec<Option<WireId>>),
}

impl LaunchArguments {
    /// Reads the configuration and finds Claude Code; what is wrong with the rest is told.
    pub(super) fn read(&self, context: &Context) -> Result<Ingredients, Failure> {
        let mut config = configuration(context);
        self.hide(&mut config)?;
        let here = super::here()?;
        let choice = chosen(context, self.profile.as_deref(), &config, &here)?;
        tell_unused(&choice);
        let profile = choice.profile;
        let project = profile.start(&here).map_err(Failure::configuration)?;
        let claude =
            Claude::find(config.claude.path.as_deref(), &context.environment).map_err(Failure::no_claude)?;
        let own = [self.agent_tool(), self.claude_args.clone()].concat();
        let words = [profile.args.as_slice(), &own].concat();
        let invocation = invocation(self.profile.as_deref(), &self.agent, &profile.args, &own);
        let session = self.session.unwrap_or_else(Uuid::new_v4);
        let name = self.name(context, &project)?;
        let taken = if self.agent.is_empty() { Taken::By(profile) } else { Taken::Named(self.agent.clone()) };
        let counted = false;
        Ok(Ingredients { config, taken, claude, words, invocation, project, session, name, counted })
    }

    /// E2: for this launch, and whenever it is resumed as it was.
    fn hide(&self, config: &mut Config) -> Result<(), Failure> {
        let is_known = |name: &&String| config.agents.iter().any(|agent| agent.name == **name);
        if let Some(unknown) = self.hide.iter().find(|name| !is_known(name)) {
            return Err(Failure::usage(format!("--hide: there is no agent `{unknown}`")));
        }
        for agent in &mut config.agents {
            let is_meant = self.only_hidden || self.hide.contains(&agent.name);
            if is_meant && agent.visibility == Visibility::Model {
                agent.visibility = Visibility::Hidden;
            }
        }
        Ok(())
    }

    /// As one word, which swallows nothing after it.
    fn agent_tool(&self) -> Vec<String> {
        if self.no_agent_tool { vec!["--disallowedTools=Agent,Task".to_owned()] } else { Vec::new() }
    }

    fn name(&self, context: &Context, project: &std::path::Path) -> Result<String, Failure> {
        let living = live::living(&context.places.live_dir());
        match &self.name {
            None => Ok(live::name(&living, project)),
            Some(name) if name.trim().is_empty() => Err(Failure::usage("a session's name can't be blank")),
            Some(name) if living.iter().any(|live| live.name == *name) => Err(Failure::usage(format!(
                "there is a session `{name}` already: choose another --name, or `subagents attach {name}`"
            ))),
            Some(name) => Ok(name.clone()),
        }
    }
}

impl Taken {
    fn takes(&self, agent: &str) -> bool {
        match self {
            Self::By(profile) => profile.takes(agent),
            Self::Named(names) => names.iter().any(|name| name == agent),
            Self::All | Self::Recorded(_) => true,
        }
    }
}

impl Ingredients {
    /// The agents that are taken. One that is asked for by name must be usable; others are left out.
    pub(super) fn agents(&self) -> Result<Vec<Bound<'_>>, Failure> {
        if let Taken::Recorded(wires) = &self.taken {
            return Ok(bound(&self.config.agents, wires));
        }
        let (bound, _) = bind(&self.config);
        if let Taken::Named(names) = &self.taken {
            names.iter().try_for_each(|name| check_usable(name, &bound))?;
        }
        Ok(bound.into_iter().filter(|bound| self.taken.takes(&bound.agent.name)).collect())
    }

    /// Tells which agents can't be used.
    pub(super) fn tell_left_out(&self) {
        if !matches!(self.taken, Taken::Recorded(_)) {
            for error in bind(&self.config).1 {
                print::line_to_stderr(&format!("subagents: left out: {error}"));
            }
        }
    }

    pub(super) fn launch<'a>(&'a self, agents: &'a [Bound<'a>], context: &'a Context) -> Launch<'a> {
        let places = &context.places;
        Launch {
            config: &self.config,
            environment: &context.environment,
            claude: &self.claude,
            agents,
            words: &self.words,
            project: &self.project,
            folder: places.runtime_dir.join(self.session.to_string()),
            catalogue: Cache::new(places),
            reserve: &[],
            shelf: Shelf { folder: places.delegations_dir() },
            session: self.session,
            counted: self.counted,
            memory: Some(Memory { place: self.place(context), invocation: self.invocation.clone() }),
            entry: Entry { folder: places.live_dir(), name: self.name.clone(), socket: None },
            desk: None,
            tooling: Some(crate::mcp::http::mount),
        }
    }

    fn place(&self, context: &Context) -> Place {
        let living = live::living(&context.places.live_dir());
        Place {
            file: context.places.ledger_file(),
            retention: self.config.retention,
            living: living.into_iter().map(|live| live.session).collect(),
        }
    }
}

/// The configuration; what is wrong with it is told.
pub(super) fn configuration(context: &Context) -> Config {
    let (config, problems) = context.config();
    for problem in problems.iter().filter(|problem| problem.severity > Severity::Info) {
        print::line_to_stderr(&format!("subagents: {problem}"));
    }
    config
}

fn check_usable(name: &str, bound: &[Bound<'_>]) -> Result<(), Failure> {
    if bound.iter().any(|bound| bound.agent.name == name) {
        return Ok(());
    }
    let known: Vec<&str> = bound.iter().map(|bound| bound.agent.name.as_str()).collect();
    let known = if known.is_empty() { "none".to_owned() } else { known.join(", ") };
    Err(Failure::configuration(format!("there is no usable agent `{name}` (there is: {known})")))
}

/// Tells what the user should know before the start.
pub(super) fn warn(warnings: &[String]) {
    for warning in warnings {
        print::line_to_stderr(&format!("subagents: {warning}"));
    }
}

pub(super) fn failure(error: LaunchError) -> Failure {
    match error {
        LaunchError::Agents(_) | LaunchError::Command(_) | LaunchError::Router(_) => {
            Failure::configuration(error)
        }
        _ => Failure::failed(error),
    }
}
