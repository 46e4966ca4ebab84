//! Files that are written whole or not at all, and that nobody else can read.

use std::fs::{self, DirBuilder, File, OpenOptions, Permissions};
use std::io::{self, Write};
use std::os::unix::fs::{DirBuilderExt, PermissionsExt};
use std::path::{Path, PathBuf};

const PRIVATE_FOLDER: u32 = 0o700;
const PRIVATE_FILE: u32 = 0o600;

/// `/dev/stderr` and its like lead here: links that only the kernel can follow, to files that somebody has open.
const OPEN_FILES: &str = "/proc";

/// Creates the folder and those above it, each 0700 if it is new, and makes sure that the folder itself is.
pub fn create_private_folder(folder: &Path) -> io::Result<()> {
    DirBuilder::new().recursive(true).mode(PRIVATE_FOLDER).create(folder)?;
    if fs::metadata(folder)?.permissions().mode() & 0o077 != 0 {
        fs::set_permissions(folder, Permissions::from_mode(PRIVATE_FOLDER))?;
    }
    Ok(())
}

/// Replaces the file's contents in one step: a reader sees the old or the new, and so does whoever comes
/// after a crash.
///
/// A file that exists keeps its mode, a new one gets 0600. A symlink stays, and what it points to is replaced.
/// What exists and is no file (a terminal, a pipe, `/dev/null`) is written to; a pipe waits for its reader.
pub fn write_private_file(file: &Path, contents: &[u8]) -> io::Result<()> {
    let target = target_of(file)?;
    let folder = target.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    if target.starts_with(OPEN_FILES) {
        return write_to(&target, contents);
    }
    let mode = match fs::metadata(&target) {
        Ok(metadata) if !metadata.is_file() => return write_to(&target, contents),
        Ok(metadata) => metadata.permissions().mode() & 0o7777,
        Err(error) if error.kind() == io::ErrorKind::NotFound => PRIVATE_FILE,
        Err(error) => return Err(error),
    };
    let mut fresh = tempfile::NamedTempFile::new_in(folder)?;
    fresh.write_all(contents)?;
    fresh.as_file().set_permissions(Permissions::from_mode(mode))?;
    fresh.as_file().sync_all()?;
    fresh.persist(&target).map_err(|error| error.error)?;
    // The rename itself lasts only once the folder is on the disk.
    File::open(folder)?.sync_all()
}

/// At the end, because an open file of somebody's may hold something already.
fn write_to(target: &Path, contents: &[u8]) -> io::Result<()> {
    OpenOptions::new().append(true).open(target)?.write_all(contents)
}

/// Where the file really is, also where a symlink points to nothing yet.
fn target_of(file: &Path) -> io::Result<PathBuf> {
    let mut target = file.to_owned();
    // The kernel's own limit on links in a row.
    for _ in 0..40 {
        if target.starts_with(OPEN_FILES) {
            return Ok(target);
        }
        match fs::read_link(&target) {
            Ok(link) => target = target.parent().unwrap_or(Path::new(".")).join(link),
            // Not a link, or not there at all.
            Err(_) => return Ok(target),
        }
    }
    Err(io::Error::other("too many symbolic links"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn mode(path: &Path) -> u32 {
        fs::metadata(path).unwrap().permissions().mode() & 0o7777
    }

    #[test]
    fn i05_a_new_file_is_private_and_an_old_one_keeps_its_mode() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("config.toml");
        write_private_file(&file, b"one").unwrap();
        assert_eq!((fs::read(&file).unwrap(), mode(&file)), (b"one".to_vec(), 0o600));
        fs::set_permissions(&file, Permissions::from_mode(0o644)).unwrap();
        write_private_file(&file, b"two").unwrap();
        assert_eq!((fs::read(&file).unwrap(), mode(&file)), (b"two".to_vec(), 0o644));
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
    }

    #[test]
    fn i05_a_symlink_stays_and_its_target_is_replaced() {
        let folder = tempfile::tempdir().unwrap();
        let (real, link) = (folder.path().join("real"), folder.path().join("link"));
        std::os::unix::fs::symlink("real", &link).unwrap();
        write_private_file(&link, b"through").unwrap();
        assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
        assert_eq!(fs::read(&real).unwrap(), b"through");
    }

    #[test]
    #[cfg(target_os = "linux")]
    fn what_is_no_file_is_written_to_and_never_replaced() {
        let folder = tempfile::tempdir().unwrap();
        let (pipe, null) = (folder.path().join("pipe"), folder.path().join("null"));
        rustix::fs::mkfifoat(rustix::fs::CWD, &pipe, 0o600.into()).unwrap();
        let reader = std::thread::spawn({
            let pipe = pipe.clone();
            move || fs::read(pipe).unwrap()
        });
        write_private_file(&pipe, b"figures").unwrap();
        assert_eq!(reader.join().unwrap(), b"figures");
        std::os::unix::fs::symlink("/dev/null", &null).unwrap();
        write_private_file(&null, b"x").unwrap();
        assert!(!fs::metadata(&null).unwrap().is_file());
        assert!(write_private_file(folder.path(), b"x").is_err(), "a folder");
    }

    #[test]
    #[cfg(target_os = "linux")]
    fn an_open_file_keeps_what_it_held() {
        use std::os::fd::AsRawFd;
        let file = tempfile::NamedTempFile::new().unwrap();
        fs::write(file.path(), "before ").unwrap();
        let link = format!("/proc/self/fd/{}", file.as_file().as_raw_fd());
        write_private_file(Path::new(&link), b"after").unwrap();
        assert_eq!(fs::read(file.path()).unwrap(), b"before after");
    }

    #[test]
    fn i05_a_reader_never_sees_half_a_file() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("f");
        write_private_file(&file, &[b'a'; 9000]).unwrap();
        let reader = std::thread::spawn({
            let file = file.clone();
            move || {
                for _ in 0..2000 {
                    let seen = fs::read(&file).unwrap();
                    assert!(seen.len() == 9000 && seen.iter().all(|byte| *byte == seen[0]));
                }
            }
        });
        for letter in b'a'..=b'z' {
            write_private_file(&file, &[letter; 9000]).unwrap();
        }
        reader.join().unwrap();
    }

    #[test]
    fn a_folder_is_created_private_and_made_so() {
        let parent = tempfile::tempdir().unwrap();
        let folder = parent.path().join("a/b");
        create_private_folder(&folder).unwrap();
        assert_eq!((mode(&folder), mode(&parent.path().join("a"))), (0o700, 0o700));
        fs::set_permissions(&folder, Permissions::from_mode(0o755)).unwrap();
        create_private_folder(&folder).unwrap();
        assert_eq!(mode(&folder), 0o700);
    }
}
