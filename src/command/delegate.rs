//! `subagents delegate`: one agent does a task by itself, and only its last words come back.

use std::io::{IsTerminal, Read};
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;

use clap::Args;
use serde_json::{Value, json};
use tokio::sync::mpsc::{UnboundedReceiver, unbounded_channel};
use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;

use super::station::{Station, asked_to_end};
use super::{Context, Failure, print};
use crate::config::RouteId;
use crate::launch::delegation::grant::{Grant, PermissionMode};
use crate::launch::delegation::limits::Asked;
use crate::launch::delegation::request::Selection;
use crate::launch::delegation::route::Engine;
use crate::launch::delegation::shelf::Shelf;
use crate::launch::delegation::{
    Asker, Chooser, DEPTH, Delegated, Delegator, Ending, Outcome, Refusal, Request, Step, Watch,
};
use crate::launch::host::descends_from_a_session;
use crate::mcp::choice::choose;
use crate::ui::visible;

/// Bytes of a payload that stand in the task itself; a larger one is put into a file for the agent to read.
const INLINE: usize = 32 * 1024;

/// Bytes of a payload at most.
const PAYLOAD: u64 = 256 * 1024 * 1024;

#[derive(Debug, Args)]
#[command(
    override_usage = "subagents delegate [OPTIONS] AGENT TASK...\n       subagents delegate [OPTIONS] --auto TASK...",
    after_help = "What stands on stdin is what the agent is to look at. The exit code tells how it ended: 0 done, 1 failed, \
                  2 usage, 3 configuration, 4 stopped by a limit (what it had so far is printed), 5 refused, 130 called off, \
                  127 no Claude Code. Of several tasks the worst counts.\n\n\
                  Examples:\n  \
                  subagents delegate reviewer \"Review the last commit.\"\n  \
                  subagents delegate --auto \"Why does the build fail?\" < build.log\n  \
                  subagents delegate reviewer \"Review src/a.rs.\" \"Review src/b.rs.\" --jobs 2 --json"
)]
pub(super) struct Delegate {
    /// The agent, hidden ones too; then what it is to do. Several tasks are done at once (--jobs).
    #[arg(value_name = "AGENT TASK", required = true, num_args = 1..)]
    words: Vec<String>,
    /// Let the words of the task decide who does it; without a name of an agent before the task.
    #[arg(long)]
    auto: bool,
    /// The agent may change things.
    #[arg(long)]
    write: bool,
    /// Only these tools, with commas.
    #[arg(long, value_name = "TOOLS")]
    tools: Option<String>,
    /// The most answers of its model.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    max_turns: Option<u64>,
    /// The most seconds.
    #[arg(long, value_name = "SECONDS", value_parser = clap::value_parser!(u64).range(1..))]
    timeout: Option<u64>,
    /// The most tokens, those from a cache apart.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    max_tokens: Option<u64>,
    /// Run on this route and not on the agent's own.
    #[arg(long, value_name = "PROVIDER/MODEL")]
    route: Option<RouteId>,
    /// How hard the model thinks: an effort of the route.
    #[arg(long, value_name = "EFFORT")]
    effort: Option<String>,
    /// A JSON Schema that the answer must fit.
    #[arg(long, value_name = "FILE")]
    output_schema: Option<PathBuf>,
    /// Go on with an earlier delegation, by its id (--json tells it); the words are the task alone.
    #[arg(long = "continue", value_name = "ID", conflicts_with_all = ["auto", "route", "effort", "tools", "max_turns", "timeout", "max_tokens"])]
    continues: Option<String>,
    /// How many tasks are done at once.
    #[arg(long, value_name = "N", default_value = "4", value_parser = clap::value_parser!(u16).range(1..))]
    jobs: u16,
    #[command(flatten)]
    telling: Telling,
}

/// What is told, and how.
#[derive(Debug, Args)]
struct Telling {
    /// Print one JSON object a line (docs/json/delegate.schema.json).
    #[arg(long)]
    json: bool,
    /// Say nothing while it works.
    #[arg(long, short)]
    quiet: bool,
}

/// What a task came to.
type Done = Result<Outcome, Refusal>;

