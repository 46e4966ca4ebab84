//! One session: everything is checked before anything is started, and ended when the child is.

mod folder;
mod in_terminal;
mod keeper;

use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use jiff::Timestamp;
use uuid::Uuid;

pub use self::folder::FolderError;
pub use self::in_terminal::InTerminal;
pub use self::keeper::{Ended, Keeper};

use self::folder::Folder;
use super::agents_json::{self, OwnAgentsError};
use super::arguments::Arguments;
use super::assembly::{Assembly, AssemblyError, Engine, Plan as RouterPlan, bind as listen};
use super::background::Background;
use super::bind::{Bound, main_route, secret_variables, smallest_window};
use super::claude::Claude;
use super::command::{Command, CommandError, McpServer, Plan, Router, compose};
use super::control::{ControlEndpoint, ToolServer};
use super::delegation::chooser::CHOOSER;
use super::delegation::grant::{Grant, PermissionMode};
use super::delegation::shelf::Shelf;
use super::delegation::{Book, Delegator, Visitor, Workshop};
use super::foreground::StartError;
use super::live::{Claim, ClaimError, Live};
use super::overlay::Dialogs;
use super::private_files::WriteError;
use super::pty::SpawnError;
use super::sessions::sweep_claimed;
use super::settings::{Places as SettingsPlaces, Settings, findings};
use super::snapshot::snapshot;
use super::state::Desk;
use super::stats::Observer;
use super::surroundings::Surroundings;
use super::today::Today;
use super::unseen;
use super::upstream::default_upstream;
use crate::catalogue::Cache;
use crate::config::{Config, Environment, RouteId, Visibility, WireId};
use crate::ledger::{Draft, Invocation, Kind, Place, Readiness, SessionRow, Whose};
use crate::router::{Binding, Passes, Token, Tokens};

/// What a launch is made of.
#[derive(Clone)]
pub struct Launch<'a> {
    pub config: &'a Config,
    pub environment: &'a Environment,
    pub claude: &'a Claude,
    /// The agents that this launch takes.
    pub agents: &'a [Bound<'a>],
    /// The profile's arguments, then the user's.
    pub words: &'a [String],
    /// The folder that Claude Code starts in.
    pub project: &'a Path,
    /// The session's own folder; made when it is needed, removed at the end.
    pub folder: PathBuf,
    /// Where its delegations are kept.
    pub shelf: Shelf,
    /// Where lists of models are kept.
    pub catalogue: Cache,
    /// Routes that a child may get besides those of the agents: chosen by a person for this launch.
    pub reserve: &'a [RouteId],
    pub session: Uuid,
    /// The figures are wanted, whatever else there is.
    pub counted: bool,
    /// Where the session is remembered; `None`: nowhere.
    pub memory: Option<Memory>,
    /// How others find it while it lives.
    pub entry: Entry,
    /// Where it is known what the session does, and where its dialogs wait for a person; `None`: the person sits before
    /// it, and answers on the spot.
    pub desk: Option<Arc<Desk>>,
    /// What its agents see of ours; `None`: nothing.
    pub tooling: Option<Tooling>,
}

/// Makes a session's own tools of what can make its children.
pub type Tooling = fn(Arc<Delegator>) -> Arc<dyn ToolServer>;

/// Where a session is remembered, and what of its command line is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Memory {
    pub place: Place,
    pub invocation: Invocation,
}

/// How a session is found while it lives ([`super::live`]).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entry {
    /// Where the living are entered.
    pub folder: PathBuf,
    pub name: String,
    /// The host's socket; `None`: the session runs in a terminal of its own.
    pub socket: Option<PathBuf>,
}

