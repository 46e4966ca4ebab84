//! From a model's arguments to git's. Nothing that a model writes can become an option. Pure.

use std::path::{Component, Path};

use serde_json::{Map, Value};

/// Commits that a log shows when nothing is said, and at most.
pub const USUAL_COMMITS: u64 = 20;
pub const MOST_COMMITS: u64 = 1000;

/// Bytes of a revision, and how many paths there may be.
const REVISION: usize = 256;
const PATHS: usize = 100;

/// What git is told before its command: no program of the person's or of the repository's, and no pattern in paths.
const ALWAYS: [&str; 2] = ["--no-pager", "--literal-pathspecs"];

/// Settings by which it would run a program, write its index, walk into other repositories, or print in another form.
const SETTINGS: [&str; 14] = [
    "core.fsmonitor=false",
    "core.hooksPath=/dev/null",
    "core.untrackedCache=false",
    "color.ui=false",
    "log.showSignature=false",
    "log.diffMerges=off",
    "diff.autoRefreshIndex=false",
    "diff.external=",
    "diff.submodule=short",
    "diff.orderFile=/dev/null",
    "status.submoduleSummary=false",
    "submodule.recurse=false",
    "protocol.allow=never",
    "safe.bareRepository=explicit",
];

/// Of everything that compares.
const COMPARING: [&str; 6] =
    ["--no-color", "--no-ext-diff", "--no-textconv", "--submodule=short", "--ignore-submodules=dirty", "-M"];

/// One look at a repository: the words after `git`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Look {
    pub words: Vec<String>,
}

/// What a model gave, of which each part is asked for once.
struct Given<'a> {
    arguments: &'a Map<String, Value>,
    folder: &'a Path,
}