impl Delegate {
    pub(super) async fn run(self, context: &Context) -> Result<ExitCode, Failure> {
        let (agent, tasks) = self.agent_and_tasks()?;
        let schema = self.schema()?;
        let within = descends_from_a_session();
        if within && self.write {
            return Err(Failure::usage(
                "within a session, what may change things is asked for by the tool delegate_subagent, so that the person decides",
            ));
        }
        let route = self.route.clone().or_else(|| self.begun_on(context));
        let station = Station::read(context, "delegate", route.as_ref(), Some(usize::from(self.jobs)))?;
        let (keeper, delegator) = station.open(context).await?;
        let payload = payload(&delegator)?;
        let requests =
            tasks.iter().map(|task| self.request(agent.as_deref(), task, &payload, schema.as_ref()));
        let requests: Vec<Request> = requests.collect();
        let errands = Errands { auto: self.auto, within, depth: depth(context) };
        let done = self.perform(requests, &delegator, errands);
        let worst = Station::while_working(keeper, done, |worst| *worst).await;
        Ok(ExitCode::from(worst))
    }

    /// The route of the delegation that is gone on with.
    fn begun_on(&self, context: &Context) -> Option<RouteId> {
        let begun = Shelf { folder: context.places.delegations_dir() };
        match begun.find(self.continues.as_deref()?)?.1.engine() {
            Engine::Route(route) => Some(route),
            Engine::Default(_) => None,
        }
    }

    fn agent_and_tasks(&self) -> Result<(Option<String>, Vec<String>), Failure> {
        let mut words = self.words.clone();
        let names_nobody = self.auto || self.continues.is_some();
        let agent = if names_nobody { None } else { Some(words.remove(0)) };
        if words.is_empty() {
            return Err(Failure::usage(
                "say what is to be done: `subagents delegate AGENT TASK`, or `--auto TASK`",
            ));
        }
        if self.continues.is_some() && words.len() > 1 {
            return Err(Failure::usage("--continue goes on with one conversation, so it takes one task"));
        }
        Ok((agent, words))
    }

    fn schema(&self) -> Result<Option<Value>, Failure> {
        let Some(file) = &self.output_schema else { return Ok(None) };
        let named = |error: &dyn std::fmt::Display| {
            Failure::usage(format!("--output-schema {}: {error}", file.display()))
        };
        let text = std::fs::read_to_string(file).map_err(|error| named(&error))?;
        let schema: Value = serde_json::from_str(&text).map_err(|error| named(&error))?;
        if schema.is_object() { Ok(Some(schema)) } else { Err(named(&"a JSON Schema is an object")) }
    }

    fn request(&self, agent: Option<&str>, task: &str, payload: &str, schema: Option<&Value>) -> Request {
        let route = self.route.as_ref().map(|route| (route.provider().to_string(), route.model().to_owned()));
        let tools =
            self.tools.as_ref().and_then(|tools| crate::config::agent::entries(&Value::from(tools.as_str())));
        Request {
            prompt: format!("{task}{payload}"),
            description: None,
            agent: agent.map(str::to_owned),
            tools,
            writes: self.write,
            limits: Asked { turns: self.max_turns, seconds: self.timeout, tokens: self.max_tokens },
            selection: Selection { route, effort: self.effort.clone() },
            output_schema: schema.cloned(),
            continues: self.continues.clone(),
            background: false,
            collects: None,
        }
    }

    /// All of them, and the exit code of the worst. What is done is printed in the order of the tasks.
    async fn perform(&self, requests: Vec<Request>, delegator: &Arc<Delegator>, errands: Errands) -> u8 {
        let cancel = CancellationToken::new();
        let (steps, seen) = unbounded_channel();
        let mut running = JoinSet::new();
        let count = requests.len();
        for (at, request) in requests.into_iter().enumerate() {
            let watch = Watch { steps: steps.clone(), cancel: cancel.clone() };
            let delegator = Arc::clone(delegator);
            running.spawn(async move { (at, one(request, errands, &delegator, watch).await) });
        }
        drop(steps);
        let told = tell(seen, !self.telling.quiet && print::is_watched());
        let collected = async {
            let mut done: Vec<Option<Done>> = vec![None; count];
            let mut printed = 0;
            let mut worst = 0;
            while let Some(finished) = running.join_next().await {
                let Ok((at, outcome)) = finished else { return 1 };
                done[at] = Some(outcome);
                while let Some(Some(outcome)) = done.get(printed) {
                    worst = worst.max(self.print(outcome));
                    printed += 1;
                }
            }
            worst
        };
        let called_off = async {
            asked_to_end().await;
            cancel.cancel();
            std::future::pending::<()>().await;
        };
        tokio::select! {
            (worst, ()) = async { tokio::join!(collected, told) } => worst,
            () = called_off => unreachable!("it waits for ever"),
        }
    }

