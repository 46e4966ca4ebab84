//! `subagents attach`: a session on the whole of this terminal.

use std::path::Path;
use std::process::ExitCode;

use clap::Args;
use jiff::Timestamp;
use serde_json::Value;

use super::host::tell_end;
use super::sessions::refusal;
use super::{Context, Failure, print};
use crate::launch::attach::{Ending, RealTerminal, Wishes, attach};
use crate::launch::host::protocol::About;
use crate::launch::live::{self, Live};
use crate::launch::sessions::{Tally, choose, is_over};
use crate::ui::{session_status, visible};

#[derive(Debug, Args)]
#[command(
    after_help = "In the session, Ctrl-] and then d leaves it alone again, s says how it is, ? helps. \
                        Another key leads by `leader` of [attach] in config.toml.\n\n\
                        Example:\n  subagents attach shop"
)]
pub(super) struct Attach {
    /// Its name, its id or the beginning of its id; not needed where only one lives.
    #[arg(value_name = "SESSION")]
    session: Option<String>,

    /// Say nothing afterwards, unless something went wrong.
    #[arg(long)]
    quiet: bool,
}

impl Attach {
    pub(super) async fn run(self, context: &Context) -> Result<ExitCode, Failure> {
        let folder = context.places.live_dir();
        let living = live::living(&folder);
        let live = choose(&living, self.session.as_deref()).map_err(refusal)?;
        let terminal = RealTerminal::open().map_err(Failure::usage)?;
        let (config, _) = context.config();
        let describe = |about: &About, stats: &Value| {
            session_status(about, &Tally::of(stats), Timestamp::now().as_millisecond())
        };
        let wishes = Wishes { leader: config.leader, describe: &describe };
        let ending = attach(live, &terminal, &wishes).await.map_err(refusal)?;
        // Before anything is said on it.
        drop(terminal);
        if self.quiet && is_well(&ending) {
            return Ok(ExitCode::SUCCESS);
        }
        tell(live, ending, &folder).await
    }
}

/// What needs no word where somebody else tells how the session is.
fn is_well(ending: &Ending) -> bool {
    match ending {
        Ending::Detached | Ending::Background(_) => true,
        Ending::Ended(ended) => ended.code == 0,
        Ending::Lost | Ending::TerminalLost | Ending::Signal(_) => false,
    }
}

async fn tell(live: &Live, ending: Ending, folder: &Path) -> Result<ExitCode, Failure> {
    let Live { name, session, .. } = live;
    match ending {
        Ending::Detached => {
            print::line_to_stderr(&visible(&format!("left session {name} alone: subagents attach {name}")));
            Ok(ExitCode::SUCCESS)
        }
        Ending::Ended(ended) => {
            tell_end(name, &ended);
            Ok(ExitCode::from(ended.code))
        }
        Ending::Background(jobs) => {
            let ids = jobs.join(", ");
            print::line_to_stderr(&visible(&format!(
                "session {name} is in Claude Code's own background: claude attach {ids}"
            )));
            Ok(ExitCode::SUCCESS)
        }
        Ending::Lost if is_over(live, folder).await => Err(refusal(format!(
            "session {name} was interrupted, because its own process has gone: subagents resume {session}"
        ))),
        Ending::Lost => {
            Err(refusal(format!("session {name} has hung up, but lives: subagents attach {name}")))
        }
        Ending::TerminalLost => Ok(ExitCode::FAILURE),
        Ending::Signal(signal) => Ok(ExitCode::from(u8::try_from(128 + signal.as_raw()).unwrap_or(1))),
    }
}
