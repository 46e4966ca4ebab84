//! `subagents host`: one session in a process of its own. `run --detach` starts it.

use std::process::ExitCode;

use clap::Args;
use serde_json::{Value, json};
use uuid::Uuid;

use super::launching::{Ingredients, LaunchArguments, failure, warn};
use super::resume::{Basis, Wish, find};
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
    /// Take up a session again, instead of beginning one.
    #[arg(long, value_name = "UUID")]
    resume: Option<Uuid>,
    /// With --resume: with today's configuration.
    #[arg(long, requires = "resume")]
    current: bool,
}

/// What became of a host that was to be started.
pub(super) enum Started {
    Begun(Begun),
    /// It has told why, and this is its exit code.
    Refused(ExitCode),
}

impl Host {
    pub(super) async fn run(self, context: &Context) -> Result<ExitCode, Failure> {
        detach().map_err(Failure::failed)?;
        let ingredients = self.ingredients(context)?;
        let agents = ingredients.agents()?;
        if self.resume.is_none() {
            ingredients.tell_left_out();
        }
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

    fn ingredients(&self, context: &Context) -> Result<Ingredients, Failure> {
        match self.resume {
            // Whoever asks for it has told what there is to be told.
            Some(session) => {
                let (session, basis) = (session.to_string(), Basis::of(self.current));
                let wish = Wish { session: &session, basis, claude_args: &self.launch.claude_args };
                Ok(find(context, context.config().0, &wish)?.ingredients)
            }
            None => self.launch.read(context),
        }
    }
}

/// Starts a host that is asked for by these options.
pub(super) async fn start(
    options: &[String],
    claude_args: &[String],
    context: &Context,
) -> Result<Started, Failure> {
    let program = std::env::current_exe().map_err(Failure::failed)?;
    let folder = context.places.config_dir.display().to_string();
    let mut arguments = vec!["--config-dir".to_owned(), folder, "host".to_owned()];
    arguments.extend_from_slice(options);
    arguments.extend(terminal_size().map(|size| format!("--size={size}")));
    arguments.extend(
        colours_here()
            .await
            .map(|colours| format!("--colours={},{}", hex(colours.foreground), hex(colours.background))),
    );
    arguments.push("--".to_owned());
    arguments.extend_from_slice(claude_args);
    match begin(&program, &arguments).await {
        Ok(Report { begun, messages }) => {
            messages.lines().for_each(print::line_to_stderr);
            Ok(Started::Begun(begun))
        }
        Err(BeginError::Refused { code, messages }) => {
            messages.lines().for_each(print::line_to_stderr);
            Ok(Started::Refused(ExitCode::from(code)))
        }
        Err(error) => Err(Failure::failed(error)),
    }
}

/// Tells how to see a session that has begun; the command's exit code.
pub(super) fn tell(begun: &Begun, json: bool) -> ExitCode {
    if json {
        print::json(&shown(begun));
    } else if let Some(ended) = &begun.ended {
        tell_end(&begun.name, ended);
    } else {
        let Begun { name, session, .. } = begun;
        let told = format!("session {name} ({session}) runs in the background: subagents attach {name}");
        print::line(&visible(&told));
    }
    code(begun)
}

/// The child's, where it has ended already.
pub(super) fn code(begun: &Begun) -> ExitCode {
    begun.ended.as_ref().map_or(ExitCode::SUCCESS, |ended| ExitCode::from(ended.code))
}

/// In `--json`.
pub(super) fn shown(begun: &Begun) -> Value {
    json!({"version": 1, "session": begun.session, "name": begun.name, "ended": begun.ended})
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

/// The options by which a host gets what `run` was asked for.
pub(super) fn of_launch(launch: &LaunchArguments) -> Vec<String> {
    let mut arguments = Vec::new();
    let mut option = |name: &str, value: Option<String>| {
        arguments.extend(value.map(|value| format!("--{name}={value}")));
    };
    option("profile", launch.profile.clone());
    launch.agent.iter().for_each(|agent| option("agent", Some(agent.clone())));
    launch.hide.iter().for_each(|agent| option("hide", Some(agent.clone())));
    option("session", launch.session.map(|session| session.to_string()));
    option("name", launch.name.clone());
    let switches = [("--only-hidden", launch.only_hidden), ("--no-agent-tool", launch.no_agent_tool)];
    arguments.extend(switches.into_iter().filter(|(_, is_on)| *is_on).map(|(name, _)| name.to_owned()));
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
