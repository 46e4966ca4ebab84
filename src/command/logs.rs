//! `subagents logs`: what a session has on its screen and above it, as text.

use std::process::ExitCode;

use clap::Args;
use serde_json::json;

use super::sessions::refusal;
use super::{Context, Failure, print};
use crate::launch::host::protocol::Part;
use crate::launch::live;
use crate::launch::sessions::{choose, text};
use crate::ui::visible;

#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  subagents logs shop\n  subagents logs shop --screen")]
pub(super) struct Logs {
    /// Its name, its id or the beginning of its id; not needed where only one lives.
    #[arg(value_name = "SESSION")]
    session: Option<String>,
    /// What is on the screen only, not what has gone above it.
    #[arg(long)]
    screen: bool,
    /// Print `{"version":1,"session":"…","name":"…","lines":[…]}`.
    #[arg(long)]
    json: bool,
}

impl Logs {
    pub(super) async fn run(self, context: &Context) -> Result<ExitCode, Failure> {
        let living = live::living(&context.places.live_dir());
        let live = choose(&living, self.session.as_deref()).map_err(refusal)?;
        let part = if self.screen { Part::Screen } else { Part::History };
        let text = text(live, part).await.map_err(refusal)?;
        let lines = text.trim_end().lines();
        if self.json {
            let lines: Vec<&str> = lines.collect();
            print::json(&json!({"version": 1, "session": live.session, "name": live.name, "lines": lines}));
        } else {
            lines.for_each(|line| print::line(&visible(line)));
        }
        Ok(ExitCode::SUCCESS)
    }
}
