//! A file in the person's own editor: checked when they are done, and kept when it is wrong.

use std::path::Path;
use std::process::Command;

use tokio::signal::unix::{SignalKind, signal};

use super::{Context, Failure, print, prompt};
use crate::config::Environment;
use crate::config::edit::{Change, Draft, EditError};

/// What everybody has.
const FALLBACK: &str = "vi";

impl Context {
    /// Lets the person edit the file, or `blank` where there is none, until it can be taken over or they give up.
    /// `what` is what an undo tells.
    ///
    /// # Errors
    /// No editor, one that failed, or a text that can't be taken over: it names the draft that holds it.
    pub(super) fn edit_file(&self, file: &Path, blank: &str, what: &str) -> Result<Vec<Change>, Failure> {
        // Ctrl-C is for the editor; it must not end us and leave the editor behind.
        let _interrupt = signal(SignalKind::interrupt()).map_err(Failure::failed)?;
        let draft = Draft::begin(file, blank, &self.places.state_dir.join("drafts"))?;
        loop {
            let opened = open(&self.environment, draft.copy());
            if draft.is_untouched() {
                draft.discard();
                return opened.map(|()| Vec::new());
            }
            opened.map_err(|failure| Failure::failed(format!("{failure}; {}", kept(&draft))))?;
            match draft.finish(&self.store(), what) {
                Ok(changes) => return Ok(changes),
                Err(EditError::Breaks(problems)) if again(&problems)? => {}
                Err(error) => return Err(refused(error, file, &draft)),
            }
        }
    }
}

/// Waits for the editor. A shell takes the command apart, as for other programs: it may hold arguments.
fn open(environment: &Environment, file: &Path) -> Result<(), Failure> {
    let editor = environment.get("VISUAL").or_else(|| environment.get("EDITOR")).unwrap_or(FALLBACK);
    let ended = Command::new("sh").arg("-c").arg(format!("{editor} \"$1\"")).arg(editor).arg(file).status();
    match ended {
        Ok(status) if status.success() => Ok(()),
        Ok(status) => Err(Failure::failed(format!(
            "the editor `{editor}` failed ({status}): set VISUAL or EDITOR to one that works"
        ))),
        Err(error) => Err(Failure::failed(format!("the editor `{editor}` can't be started: {error}"))),
    }
}

fn again(problems: &[crate::config::Problem]) -> Result<bool, Failure> {
    for problem in problems {
        print::line_to_stderr(&problem.to_string());
    }
    Ok(prompt::possible() && prompt::ask("Edit again (y/n)", Some("y"), "another text")? != "n")
}

fn refused(error: EditError, file: &Path, draft: &Draft) -> Failure {
    let (kept, theirs, yours) = (kept(draft), file.display(), draft.copy().display());
    match error {
        EditError::Changed(_) => Failure::failed(format!(
            "somebody changed {theirs} meanwhile, and it stays as they left it; {kept}: \
             `diff {theirs} {yours}` shows both"
        )),
        EditError::Breaks(_) => Failure::configuration(format!("nothing was changed; {kept}")),
        error => Failure::failed(format!("{error}; {kept}")),
    }
}

fn kept(draft: &Draft) -> String {
    format!("what you wrote is kept in {}", draft.copy().display())
}
