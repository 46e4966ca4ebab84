//! Whether Claude Code trusts a folder: only then do the folder's own settings count.

use std::path::Path;

use serde_json::Value;

/// Does `.claude.json` say that the user trusts `folder`, or a folder above it?
pub(super) fn trusted(state: &Path, folder: &Path) -> bool {
    let Ok(text) = std::fs::read_to_string(state) else { return false };
    let Ok(state) = serde_json::from_str::<Value>(&text) else { return false };
    let real = folder.canonicalize().unwrap_or_else(|_| folder.to_owned());
    [folder, real.as_path()].into_iter().any(|folder| accepted(&state["projects"], folder))
}

fn accepted(projects: &Value, folder: &Path) -> bool {
    let mut names = folder.ancestors().filter_map(Path::to_str);
    names.any(|name| projects[name]["hasTrustDialogAccepted"] == true)
}
