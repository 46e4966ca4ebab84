//! The real terminal: taken for a session, and given back as it was, whatever happens.

use std::fs::{File, OpenOptions};
use std::io::{self, ErrorKind, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use bytes::{Buf, BytesMut};
use rustix::fs::OFlags;
use rustix::io::Errno;
use rustix::process::getpgrp;
use rustix::stdio::stdin;
use rustix::termios::{
    OptionalActions, QueueSelector, Termios, isatty, tcflush, tcgetattr, tcgetpgrp, tcgetsid, tcgetwinsize,
    tcsetattr, ttyname,
};
use tokio::net::unix::pipe::{Receiver, Sender};

use crate::launch::screen::{ENTER, LEAVE, Size};

/// Ends a sequence that was cut: cancels it, or ends its string.
const CUT: &str = "\x18\x1b\\";

/// A terminal that takes nothing for so long isn't waited for.
const PATIENCE: Duration = Duration::from_millis(500);

/// What a terminal has that tells nothing.
const USUAL: (u16, u16) = (80, 24);

/// The terminal that this process was started in. Dropping it gives it back.
pub struct RealTerminal {
    // It is no pipe, but waited for like one.
    input: Receiver,
    output: Sender,
    keeper: Arc<Keeper>,
}

/// Why there is no terminal to be had.
#[derive(Debug, thiserror::Error)]
pub enum TerminalError {
    #[error("there is no terminal here: both input and output must be one")]
    None,
    #[error("this terminal can't be opened: {0}")]
    Io(#[from] io::Error),
}

/// Knows how the terminal was found. Whoever comes first gives it back, and the others do nothing.
struct Keeper {
    /// Opened anew, so that nothing changes for others who read and write the terminal.
    file: File,
    taken: Mutex<Taken>,
}

/// What was done to the terminal.
enum Taken {
    Not,
    /// Its lines aren't edited any more. How they were.
    Raw(Termios),
    /// It has been drawn on as well.
    Drawn(Termios),
}

impl RealTerminal {
    /// Opens it, and changes nothing yet. Must be called within a tokio runtime. From now on a panic gives it back.
    ///
    /// # Errors
    /// Input or output is something else.
    pub fn open() -> Result<Self, TerminalError> {
        let is_terminal = isatty(rustix::stdio::stdin()) && isatty(rustix::stdio::stdout());
        if !is_terminal {
            return Err(TerminalError::None);
        }
        let flags = OFlags::NONBLOCK | OFlags::NOCTTY;
        let mode = i32::try_from(flags.bits()).unwrap_or_default();
        let file = OpenOptions::new().read(true).write(true).custom_flags(mode).open(path()?)?;
        let input = Receiver::from_file_unchecked(file.try_clone()?)?;
        let output = Sender::from_file_unchecked(file.try_clone()?)?;
        let keeper = Arc::new(Keeper { file, taken: Mutex::new(Taken::Not) });
        give_back_on_panic(Arc::clone(&keeper));
        Ok(Self { input, output, keeper })
    }

    pub fn size(&self) -> Size {
        match tcgetwinsize(&self.keeper.file) {
            Ok(size) if size.ws_col > 0 && size.ws_row > 0 => Size::new(size.ws_col, size.ws_row),
            _ => Size::new(USUAL.0, USUAL.1),
        }
    }

    /// From now on every key comes at once and unchanged.
    pub fn take(&self) -> io::Result<()> {
        self.keeper.take()
    }

    /// What has to be written before anything is drawn; empty: it has been.
    pub(super) fn enter(&self) -> &'static str {
        self.keeper.enter()
    }

    /// Writes a line's end, once it is given back.
    pub(super) fn end_line(&self) {
        self.keeper.write("\r\n");
    }

    /// Gives it back as it was found. Once is enough, and more often does no harm.
    pub fn give_back(&self) {
        self.keeper.give_back();
    }

    /// The next input; 0: the terminal has gone. Nothing is lost when it is dropped before it is done.
    pub(super) async fn read(&self, buffer: &mut [u8]) -> io::Result<usize> {
        loop {
            self.input.readable().await?;
            match self.input.try_read(buffer) {
                Err(error) if is_gone(&error) => return Ok(0),
                Err(error) if is_for_later(&error) => {}
                result => return result,
            }
        }
    }

    /// Writes some of what waits, and takes it away. Nothing is lost when it is dropped before it is done.
    pub(super) async fn write(&self, waiting: &mut BytesMut) -> io::Result<()> {
        loop {
            self.output.writable().await?;
            match self.output.try_write(waiting) {
                Err(error) if is_for_later(&error) => {}
                result => return result.map(|count| waiting.advance(count)),
            }
        }
    }
}

impl Drop for RealTerminal {
    fn drop(&mut self) {
        self.give_back();
    }
}

impl Keeper {
    fn take(&self) -> io::Result<()> {
        let mut taken = self.taken.lock().unwrap_or_else(PoisonError::into_inner);
        let found = match &*taken {
            Taken::Not => tcgetattr(&self.file)?,
            // Somebody else may have changed it while we were stopped.
            Taken::Raw(found) | Taken::Drawn(found) => found.clone(),
        };
        let mut raw = found.clone();
        raw.make_raw();
        tcsetattr(&self.file, OptionalActions::Now, &raw)?;
        if matches!(*taken, Taken::Not) {
            *taken = Taken::Raw(found);
        }
        Ok(())
    }

    fn enter(&self) -> &'static str {
        let mut taken = self.taken.lock().unwrap_or_else(PoisonError::into_inner);
        let Taken::Raw(found) = &*taken else { return "" };
        *taken = Taken::Drawn(found.clone());
        ENTER
    }

    fn give_back(&self) {
        let mut taken = self.taken.lock().unwrap_or_else(PoisonError::into_inner);
        let taken = std::mem::replace(&mut *taken, Taken::Not);
        // From the background, touching the terminal would stop us, and it isn't ours.
        if !tcgetpgrp(&self.file).is_ok_and(|group| group == getpgrp()) {
            return;
        }
        match taken {
            Taken::Not => {}
            Taken::Raw(found) => self.settle(&found),
            Taken::Drawn(found) => {
                self.write(&[CUT, LEAVE].concat());
                self.settle(&found);
                // Reports of the mouse that were on their way, say.
                tcflush(&self.file, QueueSelector::IFlush).ok();
            }
        }
    }

    fn settle(&self, found: &Termios) {
        // A terminal that has gone has nothing to settle.
        tcsetattr(&self.file, OptionalActions::Now, found).ok();
    }

    fn write(&self, text: &str) {
        let (mut rest, deadline) = (text.as_bytes(), Instant::now() + PATIENCE);
        while !rest.is_empty() {
            match (&self.file).write(rest) {
                Ok(count) => rest = &rest[count..],
                Err(error) if is_for_later(&error) && Instant::now() < deadline => {
                    std::thread::sleep(Duration::from_millis(1));
                }
                Err(_) => return,
            }
        }
    }
}

/// Gives the terminal back before a panic is told, which is seen then.
fn give_back_on_panic(keeper: Arc<Keeper>) {
    let tell = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |panic| {
        keeper.give_back();
        tell(panic);
    }));
}

/// Where to open it. The controlling terminal may be opened where its device, which another user has logged in on, may
/// not; but not every system can wait for it under that name.
fn path() -> io::Result<PathBuf> {
    let is_controlling =
        tcgetsid(stdin()).is_ok_and(|session| Some(session) == rustix::process::getsid(None).ok());
    if cfg!(target_os = "linux") && is_controlling {
        return Ok("/dev/tty".into());
    }
    let name = ttyname(stdin(), Vec::new())?;
    Ok(name.to_string_lossy().into_owned().into())
}

fn is_for_later(error: &io::Error) -> bool {
    matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::Interrupted)
}

fn is_gone(error: &io::Error) -> bool {
    error.raw_os_error() == Some(Errno::IO.raw_os_error())
}
