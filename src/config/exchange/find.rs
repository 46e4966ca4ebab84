//! Finds definitions on the disk: a file, a project, a plugin, a collection of plugins, any folder.
//!
//! Reads only, within bounds, and follows no link to a folder.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use super::prompt_file;

/// No more files than this are read, and no deeper than that.
const FILES: usize = 5_000;
const DEPTH: usize = 8;

/// Bytes: what an agent's file may have, and a JSON file that holds many of them.
const FILE_LIMIT: u64 = 1024 * 1024;
const JSON_LIMIT: u64 = 64 * FILE_LIMIT;

/// Where a folder keeps its agents, the best known first.
const KNOWN: [&str; 6] =
    [".claude/agents", "agents", ".opencode/agents", ".opencode/agent", ".chatcli/agents", "agent"];

/// What a folder without any of those holds beside agents.
const OTHER_FOLDERS: [&str; 4] = ["commands", "node_modules", "skills", "target"];

/// One file, or what was handed over in its place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Source {
    /// For people.
    pub origin: String,
    /// What an agent is called that has no name of its own.
    pub stem: String,
    pub content: Content,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Content {
    Markdown(Vec<u8>),
    Json(String),
    /// There is a file, and this keeps it from being read.
    Unreadable(String),
}

#[derive(Debug, thiserror::Error)]
pub enum FindError {
    #[error("{path} can't be read: {source}; name a file or a folder that there is")]
    Unreadable { path: PathBuf, source: io::Error },
    #[error("{path}: there are no agent files; name the folder that holds them")]
    Nothing { path: PathBuf },
    #[error("{path}: more than {FILES} files; name a smaller folder")]
    TooMany { path: PathBuf },
}

/// Every file that may hold definitions, in the order of the paths.
pub fn find(path: &Path) -> Result<Vec<Source>, FindError> {
    let unreadable = |source| FindError::Unreadable { path: path.to_owned(), source };
    if !fs::metadata(path).map_err(unreadable)?.is_dir() {
        return Ok(vec![read(path).map_err(unreadable)?]);
    }
    let files = files(path);
    if files.len() > FILES {
        return Err(FindError::TooMany { path: path.to_owned() });
    }
    if files.is_empty() {
        return Err(FindError::Nothing { path: path.to_owned() });
    }
    let unreadable = |file: &PathBuf, error: &io::Error| Source {
        origin: file.display().to_string(),
        stem: stem(file),
        content: Content::Unreadable(error.to_string()),
    };
    Ok(files.iter().map(|file| read(file).unwrap_or_else(|error| unreadable(file, &error))).collect())
}

/// What came on stdin: JSON if it looks like it, else one agent file.
pub fn from_text(origin: &str, stem: &str, text: &str) -> Source {
    let is_json = text.trim_start().starts_with('{');
    let content =
        if is_json { Content::Json(text.to_owned()) } else { Content::Markdown(text.as_bytes().to_owned()) };
    Source { origin: origin.to_owned(), stem: stem.to_owned(), content }
}

fn files(folder: &Path) -> Vec<PathBuf> {
    let mut files = Vec::new();
    let known = KNOWN.iter().map(|place| folder.join(place)).find(|place| place.is_dir());
    let known_claude = known.as_ref().is_some_and(|place| !place.starts_with(folder.join(".opencode")));
    if let Some(place) = known.or_else(|| is_agents_folder(folder).then(|| folder.to_owned())) {
        collect(&place, DEPTH, Wanted::All, &mut files);
    } else {
        let plugins = plugins(folder);
        for plugin in &plugins {
            collect(&plugin.join("agents"), DEPTH, Wanted::All, &mut files);
        }
        if plugins.is_empty() {
            collect(folder, DEPTH, Wanted::Likely, &mut files);
        }
    }
    // Beside agents of Claude Code's, opencode's are the same ones once more.
    if !known_claude {
        let json = ["opencode.json", ".opencode/opencode.json"].map(|name| folder.join(name));
        files.extend(json.into_iter().filter(|file| file.is_file()));
    }
    files.sort();
    files
}

fn is_agents_folder(folder: &Path) -> bool {
    folder.file_name().is_some_and(|name| name == "agents" || name == "agent")
}

/// A collection keeps one folder for each plugin below `plugins/`.
fn plugins(folder: &Path) -> Vec<PathBuf> {
    let Ok(entries) = fs::read_dir(folder.join("plugins")) else { return Vec::new() };
    entries
        .filter_map(Result::ok)
        .map(|entry| entry.path())
        .filter(|path| path.join("agents").is_dir())
        .collect()
}

/// Which files of a folder are read.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Wanted {
    /// Claude Code reads every Markdown file below an `agents` folder.
    All,
    /// Skills and commands look like agents and are none.
    Likely,
}

