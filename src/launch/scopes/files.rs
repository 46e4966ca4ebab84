//! The Markdown files below a folder, and files' contents, within bounds.

use std::collections::HashSet;
use std::fs::{self, File};
use std::io::Read;
use std::path::{Path, PathBuf};

use serde_json::Value;

/// A project's folder may hold anything: no more files than this are looked at, no deeper than that.
const FILES: usize = 2000;
const DEPTH: usize = 16;

/// Bytes; a larger file is left out.
const LIMIT: u64 = 4 * 1024 * 1024;

/// What becomes of links to folders.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Links {
    /// Each folder once, however many ways lead there.
    Followed,
    LeftOut,
}

/// Every file that ends in `.md`, those with a dot before their name too, in the order of their paths' bytes.
pub(super) fn markdown(folder: &Path, links: Links) -> Vec<PathBuf> {
    let mut walk = Walk { links, seen: HashSet::new(), files: Vec::new() };
    walk.enter(folder, DEPTH);
    walk.files.sort_by(|one, other| one.as_os_str().cmp(other.as_os_str()));
    walk.files
}

/// The file's content, unless it is too large.
pub(super) fn read(file: &Path) -> Option<Vec<u8>> {
    let file = File::open(file).ok()?;
    let mut bytes = Vec::new();
    file.take(LIMIT + 1).read_to_end(&mut bytes).ok()?;
    (bytes.len() as u64 <= LIMIT).then_some(bytes)
}

/// The file's content as JSON.
pub(super) fn json(file: &Path) -> Option<Value> {
    serde_json::from_slice(&read(file)?).ok()
}

struct Walk {
    links: Links,
    /// Real paths.
    seen: HashSet<PathBuf>,
    files: Vec<PathBuf>,
}

impl Walk {
    fn enter(&mut self, folder: &Path, depth: usize) {
        let is_new = folder.canonicalize().is_ok_and(|real| self.seen.insert(real));
        let Ok(entries) = fs::read_dir(folder) else { return };
        if !is_new {
            return;
        }
        for path in entries.filter_map(Result::ok).map(|entry| entry.path()) {
            if self.files.len() >= FILES {
                return;
            }
            if path.is_dir() {
                if depth > 0 && (self.links == Links::Followed || !path.is_symlink()) {
                    self.enter(&path, depth - 1);
                }
            } else if path.is_file() && path.extension().is_some_and(|extension| extension == "md") {
                self.files.push(path);
            }
        }
    }
}
