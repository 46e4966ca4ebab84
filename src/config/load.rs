//! Reads the configuration folder: config.toml, then the agents, then what holds between the two.

use std::fs;
use std::io;
use std::path::Path;

use super::meaning::{self, Folders};
use super::report::Report;
use super::{AGENTS_FOLDER, CONFIG_FILE, Config, Problem, agent};

/// Everything in the folder that can be used, and what is wrong with the rest.
///
/// A folder or a file that isn't there is no problem: it says nothing.
pub fn load(config_dir: &Path) -> (Config, Vec<Problem>) {
    let home = etcetera::home_dir().ok();
    let folders = Folders { config_dir, home: home.as_deref() };
    let mut report = Report::new(&config_dir.join(CONFIG_FILE));
    let mut config = read_file(&folders, &mut report);
    let mut problems = report.into_problems();
    let (agents, found) = agent::load_dir(&config_dir.join(AGENTS_FOLDER));
    problems.extend(found);
    for agent in agents {
        match agent::check_route(&agent, &config) {
            Ok(()) => config.agents.push(agent),
            Err(problem) => problems.push(problem),
        }
    }
    (config, problems)
}

fn read_file(folders: &Folders<'_>, report: &mut Report) -> Config {
    match fs::read_to_string(folders.config_dir.join(CONFIG_FILE)) {
        Ok(text) => meaning::read(&text, folders, report),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Config::default(),
        Err(error) => {
            report.error(
                None,
                format!("the file can't be read: {error}"),
                "until then nothing in it is used",
            );
            Config::default()
        }
    }
}
