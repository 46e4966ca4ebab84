//! The other end of a host's socket: for `attach`, `sessions`, `stop` and whoever else talks to a host.

use std::io;
use std::path::{Path, PathBuf};

use bytes::{Buf, BytesMut};
use rustix::process::geteuid;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::UnixStream;
use tokio::net::unix::{OwnedReadHalf, OwnedWriteHalf};

use super::protocol::{Ask, HEADER, Kind, Tell, VERSION, payload};
use super::wire;
use crate::launch::live::Live;

/// What a host says.
#[derive(Debug)]
pub struct Connection {
    reader: OwnedReadHalf,
    /// What has come and isn't a whole frame yet.
    come: BytesMut,
}

/// What is said to a host.
#[derive(Debug)]
pub struct Sender {
    writer: OwnedWriteHalf,
    /// What is said and not sent yet.
    waiting: BytesMut,
}

/// What came from a host.
#[derive(Debug, Clone, PartialEq)]
pub enum Said {
    Told(Tell),
    /// To be written to the attached terminal.
    Drawn(Vec<u8>),
}

/// Why there is no talking to a host.
#[derive(Debug, thiserror::Error)]
pub enum ConnectionError {
    #[error("session `{0}` runs in a terminal of its own, and can be seen there only")]
    NoHost(String),
    #[error("session `{name}` can't be reached by its socket {}: {source}", socket.display())]
    Unreachable { name: String, socket: PathBuf, source: io::Error },
    #[error(
        "the socket of session `{name}`, {}, is another user's ({theirs}; you are {ours}): remove that folder, or \
         have it removed, and start the session again", socket.display()
    )]
    AnotherUser { name: String, socket: PathBuf, theirs: u32, ours: u32 },
    #[error(
        "session `{name}` is run by a version of this program that speaks another protocol ({theirs}; ours is \
         {VERSION}): use that version, or end the session by `subagents stop {name}`, which works for all"
    )]
    Version { name: String, theirs: u16 },
    #[error("what answers at the socket of session `{0}` is no session")]
    Stranger(String),
}

impl Connection {
    /// Opens it and compares versions.
    pub async fn open(live: &Live) -> Result<(Self, Sender), ConnectionError> {
        let name = live.name.clone();
        let Some(socket) = live.socket.clone() else { return Err(ConnectionError::NoHost(name)) };
        let ours = geteuid().as_raw();
        let (stream, greeted) = match greet(&socket, ours).await {
            Ok(greeted) => greeted,
            Err(source) => return Err(ConnectionError::Unreachable { name, socket, source }),
        };
        let version = match greeted {
            Greeted::Version(version) => version,
            Greeted::AnotherUser(theirs) => {
                return Err(ConnectionError::AnotherUser { name, socket, theirs, ours });
            }
        };
        match version {
            Some(VERSION) => {}
            Some(theirs) => return Err(ConnectionError::Version { name, theirs }),
            None => return Err(ConnectionError::Stranger(name)),
        }
        let (reader, writer) = stream.into_split();
        Ok((Self { reader, come: BytesMut::new() }, Sender { writer, waiting: BytesMut::new() }))
    }

    /// What the host says next; `None`: it has gone. Nothing is lost when it is dropped before it is done.
    ///
    /// # Errors
    /// The connection broke, or what came can't be read.
    pub async fn next(&mut self) -> io::Result<Option<Said>> {
        loop {
            if let Some(said) = self.take()? {
                return Ok(Some(said));
            }
            if self.reader.read_buf(&mut self.come).await? == 0 {
                return Ok(None);
            }
        }
    }

    /// The next that the host tells, apart from what is drawn.
    ///
    /// # Errors
    /// As [`Connection::next`]; also when the host goes without a word.
    pub async fn told(&mut self) -> io::Result<Tell> {
        loop {
            match self.next().await? {
                Some(Said::Told(tell)) => return Ok(tell),
                Some(Said::Drawn(_)) => {}
                None => return Err(io::Error::new(io::ErrorKind::UnexpectedEof, "the session has gone")),
            }
        }
    }

    fn take(&mut self) -> io::Result<Option<Said>> {
        let Some(header) = self.come.first_chunk::<HEADER>() else { return Ok(None) };
        let unreadable = || io::Error::new(io::ErrorKind::InvalidData, "a frame of no known kind");
        let (kind, length) = payload(*header).ok_or_else(unreadable)?;
        if self.come.len() < HEADER + length {
            return Ok(None);
        }
        self.come.advance(HEADER);
        let payload = self.come.split_to(length);
        Ok(Some(match kind {
            Kind::Control => Said::Told(wire::said(&payload)?),
            Kind::Terminal => Said::Drawn(payload.into()),
        }))
    }
}

impl Sender {
    /// Asks something.
    pub async fn ask(&mut self, ask: &Ask) -> io::Result<()> {
        self.say(ask);
        self.send().await
    }

    /// Asks something at the next [`Sender::send`].
    pub fn say(&mut self, ask: &Ask) {
        self.waiting.extend_from_slice(&wire::control(ask));
    }

    /// The same for what was typed in the attached terminal.
    pub fn type_in(&mut self, bytes: &[u8]) {
        self.waiting.extend_from_slice(&wire::frame(Kind::Terminal, bytes));
    }

    /// How much waits to be sent, in bytes.
    pub fn waiting(&self) -> usize {
        self.waiting.len()
    }

    /// Sends what waits. Nothing is lost or sent twice when it is dropped before it is done.
    ///
    /// # Errors
    /// The host has gone, and what waited with it.
    pub async fn send(&mut self) -> io::Result<()> {
        while !self.waiting.is_empty() {
            if let Err(error) = self.writer.write_buf(&mut self.waiting).await {
                self.waiting.clear();
                return Err(error);
            }
        }
        Ok(())
    }
}

/// Who listens at a socket.
#[derive(Debug, PartialEq, Eq)]
enum Greeted {
    /// What it speaks; `None`: it isn't one of ours.
    Version(Option<u16>),
    /// Another user could have made the socket first: nothing is said to that one.
    AnotherUser(u32),
}

/// A stream to whoever listens there, if that is this user.
async fn greet(socket: &Path, ours: u32) -> io::Result<(UnixStream, Greeted)> {
    let mut stream = UnixStream::connect(socket).await?;
    let theirs = stream.peer_cred()?.uid();
    let greeted = if theirs == ours {
        Greeted::Version(wire::greet(&mut stream).await?)
    } else {
        Greeted::AnotherUser(theirs)
    };
    Ok((stream, greeted))
}

#[cfg(test)]
mod tests {
    use tokio::net::UnixListener;

    use super::*;

    #[tokio::test]
    async fn nothing_is_said_to_another_user() {
        let folder = tempfile::tempdir().unwrap();
        let socket = folder.path().join("s");
        let listener = UnixListener::bind(&socket).unwrap();
        let me = geteuid().as_raw();
        let (stream, greeted) = greet(&socket, me + 1).await.unwrap();
        assert_eq!(greeted, Greeted::AnotherUser(me));
        drop(stream);
        let (mut theirs, _) = listener.accept().await.unwrap();
        assert_eq!(theirs.read(&mut [0; 1]).await.unwrap(), 0, "not a byte");
    }
}
