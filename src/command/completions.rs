//! `subagents completions`: the script by which a shell asks for completions.

use std::process::ExitCode;

use clap::Args;

use super::complete::Shell;
use super::{Failure, print};

/// Prints a script that makes the shell complete commands, options, and the names of your own agents, routes,
/// providers and profiles. It calls `subagents` in PATH.
#[derive(Debug, Args)]
#[command(after_help = "Put one of these where your shell reads it:\n  \
    ~/.bashrc:                  source <(subagents completions bash)\n  \
    ~/.zshrc, after compinit:   source <(subagents completions zsh)\n  \
    ~/.config/fish/config.fish: subagents completions fish | source\n  \
    Nushell: save the script, and `source` it in config.nu\n\n\
    Examples:\n  subagents completions bash\n  subagents completions nushell")]
pub(super) struct Completions {
    #[arg(value_enum)]
    shell: Shell,
}

impl Completions {
    pub(super) fn run(self) -> Result<ExitCode, Failure> {
        let script = self.shell.script().map_err(Failure::failed)?;
        print::line(String::from_utf8_lossy(&script).trim_end());
        Ok(ExitCode::SUCCESS)
    }
}
