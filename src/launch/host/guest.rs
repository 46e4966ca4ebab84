//! One who talks to the host: what it sends, and what waits for it.
//!
//! A guest that doesn't read holds up nobody: what is drawn for it is thrown away from a certain length on, and it
//! gets one repaint once it has read the rest.

use std::collections::VecDeque;
use std::io;
use std::pin::pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use serde::Serialize;
use tokio::io::AsyncWriteExt;
use tokio::net::UnixStream;
use tokio::net::unix::{OwnedReadHalf, OwnedWriteHalf};
use tokio::sync::Notify;
use tokio::sync::mpsc::Sender;
use tokio::time::timeout;

use super::protocol::{Kind, VERSION};
use super::wire::{self, Frame};

/// What may be drawn and wait for a guest, in bytes.
const WAITING: usize = 1024 * 1024;

/// What may be told and wait for it. One that asks on and on without reading is sent away.
const TOLD: usize = 64 * 1024 * 1024;

/// How long a guest has to say who it is.
const PATIENCE: Duration = Duration::from_secs(5);

/// How long what it said last is read when it doesn't listen any more.
const LAST_WORDS: Duration = Duration::from_secs(1);

/// Which guest.
pub(super) type Id = u64;

/// What a guest does.
#[derive(Debug)]
pub(super) enum Deed {
    Sends(Frame),
    /// Everything that waited for it has been sent, and something was left out.
    CatchesUp,
    Leaves,
}

/// What waits for a guest.
#[derive(Debug, Default)]
pub(super) struct Tray {
    held: Mutex<Held>,
    changed: Notify,
}

#[derive(Debug, Default)]
struct Held {
    frames: VecDeque<(Kind, Vec<u8>)>,
    drawn: usize,
    told: usize,
    /// Something drawn was left out: nothing more is drawn until it has caught up.
    behind: Behind,
    is_closed: bool,
}

#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
enum Behind {
    #[default]
    No,
    Yes,
    /// The host knows that it may draw anew.
    Known,
}

enum Next {
    Bytes(Vec<u8>),
    CatchUp,
    Close,
}

impl Tray {
    /// Says something.
    pub(super) fn tell(&self, said: &impl Serialize) {
        let frame = wire::control(said);
        let mut held = self.lock();
        held.told += frame.len();
        if held.told > TOLD {
            held.is_closed = true;
            held.frames.clear();
        } else {
            held.frames.push_back((Kind::Control, frame));
        }
        self.changed.notify_one();
    }

    /// Draws on its terminal, unless it is too far behind.
    pub(super) fn draw(&self, bytes: &[u8]) {
        let mut held = self.lock();
        if bytes.is_empty() || held.behind != Behind::No {
            return;
        }
        if held.drawn + bytes.len() > WAITING {
            held.leave_out_drawn();
            held.behind = Behind::Yes;
        } else {
            held.drawn += bytes.len();
            held.frames.push_back((Kind::Terminal, wire::frame(Kind::Terminal, bytes)));
        }
        self.changed.notify_one();
    }

    /// Draws everything anew, however much that is: what was left out doesn't matter any more.
    pub(super) fn draw_anew(&self, repaint: &[u8]) {
        let mut held = self.lock();
        held.behind = Behind::No;
        if held.drawn + repaint.len() > WAITING {
            // One that is too long by itself isn't counted: what is drawn next would throw it away.
            held.leave_out_drawn();
        } else {
            held.drawn += repaint.len();
        }
        let frames = repaint.chunks(WAITING).map(|part| (Kind::Terminal, wire::frame(Kind::Terminal, part)));
        held.frames.extend(frames);
        self.changed.notify_one();
    }

    /// Sends what waits, and then nothing.
    pub(super) fn close(&self) {
        self.lock().is_closed = true;
        self.changed.notify_one();
    }

    #[cfg(test)]
    pub(super) fn drawn(&self) -> Vec<u8> {
        let held = self.lock();
        let frames = held.frames.iter().filter(|(kind, _)| *kind == Kind::Terminal);
        frames.flat_map(|(_, frame)| frame[super::protocol::HEADER..].to_vec()).collect()
    }

    async fn next(&self) -> Next {
        loop {
            if let Some(next) = self.lock().next() {
                return next;
            }
            self.changed.notified().await;
        }
    }

