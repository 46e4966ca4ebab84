//! What a command has said last stays on the terminal until the person has read it.

use std::io::{self, Write};
use std::thread;

use rustix::termios::{QueueSelector, tcflush};
use tokio::sync::oneshot;

/// Until the person presses Enter. What was typed before doesn't count.
pub(super) async fn read() -> io::Result<()> {
    tcflush(io::stdin(), QueueSelector::IFlush)?;
    writeln!(io::stderr(), "\nEnter goes back to subagents.")?;
    let (tell, told) = oneshot::channel();
    // A thread that nobody waits for: the app may be ended meanwhile.
    thread::spawn(move || tell.send(rustix::io::read(io::stdin(), &mut [0; 1024])));
    told.await.map_or(Ok(()), |read| read.map(drop).map_err(io::Error::from))
}
