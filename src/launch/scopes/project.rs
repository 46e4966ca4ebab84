//! Which folders' `.claude/agents` are the project's.

use std::fs;
use std::path::{Path, PathBuf};

use crate::launch::settings::Places;

/// The project's folders of agents, whether they are there or not, the strongest first: from the folder of the launch
/// up to the repository's root; without a repository, up to the home folder, which is the user's own.
///
/// A linked worktree whose root has none gets those of the repository that it belongs to.
pub fn project_folders(places: &Places) -> Vec<PathBuf> {
    let user = places.user.join("agents");
    let (start, home) = (real(&places.project), real(&places.home));
    let mut folders = Vec::new();
    for folder in start.ancestors().take_while(|folder| **folder != home) {
        folders.push(agents_of(folder));
        if folder.join(".git").exists() {
            let main = main_checkout(folder).filter(|_| !agents_of(folder).is_dir());
            folders.extend(main.as_deref().map(agents_of));
            break;
        }
    }
    folders.retain(|folder| *folder != user);
    folders
}

fn agents_of(folder: &Path) -> PathBuf {
    folder.join(".claude/agents")
}

fn real(folder: &Path) -> PathBuf {
    folder.canonicalize().unwrap_or_else(|_| folder.to_owned())
}

/// The folder that a linked worktree is a second one of. Only there `.git` is a file that leads to a `commondir`.
fn main_checkout(root: &Path) -> Option<PathBuf> {
    let text = fs::read_to_string(root.join(".git")).ok()?;
    let own = root.join(text.trim().strip_prefix("gitdir:")?.trim());
    let common = fs::read_to_string(own.join("commondir")).ok()?;
    let common = own.join(common.trim()).canonicalize().ok()?;
    let main = common.parent().filter(|_| common.file_name().is_some_and(|name| name == ".git"))?;
    Some(main.to_owned())
}
