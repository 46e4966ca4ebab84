//! Our end of the child's terminal.
//!
//! Whoever reads also writes: [`Terminal::read`] sends what is queued as soon as the child takes it. So a child that
//! only goes on when its output is read, while we only read when our input is taken, is impossible.

use std::collections::VecDeque;
use std::future::poll_fn;
use std::io;
use std::pin::Pin;
use std::task::{Context, Poll, Waker};
use std::time::Duration;

use pty_process::Pty;
use rustix::io::Errno;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::time::{Instant, sleep_until, timeout, timeout_at};

use super::super::screen::Size;

/// Input that may wait for the child, in bytes.
const QUEUE: usize = 4 * 1024 * 1024;

/// A window that is being dragged changes its size many times a second; the child hears of it this often.
const RESIZE_PAUSE: Duration = Duration::from_millis(60);

/// After the child's end: as long as output may stay away until it counts as all there was, although some other
/// process has the terminal open.
const QUIET: Duration = Duration::from_millis(100);

/// The child's terminal.
pub struct Terminal {
    pty: Pty,
    queue: VecDeque<u8>,
    resizes: Resizes,
}

/// The child takes no input, and too much waits for it already.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("the program in the terminal takes no input at the moment; try again when it does")]
pub struct Full;

impl Terminal {
    pub(super) fn new(pty: Pty, size: Size) -> Self {
        Self { pty, queue: VecDeque::new(), resizes: Resizes::new(size) }
    }

    /// Sends input, whole or not at all, behind what waits already: up to 4 MiB. What the child doesn't take at once is
    /// sent by [`Terminal::read`].
    pub fn write(&mut self, bytes: &[u8]) -> Result<(), Full> {
        if self.queue.len() + bytes.len() > QUEUE {
            return Err(Full);
        }
        self.queue.extend(bytes);
        self.poll_queue(&mut Context::from_waker(Waker::noop()));
        Ok(())
    }

    /// How much input waits for the child, in bytes.
    pub fn waiting(&self) -> usize {
        self.queue.len()
    }

    /// The next output; 0: nobody has the terminal open any more, which is not the child's end. Meanwhile sends what
    /// is queued and what has changed of the size. Nothing is lost when it is dropped before it is done.
    pub async fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        loop {
            let due = self.resizes.due_at();
            tokio::select! {
                biased;
                () = until(due) => self.apply_resize()?,
                count = poll_fn(|context| self.poll(context, buffer)) => return count,
            }
        }
    }

    /// Tells the child another size: at once, but while sizes change quickly only now and then, and always the last.
    pub fn resize(&mut self, size: Size) -> io::Result<()> {
        self.resizes.ask(size);
        if self.resizes.due_at().is_some_and(|due| due <= Instant::now()) {
            self.apply_resize()?;
        }
        Ok(())
    }

    /// What the child has left to be read, after its end, for `within` at most. Others may still have the terminal
    /// open: where they are silent it isn't waited for them.
    pub async fn drain(&mut self, within: Duration, mut take: impl FnMut(&[u8])) -> io::Result<()> {
        self.queue.clear();
        let deadline = Instant::now() + within;
        let mut buffer = vec![0; 16 * 1024];
        loop {
            let next = timeout(QUIET, self.read(&mut buffer));
            match timeout_at(deadline, next).await {
                Ok(Ok(Ok(count @ 1..))) => take(&buffer[..count]),
                Ok(Ok(Err(error))) => return Err(error),
                Ok(Ok(Ok(0)) | Err(_)) | Err(_) => return Ok(()),
            }
        }
    }

    fn apply_resize(&mut self) -> io::Result<()> {
        match self.resizes.apply(Instant::now()) {
            Some(size) => self.pty.resize(window(size)).map_err(io::Error::other),
            None => Ok(()),
        }
    }

    /// Writes as much as is taken, then reads.
    fn poll(&mut self, context: &mut Context<'_>, buffer: &mut [u8]) -> Poll<io::Result<usize>> {
        self.poll_queue(context);
        let mut buffer = ReadBuf::new(buffer);
        match Pin::new(&mut self.pty).poll_read(context, &mut buffer) {
            Poll::Pending => Poll::Pending,
            Poll::Ready(Ok(())) => Poll::Ready(Ok(buffer.filled().len())),
            // On Linux the end of a terminal is an error.
            Poll::Ready(Err(error)) if error.raw_os_error() == Some(Errno::IO.raw_os_error()) => {
                Poll::Ready(Ok(0))
            }
            Poll::Ready(Err(error)) => Poll::Ready(Err(error)),
        }
    }

    fn poll_queue(&mut self, context: &mut Context<'_>) {
        while !self.queue.is_empty() {
            match Pin::new(&mut self.pty).poll_write(context, self.queue.as_slices().0) {
                Poll::Pending => return,
                Poll::Ready(Ok(count)) => drop(self.queue.drain(..count)),
                // Nobody is there to take it. Reading will say so.
                Poll::Ready(Err(_)) => self.queue.clear(),
            }
        }
    }
}

/// A size as the terminal's driver takes it.
pub(super) fn window(size: Size) -> pty_process::Size {
    pty_process::Size::new(size.rows(), size.columns())
}

async fn until(due: Option<Instant>) {
    match due {
        Some(due) => sleep_until(due).await,
        None => std::future::pending().await,
    }
}

/// Which sizes the child hears of, and when.
struct Resizes {
    told: Size,
    wanted: Size,
    /// Not sooner again than this.
    next: Option<Instant>,
}

impl Resizes {
    fn new(told: Size) -> Self {
        Self { told, wanted: told, next: None }
    }

    fn ask(&mut self, size: Size) {
        self.wanted = size;
    }

    fn due_at(&self) -> Option<Instant> {
        (self.wanted != self.told).then(|| self.next.unwrap_or_else(Instant::now))
    }

    fn apply(&mut self, now: Instant) -> Option<Size> {
        let is_due = self.wanted != self.told && self.next.is_none_or(|next| next <= now);
        is_due.then(|| {
            self.told = self.wanted;
            self.next = Some(now + RESIZE_PAUSE);
            self.told
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn g09_a_dragged_window_is_told_now_and_then_and_at_last() {
        let start = Instant::now();
        let mut resizes = Resizes::new(Size::new(80, 24));
        let mut told = Vec::new();
        for step in 0..50 {
            resizes.ask(Size::new(81 + step, 24));
            told.extend(resizes.apply(start + Duration::from_millis(u64::from(step))));
        }
        told.extend(resizes.apply(start + Duration::from_secs(1)));
        assert_eq!(told, [Size::new(81, 24), Size::new(130, 24)]);
        resizes.ask(Size::new(130, 24));
        assert_eq!((resizes.due_at(), resizes.apply(start + Duration::from_secs(2))), (None, None));
    }
}
