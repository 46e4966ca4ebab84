//! One file's change, and what it takes to make it.

use std::fs::{self, File, Permissions};
use std::io;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};

use super::EditError;
use crate::config::write::{create_private_folder, write_private_file};

/// What one file held, and what it holds now.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct Change {
    pub file: PathBuf,
    /// `None`: there was no such file.
    pub before: Option<String>,
    /// `None`: the file is removed.
    pub after: Option<String>,
    form: Form,
}

/// How a file lies in its folder, which a removal would lose.
#[derive(Debug, Clone, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
struct Form {
    /// `None`: as new files are.
    mode: Option<u32>,
    /// Where it leads, if it is a symlink.
    link: Option<PathBuf>,
}

impl Change {
    /// The file as it is, unchanged so far.
    pub(super) fn none(file: &Path) -> Result<Self, EditError> {
        let text = text_of(file)?;
        Ok(Self::since(file, text))
    }

    /// The file as somebody read it a while ago.
    pub(super) fn since(file: &Path, text: Option<String>) -> Self {
        Self { file: file.to_owned(), before: text.clone(), after: text, form: Form::of(file) }
    }

    /// A file that takes the place of another in the same folder: with its mode, and leading where that led.
    pub(super) fn in_place_of(old: &Self, file: &Path) -> Result<Self, EditError> {
        Ok(Self { form: old.form.clone(), ..Self::none(file)? })
    }

    /// What takes it back.
    #[must_use]
    pub fn reversed(&self) -> Self {
        Self { before: self.after.clone(), after: self.before.clone(), ..self.clone() }
    }

    pub(super) fn make(&self) -> io::Result<()> {
        let folder = self.file.parent().unwrap_or(Path::new("/"));
        let Some(text) = &self.after else {
            fs::remove_file(&self.file)?;
            return File::open(folder)?.sync_all();
        };
        if !folder.exists() {
            create_private_folder(folder)?;
        }
        let is_new = fs::symlink_metadata(&self.file).is_err();
        if let (true, Some(target)) = (is_new, &self.form.link) {
            symlink(target, &self.file)?;
        }
        let is_new = !self.file.exists();
        write_private_file(&self.file, text.as_bytes())?;
        if let (true, Some(mode)) = (is_new, self.form.mode) {
            fs::set_permissions(&self.file, Permissions::from_mode(mode))?;
        }
        Ok(())
    }
}

impl Form {
    fn of(file: &Path) -> Self {
        let mode = fs::metadata(file).ok().map(|metadata| metadata.permissions().mode() & 0o7777);
        Self { mode, link: fs::read_link(file).ok() }
    }
}

/// A file's text; `None`: there is no such file.
pub(super) fn text_of(file: &Path) -> Result<Option<String>, EditError> {
    // A pipe would be waited for.
    if fs::metadata(file).is_ok_and(|metadata| !metadata.is_file()) {
        return Err(EditError::NoFile(file.to_owned()));
    }
    match fs::read(file) {
        Ok(bytes) => String::from_utf8(bytes).map(Some).map_err(|_| EditError::NotText(file.to_owned())),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(source) => Err(EditError::Read { file: file.to_owned(), source }),
    }
}