fn collect(folder: &Path, depth: usize, wanted: Wanted, files: &mut Vec<PathBuf>) {
    let Ok(entries) = fs::read_dir(folder) else { return };
    for path in entries.filter_map(Result::ok).map(|entry| entry.path()) {
        if files.len() > FILES {
            return;
        }
        let name = path.file_name().and_then(|name| name.to_str()).unwrap_or(".");
        if name.starts_with('.') {
            continue;
        }
        let likely = wanted == Wanted::All || !(OTHER_FOLDERS.contains(&name) || name == "SKILL.md");
        if path.is_dir() && !path.is_symlink() {
            if depth > 0 && likely {
                collect(&path, depth - 1, wanted, files);
            }
        } else if likely && path.is_file() && path.extension().is_some_and(|extension| extension == "md") {
            files.push(path);
        }
    }
}

fn read(file: &Path) -> io::Result<Source> {
    let named_json = file.extension().is_some_and(|extension| extension == "json" || extension == "jsonc");
    let limit = if named_json { JSON_LIMIT } else { FILE_LIMIT };
    if fs::metadata(file)?.len() > limit {
        return Err(io::Error::other(format!("it is larger than {} MiB", limit / FILE_LIMIT)));
    }
    let bytes = fs::read(file)?;
    let content = if named_json || bytes.trim_ascii_start().starts_with(b"{") {
        let text = String::from_utf8_lossy(&bytes);
        Content::Json(prompt_file::put_in(&text, file.parent().unwrap_or(Path::new("."))))
    } else {
        Content::Markdown(bytes)
    };
    Ok(Source { origin: file.display().to_string(), stem: stem(file), content })
}

/// A file that only says what it is, as in `developer/AGENT.md`, is called after its folder.
fn stem(file: &Path) -> String {
    let text = |part: Option<&std::ffi::OsStr>| part.unwrap_or_default().to_string_lossy().into_owned();
    let own = text(file.file_stem());
    if own.eq_ignore_ascii_case("agent") { text(file.parent().and_then(Path::file_name)) } else { own }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(files: &[&str], from: &str, expect: &[&str]) {
        let root = tempfile::tempdir().unwrap();
        for file in files {
            let file = root.path().join(file);
            fs::create_dir_all(file.parent().unwrap()).unwrap();
            fs::write(file, "{}").unwrap();
        }
        let found = find(&root.path().join(from)).unwrap();
        let origin = |source: &Source| {
            let path = Path::new(&source.origin).strip_prefix(root.path()).unwrap();
            path.to_str().unwrap().to_owned()
        };
        assert_eq!(found.iter().map(origin).collect::<Vec<_>>(), expect);
    }

    #[test]
    fn every_kind_of_folder_gives_its_agents() {
        let project = [".claude/agents/a.md", ".claude/agents/b/c.md", ".claude/commands/d.md", "README.md"];
        check(&project, "", &[".claude/agents/a.md", ".claude/agents/b/c.md"]);
        check(&["agents/a.md", "skills/s/SKILL.md", "commands/c.md"], "", &["agents/a.md"]);
        check(&["agents/x/AGENT.md", "agents/.hidden.md", "agents/t.txt"], "agents", &["agents/x/AGENT.md"]);
        check(
            &["plugins/p/agents/a.md", "plugins/q/agents/b.md", "plugins/r/skills/SKILL.md", "docs/x.md"],
            "",
            &["plugins/p/agents/a.md", "plugins/q/agents/b.md"],
        );
        check(&["one/a.md", "one/skills/x.md", "one/SKILL.md"], "", &["one/a.md"]);
        check(&[".opencode/agent/a.md", "opencode.json"], "", &[".opencode/agent/a.md", "opencode.json"]);
        check(&["a.json"], "a.json", &["a.json"]);
    }

    #[test]
    fn a_file_that_cannot_be_read_is_told_beside_the_others() {
        let root = tempfile::tempdir().unwrap();
        fs::write(root.path().join("big.md"), vec![b'x'; 1024 * 1024 + 1]).unwrap();
        fs::write(root.path().join("a.md"), "---\n").unwrap();
        let found = find(root.path()).unwrap();
        assert!(matches!(&found[1].content, Content::Unreadable(why) if why.contains("1 MiB")), "{found:?}");
    }

    #[test]
    fn a_place_without_agents_is_told() {
        let root = tempfile::tempdir().unwrap();
        assert!(matches!(find(root.path()), Err(FindError::Nothing { .. })));
        assert!(matches!(find(&root.path().join("no")), Err(FindError::Unreadable { .. })));
    }

    #[test]
    fn f14_a_file_that_only_says_what_it_is_is_called_after_its_folder() {
        assert_eq!(stem(Path::new("agents/developer/AGENT.md")), "developer");
        assert_eq!(stem(Path::new("agents/developer.md")), "developer");
    }
}
