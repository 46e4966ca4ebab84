//! A session that is taken up again: Claude Code's own conversation, with what it was launched with.
//!
//! Everything that can be known to be missing is told before anything is started.

mod choice;
mod difference;
mod transcript;

use std::path::PathBuf;

use crate::config::{Config, Environment};
use crate::ledger::{Invocation, Launched, Ledger, LedgerError, Session};

pub use self::choice::{ChoiceError, choose};
pub use self::difference::{Change, Difference, Field, Part, differences};

use self::transcript::has_transcript;
use super::arguments::Arguments;
use super::bind::{Bound, bind};
use super::live::Live;
use super::snapshot::{RestoreError, Restored, restore};

/// Options by which somebody else would say which conversation it is.
const CHOOSES: [&str; 6] = ["session-id", "resume", "continue", "from-pr", "teleport", "background"];

/// A session that can be taken up again.
#[derive(Debug, Clone, PartialEq)]
pub struct Resumption {
    pub session: Session,
    pub launched: Launched,
    /// Claude Code's own id of what was said last.
    pub conversation: String,
}

/// Why a session can't be taken up again. Nothing has been started by then.
#[derive(Debug, thiserror::Error)]
pub enum ResumeError {
    #[error(transparent)]
    Choice(#[from] ChoiceError),
    #[error(transparent)]
    Ledger(#[from] LedgerError),
    #[error("nothing is remembered yet: `subagents run` begins a session")]
    NoLedger,
    #[error(
        "nothing was said in session {0} yet, so there is nothing to resume: `subagents run` begins anew"
    )]
    NothingSaid(String),
    #[error(
        "Claude Code has no conversation {conversation} of session {name} in {}: nothing was said in it, it was not to \
         be kept, or it is too old (`cleanupPeriodDays` in Claude Code's settings, 30 if it isn't there). What it cost is \
         still in `subagents stats --session {session}`",
        folder.display()
    )]
    NoTranscript { name: String, session: String, conversation: String, folder: PathBuf },
    #[error("the folder of session {name}, {}, is gone: make it again, or put it back", folder.display())]
    NoFolder { name: String, folder: PathBuf },
    #[error("session {name}: {source}")]
    Restore { name: String, source: RestoreError },
    #[error(
        "session {name} was launched with {}, which may hold a key and was not recorded: give it again after `--`",
        options.join(", ")
    )]
    Withheld { name: String, options: Vec<String> },
    #[error("--{0}: the session says which conversation it is; leave it out")]
    Chosen(&'static str),
}

/// What a session was launched with, whether it lives or not and whether it could be resumed.
///
/// # Errors
/// It isn't known, or its record doesn't tell all of it.
pub fn recorded(ledger: &Ledger, wanted: &str, today: &Config) -> Result<Config, ResumeError> {
    let sessions = ledger.sessions()?;
    let session = choose(&sessions, &[], wanted)?;
    let launched = ledger.launched(session.id)?.ok_or_else(|| ChoiceError::unknown(wanted))?;
    let (agents, _) = bind(today);
    let restored = restore(&launched.snapshot, &agents, today);
    let named = |source| ResumeError::Restore { name: name(session), source };
    Ok(restored.map_err(named)?.config)
}

impl Resumption {
    /// The session that a person means by `wanted`: its id, the beginning of its id, its name, or `latest`.
    ///
    /// # Errors
    /// See [`ResumeError`].
    pub fn find(
        ledger: &Ledger,
        living: &[Live],
        wanted: &str,
        environment: &Environment,
    ) -> Result<Self, ResumeError> {
        let sessions = ledger.sessions()?;
        let session = choose(&sessions, living, wanted)?.clone();
        let launched = ledger.launched(session.id)?.ok_or_else(|| ChoiceError::unknown(wanted))?;
        let name = name(&session);
        let conversation = session.conversations.last().cloned();
        let conversation = conversation.ok_or_else(|| ResumeError::NothingSaid(name.clone()))?;
        if !session.folder.is_dir() {
            return Err(ResumeError::NoFolder { name, folder: session.folder });
        }
        let folder = transcript::folder(environment, &session.folder);
        if !has_transcript(&folder, &conversation) {
            let session = session.id.to_string();
            return Err(ResumeError::NoTranscript { name, session, conversation, folder });
        }
        Ok(Self { session, launched, conversation })
    }

