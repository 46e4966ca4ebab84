//! What a child will be, decided from what is asked, by whom, and what was launched. Pure.

use std::path::{Path, PathBuf};

use serde_json::Value;
use uuid::Uuid;

use super::grant::Grant;
use super::limits::{Limits, max_depth};
use super::refusal::Refusal;
use super::request::Request;
use super::route::{Chooser, Decision, Engine, decide};
use super::shelf::Kept;
use super::tools::{Toolbox, Wanted, toolbox};
use super::visitor::Asker;
use super::words::{WORKER, WORKER_PROMPT};
use crate::config::{Agent, Config, Environment, Model, Visibility, WireId};
use crate::launch::bind::Bound;

/// Keys of an agent that mean nothing to one that runs by itself, or that are decided anew.
const NOT_ALONE: [&str; 4] = ["background", "initialPrompt", "effort", "maxTurns"];

/// What a session was launched with, and where.
#[derive(Debug)]
pub struct Book {
    pub session: Uuid,
    /// Its agents are those of the launch, hidden ones too.
    pub config: Config,
    /// Of each agent, in their order.
    pub wires: Vec<Option<WireId>>,
    pub environment: Environment,
    /// Where the session works.
    pub project: PathBuf,
}

/// One task, decided.
#[derive(Debug, Clone, PartialEq)]
pub struct Errand {
    /// Also Claude Code's name of the conversation.
    pub id: Uuid,
    pub resumes: bool,
    /// As the child gets it.
    pub agent: Agent,
    pub wire: Option<WireId>,
    pub decision: Decision,
    pub toolbox: Toolbox,
    /// What the child may hand on in its turn.
    pub grant: Grant,
    pub limits: Limits,
    pub folder: PathBuf,
    pub prompt: String,
    pub description: Option<String>,
    pub schema: Option<Value>,
    pub background: bool,
    /// The agent that was named; `None`: a plain worker.
    named: Option<String>,
}

impl Book {
    pub fn agents(&self) -> Vec<Bound<'_>> {
        crate::launch::snapshot::bound(&self.config.agents, &self.wires)
    }

    /// An agent that may be called by its name: visibility isn't availability (E1).
    pub fn agent(&self, name: &str) -> Result<Bound<'_>, Refusal> {
        let found = self.agents().into_iter().find(|bound| bound.agent.name == name);
        match found {
            Some(bound) if bound.agent.visibility == Visibility::Off => Err(Refusal::Off(name.to_owned())),
            Some(bound) => Ok(bound),
            None => {
                let known = self.callable().map(|agent| agent.name.clone()).collect();
                Err(Refusal::NoAgent { name: name.escape_debug().to_string(), known })
            }
        }
    }

    /// All that somebody may call.
    pub fn callable(&self) -> impl Iterator<Item = &Agent> {
        self.config.agents.iter().filter(|agent| agent.visibility != Visibility::Off)
    }

    pub fn max_depth(&self) -> u32 {
        max_depth(&self.config.delegation, &self.environment)
    }
}

impl Errand {
    /// A new task.
    ///
    /// # Errors
    /// Whatever keeps it from being done; nobody has been asked anything by then.
    pub fn new(request: Request, asker: &Asker, chooser: Chooser<'_>, book: &Book) -> Result<Self, Refusal> {
        let bound = request.agent.as_deref().map(|name| book.agent(name)).transpose()?;
        let agent = bound.as_ref().map(|bound| bound.agent);
        let decision = decide(&request.selection, agent, parent(asker, book), chooser, &book.config)?;
        let callers = of_caller(asker, book);
        let toolbox = toolbox(&Wanted {
            named: request.tools.as_deref(),
            agents: agent.and_then(|agent| agent.tools.as_deref()),
            callers: callers.tools.as_deref(),
            writes: request.writes,
            plain: agent.is_none(),
        })?;
        if request.writes && agent.is_some_and(|agent| agent.read_only) {
            let name = request.agent.unwrap_or_default();
            return Err(Refusal::Permission(format!(
                "agent `{name}` changes nothing (`read_only: true`): leave `read_only` out"
            )));
        }
        let limits =
            Limits::of(request.limits, &book.config.delegation, &book.environment, callers.limits.as_ref());
        let grant = callers.child(request.writes, toolbox.tools.clone(), limits, book.max_depth())?;
        let folder = asker.folder.clone().unwrap_or_else(|| book.project.clone());
        let slug =
            bound.as_ref().and_then(|bound| slug(bound)).unwrap_or_else(|| slug_of(request.agent.as_deref()));
        Ok(Self {
            id: Uuid::new_v4(),
            resumes: false,
            agent: alone(agent, &decision, &toolbox, request.writes),
            wire: decision.engine.wire(&slug),
            decision,
            toolbox,
            grant,
            limits,
            folder,
            prompt: request.prompt,
            description: request.description,
            schema: request.output_schema,
            background: request.background,
            named: request.agent,
        })
    }

