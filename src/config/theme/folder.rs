//! The folder of a person's own themes.

use std::io;
use std::path::{Path, PathBuf};

use super::Themes;
use super::read::read;
use super::resolve::{self, Files};
use crate::config::report::Report;
use crate::config::view::View;
use crate::config::{Problem, ThemeChoice};

/// Bytes.
const FILE_LIMIT: u64 = 64 * 1024;

/// All themes of the folder's `NAME.toml` files that can be used, and what is wrong. No folder means no themes.
pub(in crate::config) fn load_dir(folder: &Path, view: View<'_>) -> (Themes, Vec<Problem>) {
    let paths = match files(folder, view) {
        Ok(paths) => paths,
        Err(error) => {
            let mut report = Report::new(folder);
            report.error(
                None,
                format!("the folder can't be read: {error}"),
                "no theme in it is used until then",
            );
            return (Themes::default(), report.into_problems());
        }
    };
    let (mut said, mut reports) = (Files::new(), Vec::new());
    for path in paths {
        let mut report = Report::new(&path);
        let name = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        said.extend(load_file(&name, &path, view, &mut report).map(|file| (name.clone(), file)));
        reports.push((name, report));
    }
    let mut themes = Themes::default();
    for (name, report) in &mut reports {
        let theme = resolve::theme(name, &said, report);
        themes.own.extend(theme.map(|theme| (name.clone(), theme)));
    }
    (themes, reports.into_iter().flat_map(|(_, report)| report.into_problems()).collect())
}

fn load_file(name: &str, path: &Path, view: View<'_>, report: &mut Report) -> Option<super::read::Said> {
    if name == ThemeChoice::AUTO {
        report.error(None, "no theme can be named `auto`: that takes the one that fits", "rename the file");
        return None;
    }
    let text =
        view.bytes(path, FILE_LIMIT).and_then(|bytes| String::from_utf8(bytes).map_err(io::Error::other));
    match text {
        Ok(text) => read(&text, report),
        Err(error) => {
            report.error(
                None,
                format!("the file can't be read: {error}"),
                "the theme is not used until then",
            );
            None
        }
    }
}

fn files(folder: &Path, view: View<'_>) -> io::Result<Vec<PathBuf>> {
    let mut paths = view.paths(folder)?;
    // Editors leave hidden files behind.
    let is_hidden =
        |path: &Path| path.file_name().is_some_and(|name| name.as_encoded_bytes().starts_with(b"."));
    let is_theme = |path: &Path| path.extension().is_some_and(|extension| extension == "toml");
    paths.retain(|path| is_theme(path) && !is_hidden(path) && view.is_file(path));
    Ok(paths)
}
