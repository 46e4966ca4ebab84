//! Asks the real terminal for its colours, so that the child can be told them.

use std::time::Duration;

use bytes::BytesMut;
use tokio::time::timeout;

use super::input::{Input, Piece};
use super::sequence::Answer;
use super::terminal::RealTerminal;
use crate::launch::host::protocol::Colours;
use crate::launch::screen::Rgb;

/// The foreground and the background.
pub const COLOUR_QUESTIONS: &str = "\x1b]10;?\x1b\\\x1b]11;?\x1b\\";

/// What every terminal answers: there is nothing to wait for behind it.
const ATTRIBUTES: &str = "\x1b[c";

/// A terminal that is far away takes a while.
const PATIENCE: Duration = Duration::from_millis(200);

/// What is known of the terminal's colours by now.
#[derive(Debug, Default, Clone, Copy)]
pub struct Answers {
    foreground: Option<Rgb>,
    background: Option<Rgb>,
    is_last: bool,
}

impl Answers {
    pub fn take(&mut self, answer: Answer) {
        match answer {
            Answer::Foreground(colour) => self.foreground = Some(colour),
            Answer::Background(colour) => self.background = Some(colour),
            Answer::Unreadable => {}
            Answer::Attributes => self.is_last = true,
        }
    }

    /// `None`: one of both isn't known.
    pub fn colours(self) -> Option<Colours> {
        Some(Colours { foreground: self.foreground?, background: self.background? })
    }
}

/// The colours, if the terminal tells them soon, and what was typed meanwhile. It must have been taken.
pub(super) async fn ask(terminal: &RealTerminal, input: &mut Input) -> (Option<Colours>, Vec<Piece>) {
    let (mut answers, mut typed) = (Answers::default(), Vec::new());
    let talking = async {
        let mut questions = BytesMut::from([COLOUR_QUESTIONS, ATTRIBUTES].concat().as_bytes());
        while !questions.is_empty() {
            terminal.write(&mut questions).await?;
        }
        let mut buffer = [0; 1024];
        while !answers.is_last {
            let count = terminal.read(&mut buffer).await?;
            if count == 0 {
                break;
            }
            for piece in input.feed(&buffer[..count]) {
                match piece {
                    Piece::Answer(answer) => answers.take(answer),
                    piece => typed.push(piece),
                }
            }
        }
        Ok::<_, std::io::Error>(())
    };
    // A terminal that breaks is noticed by whoever reads it next; answers that come late are no input either.
    _ = timeout(PATIENCE, talking).await;
    (answers.colours(), typed)
}

/// The colours of a terminal that isn't taken.
///
/// # Errors
/// The terminal can't be taken.
pub async fn colours(terminal: &RealTerminal) -> std::io::Result<Option<Colours>> {
    terminal.take()?;
    let (colours, _) = ask(terminal, &mut Input::new(crate::config::Leader::default())).await;
    terminal.give_back();
    Ok(colours)
}