    /// An earlier one, gone on with: the same agent, tools, route, effort and limits (D7), within what this caller may. It
    /// writes only if the earlier one did and this request says so again.
    pub fn again(
        (id, kept): (Uuid, Kept),
        request: Request,
        asker: &Asker,
        chooser: Chooser<'_>,
        book: &Book,
    ) -> Result<Self, Refusal> {
        if kept.session != book.session && chooser != Chooser::Person {
            return Err(Refusal::Unknown(id.to_string()));
        }
        if request.writes && !kept.writes {
            return Err(Refusal::Permission(
                "the delegation to go on with changes nothing: leave `read_only` out".to_owned(),
            ));
        }
        // Whether it may write is asked for each time, as a person may have said yes to the first task only.
        let (writes, limits) = (request.writes, kept.limits.asked());
        let narrow = Request { agent: kept.agent.clone(), tools: kept.tools.clone(), limits, ..request };
        let plain = Errand::new(narrow, asker, chooser, book)?;
        let decision = Decision { engine: kept.engine(), effort: kept.effort.clone() };
        if let Engine::Route(route) = &decision.engine {
            let refused = |refusal| Refusal::Route { route: route.clone(), refusal };
            book.config.provider_for(route).map_err(refused)?;
        }
        let bound = kept.agent.as_deref().map(|name| book.agent(name)).transpose()?;
        let slug =
            bound.as_ref().and_then(|bound| slug(bound)).unwrap_or_else(|| slug_of(kept.agent.as_deref()));
        Ok(Self {
            id,
            resumes: true,
            agent: alone(bound.map(|bound| bound.agent), &decision, &plain.toolbox, writes),
            wire: decision.engine.wire(&slug),
            decision,
            folder: kept.folder,
            ..plain
        })
    }

    /// What a continuation needs, which is this session's.
    pub fn kept(&self, session: Uuid) -> Kept {
        let (route, model) = match &self.decision.engine {
            Engine::Route(route) => (Some(route.to_string()), None),
            Engine::Default(model) => (None, model.clone()),
        };
        Kept {
            session,
            agent: self.named.clone(),
            route,
            model,
            effort: self.decision.effort.clone(),
            tools: self.toolbox.tools.clone(),
            writes: self.grant.writes,
            limits: self.limits,
            folder: self.folder.clone(),
        }
    }

    /// Claude Code's name for the model on the default upstream.
    pub fn model(&self) -> Option<&str> {
        match &self.decision.engine {
            Engine::Default(model) => model.as_deref(),
            Engine::Route(_) => None,
        }
    }

    /// What the caller should know of how it was understood.
    pub fn notes(&self) -> Vec<String> {
        let Toolbox { blocked, unknown, .. } = &self.toolbox;
        let mut notes = Vec::new();
        if !unknown.is_empty() {
            notes.push(format!("no tool is called {}", unknown.join(", ")));
        }
        if !blocked.is_empty() {
            notes.push(format!("blocked, because the task changes nothing: {}", blocked.join(", ")));
        }
        notes
    }
}

/// What the caller runs on; where that isn't known, the session's own.
fn parent(asker: &Asker, book: &Book) -> Option<(Engine, Option<String>)> {
    let session = || book.config.main.route.clone().map(|route| (Engine::Route(route), None));
    asker.parent.clone().or_else(session)
}

/// A routed agent within the session hands on no more than its file gives it.
fn of_caller(asker: &Asker, book: &Book) -> Grant {
    let mut grant = asker.grant.clone();
    let named = asker.agent.as_deref().and_then(|name| book.agent(name).ok());
    if let Some(bound) = named {
        grant.writes &= !bound.agent.read_only;
        grant.tools = grant.tools.or_else(|| bound.agent.tools.clone());
    }
    grant
}

/// The agent as it runs by itself.
fn alone(agent: Option<&Agent>, decision: &Decision, toolbox: &Toolbox, writes: bool) -> Agent {
    let mut agent = agent.cloned().unwrap_or_else(worker);
    agent.tools.clone_from(&toolbox.tools);
    agent.visibility = Visibility::Model;
    agent.read_only = !writes;
    agent.fields.retain(|key, _| !NOT_ALONE.contains(&key.as_str()));
    agent.model = match &decision.engine {
        Engine::Route(route) => Model::Route(route.clone()),
        Engine::Default(Some(model)) => Model::Claude(model.clone()),
        Engine::Default(None) => Model::Inherit,
    };
    agent
}

