//! `subagents inbox`: what waits for a person in all sessions, and the answers to it.

use std::collections::BTreeSet;
use std::process::ExitCode;
use std::time::Duration;

use clap::{Args, Subcommand};
use jiff::Timestamp;
use serde_json::{Value, json};
use tokio::time::sleep;

use super::watch::{Watch, is_read};
use super::{Context, Failure, print};
use crate::launch::live::{Live, living};
use crate::launch::sessions::{AnswerRefusal, Inbox, Waiting, answer, inbox};
use crate::launch::state::Decision;
use crate::ui;

/// How often `--watch` looks.
const PAUSE: Duration = Duration::from_secs(1);

#[derive(Debug, Args)]
#[command(
    args_conflicts_with_subcommands = true,
    after_help = "Nothing is ever allowed by itself, or because time has passed. A dialog can be answered in its session too: \
                  whoever is first decides.\n\nExamples:\n  subagents inbox\n  subagents inbox --json"
)]
pub(super) struct InboxCommand {
    #[command(subcommand)]
    answer: Option<Reply>,
    /// Print JSON (docs/json/inbox.schema.json).
    #[arg(long, conflicts_with = "watch")]
    json: bool,
    /// Look again every second, until Ctrl-C.
    #[arg(long)]
    watch: bool,
}

#[derive(Debug, Subcommand)]
enum Reply {
    /// Let the tool run, this once.
    #[command(after_help = "Example:\n  subagents inbox allow d7d4620597")]
    Allow(Allow),
    /// Don't let the tool run.
    #[command(
        after_help = "Example:\n  subagents inbox deny d7d4620597 --reason \"Use the staging server.\""
    )]
    Deny(Deny),
}

#[derive(Debug, Args)]
struct Allow {
    #[command(flatten)]
    dialog: Named,
}

#[derive(Debug, Args)]
struct Deny {
    #[command(flatten)]
    dialog: Named,
    /// What the model reads.
    #[arg(long, value_name = "TEXT")]
    reason: Option<String>,
}

#[derive(Debug, Args)]
struct Named {
    /// The dialog's id, or its beginning: four characters or more.
    #[arg(value_name = "ID")]
    id: String,
    /// Print JSON (docs/json/inbox-answer.schema.json).
    #[arg(long)]
    json: bool,
}

impl InboxCommand {
    pub(super) async fn run(self, context: &Context) -> Result<ExitCode, Failure> {
        let (named, decision) = match self.answer {
            None if self.watch => return go_on(context).await,
            None => return Ok(show(&inbox(&all(context)).await, self.json, context)),
            Some(Reply::Allow(allow)) => (allow.dialog, Decision::Allow),
            Some(Reply::Deny(deny)) => (deny.dialog, Decision::Deny { reason: deny.reason }),
        };
        let answered = answer(&all(context), &named.id, &decision).await.map_err(|error| refusal(&error))?;
        tell(&named, &decision, answered.as_ref());
        Ok(ExitCode::SUCCESS)
    }
}

fn all(context: &Context) -> Vec<Live> {
    living(&context.places.live_dir())
}

fn refusal(error: &AnswerRefusal) -> Failure {
    // A session has written some of it.
    let message = ui::visible(&error.to_string());
    match error {
        AnswerRefusal::NoSuch(_) | AnswerRefusal::Short(_) | AnswerRefusal::Ambiguous { .. } => {
            Failure::usage(message)
        }
        AnswerRefusal::Refused(_) | AnswerRefusal::Silent(_) => Failure::failed(message),
    }
}

fn show(inbox: &Inbox, as_json: bool, context: &Context) -> ExitCode {
    if as_json {
        let dialogs: Vec<Value> = inbox.waiting.iter().map(dialog).collect();
        print::json(
            &json!({"version": 1, "dialogs": dialogs, "unseen": unseen(inbox), "silent": silent(inbox)}),
        );
    } else {
        print::line(&text(inbox, context));
        tell_silent(inbox);
    }
    ExitCode::SUCCESS
}

/// Anew on a terminal; else what is new, once.
async fn go_on(context: &Context) -> Result<ExitCode, Failure> {
    let mut watch = Watch::on_terminal();
    let mut known = BTreeSet::new();
    while is_read() {
        let inbox = inbox(&all(context)).await;
        if let Some(watch) = &mut watch {
            watch.show(&text(&inbox, context));
        } else {
            let new = inbox.waiting.iter().filter(|waiting| !known.contains(&waiting.dialog.id));
            new.for_each(|waiting| print::line(&drawn(waiting, context)));
        }
        known = inbox.waiting.into_iter().map(|waiting| waiting.dialog.id).collect();
        sleep(PAUSE).await;
    }
    Ok(ExitCode::SUCCESS)
}

fn drawn(waiting: &Waiting, context: &Context) -> String {
    ui::waiting(waiting, Timestamp::now(), print::colour(&context.environment))
}

fn text(inbox: &Inbox, context: &Context) -> String {
    let mut waiting: Vec<String> = inbox.waiting.iter().map(|waiting| drawn(waiting, context)).collect();
    waiting.extend(inbox.unseen.iter().map(|live| ui::waits_unseen(&live.name)));
    if waiting.is_empty() { "Nothing waits for you.".to_owned() } else { waiting.join("\n\n") }
}

fn tell_silent(inbox: &Inbox) {
    for (live, silence) in &inbox.silent {
        print::line_to_stderr(&ui::visible(&format!("subagents: session {}: {silence}", live.name)));
    }
}

fn tell(named: &Named, decision: &Decision, answered: Option<&Waiting>) {
    let (word, done) = match decision {
        Decision::Allow => ("allow", "allowed"),
        Decision::Deny { .. } => ("deny", "denied"),
    };
    let id = answered.map_or(&named.id, |waiting| &waiting.dialog.id.0);
    if named.json {
        let dialog = answered.map(dialog);
        print::json(&json!({"version": 1, "id": id, "decision": word, "dialog": dialog}));
    } else {
        let what = answered.map(|waiting| format!(": {} in {}", waiting.dialog.tool, waiting.live.name));
        print::line(&format!("{done} {id}{}", ui::visible(&what.unwrap_or_default())));
    }
}

fn dialog(waiting: &Waiting) -> Value {
    let Waiting { live, dialog, route } = waiting;
    let hindrance = dialog.reach.hindrance();
    json!({
        "id": dialog.id, "session": live.session, "name": live.name, "folder": live.folder, "tool": dialog.tool,
        "input": *dialog.input, "agent": dialog.agent, "route": route, "since": dialog.since,
        "answerable": hindrance.is_none(), "hindrance": hindrance,
    })
}

fn unseen(inbox: &Inbox) -> Vec<Value> {
    inbox.unseen.iter().map(|live| json!({"session": live.session, "name": live.name})).collect()
}

fn silent(inbox: &Inbox) -> Vec<Value> {
    let silent = inbox.silent.iter();
    silent
        .map(|(live, silence)| json!({"session": live.session, "name": live.name, "reason": silence}))
        .collect()
}
