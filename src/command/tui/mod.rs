//! `subagents tui`: brings events to the app, performs its effects, draws it.
//!
//! The app itself (`ui/app`) is pure. Here is one loop: it waits for the terminal, the sessions, files and commands of
//! ours; takes all that has come; and then draws one frame at most each 8 ms, and none where nothing has changed.

mod answers;
mod commands;
mod driver;
mod ending;
mod keeper;
mod keys;
mod listing;
mod probe;
mod reading;
mod requests;
mod sessions;
mod tasks;
mod terminal;
mod watch;

use std::io::IsTerminal;
use std::process::ExitCode;

use clap::Args;

use self::driver::Driver;
use super::{Context, Failure, print};
use crate::config::Signs;
use crate::ui::app::keymap::Keymap;
use crate::ui::app::look::{Shade, Terminal};

#[derive(Debug, Default, Args)]
#[command(
    after_help = "Leaving it ends no session. `keymap.toml` in the configuration folder changes keys.\n\n\
                        Example:\n  subagents tui"
)]
pub(super) struct Tui {
    /// Print every key and what it does, as a keymap file, and end.
    #[arg(long)]
    keys: bool,
    /// Draw with ASCII signs only, whatever `signs` of [tui] says.
    #[arg(long)]
    ascii: bool,
}

/// Whether there is a terminal to be seen on.
pub(super) fn can_run() -> bool {
    std::io::stdin().is_terminal() && std::io::stdout().is_terminal()
}

impl Tui {
    pub(super) async fn run(self, context: &Context) -> Result<ExitCode, Failure> {
        let keymap = keymap(context)?;
        if self.keys {
            print::line(keys::text(&keymap).trim_end());
            return Ok(ExitCode::SUCCESS);
        }
        if !can_run() {
            return Err(Failure::usage(
                "the terminal app needs a terminal; `subagents sessions --json` and others tell the same to programs",
            ));
        }
        let living = Driver::new(context, keymap, self.terminal(context))?.run().await?;
        if living > 0 {
            let what =
                if living == 1 { "1 session goes on".to_owned() } else { format!("{living} sessions go on") };
            print::line_to_stderr(&format!(
                "{what}: `subagents sessions` lists them, `subagents tui` comes back"
            ));
        }
        Ok(ExitCode::SUCCESS)
    }

    /// As far as it is known before it is asked.
    fn terminal(&self, context: &Context) -> Terminal {
        let environment = &context.environment;
        Terminal {
            colour: print::colour(environment),
            signs: self.ascii.then_some(Signs::Ascii),
            shade: environment.get("COLORFGBG").and_then(Shade::told).unwrap_or_default(),
        }
    }
}

/// The default with the person's own changes.
fn keymap(context: &Context) -> Result<Keymap, Failure> {
    let file = context.places.config_dir.join("keymap.toml");
    let changes = match std::fs::read_to_string(&file) {
        Ok(changes) => changes,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => String::new(),
        Err(error) => {
            return Err(Failure::configuration(format!("{} can't be read: {error}", file.display())));
        }
    };
    Keymap::with(&changes).map_err(|error| Failure::configuration(format!("{}, {error}", file.display())))
}
