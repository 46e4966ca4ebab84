//! Delegations that can be gone on with: a file for each, 0600, beside the ledger.

use std::io;
use std::path::PathBuf;

use serde::{Deserialize, Serialize};
use uuid::Uuid;

use super::limits::Limits;
use super::route::Engine;
use crate::config::write::{create_private_folder, write_private_file};

/// What holds for all of a conversation (D7): a continuation changes none of it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Kept {
    /// Whose it is: a model goes on with its own session's only.
    pub session: Uuid,
    /// `None`: a plain worker.
    pub agent: Option<String>,
    /// `None`: the default upstream.
    pub route: Option<String>,
    /// Its name there.
    pub model: Option<String>,
    pub effort: Option<String>,
    /// `None`: all.
    pub tools: Option<Vec<String>>,
    pub writes: bool,
    pub limits: Limits,
    pub folder: PathBuf,
}

/// Where they are.
#[derive(Debug, Clone)]
pub struct Shelf {
    pub folder: PathBuf,
}

impl Kept {
    /// Where it runs.
    pub fn engine(&self) -> Engine {
        let route = self.route.as_deref().and_then(|route| route.parse().ok());
        route.map_or_else(|| Engine::Default(self.model.clone()), Engine::Route)
    }
}

impl Shelf {
    /// # Errors
    /// The file can't be written.
    pub fn keep(&self, id: Uuid, kept: &Kept) -> io::Result<()> {
        create_private_folder(&self.folder)?;
        write_private_file(&self.file(id), &serde_json::to_vec(kept)?)
    }

    /// Keeps a whole text that was too long to hand back.
    ///
    /// # Errors
    /// The file can't be written.
    pub fn keep_text(&self, id: Uuid, text: &str) -> io::Result<PathBuf> {
        create_private_folder(&self.folder)?;
        let file = self.folder.join(format!("{id}.md"));
        write_private_file(&file, text.as_bytes())?;
        Ok(file)
    }

    /// What is kept under this id. An id is a UUID and nothing else, so that it leads to no other file.
    pub fn find(&self, id: &str) -> Option<(Uuid, Kept)> {
        let id: Uuid = id.parse().ok()?;
        let text = std::fs::read(self.file(id)).ok()?;
        Some((id, serde_json::from_slice(&text).ok()?))
    }

    fn file(&self, id: Uuid) -> PathBuf {
        self.folder.join(format!("{id}.json"))
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt;

    use super::*;

    #[test]
    fn d7_what_is_kept_is_found_by_its_id_and_by_nothing_else() {
        let root = tempfile::tempdir().unwrap();
        let shelf = Shelf { folder: root.path().join("delegations") };
        let kept = Kept {
            session: Uuid::nil(),
            agent: Some("reviewer".into()),
            route: Some("glm/glm-5".into()),
            model: None,
            effort: Some("high".into()),
            tools: Some(vec!["Read".into()]),
            writes: false,
            limits: Limits { turns: 3, seconds: None, tokens: None },
            folder: "/src".into(),
        };
        let id = Uuid::new_v4();
        shelf.keep(id, &kept).unwrap();
        assert_eq!(shelf.find(&id.to_string()), Some((id, kept)));
        std::fs::write(root.path().join("other.json"), "{}").unwrap();
        for wrong in ["", "../other", &Uuid::new_v4().to_string()] {
            assert_eq!(shelf.find(wrong), None, "{wrong}");
        }
        let mode = std::fs::metadata(shelf.file(id)).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o600);
    }
}
