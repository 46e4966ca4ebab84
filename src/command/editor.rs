//! A file in the person's own editor: checked when they are done, and kept when it is wrong.

use std::io;
use std::path::Path;
use std::process::Command;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use signal_hook::consts::SIGINT;

use super::{Context, Failure, print, prompt};
use crate::config::edit::{Change, Draft, EditError};
use crate::config::{Environment, Problem};

/// What everybody has.
const FALLBACK: &str = "vi";

impl Context {
    /// Lets the person edit the file, or `blank` where there is none, until it can be taken over or they give up.
    /// `what` is what an undo tells.
    ///
    /// # Errors
    /// No editor, one that failed, or a text that can't be taken over: it names the draft that holds it.
    pub(super) fn edit_file(&self, file: &Path, blank: &str, what: &str) -> Result<Vec<Change>, Failure> {
        let draft = Draft::begin(file, blank, &self.places.drafts_dir())?;
        let ours = CtrlC::new().map_err(Failure::failed)?;
        loop {
            let opened = ours.leave_to(|| open(&self.environment, draft.copy()));
            if draft.is_untouched() {
                draft.discard();
                return opened.map(|()| Vec::new());
            }
            opened.map_err(|failure| Failure::failed(format!("{failure}; {}", kept(&draft))))?;
            match draft.finish(&self.store(), what) {
                Ok(changes) => return Ok(changes),
                Err(EditError::Breaks(problems)) if again(&problems) => {}
                Err(error) => return Err(refused(error, file, &draft)),
            }
        }
    }
}

impl Context {
    /// Lets the person edit this very file. Nothing is checked.
    ///
    /// # Errors
    /// No editor, or one that failed.
    pub(super) fn open_in_editor(&self, file: &Path) -> Result<(), Failure> {
        let ours = CtrlC::new().map_err(Failure::failed)?;
        ours.leave_to(|| open(&self.environment, file))
    }
}

/// Whether Ctrl-C ends us. While an editor runs it is for the editor: it must not leave that behind alone.
struct CtrlC {
    ends_us: Arc<AtomicBool>,
}

impl CtrlC {
    fn new() -> io::Result<Self> {
        let ends_us = Arc::new(AtomicBool::new(true));
        signal_hook::flag::register_conditional_default(SIGINT, Arc::clone(&ends_us))?;
        Ok(Self { ends_us })
    }

    fn leave_to<T>(&self, run: impl FnOnce() -> T) -> T {
        self.ends_us.store(false, Ordering::SeqCst);
        let ran = run();
        self.ends_us.store(true, Ordering::SeqCst);
        ran
    }
}

/// Waits for the editor. A shell takes the command apart, as for other programs: it may hold arguments.
fn open(environment: &Environment, file: &Path) -> Result<(), Failure> {
    let editor = environment.get("VISUAL").or_else(|| environment.get("EDITOR")).unwrap_or(FALLBACK);
    let ended = Command::new("sh").arg("-c").arg(format!("{editor} \"$1\"")).arg(editor).arg(file).status();
    match ended {
        Ok(status) if status.success() => Ok(()),
        // What a shell says of a command that it doesn't find.
        Ok(status) if status.code() == Some(127) => Err(Failure::failed(format!(
            "there is no editor `{editor}`: set VISUAL or EDITOR to one that there is"
        ))),
        Ok(status) => {
            Err(Failure::failed(format!("the editor `{editor}` gave up ({status}): nothing was changed")))
        }
        Err(error) => Err(Failure::failed(format!("the editor `{editor}` can't be started: {error}"))),
    }
}

/// Whoever can't be asked, or gives no answer, has had enough.
fn again(problems: &[Problem]) -> bool {
    for problem in problems {
        print::line_to_stderr(&problem.to_string());
    }
    prompt::possible() && prompt::confirm("Edit it again?", "another text").unwrap_or(false)
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
