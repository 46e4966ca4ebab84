//! From an errand to the exact command of its child. Reads Claude Code's settings, and starts nothing.

use std::path::Path;

use super::child::MARK;
use super::delegator::Workshop;
use super::errand::{Book, Errand};
use super::login;
use super::refusal::Refusal;
use super::words::Words;
use crate::config::WireId;
use crate::launch::Arguments;
use crate::launch::assembly::Engine;
use crate::launch::bind::{Bound, MainRoute, main_route, secret_variables, smallest_window};
use crate::launch::command::{Command, McpServer, Plan, Router, compose};
use crate::launch::control::ControlEndpoint;
use crate::launch::overlay::Dialogs;
use crate::launch::settings::{Places, Settings};
use crate::router::Token;

/// Tells a process how deep it is; the router's token says it too, and can't be changed.
pub const DEPTH: &str = "SUBAGENTS_DEPTH";

/// All that a child's command is made of.
pub(super) struct Composition<'a> {
    pub(super) errand: &'a Errand,
    pub(super) book: &'a Book,
    pub(super) workshop: &'a Workshop,
    /// The child's tokens.
    pub(super) router: &'a Token,
    pub(super) control: &'a Token,
    /// Its own folder, for its settings.
    pub(super) folder: &'a Path,
    /// Shared with whoever asked.
    pub(super) scratch: &'a Path,
}

impl Composition<'_> {
    /// # Errors
    /// What would keep any launch from being made.
    pub(super) fn command(&self) -> Result<Command, Refusal> {
        let (errand, Book { config, environment, .. }) = (self.errand, self.book);
        let arguments = Arguments::parse(&self.words());
        let places = Places::of(environment, &errand.folder);
        let settings = Settings::read(&places, &arguments, environment);
        let bound = [Bound { agent: &errand.agent, wire: errand.wire.clone() }];
        // Without a login Claude Code wouldn't start, although the route needs none.
        let stand_in = errand.wire.clone().filter(|_| !login::is_there(environment, &settings, &places));
        let mut command = compose(&Plan {
            claude: self.workshop.claude.path(),
            arguments: &arguments,
            agents: &bound,
            own_agents: None,
            settings: &settings,
            environment,
            secret_variables: &secret_variables(config),
            folder: self.folder,
            router: Some(self.router(&bound, stand_in)),
        })
        .map_err(|error| Refusal::Start(error.to_string()))?;
        command.env_set.push((MARK.to_owned(), errand.id.to_string()));
        command.env_set.push((DEPTH.to_owned(), errand.grant.depth.to_string()));
        Ok(command)
    }

    fn words(&self) -> Vec<String> {
        let errand = self.errand;
        let schema = errand.schema.as_ref().map(ToString::to_string);
        Words {
            agent: &errand.agent.name,
            conversation: &errand.id.to_string(),
            resumes: errand.resumes,
            toolbox: &errand.toolbox,
            writes: errand.grant.writes,
            permission: errand.grant.permission,
            turns: errand.limits.turns,
            effort: errand.decision.effort.as_deref(),
            model: errand.model(),
            scratch: self.scratch,
            schema: schema.as_deref(),
        }
        .list()
    }

    /// `stand_in`: what its small requests go to where nobody is logged in.
    fn router(&self, bound: &[Bound<'_>], stand_in: Option<WireId>) -> Router {
        let port = self.workshop.port;
        let stand_in = stand_in.map(|wire| MainRoute { wire, keyless: true });
        Router {
            session: self.book.session,
            base_url: Engine::base_url(port, self.router),
            hook_url: Some(ControlEndpoint::hook_url(port, self.control)),
            dialogs: Dialogs::Passed,
            mcp: Some(McpServer {
                url: ControlEndpoint::mcp_url(port),
                token: self.control.expose().to_owned(),
            }),
            main: main_route(&self.book.config).or(stand_in),
            window: smallest_window(bound, &self.book.config),
        }
    }
}
