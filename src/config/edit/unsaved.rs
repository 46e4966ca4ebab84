//! Agents' files that somebody is writing in the terminal app and hasn't saved: kept, so that a crash loses nothing.

use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use crate::config::Places;
use crate::config::exchange::file_stem;
use crate::config::write::{create_private_folder, write_private_file};

/// The folder of what isn't saved, each in a file of its own.
#[derive(Debug, Clone)]
pub struct Unsaved {
    folder: PathBuf,
}

/// What stands for an agent that has no file yet; no agent can be called so.
pub const NEW_AGENT: &str = ":new";

/// What an agent's work is found by in [`Unsaved::all`].
pub fn unsaved_key(agent: &str) -> String {
    file_stem(agent)
}

impl Unsaved {
    pub fn new(places: &Places) -> Self {
        Self { folder: places.drafts_dir().join("unsaved") }
    }

    /// Where an agent's work is kept, if it is.
    pub fn file(&self, agent: &str) -> PathBuf {
        self.folder.join(format!("{}.md", unsaved_key(agent)))
    }

    /// Everything that is kept, by [`unsaved_key`]. What can't be read is left out.
    pub fn all(&self) -> BTreeMap<String, String> {
        let entries = fs::read_dir(&self.folder).into_iter().flatten().flatten();
        entries.filter_map(|entry| read(&entry.path())).collect()
    }

    /// Keeps this text for the agent; `None`: nothing any more.
    ///
    /// # Errors
    /// The file can't be written or removed.
    pub fn keep(&self, agent: &str, text: Option<&str>) -> io::Result<()> {
        let file = self.file(agent);
        let Some(text) = text else {
            return match fs::remove_file(file) {
                Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
                _ => Ok(()),
            };
        };
        create_private_folder(&self.folder)?;
        write_private_file(&file, text.as_bytes())
    }
}

fn read(file: &Path) -> Option<(String, String)> {
    let is_text = file.extension().is_some_and(|extension| extension == "md") && file.is_file();
    let key = is_text.then(|| file.file_stem()?.to_str())??;
    Some((key.to_owned(), fs::read_to_string(file).ok()?))
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt;

    use super::*;
    use crate::config::Environment;

    #[test]
    fn what_is_kept_is_private_found_again_and_forgotten() {
        let root = tempfile::tempdir().unwrap();
        let environment = Environment::from_iter([("HOME", root.path().as_os_str())]);
        let unsaved = Unsaved::new(&Places::resolve(&environment, None).unwrap());
        assert!(unsaved.all().is_empty());
        unsaved.keep(NEW_AGENT, Some("a")).unwrap();
        unsaved.keep("x/../y", Some("b")).unwrap();
        unsaved.keep("x/../y", Some("c")).unwrap();
        let all = unsaved.all();
        assert_eq!((all[&unsaved_key(NEW_AGENT)].as_str(), all[&unsaved_key("x/../y")].as_str()), ("a", "c"));
        let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
        let file = unsaved.file("x/../y");
        assert_eq!((mode(&file), mode(file.parent().unwrap())), (0o600, 0o700));
        unsaved.keep("x/../y", None).unwrap();
        unsaved.keep("x/../y", None).unwrap();
        assert_eq!(unsaved.all().len(), 1);
    }
}