/// From what was given to a command and its words.
type Reader = fn(&Given<'_>) -> Result<Vec<String>, String>;

impl Look {
    /// The look that the tool of this name has; `None`: it is none of ours.
    ///
    /// # Errors
    /// Why the arguments are none, for the model.
    pub fn read(name: &str, arguments: &Map<String, Value>, folder: &Path) -> Option<Result<Self, String>> {
        let (known, words): (&[&str], Reader) = match name {
            "git_status" => (&["paths"], status),
            "git_diff" => (&["revision", "staged", "paths", "context", "stat"], diff),
            "git_log" => (&["revision", "paths", "max_count", "patch"], log),
            "git_changed" => (&["revision", "staged", "paths"], changed),
            "git_branch" => (&["remotes"], branch),
            _ => return None,
        };
        let unknown = arguments.keys().find(|key| !known.contains(&key.as_str()));
        Some(match unknown {
            Some(key) => Err(format!("`{}` is no argument of {name}", key.escape_debug())),
            None => words(&Given { arguments, folder }).map(Self::new),
        })
    }

    fn new(command: Vec<String>) -> Self {
        let settings = SETTINGS.iter().flat_map(|setting| ["-c", setting]);
        let words = ALWAYS.into_iter().chain(settings).map(str::to_owned);
        Self { words: words.chain(command).collect() }
    }
}

fn status(given: &Given<'_>) -> Result<Vec<String>, String> {
    let words =
        ["status", "--porcelain=v1", "--branch", "--untracked-files=normal", "--ignore-submodules=dirty"];
    Ok(list(&words).chain(given.paths()?).collect())
}

fn diff(given: &Given<'_>) -> Result<Vec<String>, String> {
    let mut words: Vec<String> = list(&["diff"]).chain(list(&COMPARING)).collect();
    words.extend(given.switch("staged")?.then(|| "--cached".to_owned()));
    words.extend(given.number("context", 0, 100)?.map(|lines| format!("--unified={lines}")));
    words.extend(given.switch("stat")?.then(|| "--stat=120".to_owned()));
    words.extend(given.revision(None)?);
    words.extend(given.paths()?);
    Ok(words)
}

fn log(given: &Given<'_>) -> Result<Vec<String>, String> {
    let mut words: Vec<String> = list(&["log", "--no-show-signature", "--no-decorate"]).collect();
    words.extend(list(&COMPARING));
    words.push("--date=iso-strict".to_owned());
    words.push("--format=%h %ad %an%n%w(0,4,4)%B%w(0)".to_owned());
    let count = given.number("max_count", 1, MOST_COMMITS)?.unwrap_or(USUAL_COMMITS);
    words.push(format!("--max-count={count}"));
    words.push(if given.switch("patch")? { "--patch" } else { "--no-patch" }.to_owned());
    words.extend(given.revision(None)?);
    words.extend(given.paths()?);
    Ok(words)
}

fn changed(given: &Given<'_>) -> Result<Vec<String>, String> {
    let mut words: Vec<String> = list(&["diff", "--name-status"]).chain(list(&COMPARING)).collect();
    words.extend(given.switch("staged")?.then(|| "--cached".to_owned()));
    words.extend(given.revision(Some("HEAD"))?);
    words.extend(given.paths()?);
    Ok(words)
}

/// Git's own lister, because `git branch` also makes them.
fn branch(given: &Given<'_>) -> Result<Vec<String>, String> {
    let format = "--format=%(HEAD) %(refname:short) %(objectname:short) %(contents:subject)";
    let mut words: Vec<String> = list(&["for-each-ref", format, "--end-of-options", "refs/heads"]).collect();
    words.extend(given.switch("remotes")?.then(|| "refs/remotes".to_owned()));
    Ok(words)
}

fn list(words: &[&str]) -> impl Iterator<Item = String> {
    words.iter().map(|word| (*word).to_owned())
}

impl Given<'_> {
    /// After what says that no option follows; always there, so that a name is never taken for a path.
    fn revision(&self, usual: Option<&str>) -> Result<Vec<String>, String> {
        let given = match self.arguments.get("revision") {
            None | Some(Value::Null) => usual,
            Some(Value::String(text)) => Some(text.as_str()),
            Some(_) => return Err("`revision` must be a text".to_owned()),
        };
        let mut words = vec!["--end-of-options".to_owned()];
        if let Some(text) = given {
            words.push(revision(text)?.to_owned());
        }
        Ok(words)
    }

    /// With the `--` before them, also where there are none.
    fn paths(&self) -> Result<Vec<String>, String> {
        let none = Vec::new();
        let given = match self.arguments.get("paths") {
            None | Some(Value::Null) => &none,
            Some(Value::Array(paths)) if paths.len() <= PATHS => paths,
            Some(_) => return Err(format!("`paths` must be a list of at most {PATHS} texts")),
        };
        let read = |path: &Value| {
            let text = path.as_str().ok_or("`paths` must be a list of texts")?;
            path_within(text, self.folder)
        };
        let paths: Result<Vec<String>, String> = given.iter().map(read).collect();
        Ok(std::iter::once("--".to_owned()).chain(paths?).collect())
    }

    fn switch(&self, name: &str) -> Result<bool, String> {
        match self.arguments.get(name) {
            None | Some(Value::Null) => Ok(false),
            Some(Value::Bool(on)) => Ok(*on),
            Some(_) => Err(format!("`{name}` must be true or false")),
        }
    }

    fn number(&self, name: &str, least: u64, most: u64) -> Result<Option<u64>, String> {
        match self.arguments.get(name) {
            None | Some(Value::Null) => Ok(None),
            Some(value) => match value.as_u64() {
                Some(number) if (least..=most).contains(&number) => Ok(Some(number)),
                _ => Err(format!("`{name}` must be a whole number from {least} to {most}")),
            },
        }
    }
}

/// A revision or a range: names, `~2`, `^`, `@{1}`, `a..b`. No path behind a colon, and no option.
fn revision(text: &str) -> Result<&str, String> {
    let is_known = |c: char| c.is_alphanumeric() || "._/-@{}^~+#=,%".contains(c);
    let is_one =
        !text.is_empty() && text.len() <= REVISION && !text.starts_with('-') && text.chars().all(is_known);
    is_one.then_some(text).ok_or_else(|| {
        let shown: String = text.chars().take(80).collect();
        format!("`{}` is no revision: a name, a hash, `HEAD~2` or `a..b`", shown.escape_debug())
    })
}

