//! What the tools are called and what they take. Pure, and always the same.

use serde_json::{Value, json};

use super::arguments::{MOST_COMMITS, USUAL_COMMITS};

/// A tool as it is told to a client.
#[derive(Debug, Clone, PartialEq)]
pub struct GitTool {
    pub name: &'static str,
    pub title: &'static str,
    pub description: &'static str,
    /// A JSON Schema of its arguments.
    pub input: Value,
}

/// All of them, in their order.
pub fn tools() -> [GitTool; 5] {
    let tool = |name, title, description, properties: Value| GitTool {
        name,
        title,
        description,
        input: json!({"type": "object", "properties": properties, "additionalProperties": false}),
    };
    [
        tool(
            "git_status",
            "Git status",
            "The branch and what differs from its last commit, one file a line, as `git status --porcelain --branch`.",
            json!({"paths": paths()}),
        ),
        tool(
            "git_diff",
            "Git diff",
            "Changes as a patch: of the working tree since the index, of the index, since a revision, or between two (`a..b`).",
            json!({"revision": revision("Since it, or `a..b`, `a...b`. Left out: since the index."), "staged": staged(),
                "paths": paths(),
                "context": {"type": "integer", "minimum": 0, "maximum": 100, "description": "Lines around each change; 3 if left out."},
                "stat": {"type": "boolean", "default": false, "description": "Only how many lines of each file."}}),
        ),
        tool(
            "git_log",
            "Git log",
            "Commits, the newest first: hash, date, author and message.",
            json!({"revision": revision("Where to begin, or `a..b`. Left out: HEAD."), "paths": paths(),
                "max_count": {"type": "integer", "minimum": 1, "maximum": MOST_COMMITS,
                    "description": format!("The most commits; {USUAL_COMMITS} if left out.")},
                "patch": {"type": "boolean", "default": false, "description": "With what each commit changed."}}),
        ),
        tool(
            "git_changed",
            "Files changed in git",
            "Names of files that differ, each with a letter for how (A, M, D, R), since the last commit, in the index or since a revision. A file that was only touched may be among them.",
            json!({"revision": revision("Since it, or `a..b`. Left out: the last commit."), "staged": staged(), "paths": paths()}),
        ),
        tool(
            "git_branch",
            "Git branches",
            "Branches, the one in use marked by `*`, each with its last commit. Makes none.",
            json!({"remotes": {"type": "boolean", "default": false, "description": "Those of remotes, too."}}),
        ),
    ]
}

fn paths() -> Value {
    json!({"type": "array", "items": {"type": "string"}, "maxItems": 100,
        "description": "Only these files and folders, within the folder that you work in, named as they are (no patterns)."})
}

fn revision(description: &str) -> Value {
    json!({"type": "string", "description": description})
}

fn staged() -> Value {
    json!({"type": "boolean", "default": false, "description": "Of the index instead of the working tree."})
}
