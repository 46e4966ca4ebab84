//! `subagents agent edit NAME`.

use std::process::ExitCode;

use clap::Args;

use crate::command::change::tell;
use crate::command::{Context, Failure, print};
use crate::config::agent;
use crate::config::edit::{Change, Unsaved};
use crate::ui::visible;

#[derive(Debug, Args)]
#[command(
    after_help = "The editor is $VISUAL, else $EDITOR, else vi. What is wrong is never saved, and never lost.\n\nExample:\n  \
                        subagents agent edit reviewer"
)]
pub(super) struct Edit {
    /// The agent's name; a file that is no usable agent goes by its own.
    name: String,
    /// Open what the terminal app keeps of it and isn't saved yet, and save nothing.
    #[arg(long, conflicts_with = "json")]
    unsaved: bool,
    /// Print what changed as JSON.
    #[arg(long)]
    json: bool,
}

impl Edit {
    pub(super) fn run(self, context: &Context) -> Result<ExitCode, Failure> {
        if self.unsaved {
            return self.edit_unsaved(context);
        }
        let files = agent::shelf(&context.places.agents_dir());
        let file = agent::find(&files, &self.name)?;
        context.tell_namesakes(&self.name);
        let what = format!("edit agent {}", self.name);
        let changes = context.edit_file(&file.file, "", &what)?;
        self.tell_stale_profiles(&changes, context);
        tell(&what, &changes, self.json);
        Ok(ExitCode::SUCCESS)
    }

    fn edit_unsaved(&self, context: &Context) -> Result<ExitCode, Failure> {
        let file = Unsaved::new(&context.places).file(&self.name);
        if !file.is_file() {
            let nothing = format!("nothing unsaved is kept of agent `{}`", visible(&self.name));
            return Err(Failure::failed(nothing));
        }
        context.open_in_editor(&file)?;
        Ok(ExitCode::SUCCESS)
    }

    /// `rename` would have changed the profiles too.
    fn tell_stale_profiles(&self, changes: &[Change], context: &Context) {
        let now = |change: &Change| agent::parse(&change.file, change.after.as_ref()?.as_bytes()).0;
        let Some(now) = changes.iter().find_map(now).filter(|now| now.name != self.name) else { return };
        let (old, new) = (visible(&self.name), visible(&now.name));
        for profile in agent::profiles_naming(&context.places, &self.name) {
            print::line_to_stderr(&format!(
                "subagents: profile `{}` still names `{old}`, which is called `{new}` now: \
                 `subagents agent rename` keeps profiles in step",
                visible(&profile)
            ));
        }
    }
}
