//! Reads the configuration folder: the themes, config.toml, then the agents, then what holds between the two.

use std::io;
use std::path::Path;

use super::meaning::{self, Around};
use super::report::Report;
use super::view::View;
use super::{AGENTS_FOLDER, CONFIG_FILE, Config, Problem, THEMES_FOLDER, agent, theme};

/// Everything in the folder that can be used, and what is wrong with the rest.
///
/// A folder or a file that isn't there is no problem: it says nothing.
pub fn load(config_dir: &Path) -> (Config, Vec<Problem>) {
    load_view(config_dir, View::of_disk())
}

/// The same of what a view shows.
pub(super) fn load_view(config_dir: &Path, view: View<'_>) -> (Config, Vec<Problem>) {
    let home = etcetera::home_dir().ok();
    let (themes, found) = theme::load_dir(&config_dir.join(THEMES_FOLDER), view);
    let around = Around { config_dir, home: home.as_deref(), themes: &themes };
    let mut report = Report::new(&config_dir.join(CONFIG_FILE));
    let mut config = read_file(&around, view, &mut report);
    config.themes = themes;
    let mut problems = report.into_problems();
    problems.extend(found);
    let (agents, found) = agent::load_dir(&config_dir.join(AGENTS_FOLDER), view);
    problems.extend(found);
    for agent in agents {
        match agent::check_route(&agent, &config, view) {
            Ok(()) => config.agents.push(agent),
            Err(problem) => problems.push(problem),
        }
    }
    (config, problems)
}

fn read_file(around: &Around<'_>, view: View<'_>, report: &mut Report) -> Config {
    let bytes = view.bytes(&around.config_dir.join(CONFIG_FILE), u64::MAX);
    let text = bytes.and_then(|bytes| String::from_utf8(bytes).map_err(io::Error::other));
    match text {
        Ok(text) => meaning::read(&text, around, report),
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

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;
    use crate::config::Severity;

    const CONFIG: &str = "[providers.p]\npreset = \"vllm\"\n[providers.o]\nbase_url = \"https://o.example/v1\"\n\
                          dialect = \"openai-chat\"\n[routes.\"p/dumb\"]\ntools = false\n";

    fn folder(config: &str, agents: &[(&str, &str)]) -> tempfile::TempDir {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join(CONFIG_FILE), config).unwrap();
        fs::create_dir(folder.path().join(AGENTS_FOLDER)).unwrap();
        for (file, text) in agents {
            fs::write(folder.path().join(AGENTS_FOLDER).join(file), text).unwrap();
        }
        folder
    }

    fn agent(name: &str, model: &str) -> String {
        format!("---\nname: {name}\ndescription: d\nmodel: {model}\n---\nDo it.\n")
    }

    #[test]
    fn no_folder_and_an_empty_folder_are_no_problem() {
        let parent = tempfile::tempdir().unwrap();
        for path in [parent.path().join("none"), parent.path().to_owned()] {
            let (config, problems) = load(&path);
            assert!(config.agents.is_empty() && problems.is_empty(), "{problems:?}");
        }
    }

    #[test]
    fn l10_an_agent_whose_route_cannot_be_used_is_left_out_and_named_with_route_and_provider() {
        for (model, parts) in [
            ("p/dumb", ["`x`", "`p/dumb`", "provider `p`", "tools = false"]),
            ("q/m", ["`x`", "`q/m`", "provider `q`", "`o`, `p`"]),
        ] {
            let folder = folder(CONFIG, &[("x.md", &agent("x", model)), ("y.md", &agent("y", "p/m"))]);
            let (config, problems) = load(folder.path());
            assert_eq!(config.agents.iter().map(|a| a.name.as_str()).collect::<Vec<_>>(), ["y"]);
            let [problem] = problems.as_slice() else { panic!("{problems:?}") };
            assert_eq!((problem.severity, problem.line), (Severity::Error, Some(4)));
            assert!(problem.file.ends_with("agents/x.md"));
            let told = problem.to_string();
            assert!(parts.iter().all(|part| told.contains(part)), "{told}");
        }
    }

    #[test]
    fn of_two_files_with_one_name_the_first_counts_and_both_are_named() {
        let files =
            [("b.md", agent("x", "sonnet")), ("a.md", agent("x", "opus")), ("c.md", agent("z", "opus"))];
        let files: Vec<_> = files.iter().map(|(file, text)| (*file, text.as_str())).collect();
        let folder = folder("", &files);
        let (config, problems) = load(folder.path());
        assert_eq!(config.agents.iter().map(|a| a.name.as_str()).collect::<Vec<_>>(), ["x", "z"]);
        assert!(config.agents[0].file.ends_with("a.md"));
        let [problem] = problems.as_slice() else { panic!("{problems:?}") };
        assert!(problem.message.contains("a.md") && problem.message.contains("b.md"), "{problem}");
    }

    #[test]
    fn a_broken_file_keeps_neither_the_agents_nor_the_other_files_from_loading() {
        let good = agent("y", "sonnet");
        let files =
            [("x.md", "---\nname: x\n---\n"), ("y.md", good.as_str()), (".z.md", "---"), ("t.txt", "")];
        let folder = folder("[policy\n", &files);
        std::os::unix::fs::symlink("nowhere", folder.path().join("agents/link.md")).unwrap();
        let (config, problems) = load(folder.path());
        assert_eq!(config.agents.len(), 1);
        let files: Vec<_> = problems.iter().map(|p| p.file.file_name().unwrap().to_str().unwrap()).collect();
        assert_eq!(files, ["config.toml", "link.md", "x.md", "x.md"]);
    }

    #[test]
    fn a_file_that_cannot_be_read_is_told() {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join(CONFIG_FILE), b"\xff").unwrap();
        fs::write(folder.path().join(AGENTS_FOLDER), "no folder").unwrap();
        let (_, problems) = load(folder.path());
        assert_eq!(problems.len(), 2, "{problems:?}");
        assert!(problems.iter().all(|problem| problem.message.contains("can't be read")));
    }

    #[test]
    fn i03_debug_of_all_that_was_read_shows_references_and_never_a_key_in_the_wrong_place() {
        let text = "[providers.a]\npreset = \"glm\"\nauth = { secret = \"env:KEY\" }\n[providers.b]\npreset = \
                    \"glm\"\nauth = { secret = \"sk-canary\" }\n[providers.c]\npreset = \"glm\"\ntoken = \"canary\"\n";
        let folder = folder(text, &[]);
        let shown = format!("{:?}", load(folder.path()));
        assert!(shown.contains("KEY") && !shown.contains("canary"), "{shown}");
    }
}