/// Relative to the folder; an absolute one must lie within it.
fn path_within(text: &str, folder: &Path) -> Result<String, String> {
    let refused = |why: &str| {
        let shown: String = text.chars().take(200).collect();
        format!("path `{}` {why}", shown.escape_debug())
    };
    if text.is_empty() || text.contains('\0') {
        return Err(refused("is none"));
    }
    let path = Path::new(text);
    let path = if path.is_absolute() {
        path.strip_prefix(folder).map_err(|_| refused("is outside of the folder that you work in"))?
    } else {
        path
    };
    let is_plain = |part: Component<'_>| matches!(part, Component::Normal(_) | Component::CurDir);
    if !path.components().all(is_plain) {
        return Err(refused("leads out of the folder that you work in"));
    }
    let path = path.to_string_lossy();
    Ok(if path.is_empty() { ".".to_owned() } else { path.into_owned() })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn read(name: &str, arguments: &Value) -> Result<String, String> {
        let look = Look::read(name, arguments.as_object().unwrap(), Path::new("/src/app")).unwrap()?;
        let command =
            look.words.iter().position(|word| !word.starts_with('-') && !word.contains('=')).unwrap();
        assert!(look.words[..command].contains(&"core.fsmonitor=false".to_owned()));
        Ok(look.words[command..].join(" "))
    }

    #[test]
    fn what_is_asked_becomes_a_command_that_only_looks() {
        let compare = COMPARING.join(" ");
        for (name, arguments, want) in [
            ("git_status", json!({}), "status --porcelain=v1 --branch --untracked-files=normal --ignore-submodules=dirty --".to_owned()),
            ("git_diff", json!({}), format!("diff {compare} --end-of-options --")),
            (
                "git_diff",
                json!({"revision": "main...HEAD~2", "staged": true, "context": 0, "stat": true, "paths": ["a/b", "/src/app/c", "/src/app", "-x"]}),
                format!("diff {compare} --cached --unified=0 --stat=120 --end-of-options main...HEAD~2 -- a/b c . -x"),
            ),
            ("git_changed", json!({"staged": null}), format!("diff --name-status {compare} --end-of-options HEAD --")),
            (
                "git_branch",
                json!({"remotes": true}),
                "for-each-ref --format=%(HEAD) %(refname:short) %(objectname:short) %(contents:subject) --end-of-options refs/heads refs/remotes".to_owned(),
            ),
        ] {
            assert_eq!(read(name, &arguments), Ok(want), "{name} {arguments}");
        }
        let log = read("git_log", &json!({"max_count": 3, "patch": true, "revision": "v1..v2"})).unwrap();
        assert!(log.ends_with("--max-count=3 --patch --end-of-options v1..v2 --"), "{log}");
        assert!(read("git_log", &json!({})).unwrap().contains("--max-count=20 --no-patch"));
    }

    #[test]
    fn nothing_else_can_be_said() {
        for (name, arguments, part) in [
            ("git_diff", json!({"revision": "--output=/etc/x"}), "no revision"),
            ("git_diff", json!({"revision": "-O/x"}), "no revision"),
            ("git_diff", json!({"revision": ""}), "no revision"),
            ("git_diff", json!({"revision": "a b"}), "no revision"),
            ("git_diff", json!({"revision": "a\n--output=x"}), "no revision"),
            ("git_diff", json!({"revision": "HEAD:/etc/passwd"}), "no revision"),
            ("git_diff", json!({"revision": ":/fix"}), "no revision"),
            ("git_diff", json!({"revision": "x".repeat(257)}), "no revision"),
            ("git_diff", json!({"revision": ["a"]}), "must be a text"),
            ("git_diff", json!({"output": "/tmp/x"}), "no argument"),
            ("git_status", json!({"revision": "HEAD"}), "no argument"),
            ("git_branch", json!({"name": "new"}), "no argument"),
            ("git_diff", json!({"staged": "--output=x"}), "true or false"),
            ("git_diff", json!({"context": "3 --output=x"}), "whole number"),
            ("git_log", json!({"max_count": 0}), "whole number"),
            ("git_log", json!({"max_count": -1}), "whole number"),
            ("git_log", json!({"max_count": 1001}), "whole number"),
            ("git_diff", json!({"paths": "a"}), "list"),
            ("git_diff", json!({"paths": [1]}), "list"),
            ("git_diff", json!({"paths": vec!["a"; 101]}), "list"),
            ("git_diff", json!({"paths": [".."]}), "leads out"),
            ("git_diff", json!({"paths": ["a/../../b"]}), "leads out"),
            ("git_diff", json!({"paths": ["/src/app/../b"]}), "leads out"),
            ("git_diff", json!({"paths": ["/src/apple"]}), "outside"),
            ("git_diff", json!({"paths": ["/etc/passwd"]}), "outside"),
            ("git_diff", json!({"paths": [""]}), "none"),
            ("git_diff", json!({"paths": ["a\u{0}b"]}), "none"),
        ] {
            let refused = read(name, &arguments).unwrap_err();
            assert!(refused.contains(part), "{name} {arguments}: {refused}");
        }
        assert_eq!(Look::read("git_push", &Map::new(), Path::new("/")), None);
    }
}