fn worker() -> Agent {
    Agent {
        name: WORKER.to_owned(),
        description: "Does one task and reports.".to_owned(),
        prompt: WORKER_PROMPT.to_owned(),
        tools: None,
        model: Model::Inherit,
        visibility: Visibility::Model,
        read_only: true,
        fields: serde_json::Map::new(),
        unknown: serde_json::Map::new(),
        file: Path::new("").to_owned(),
    }
}

fn slug(bound: &Bound<'_>) -> Option<String> {
    WireId::split(bound.wire.as_ref()?.as_str()).map(|(slug, _)| slug.to_owned())
}

fn slug_of(agent: Option<&str>) -> String {
    WireId::slugs([agent.unwrap_or(WORKER)]).swap_remove(0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::launch::bind::tests::{agent, config};
    use crate::launch::delegation::grant::PermissionMode;

    fn book() -> Book {
        let mut hidden = agent("hidden", "ollama/m");
        hidden.visibility = Visibility::Hidden;
        let mut off = agent("off", "ollama/m");
        off.visibility = Visibility::Off;
        let reading = Agent { read_only: true, tools: Some(vec!["Read".into()]), ..agent("reader", "glm/m") };
        let config = config(vec![hidden, off, reading, agent("fixer", "inherit")]);
        let wires = crate::launch::bind::bind(&config).0.into_iter().map(|bound| bound.wire).collect();
        Book {
            session: Uuid::nil(),
            config,
            wires,
            environment: Environment::default(),
            project: "/src".into(),
        }
    }

    fn asker() -> Asker {
        let grant = Grant::main(PermissionMode::AcceptEdits);
        Asker { agent: None, grant, parent: None, folder: None, life: None }
    }

    fn request(agent: &str, writes: bool) -> Request {
        let agent = Some(agent.to_owned()).filter(|agent| !agent.is_empty());
        Request { prompt: "p".into(), agent, writes, ..Request::default() }
    }

    fn new(request: Request, asker: &Asker, book: &Book) -> Result<Errand, Refusal> {
        Errand::new(request, asker, Chooser::Model(&book.config.policy), book)
    }

    #[test]
    fn e1_hidden_is_callable_by_name_and_off_is_for_nobody() {
        let book = book();
        let errand = new(request("hidden", false), &asker(), &book).unwrap();
        assert_eq!(errand.wire.unwrap().as_str(), "hidden@ollama/m");
        assert_eq!(new(request("off", false), &asker(), &book), Err(Refusal::Off("off".into())));
        let Err(Refusal::NoAgent { known, .. }) = new(request("../off", false), &asker(), &book) else {
            panic!()
        };
        assert_eq!(known, ["hidden", "reader", "fixer"]);
    }

    #[test]
    fn a_routed_agent_of_the_session_hands_on_no_more_than_its_file_gives_it() {
        let book = book();
        let reader = Asker { agent: Some("reader".into()), ..asker() };
        assert!(matches!(new(request("fixer", true), &reader, &book), Err(Refusal::Permission(_))));
        let narrowed = new(request("hidden", false), &reader, &book).unwrap();
        assert_eq!(narrowed.toolbox.tools.unwrap(), ["Read"]);
        assert!(matches!(new(request("reader", true), &asker(), &book), Err(Refusal::Permission(_))));
    }

    #[test]
    fn d7_going_on_keeps_route_effort_and_limits_and_writes_only_if_that_is_said_again() {
        let book = book();
        let mut first = new(request("fixer", true), &asker(), &book).unwrap();
        first.decision.effort = Some("high".into());
        first.limits.turns = 3;
        let kept = first.kept(Uuid::nil());
        let go_on = |writes, kept: &Kept, chooser: Chooser<'_>| {
            Errand::again((first.id, kept.clone()), request("", writes), &asker(), chooser, &book)
        };
        let again = go_on(true, &kept, Chooser::Person).unwrap();
        assert_eq!((again.id, again.resumes, again.grant.writes), (first.id, true, true));
        assert_eq!((again.decision, again.limits), (first.decision.clone(), first.limits));
        assert!(!go_on(false, &kept, Chooser::Person).unwrap().grant.writes);
        let foreign = Kept { session: Uuid::max(), ..kept };
        let model = Chooser::Model(&book.config.policy);
        assert!(matches!(go_on(true, &foreign, model), Err(Refusal::Unknown(_))), "another session's");
        assert!(go_on(true, &foreign, Chooser::Person).is_ok());
    }
}
