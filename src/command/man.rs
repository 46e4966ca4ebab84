//! `subagents man`: the man page, from the same definitions as `--help`.

use std::path::PathBuf;
use std::process::ExitCode;

use clap::{Args, Command, CommandFactory};
use clap_mangen::Man;

use super::{Cli, Failure, print};

#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  subagents man\n  subagents man --dir .")]
pub(super) struct ManPage {
    /// Write one page for each command into this folder, instead of one page for all to stdout.
    #[arg(long, value_name = "DIR")]
    dir: Option<PathBuf>,
}

impl ManPage {
    pub(super) fn run(self) -> Result<ExitCode, Failure> {
        if let Some(dir) = &self.dir {
            let named = |error| Failure::failed(format!("{}: {error}", dir.display()));
            std::fs::create_dir_all(dir)
                .and_then(|()| clap_mangen::generate_to(Cli::command(), dir))
                .map_err(named)?;
            return Ok(ExitCode::SUCCESS);
        }
        let page = page().map_err(Failure::failed)?;
        print::line(String::from_utf8_lossy(&page).trim_end());
        Ok(ExitCode::SUCCESS)
    }
}

/// The program, then a section for each command below it.
fn page() -> std::io::Result<Vec<u8>> {
    let mut command = Cli::command().disable_help_subcommand(true);
    command.build();
    let mut page = Vec::new();
    Man::new(command.clone()).render(&mut page)?;
    sections(&command, &mut page)?;
    Ok(page)
}

fn sections(command: &Command, page: &mut Vec<u8>) -> std::io::Result<()> {
    for below in command.get_subcommands().filter(|below| !below.is_hide_set()) {
        if !below.has_subcommands() {
            page.extend(section(below)?);
        }
        sections(below, page)?;
    }
    Ok(())
}

/// The headings of the command's own page become headings below its name.
fn section(command: &Command) -> std::io::Result<Vec<u8>> {
    let man = Man::new(command.clone());
    let mut text = Vec::new();
    man.render_synopsis_section(&mut text)?;
    man.render_description_section(&mut text)?;
    man.render_options_section(&mut text)?;
    man.render_extra_section(&mut text)?;
    let name = command.get_bin_name().unwrap_or_else(|| command.get_name()).to_uppercase();
    let below = String::from_utf8_lossy(&text).replace("\n.SH ", "\n.SS ");
    // Each part brings its own preamble along; the page has one already.
    let lines = below.lines().filter(|line| !line.starts_with(".ie ") && !line.starts_with(".el "));
    let heading = format!(".SH \"{name}\"");
    let lines: Vec<&str> = std::iter::once(heading.as_str()).chain(lines).collect();
    Ok((lines.join("\n") + "\n").into_bytes())
}
