//! `subagents host`: one session in a process of its own. `run --detach` starts it.

use std::process::ExitCode;

use clap::Args;
use serde_json::json;

use super::launching::{LaunchArguments, failure, warn};
use super::{Context, Failure, print};
use crate::launch::attach::{self, RealTerminal};
use crate::launch::host::protocol::{Colours, Ended};
use crate::launch::host::{
    BeginError, Begun, HostError, Hosted, Outlook, Report, Start, begin, detach, socket_path,
};
use crate::launch::screen::{Rgb, Size};
use crate::launch::session::{Entry, Launch};
use crate::ui::visible;

/// What a session begins with that nobody looks at yet.
const UNSEEN: (u16, u16) = (120, 40);

#[derive(Debug, Args)]
#[command(after_help = "Example:\n  subagents host --size 80x24")]
pub(super) struct Host {
    #[command(flatten)]
    launch: LaunchArguments,
    /// The terminal's size in columns and rows.
    #[arg(long, value_name = "COLUMNSxROWS", value_parser = size)]
    size: Option<Size>,
    /// The terminal's foreground and background.
    #[arg(long, value_name = "RRGGBB,RRGGBB", value_parser = colours)]
    colours: Option<Colours>,
}

impl Host {
    pub(super) async fn run(self, context: &Context) -> Result<ExitCode, Failure> {
        detach().map_err(Failure::failed)?;
        let ingredients = self.launch.read(context)?;
        let agents = self.launch.agents(&ingredients)?;
        let launch = ingredients.launch(&agents, context);
        let socket = socket_path(&context.places.runtime_dir, launch.session);
        let entry = Entry { socket: Some(socket), ..launch.entry.clone() };
        let launch = Launch { entry, ..launch };
        let size = self.size.unwrap_or(Size::new(UNSEEN.0, UNSEEN.1));
        let outlook = Outlook { size, colours: self.colours };
        let hosted = Hosted::start(&launch, outlook, warn).await.map_err(refusal)?;
        let tell = |start: Start<'_>| {
            let ended = if let Start::Ended(ended) = start { Some(ended.clone()) } else { None };
            let begun = Begun { session: launch.session, name: launch.entry.name.clone(), ended };
            if let Err(error) = announce(&begun) {
                tracing::warn!(%error, "whoever started this session has gone");
            }
        };
        Box::pin(hosted.run(tell)).await.map_err(Failure::failed)?;
        Ok(ExitCode::SUCCESS)
    }
}

/// Starts a host with these arguments, and tells how to see it.
pub(super) async fn start(
    launch: &LaunchArguments,
    json: bool,
    context: &Context,
) -> Result<ExitCode, Failure> {
    let program = std::env::current_exe().map_err(Failure::failed)?;
    let colours = colours_here().await;
    let report = begin(&program, &arguments(launch, colours, context)).await;
    let Report { begun, messages } = match report {
        Ok(report) => report,
        Err(BeginError::Refused { code, messages }) => {
            messages.lines().for_each(print::line_to_stderr);
            return Ok(ExitCode::from(code));
        }
        Err(error) => return Err(Failure::failed(error)),
    };
    messages.lines().for_each(print::line_to_stderr);
    if json {
        print::json(
            &json!({"version": 1, "session": begun.session, "name": begun.name, "ended": begun.ended}),
        );
    } else if let Some(ended) = &begun.ended {
        tell_end(&begun.name, ended);
    } else {
        let Begun { name, session, .. } = &begun;
        let told = format!("session {name} ({session}) runs in the background: subagents attach {name}");
        print::line(&visible(&told));
    }
    Ok(begun.ended.map_or(ExitCode::SUCCESS, |ended| ExitCode::from(ended.code)))
}

/// P5: what a child that ended at once has left on its screen, and its code.
pub(super) fn tell_end(name: &str, ended: &Ended) {
    let lines = ended.text.iter().flat_map(|text| text.trim_end().lines());
    lines.for_each(|line| print::line_to_stderr(&visible(line)));
    print::line_to_stderr(&format!(
        "subagents: session {} has ended with exit code {}",
        visible(name),
        ended.code
    ));
}

/// Says the one line that whoever started this session waits for, and from then on nothing.
fn announce(begun: &Begun) -> std::io::Result<()> {
    print::line(&serde_json::to_string(begun)?);
    let nowhere = std::fs::OpenOptions::new().read(true).write(true).open("/dev/null")?;
    rustix::stdio::dup2_stdout(&nowhere)?;
    Ok(rustix::stdio::dup2_stderr(&nowhere)?)
}

fn arguments(launch: &LaunchArguments, colours: Option<Colours>, context: &Context) -> Vec<String> {
    let mut arguments =
        vec!["--config-dir".to_owned(), context.places.config_dir.display().to_string(), "host".to_owned()];
    let mut option = |name: &str, value: Option<String>| {
        arguments.extend(value.map(|value| format!("--{name}={value}")));
    };
    option("profile", launch.profile.clone());
    launch.agent.iter().for_each(|agent| option("agent", Some(agent.clone())));
    option("session", launch.session.map(|session| session.to_string()));
    option("name", launch.name.clone());
    option("size", terminal_size());
    option(
        "colours",
        colours.map(|Colours { foreground, background }| format!("{},{}", hex(foreground), hex(background))),
    );
    arguments.push("--".to_owned());
    arguments.extend(launch.claude_args.iter().cloned());
    arguments
}

/// The size of this terminal, if there is one.
fn terminal_size() -> Option<String> {
    let size = rustix::termios::tcgetwinsize(rustix::stdio::stderr()).ok()?;
    (size.ws_col > 0 && size.ws_row > 0).then(|| format!("{}x{}", size.ws_col, size.ws_row))
}

/// The colours of this terminal, if there is one that tells them: the child asks for them once.
async fn colours_here() -> Option<Colours> {
    let terminal = RealTerminal::open().ok()?;
    attach::colours(&terminal).await.ok().flatten()
}

fn hex(Rgb(red, green, blue): Rgb) -> String {
    format!("{red:02x}{green:02x}{blue:02x}")
}

fn colours(text: &str) -> Result<Colours, String> {
    let colour = |text: &str| {
        let number = u32::from_str_radix(text, 16).ok().filter(|_| text.len() == 6)?;
        let [_, red, green, blue] = number.to_be_bytes();
        Some(Rgb(red, green, blue))
    };
    let parts = text.split_once(',').and_then(|(foreground, background)| {
        Some(Colours { foreground: colour(foreground)?, background: colour(background)? })
    });
    parts.ok_or_else(|| format!("`{text}` isn't like d8d8d8,000000"))
}

fn size(text: &str) -> Result<Size, String> {
    let parts =
        text.split_once('x').and_then(|(columns, rows)| Some((columns.parse().ok()?, rows.parse().ok()?)));
    parts.map(|(columns, rows)| Size::new(columns, rows)).ok_or_else(|| format!("`{text}` isn't like 80x24"))
}

fn refusal(error: HostError) -> Failure {
    match error {
        HostError::Launch(error) => failure(error),
        error => Failure::failed(error),
    }
}