    /// What the person calls it; its id, where it was kept by a version that knew no names.
    pub fn name(&self) -> String {
        name(&self.session)
    }

    /// What it was asked for; nothing, where that isn't known.
    pub fn invocation(&self) -> Invocation {
        self.launched.invocation.clone().unwrap_or_default()
    }

    /// The launch as it was. What may hold a key is taken from `today`.
    ///
    /// # Errors
    /// The record doesn't tell all of it.
    pub fn restored(&self, today: &Config) -> Result<Restored, ResumeError> {
        let (agents, _) = bind(today);
        let restored = restore(&self.launched.snapshot, &agents, today);
        restored.map_err(|source| ResumeError::Restore { name: self.name(), source })
    }

    /// What is different in a launch of these agents of the configuration `today`.
    pub fn differences(&self, agents: &[Bound<'_>], today: &Config) -> Vec<Difference> {
        differences(&self.launched.snapshot, &super::snapshot::snapshot(agents, today))
    }

    /// Claude Code's arguments: `lasting` ones first, those of this one time last.
    ///
    /// # Errors
    /// Something isn't recorded and isn't given again, or names another conversation.
    pub fn words(&self, lasting: &[&[String]], once: &[String]) -> Result<Vec<String>, ResumeError> {
        let arguments = Arguments::parse(once);
        if let Some(option) = CHOOSES.into_iter().find(|option| arguments.has(option)) {
            return Err(ResumeError::Chosen(option));
        }
        let lasting = lasting.concat();
        let given = [&Arguments::parse(&lasting), &arguments];
        let mut missing = self.invocation().withheld;
        missing.retain(|option| !given.iter().any(|given| given.has(option.trim_start_matches('-'))));
        if !missing.is_empty() {
            return Err(ResumeError::Withheld { name: self.name(), options: missing });
        }
        // It takes one value, so that an option before it which takes many doesn't swallow what comes after.
        let resume = ["--resume".to_owned(), self.conversation.clone()];
        Ok([lasting.as_slice(), &resume, once].concat())
    }
}

fn name(session: &Session) -> String {
    session.name.clone().unwrap_or_else(|| session.id.to_string())
}

#[cfg(test)]
mod tests {
    use serde_json::json;
    use uuid::Uuid;

    use super::*;

    fn resumption(invocation: Invocation) -> Resumption {
        let session = Session {
            id: Uuid::nil(),
            name: Some("shop".to_owned()),
            kind: None,
            folder: "/p".into(),
            started: 1,
            heard: 1,
            ending: None,
            requests: 0,
            cost_usd: None,
            conversations: vec!["c".to_owned()],
        };
        let launched = Launched { invocation: Some(invocation), snapshot: json!({}) };
        Resumption { session, launched, conversation: "c".to_owned() }
    }

    fn words(line: &str) -> Vec<String> {
        shlex::split(line).unwrap()
    }

    #[test]
    fn the_conversation_stands_between_what_lasts_and_what_is_said_now() {
        let resumption = resumption(Invocation::default());
        let found = resumption.words(&[&words("--add-dir a"), &words("--model m")], &words("-p 'Go on.'"));
        assert_eq!(found.unwrap(), words("--add-dir a --model m --resume c -p 'Go on.'"));
    }

    #[test]
    fn what_is_missing_or_means_another_conversation_is_refused() {
        let withheld = vec!["--settings".to_owned(), "--mcp-config".to_owned()];
        let resumption = resumption(Invocation { withheld, ..Invocation::default() });
        for (once, expect) in [
            ("", Some("--settings, --mcp-config")),
            ("--settings x.json", Some("with --mcp-config")),
            ("--settings x.json --mcp-config=y", None),
            ("-c", Some("--continue")),
            ("--resume other", Some("--resume")),
        ] {
            match (resumption.words(&[], &words(once)), expect) {
                (Ok(_), None) => {}
                (Err(error), Some(part)) => assert!(error.to_string().contains(part), "{once}: {error}"),
                (found, _) => panic!("{once}: {found:?}"),
            }
        }
    }
}
