//! `subagents demo`: the whole path, offline. An embedded provider answers in the models' place.

use std::io::{IsTerminal, Write};
use std::process::ExitCode;
use std::time::Duration;

use clap::Args;
use uuid::Uuid;

use super::run::perform;
use super::{Context, Failure, print};
use crate::catalogue::Cache;
use crate::launch::bind::bind;
use crate::launch::claude::Claude;
use crate::launch::delegation::shelf::Shelf;
use crate::launch::demo::provider::{DemoProvider, Script};
use crate::launch::demo::stage::Stage;
use crate::launch::install::Installation;
use crate::launch::session::{Entry, Launch};

/// The pause between two events of the provider's streams: fast, and still seen to stream.
const PACE: Duration = Duration::from_millis(15);

/// What the demonstration begins with.
const FIRST_MESSAGE: &str = "Please ask scout and critic where their requests go.";

#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  subagents demo\n  subagents demo --yes -- -p \"hello\"")]
pub(super) struct Demo {
    /// Install Claude Code into the cache folder without asking, if there is none. Without a terminal there is
    /// nobody to ask, and it is installed too.
    #[arg(long)]
    yes: bool,
    /// Arguments for Claude Code, in place of the first message.
    #[arg(last = true, value_name = "CLAUDE_ARGS")]
    claude_args: Vec<String>,
}

impl Demo {
    pub(super) async fn run(self, context: &Context) -> Result<ExitCode, Failure> {
        let claude = self.claude(context)?;
        let script = Script { agents: Stage::agents(), pace: PACE };
        let provider = DemoProvider::start(script).await.map_err(Failure::failed)?;
        let stage = Stage::set(provider.base_url()).map_err(Failure::failed)?;
        let config = stage.config();
        let (agents, _) = bind(&config);
        let launch = Launch {
            config: &config,
            environment: &stage.environment(&context.environment),
            claude: &claude,
            agents: &agents,
            words: &self.words(),
            project: &stage.project(),
            folder: stage.session(),
            session: Uuid::new_v4(),
            counted: true,
            memory: None,
            desk: None,
            // It shows the way of a request, with nothing beside it.
            tooling: None,
            catalogue: Cache::new(&context.places),
            reserve: &[],
            shelf: Shelf { folder: stage.session().with_file_name("delegations") },
            // Beside its own files, because it is nobody's session.
            entry: Entry {
                folder: stage.session().with_file_name("live"),
                name: "demo".to_owned(),
                socket: None,
            },
        };
        print::line_to_stderr(
            "subagents demo: the real Claude Code, two sub-agents on two routes, no network.",
        );
        print::line_to_stderr("Nothing of yours is read or changed; the session is gone when it ends.");
        let code = perform(&launch, None).await;
        provider.stop().await;
        code
    }

    /// Without a terminal there is nobody to talk to: one answer is printed.
    fn words(&self) -> Vec<String> {
        let mut words = vec!["--permission-mode".to_owned(), "dontAsk".to_owned()];
        if !self.claude_args.is_empty() {
            words.extend(self.claude_args.iter().cloned());
            return words;
        }
        if !(std::io::stdin().is_terminal() && std::io::stdout().is_terminal()) {
            words.push("-p".to_owned());
        }
        words.push(FIRST_MESSAGE.to_owned());
        words
    }

    /// The user's own Claude Code, else the one in the cache, else one that is installed there.
    fn claude(&self, context: &Context) -> Result<Claude, Failure> {
        let environment = &context.environment;
        let installation = Installation::of(environment);
        let found = Claude::find(None, environment).or_else(|_| installation.find(environment));
        if let Ok(claude) = found {
            return Ok(claude);
        }
        let place = installation.folder().display();
        let question = format!("Claude Code isn't installed. Install it by npm into {place}? [Y/n] ");
        if !self.yes && declined(&question) {
            return Err(Failure::no_claude(
                "there is no Claude Code. `npm install -g @anthropic-ai/claude-code` installs it for everything; \
                 `subagents demo --yes` into the cache folder only",
            ));
        }
        print::line_to_stderr(&format!("Installing Claude Code by npm into {place} (about 400 MB) …"));
        installation.install(environment).map_err(Failure::no_claude)
    }
}

/// Asks on stderr. Without a terminal there is nobody to ask; the copy is the demonstration's own, so it goes on.
fn declined(question: &str) -> bool {
    if !(std::io::stdin().is_terminal() && std::io::stderr().is_terminal()) {
        return false;
    }
    let mut answer = String::new();
    let asked =
        write!(std::io::stderr(), "{question}").and_then(|()| std::io::stdin().read_line(&mut answer));
    let agreed = matches!(answer.trim().to_lowercase().as_str(), "" | "y" | "yes");
    !(agreed && asked.is_ok_and(|read| read > 0))
}