    fn lock(&self) -> MutexGuard<'_, Held> {
        self.held.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Held {
    fn leave_out_drawn(&mut self) {
        self.frames.retain(|(kind, _)| *kind == Kind::Control);
        self.drawn = 0;
    }

    fn next(&mut self) -> Option<Next> {
        if !self.frames.is_empty() {
            (self.drawn, self.told) = (0, 0);
            return Some(Next::Bytes(self.frames.drain(..).flat_map(|(_, frame)| frame).collect()));
        }
        if self.is_closed {
            return Some(Next::Close);
        }
        (self.behind == Behind::Yes).then(|| {
            self.behind = Behind::Known;
            Next::CatchUp
        })
    }
}

/// Serves a guest until it leaves, is sent away or speaks another version. Its deeds go to the host.
pub(super) async fn serve(mut stream: UnixStream, id: Id, tray: Arc<Tray>, deeds: Sender<(Id, Deed)>) {
    let greeted = timeout(PATIENCE, wire::greet(&mut stream)).await;
    if matches!(greeted, Ok(Ok(Some(VERSION)))) {
        let (reader, writer) = stream.into_split();
        let mut receiving = pin!(receive(reader, id, &deeds));
        let sent = tokio::select! {
            sent = send(writer, &tray, id, &deeds) => sent,
            _ = &mut receiving => Ok(()),
        };
        if sent.is_err() {
            // It has gone, and may have typed something before.
            _ = timeout(LAST_WORDS, receiving).await;
        }
    }
    // The host may have ended.
    let _ = deeds.send((id, Deed::Leaves)).await;
}

async fn receive(mut reader: OwnedReadHalf, id: Id, deeds: &Sender<(Id, Deed)>) -> io::Result<()> {
    while let Some(frame) = wire::read(&mut reader).await? {
        if deeds.send((id, Deed::Sends(frame))).await.is_err() {
            break;
        }
    }
    Ok(())
}

async fn send(mut writer: OwnedWriteHalf, tray: &Tray, id: Id, deeds: &Sender<(Id, Deed)>) -> io::Result<()> {
    loop {
        match tray.next().await {
            Next::Bytes(bytes) => writer.write_all(&bytes).await?,
            Next::CatchUp if deeds.send((id, Deed::CatchesUp)).await.is_ok() => {}
            Next::CatchUp | Next::Close => return writer.shutdown().await,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn taken(tray: &Tray) -> Option<Vec<u8>> {
        match tray.lock().next()? {
            Next::Bytes(bytes) => Some(bytes),
            Next::CatchUp => Some(b"catch up".to_vec()),
            Next::Close => Some(b"close".to_vec()),
        }
    }

    #[test]
    fn what_is_drawn_and_told_comes_in_its_order() {
        let tray = Tray::default();
        tray.draw(b"a");
        tray.tell(&1);
        tray.draw(b"b");
        let expect =
            [wire::frame(Kind::Terminal, b"a"), wire::control(&1), wire::frame(Kind::Terminal, b"b")]
                .concat();
        assert_eq!(taken(&tray), Some(expect));
        assert_eq!(taken(&tray), None);
    }

    #[test]
    fn a_guest_that_falls_behind_gets_a_repaint_instead() {
        let tray = Tray::default();
        tray.tell(&1);
        for _ in 0..1000 {
            tray.draw(&[b'x'; 10_000]);
        }
        tray.tell(&2);
        let waiting: usize = tray.lock().frames.iter().map(|(_, frame)| frame.len()).sum();
        assert!(waiting < WAITING, "nothing grows: {waiting}");
        assert_eq!(taken(&tray), Some([wire::control(&1), wire::control(&2)].concat()), "what is told stays");
        assert_eq!(taken(&tray), Some(b"catch up".to_vec()));
        assert_eq!(taken(&tray), None, "once");
        tray.draw(b"too early");
        assert_eq!(taken(&tray), None);
        tray.draw_anew(b"repaint");
        tray.draw(b"next");
        let expect = [&b"repaint"[..], b"next"].map(|bytes| wire::frame(Kind::Terminal, bytes)).concat();
        assert_eq!(taken(&tray), Some(expect));
    }

    #[test]
    fn a_long_repaint_takes_the_place_of_what_waits() {
        let tray = Tray::default();
        tray.draw(b"old");
        tray.tell(&1);
        let repaint = vec![b'x'; 3 * WAITING];
        tray.draw_anew(&repaint);
        tray.draw(b"next");
        assert_eq!(tray.drawn(), [&repaint[..], b"next"].concat());
        assert!(taken(&tray).unwrap().starts_with(&wire::control(&1)), "what is told stays");
        assert_eq!(taken(&tray), None, "it isn't behind");
    }

    #[tokio::test]
    async fn what_a_guest_typed_before_it_went_is_read() {
        let (ours, mut theirs) = UnixStream::pair().unwrap();
        let (deeds, mut done) = tokio::sync::mpsc::channel(1);
        let tray = Arc::<Tray>::default();
        let serving = tokio_util::task::TaskTracker::new().spawn(serve(ours, 1, Arc::clone(&tray), deeds));
        wire::greet(&mut theirs).await.unwrap();
        for _ in 0..100 {
            theirs.write_all(&wire::frame(Kind::Terminal, b"x")).await.unwrap();
        }
        drop(theirs);
        tray.tell(&1);
        let mut typed = 0;
        while let Some((_, Deed::Sends(_))) = done.recv().await {
            typed += 1;
            tokio::task::yield_now().await;
        }
        assert_eq!(typed, 100);
        drop(done);
        serving.await.unwrap();
    }

    #[test]
    fn one_that_only_asks_is_sent_away() {
        let tray = Tray::default();
        let text = "x".repeat(1024 * 1024);
        for _ in 0..100 {
            tray.tell(&text);
        }
        assert_eq!(taken(&tray), Some(b"close".to_vec()));
    }

    #[test]
    fn what_waits_is_sent_before_the_end() {
        let tray = Tray::default();
        tray.tell(&1);
        tray.close();
        assert_eq!(taken(&tray), Some(wire::control(&1)));
        assert_eq!(taken(&tray), Some(b"close".to_vec()));
    }
}
