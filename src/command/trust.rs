//! `subagents trust`: shows what a project's profile says, and lets it count.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::Args;
use serde_json::json;

use super::{Context, Failure, print, prompt};
use crate::config::project::{PROJECT_FILE, PROJECT_FOLDER, ProjectFile, Unfit, find};
use crate::config::{Project, Standing, Trust};
use crate::ui::visible;

/// A project's `.subagents/profile.toml` says which agents and arguments a launch in the project takes. As somebody
/// else may have written it, it counts only once you have trusted exactly what it says; a change asks again.
#[derive(Debug, Args)]
#[command(
    after_help = "The file is looked for in PATH and above it, up to the root. It may hold `agents` and \
    `args`.\n\nExamples:\n  subagents trust --show\n  subagents trust --yes\n  subagents trust --revoke"
)]
pub(super) struct TrustCommand {
    /// A project's folder, or its profile (else the working folder).
    #[arg(value_name = "PATH")]
    path: Option<PathBuf>,
    #[command(flatten)]
    instead: Instead,
    /// Trust it without asking.
    #[arg(long, conflicts_with = "Instead")]
    yes: bool,
    /// Print JSON (docs/json/trust.schema.json).
    #[arg(long)]
    json: bool,
}

/// What is done instead of trusting.
#[derive(Debug, Args)]
#[group(multiple = false)]
struct Instead {
    /// Show what the file says and how it stands; change nothing.
    #[arg(long)]
    show: bool,
    /// Let it count no longer.
    #[arg(long)]
    revoke: bool,
}

/// What was done.
#[derive(Clone, Copy)]
enum Done {
    Nothing,
    Granted,
    Revoked,
}

impl TrustCommand {
    pub(super) fn run(self, context: &Context) -> Result<ExitCode, Failure> {
        let path = self.file()?;
        let trust = Trust::new(&context.places);
        let read = ProjectFile::read(&path);
        let done = if self.instead.show {
            Done::Nothing
        } else if self.instead.revoke {
            let revoked = trust.revoke(&path).map_err(Failure::failed)?;
            if revoked { Done::Revoked } else { Done::Nothing }
        } else {
            self.grant(&path, &read, &trust)?
        };
        let project = Project { standing: Standing::of(&read, &trust), file: path };
        self.tell(&project, read.as_ref().ok(), done);
        Ok(ExitCode::SUCCESS)
    }

    /// The very bytes that were shown are the ones that are trusted.
    fn grant(&self, path: &Path, read: &Result<ProjectFile, Unfit>, trust: &Trust) -> Result<Done, Failure> {
        let standing = Standing::of(read, trust);
        let (Ok(file), Standing::Unknown | Standing::Changed) = (read, &standing) else {
            return match standing.reason() {
                None => Ok(Done::Nothing),
                Some((reason, remedy)) => Err(refused(path, &reason, &remedy)),
            };
        };
        if !self.yes {
            print::line_to_stderr(&said(file));
            if !prompt::confirm("Trust what it says?", "--yes")? {
                return Err(Failure::failed("it is not trusted, and nothing was changed"));
            }
        }
        trust.grant(file).map_err(Failure::failed)?;
        Ok(Done::Granted)
    }

    /// The project's file, with no link in the path to its project.
    fn file(&self) -> Result<PathBuf, Failure> {
        let given = self.path.as_deref().unwrap_or(Path::new("."));
        let own = Path::new(PROJECT_FOLDER).join(PROJECT_FILE);
        let is_own = given.ends_with(&own);
        let folder = if is_own { given.ancestors().nth(2) } else { Some(given) };
        let folder = folder.filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
        let named = |error| Failure::usage(format!("{}: {error}", folder.display()));
        let folder = folder.canonicalize().map_err(named)?;
        // What was trusted and is gone can still be revoked.
        let gone = (is_own || self.instead.revoke).then(|| folder.join(own));
        find(&folder).filter(|_| !is_own).or(gone).ok_or_else(|| {
            Failure::configuration(format!(
                "there is no {PROJECT_FOLDER}/{PROJECT_FILE} in {} or above it, so nothing is to be trusted",
                folder.display()
            ))
        })
    }

    fn tell(&self, project: &Project, file: Option<&ProjectFile>, done: Done) {
        let Project { file: path, standing } = project;
        let reason = standing.reason();
        if self.json {
            print::json(&json!({
                "version": 1,
                "file": path.to_string_lossy(),
                "standing": standing.word(),
                "reason": reason.map(|(reason, _)| reason),
                "text": file.map(ProjectFile::text),
                "done": done.word(),
            }));
            return;
        }
        if let (true, Some(file)) = (self.instead.show, file) {
            print::line(&said(file));
        }
        let path = path.display();
        print::line(&visible(&match (done, reason) {
            (Done::Granted, _) => format!("{path} is trusted from now on, until it changes"),
            (Done::Revoked, _) => format!("{path} is trusted no longer"),
            (Done::Nothing, None) => format!("{path} is trusted"),
            (Done::Nothing, Some((reason, remedy))) => format!("{path} is not used: {reason}; {remedy}"),
        }));
    }
}

impl Done {
    fn word(self) -> &'static str {
        match self {
            Self::Nothing => "nothing",
            Self::Granted => "granted",
            Self::Revoked => "revoked",
        }
    }
}

/// What the file says, line by line, with nothing in it that could hide something.
fn said(file: &ProjectFile) -> String {
    let lines = file.text().lines().map(|line| format!("\n  {}", visible(line)));
    format!("{} says:{}", visible(&file.path().display().to_string()), lines.collect::<String>())
}

fn refused(path: &Path, reason: &str, remedy: &str) -> Failure {
    Failure::configuration(visible(&format!("{} can't be trusted: {reason}; {remedy}", path.display())))
}