/// Why a launch isn't made. Nothing has been started by then.
#[derive(Debug, thiserror::Error)]
pub enum LaunchError {
    #[error(transparent)]
    Agents(#[from] OwnAgentsError),
    #[error(transparent)]
    Command(#[from] CommandError),
    #[error(transparent)]
    Router(#[from] AssemblyError),
    #[error("no randomness for the session's token: {0}")]
    Token(#[from] getrandom::Error),
    #[error(transparent)]
    Files(#[from] WriteError),
    #[error(transparent)]
    Claim(#[from] ClaimError),
    #[error(transparent)]
    Start(#[from] StartError),
    #[error(transparent)]
    Spawn(#[from] SpawnError),
    #[error(transparent)]
    Folder(#[from] FolderError),
    #[error("{0}")]
    Io(#[from] io::Error),
}

/// All that was read before the start.
struct Reading<'a> {
    /// Those of the launch's agents that Claude Code gets as we define them: only they have routes here.
    handed_over: Vec<Bound<'a>>,
    arguments: Arguments,
    settings: Settings,
    own_agents: Option<serde_json::Map<String, serde_json::Value>>,
}

/// A session's router at work, and what goes with it.
pub struct Routing {
    pub(super) engine: Engine,
    pub(super) observer: Arc<Observer>,
    /// As the child is told of it.
    router: Router,
    pub(super) delegator: Arc<Delegator>,
    /// `None`: no budget is of a day, or nothing is remembered.
    pub(super) today: Option<Today>,
}

/// A session that lacks nothing but its child.
pub struct Prepared {
    /// Its files are written.
    pub command: Command,
    pub keeper: Keeper,
}

impl<'a> Launch<'a> {
    /// L1: a router only for something that needs it.
    fn needs_router(&self, reading: &Reading<'_>) -> bool {
        let routed = reading.handed_over.iter().any(|bound| bound.wire.is_some());
        let hidden = self.agents.iter().any(|bound| bound.agent.visibility == Visibility::Hidden);
        let main = self.config.main.route.is_some() || self.config.main.upstream.is_some();
        routed || main || hidden || self.config.policy.enabled || self.counted
    }

    /// L2: the command as it would run. Opens no socket, writes no file, reads no secret.
    ///
    /// # Errors
    /// What would also keep the launch from being made.
    pub fn dry_run(&self) -> Result<Command, LaunchError> {
        let reading = self.read()?;
        let router = self.needs_router(&reading).then(super::dry_run::placeholder);
        self.command(&reading, router)
    }

    /// Starts the router and writes the session's files. `warn` is told what the user should know.
    ///
    /// # Errors
    /// See [`LaunchError`]; what was started is ended again.
    pub async fn prepare(&self, warn: impl FnOnce(&[String])) -> Result<Prepared, LaunchError> {
        let reading = self.read()?;
        let is_routed = self.needs_router(&reading) && reading.arguments.opens_session();
        // First of all, because everything else would be the other's who has it.
        let claim = is_routed.then(|| Claim::take(&self.entry.folder, self.session)).transpose()?;
        let swept = match &claim {
            // Whoever was interrupted ended nothing.
            Some(claim) if reading.arguments.has("resume") => sweep_claimed(claim).await,
            _ => Vec::new(),
        };
        let routing = if is_routed { Some(self.routing(&reading).await?) } else { None };
        let mut command = self.command(&reading, routing.as_ref().map(|routing| routing.router.clone()))?;
        let draft = match &routing {
            Some(routing) => {
                let conversation = self.conversation(&reading.arguments);
                self.draft(&routing.observer, conversation, &mut command.warnings).await
            }
            None => None,
        };
        let ended = swept
            .iter()
            .map(|process| format!("ended what the session had left running: {}", process.escape_debug()));
        command.warnings.extend(ended);
        warn(&command.warnings);
        let folder = match &claim {
            _ if command.files.is_empty() => None,
            Some(claim) => Some(Folder::create_claimed(self.folder.clone(), claim)?),
            None => Some(Folder::create(self.folder.clone())?),
        };
        for file in &command.files {
            file.write()?;
        }
        let life = claim.map(|claim| (claim, self.live()));
        let answers = self.desk.as_ref().map(|desk| desk.answers());
        let background = Background::of(self.claude, self.environment, self.project, &self.folder);
        Ok(Prepared {
            command,
            keeper: Keeper { routing, folder, draft, scribe: None, life, background, answers },
        })
    }

    /// Starts a router for delegations alone, without a Claude Code of the session's own. `warn` is told what the user
    /// should know.
    ///
    /// # Errors
    /// See [`LaunchError`]; what was started is ended again.
    pub async fn alone(&self, warn: impl FnOnce(&[String])) -> Result<(Keeper, Arc<Delegator>), LaunchError> {
        let reading = self.read()?;
        let claim = Claim::take(&self.entry.folder, self.session)?;
        let routing = self.routing(&reading).await?;
        let mut warnings = Vec::new();
        let draft = self.draft(&routing.observer, None, &mut warnings).await;
        warn(&warnings);
        let folder = Folder::create_claimed(self.folder.clone(), &claim)?;
        let background = Background::of(self.claude, self.environment, self.project, &self.folder);
        let delegator = Arc::clone(&routing.delegator);
        let mut keeper = Keeper {
            routing: Some(routing),
            folder: Some(folder),
            draft,
            scribe: None,
            life: Some((claim, self.live())),
            background,
            answers: None,
        };
        keeper.begin().await?;
        Ok((keeper, delegator))
    }

    fn live(&self) -> Live {
        let Entry { name, socket, .. } = self.entry.clone();
        Live {
            session: self.session,
            name,
            process: std::process::id(),
            folder: self.project.to_owned(),
            started: Timestamp::now().as_millisecond(),
            socket,
        }
    }

    /// `None`: nothing is to be remembered, or nothing can be.
    async fn draft(
        &self,
        observer: &Observer,
        conversation: Option<String>,
        warnings: &mut Vec<String>,
    ) -> Option<Draft> {
        let Memory { place, invocation } = self.memory.as_ref()?;
        let session = SessionRow {
            id: self.session,
            started: Timestamp::now().as_millisecond(),
            folder: self.project.to_owned(),
            name: self.entry.name.clone(),
            kind: if self.entry.socket.is_some() { Kind::Host } else { Kind::Terminal },
            invocation: invocation.clone(),
            snapshot: snapshot(self.agents, self.config),
            conversation,
        };
        let draft = Draft::open(place, session, observer.news()).await;
        match &draft {
            Err(error) => warnings.push(format!("this session isn't remembered: {error}")),
            Ok(draft) if draft.readiness == Readiness::Awaited => warnings.push(format!(
                "the ledger {} is locked or its disk is full: this session is remembered once it can be written",
                place.file.display()
            )),
            Ok(_) => {}
        }
        draft.ok()
    }

    /// Claude Code's own id of what will be said, where the command line tells it.
    fn conversation(&self, arguments: &Arguments) -> Option<String> {
        if !arguments.names_session() {
            return Some(self.session.to_string());
        }
        let named = ["session-id", "resume"].iter().find_map(|option| arguments.last(option));
        // A fork gets an id that nobody knows yet, and a name or a path is none.
        named
            .filter(|_| !arguments.has("fork-session"))
            .filter(|id| id.parse::<Uuid>().is_ok())
            .map(str::to_owned)
    }

    fn read(&self) -> Result<Reading<'a>, LaunchError> {
        let arguments = Arguments::parse(self.words);
        let places = SettingsPlaces::of(self.environment, self.project);
        let settings = Settings::read(&places, &arguments, self.environment);
        let own_agents = agents_json::read_own(&arguments, self.project)?;
        let handed_over = agents_json::handed_over(self.agents, own_agents.as_ref());
        Ok(Reading { handed_over, arguments, settings, own_agents })
    }

    /// The command, with what the router can't do in Claude Code's place among its warnings.
    fn command(&self, reading: &Reading<'_>, router: Option<Router>) -> Result<Command, LaunchError> {
        let surroundings = router.is_some().then(|| Surroundings::read(&reading.settings, self.environment));
        let mut command = self.compose(reading, router)?;
        command.warnings.extend(surroundings.and_then(|surroundings| surroundings.warning()));
        Ok(command)
    }

    fn compose(&self, reading: &Reading<'_>, router: Option<Router>) -> Result<Command, CommandError> {
        let router = router.map(|router| Router {
            session: self.session,
            main: main_route(self.config),
            window: smallest_window(&reading.handed_over, self.config),
            ..router
        });
        compose(&Plan {
            claude: self.claude.path(),
            arguments: &reading.arguments,
            agents: self.agents,
            own_agents: reading.own_agents.as_ref(),
            settings: &reading.settings,
            environment: self.environment,
            secret_variables: &secret_variables(self.config),
            folder: &self.folder,
            router,
        })
    }

    /// Secrets are read first, then the command is tried without a socket, then the socket is opened.
    async fn routing(&self, reading: &Reading<'_>) -> Result<Routing, LaunchError> {
        let plan = self.router_plan(reading);
        let assembly = Assembly::new(&plan, self.config, self.environment)?;
        self.compose(reading, Some(super::dry_run::placeholder()))?;
        let (token, control_token) = (Token::random()?, Token::random()?);
        let listener = listen(0).await?;
        let port = listener.port();
        let suspicion = findings::pinned_base_url(&reading.settings);
        let (meter, callers) = (Arc::clone(&assembly.meter), Arc::clone(&assembly.callers));
        let observer = Observer::new(self.session, Arc::clone(&meter), Arc::clone(&callers), suspicion);
        let expected = unseen::expected(&reading.handed_over, &reading.arguments, &reading.settings);
        let observer = Arc::new(observer.expecting(expected));
        let router = Router {
            session: self.session,
            base_url: Engine::base_url(port, &token),
            hook_url: Some(ControlEndpoint::hook_url(port, &control_token)),
            dialogs: self.dialogs(reading),
            mcp: self.tooling().map(|_| McpServer {
                url: ControlEndpoint::mcp_url(port),
                token: control_token.expose().to_owned(),
            }),
            main: None,
            window: None,
        };
        let table = Arc::clone(&assembly.table);
        let passes = assembly.passes(token);
        // What the main agent may, the hook of each call says.
        let main = Visitor::new(WireId::MAIN, Grant::main(PermissionMode::BypassPermissions), table, callers);
        let visitors = Arc::new(Tokens::new(control_token, main));
        let delegator = self.delegator(port, &passes, &visitors);
        let control = ControlEndpoint {
            visitors,
            observer: Arc::clone(&observer),
            meter,
            tools: self.tooling().map(|tooling| tooling(Arc::clone(&delegator))),
            desk: self.desk.clone(),
            dialogs: self.dialogs(reading),
        };
        let mut today = self.today(&assembly);
        if let Some(today) = &mut today {
            today.tell().await;
        }
        let engine = assembly.start(listener, passes, Some(Arc::new(control)));
        Ok(Routing { engine, observer, router, delegator, today })
    }

    fn today(&self, assembly: &Assembly) -> Option<Today> {
        let ledger = &self.memory.as_ref()?.place.file;
        let since = Timestamp::now().as_millisecond();
        Today::of(&assembly.allowances, ledger, Whose::AllBut { session: self.session, since })
    }

    /// Where the person wants them.
    fn tooling(&self) -> Option<Tooling> {
        self.tooling.filter(|_| self.config.delegation.offered)
    }

    fn delegator(&self, port: u16, passes: &Arc<Passes>, visitors: &Arc<Tokens<Visitor>>) -> Arc<Delegator> {
        let book = Book {
            session: self.session,
            config: Config {
                agents: self.agents.iter().map(|bound| bound.agent.clone()).collect(),
                ..self.config.clone()
            },
            wires: self.agents.iter().map(|bound| bound.wire.clone()).collect(),
            environment: self.environment.clone(),
            project: self.project.to_owned(),
        };
        Arc::new(Delegator::new(
            book,
            Workshop {
                port,
                passes: Arc::clone(passes),
                visitors: Arc::clone(visitors),
                claude: self.claude.clone(),
                folder: self.folder.clone(),
                shelf: self.shelf.clone(),
                cache: self.catalogue.clone(),
            },
        ))
    }

    /// Bindings that only children get: of agents that the main model doesn't see, of the chooser, and of the reserve.
    fn hidden(&self) -> Vec<Binding> {
        let hidden = self.agents.iter().filter(|bound| bound.agent.visibility == Visibility::Hidden);
        let hidden = bindings(&hidden.cloned().collect::<Vec<_>>(), &Config::default());
        let besides = self.config.delegation.chooser.iter().chain(self.reserve);
        let besides = besides.map(|route| Binding {
            agent: CHOOSER.to_owned(),
            wire: WireId::new(CHOOSER, route),
            route: route.clone(),
        });
        hidden.into_iter().chain(besides).collect()
    }

    /// Without a screen nobody could answer, so a hook that waits would hold up the run.
    fn dialogs(&self, reading: &Reading<'_>) -> Dialogs {
        let is_shown = self.desk.is_some() && !reading.arguments.headless();
        if is_shown { Dialogs::Held } else { Dialogs::Passed }
    }

    fn router_plan(&self, reading: &Reading<'_>) -> RouterPlan {
        let configured = self.config.main.upstream.as_deref();
        let upstream = default_upstream(configured, &reading.settings, self.environment);
        RouterPlan {
            default_upstream: upstream.base_url,
            bindings: bindings(&reading.handed_over, self.config),
            hidden: self.hidden(),
            open_routes: self.config.policy.authorised().cloned().collect(),
            policy: self.config.policy.clone(),
            surroundings: Surroundings::read(&reading.settings, self.environment),
        }
    }
}

/// The wire ids that a child of this agent has, whose own is `wire`.
pub(super) fn child_bindings(agent: &str, wire: Option<&WireId>, config: &Config) -> Vec<Binding> {
    let own = wire.and_then(|wire| {
        let (_, route) = WireId::split(wire.as_str())?;
        Some(Binding { agent: agent.to_owned(), wire: wire.clone(), route })
    });
    own.into_iter().chain(bindings(&[], config)).collect()
}

/// The wire ids of these agents ([`agents_json::handed_over`]), and of the main session if it has a route.
pub fn bindings(agents: &[Bound<'_>], config: &Config) -> Vec<Binding> {
    let of_agents = agents.iter().filter_map(|bound| {
        let route = bound.agent.model.route()?.clone();
        Some(Binding { agent: bound.agent.name.clone(), wire: bound.wire.clone()?, route })
    });
    let main = config.main.route.iter().map(|route| Binding {
        agent: WireId::MAIN.to_owned(),
        wire: WireId::main(route),
        route: route.clone(),
    });
    of_agents.chain(main).collect()
}
