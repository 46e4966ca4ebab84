//! The socket of a host: where it is, and who may come in.

use std::io;
use std::os::unix::fs::{DirBuilderExt, MetadataExt, PermissionsExt};
use std::path::{Path, PathBuf};

use rustix::process::geteuid;
use tokio::net::{UnixListener, UnixStream};
use uuid::Uuid;

use crate::config::write::create_private_folder;

/// Systems take a little more than a hundred bytes.
const LONGEST: usize = 100;

/// All users' own, and short everywhere.
const EVERYBODYS: &str = "/tmp";

/// Where a session's socket is, with the runtime folder being this one. A path that no system would take is
/// exchanged for a short one.
pub fn socket_path(runtime_dir: &Path, session: Uuid) -> PathBuf {
    let path = runtime_dir.join(format!("{session}.sock"));
    if path.as_os_str().len() <= LONGEST {
        return path;
    }
    // Not the temporary folder that the environment names: that may be as long, and another one tomorrow.
    Path::new(EVERYBODYS).join(format!("subagents-{}", geteuid().as_raw())).join(format!("{session}.sock"))
}

/// A listening socket, removed when this is dropped.
#[derive(Debug)]
pub(super) struct Door {
    listener: UnixListener,
    path: PathBuf,
}

/// Why there is no socket.
#[derive(Debug, thiserror::Error)]
pub enum SocketError {
    #[error("the socket {} can't be made: {source}", path.display())]
    Creation { path: PathBuf, source: io::Error },
    #[error("the folder {} is somebody else's, so no socket is put there: remove it, or set XDG_RUNTIME_DIR", .0.display())]
    Foreign(PathBuf),
}

impl Door {
    /// Listens. Only for whoever holds the session's claim: what is there was left by a process that died.
    pub(super) fn open(path: PathBuf) -> Result<Self, SocketError> {
        let folder = path.parent().unwrap_or(Path::new("/"));
        let failed = |source| SocketError::Creation { path: path.clone(), source };
        if folder.parent() == Some(Path::new(EVERYBODYS)) {
            guard(folder)?;
        }
        create_private_folder(folder).map_err(failed)?;
        match std::fs::remove_file(&path) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(failed(error)),
            _ => {}
        }
        let listener = UnixListener::bind(&path).map_err(failed)?;
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o600)).map_err(failed)?;
        Ok(Self { listener, path })
    }

    /// The next one at the door, who is the same user.
    pub(super) async fn next(&self) -> UnixStream {
        loop {
            match self.listener.accept().await {
                Ok((stream, _)) if is_ours(&stream) => return stream,
                Ok(_) => tracing::warn!("somebody else's process was refused"),
                // Too many open files, say: others may close theirs.
                Err(error) => {
                    tracing::warn!(%error, "nobody can be let in at the moment");
                    tokio::time::sleep(std::time::Duration::from_millis(100)).await;
                }
            }
        }
    }
}

impl Drop for Door {
    fn drop(&mut self) {
        // Somebody else has removed it then.
        let _ = std::fs::remove_file(&self.path);
    }
}

/// The folder for all users is everybody's: what is there under our name must be ours.
fn guard(folder: &Path) -> Result<(), SocketError> {
    let made = std::fs::DirBuilder::new().mode(0o700).create(folder);
    let is_ours = std::fs::symlink_metadata(folder)
        .is_ok_and(|metadata| metadata.is_dir() && metadata.uid() == geteuid().as_raw());
    match made {
        Ok(()) => Ok(()),
        Err(_) if is_ours => Ok(()),
        Err(_) => Err(SocketError::Foreign(folder.to_owned())),
    }
}

fn is_ours(stream: &UnixStream) -> bool {
    stream.peer_cred().is_ok_and(|peer| peer.uid() == geteuid().as_raw())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_is_never_too_long() {
        let session = Uuid::nil();
        let short = Path::new("/run/user/1000/subagents");
        assert_eq!(socket_path(short, session), short.join(format!("{session}.sock")));
        let long = Path::new("/home").join("very-long-name-".repeat(9)).join("subagents/run");
        let path = socket_path(&long, session);
        assert!(path.as_os_str().len() <= LONGEST, "{}", path.display());
        assert!(path.starts_with("/tmp"));
    }

    #[tokio::test]
    async fn the_socket_is_the_users_alone_and_gone_afterwards() {
        let root = tempfile::tempdir().unwrap();
        let path = root.path().join("run/a.sock");
        std::fs::create_dir(root.path().join("run")).unwrap();
        std::fs::write(&path, "left by the dead").unwrap();
        let door = Door::open(path.clone()).unwrap();
        let mode = |path: &Path| std::fs::metadata(path).unwrap().permissions().mode() & 0o777;
        assert_eq!((mode(&path), mode(path.parent().unwrap())), (0o600, 0o700));
        let (_, stream) = tokio::join!(UnixStream::connect(&path), door.next());
        assert!(is_ours(&stream));
        drop(door);
        assert!(!path.exists());
    }
}