    fn print(&self, done: &Done) -> u8 {
        match done {
            Ok(outcome) if self.telling.json => print::line(&versioned(outcome.json())),
            Ok(outcome) => print::line(&outcome.text()),
            Err(refusal) if self.telling.json => {
                print::line(&versioned(json!({"ended": "refused", "reason": refusal.to_string()})));
            }
            Err(refusal) => print::line_to_stderr(&format!("subagents: {}", visible(&refusal.to_string()))),
        }
        code(done)
    }
}

/// By whom and from where tasks are handed on.
#[derive(Debug, Clone, Copy)]
struct Errands {
    /// Who does it is chosen for each.
    auto: bool,
    /// An agent asks, by its shell: the policy decides on routes.
    within: bool,
    depth: u32,
}

impl Errands {
    fn asker(self) -> Asker {
        let permission =
            if self.within { PermissionMode::DontAsk } else { PermissionMode::BypassPermissions };
        let grant = Grant { depth: self.depth, writes: !self.within, ..Grant::main(permission) };
        Asker { grant, ..Asker::nobody() }
    }
}

/// How deep we are: 0 but for a process of a delegation.
fn depth(context: &Context) -> u32 {
    context.environment.get(DEPTH).and_then(|depth| depth.parse().ok()).unwrap_or(0)
}

async fn one(mut request: Request, errands: Errands, delegator: &Arc<Delegator>, watch: Watch) -> Done {
    let mut note = None;
    if errands.auto {
        let chosen = choose(&request.prompt, delegator).await?;
        note = Some(format!("{} was chosen: {}", chosen.agent, chosen.why));
        request.agent = Some(chosen.agent);
    }
    let policy = &delegator.book.config.policy;
    let chooser = if errands.within { Chooser::Model(policy) } else { Chooser::Person };
    match delegator.delegate(request.checked()?, &errands.asker(), chooser, watch).await? {
        Delegated::Done(mut outcome) => {
            outcome.notes.extend(note);
            Ok(*outcome)
        }
        Delegated::Begun(id) => Err(Refusal::Unknown(id.to_string())),
    }
}

/// What is piped to us, as a part of the task: in it, or in a file that it names.
fn payload(delegator: &Delegator) -> Result<String, Failure> {
    let stdin = std::io::stdin();
    if stdin.is_terminal() {
        return Ok(String::new());
    }
    let mut bytes = Vec::new();
    stdin
        .lock()
        .take(PAYLOAD + 1)
        .read_to_end(&mut bytes)
        .map_err(|error| Failure::failed(format!("stdin: {error}")))?;
    if bytes.len() as u64 > PAYLOAD {
        return Err(Failure::usage(format!(
            "stdin holds more than {PAYLOAD} bytes: name a file in the task"
        )));
    }
    if bytes.iter().all(u8::is_ascii_whitespace) {
        return Ok(String::new());
    }
    match String::from_utf8(bytes) {
        Ok(text) if text.len() <= INLINE => Ok(format!("\n\n<input>\n{}\n</input>", text.trim_end())),
        Ok(text) => kept(delegator, text.as_bytes()),
        Err(other) => kept(delegator, other.as_bytes()),
    }
}

fn kept(delegator: &Delegator, bytes: &[u8]) -> Result<String, Failure> {
    let file = delegator.keep("input", bytes).map_err(Failure::failed)?;
    Ok(format!("\n\nWhat you are to look at is in the file {} ({} bytes).", file.display(), bytes.len()))
}

fn versioned(mut line: Value) -> String {
    line["version"] = 1.into();
    line.to_string()
}

/// Each step, on stderr.
async fn tell(mut steps: UnboundedReceiver<Step>, is_wanted: bool) {
    while let Some(step) = steps.recv().await {
        if let (Step::Tool { name, on }, true) = (step, is_wanted) {
            print::line_to_stderr(&format!("… {name} {}", visible(&on)));
        }
    }
}

fn code(done: &Done) -> u8 {
    match done {
        Ok(outcome) => match outcome.ending {
            Ending::Success => 0,
            Ending::Turns(_) | Ending::Time(_) | Ending::Budget => 4,
            Ending::Cancelled => 130,
            Ending::Failed(_) => 1,
        },
        Err(Refusal::Arguments(_)) => 2,
        Err(Refusal::Start(_)) => 1,
        Err(_) => 5,
    }
}
