//! Greetings and frames over a stream.

use std::io;

use serde::Serialize;
use serde::de::DeserializeOwned;
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};

use super::protocol::{self, GREETING, HEADER, Kind};

/// One frame that came.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Frame {
    pub(super) kind: Kind,
    pub(super) payload: Vec<u8>,
}

/// What the other side speaks; `None`: it isn't one of ours.
pub(super) async fn greet<S: AsyncRead + AsyncWrite + Unpin>(stream: &mut S) -> io::Result<Option<u16>> {
    stream.write_all(&protocol::greeting()).await?;
    let mut theirs = [0; GREETING];
    stream.read_exact(&mut theirs).await?;
    Ok(protocol::version(theirs))
}

/// The next frame for a host; `None`: the other side has gone. Not to be dropped before it is done. No more is held than
/// has come, whatever length is announced.
pub(super) async fn read<R: AsyncRead + Unpin>(reader: &mut R) -> io::Result<Option<Frame>> {
    let mut header = [0; HEADER];
    match reader.read_exact(&mut header).await {
        Ok(_) => {}
        Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => return Ok(None),
        Err(error) => return Err(error),
    }
    let unreadable = || io::Error::new(io::ErrorKind::InvalidData, "a frame of no known kind");
    let (kind, length) = protocol::payload(header).ok_or_else(unreadable)?;
    if length > kind.accepted() {
        return Err(io::Error::new(io::ErrorKind::InvalidData, "a frame that is too long"));
    }
    let mut payload = Vec::new();
    reader.take(length as u64).read_to_end(&mut payload).await?;
    if payload.len() < length {
        return Err(io::ErrorKind::UnexpectedEof.into());
    }
    Ok(Some(Frame { kind, payload }))
}

/// A whole frame as bytes.
pub(super) fn frame(kind: Kind, payload: &[u8]) -> Vec<u8> {
    [&protocol::header(kind, payload.len()), payload].concat()
}

/// What is said, as a whole frame.
pub(super) fn control(said: &impl Serialize) -> Vec<u8> {
    // Nothing that is said has a key that isn't text, or fails to be written.
    frame(Kind::Control, &serde_json::to_vec(said).unwrap_or_default())
}

/// What a control frame says.
pub(super) fn said<T: DeserializeOwned>(payload: &[u8]) -> io::Result<T> {
    serde_json::from_slice(payload).map_err(|error| io::Error::new(io::ErrorKind::InvalidData, error))
}

#[cfg(test)]
mod tests {
    use tokio::io::duplex;

    use super::*;

    #[tokio::test]
    async fn frames_come_as_they_were_sent() {
        let (mut ours, mut theirs) = duplex(16);
        let sending = async move {
            assert_eq!(greet(&mut theirs).await.unwrap(), Some(protocol::VERSION));
            for payload in [&b""[..], b"some bytes that don't fit at once"] {
                theirs.write_all(&frame(Kind::Terminal, payload)).await.unwrap();
            }
            theirs.write_all(&frame(Kind::Control, b"cut")[..6]).await.unwrap();
        };
        let receiving = async {
            assert_eq!(greet(&mut ours).await.unwrap(), Some(protocol::VERSION));
            for payload in ["", "some bytes that don't fit at once"] {
                let came = read(&mut ours).await.unwrap().unwrap();
                assert_eq!(came, Frame { kind: Kind::Terminal, payload: payload.into() });
            }
            assert!(read(&mut ours).await.is_err(), "half a frame is none");
            assert_eq!(read(&mut ours).await.unwrap(), None);
        };
        tokio::join!(sending, receiving);
    }

    #[tokio::test]
    async fn no_more_is_taken_than_a_host_is_asked() {
        for kind in [Kind::Control, Kind::Terminal] {
            let longest = frame(kind, &vec![b'x'; kind.accepted()]);
            assert!(read(&mut &longest[..]).await.is_ok());
            let header = protocol::header(kind, kind.accepted() + 1);
            let error = read(&mut &header[..]).await.unwrap_err();
            assert_eq!(error.kind(), io::ErrorKind::InvalidData, "{kind:?}");
        }
    }
}
