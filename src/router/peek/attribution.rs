//! The block by which Claude Code tells its version and a number that changes: blanked on its way, comma and all.
//!
//! Blanks take its place, so that the body keeps its length; JSON doesn't mind them.

use std::collections::VecDeque;
use std::sync::LazyLock;

use bytes::Bytes;
use memchr::memmem::Finder;

use super::splice::push;
use crate::dialect::ATTRIBUTION;

/// The block has some 100 bytes; a longer one is another's, and not held.
const LONGEST: usize = 4096;

/// Made once: it costs as much as a search.
static WORD: LazyLock<Finder<'static>> = LazyLock::new(|| Finder::new(ATTRIBUTION));

/// How far the first block of `system` has come.
#[derive(Debug, Default)]
pub(super) enum Attribution {
    /// Not there yet.
    #[default]
    Ahead,
    /// Held until it is known what it is.
    Held(Vec<u8>),
    /// It was blanked, and so is the comma behind it.
    Comma,
    Over,
}

#[derive(serde::Deserialize)]
struct Block<'a> {
    #[serde(rename = "type")]
    kind: &'a str,
    #[serde(borrow)]
    text: std::borrow::Cow<'a, str>,
}

impl Attribution {
    /// Lets a block go by that begins and ends in one piece and is something else.
    pub(super) fn lets_by(&mut self, block: &[u8]) -> bool {
        let other = matches!(self, Self::Ahead) && !is_attribution(block);
        if other {
            *self = Self::Over;
        }
        other
    }

    /// The block begins or ends.
    pub(super) fn turn(&mut self, out: &mut VecDeque<Bytes>) {
        *self = match std::mem::replace(self, Self::Over) {
            Self::Ahead => Self::Held(Vec::new()),
            Self::Held(block) if is_attribution(&block) => {
                push(out, vec![b' '; block.len()].into());
                Self::Comma
            }
            Self::Held(block) => {
                push(out, block.into());
                Self::Over
            }
            over => over,
        };
    }

    /// Takes bytes over, if they are its affair.
    pub(super) fn take(&mut self, bytes: &[u8], out: &mut VecDeque<Bytes>) -> bool {
        match self {
            Self::Held(block) => {
                block.extend_from_slice(bytes);
                if block.len() > LONGEST {
                    push(out, std::mem::take(block).into());
                    *self = Self::Over;
                }
                true
            }
            Self::Comma => {
                let Some(at) = bytes.iter().position(|byte| !byte.is_ascii_whitespace()) else {
                    return false;
                };
                *self = Self::Over;
                if bytes[at] != b',' {
                    return false;
                }
                let mut blanked = bytes.to_vec();
                blanked[at] = b' ';
                push(out, blanked.into());
                true
            }
            Self::Ahead | Self::Over => false,
        }
    }
}

fn is_attribution(block: &[u8]) -> bool {
    // Claude Code writes it without escapes, and most blocks are something else.
    if WORD.find(block).is_none() {
        return false;
    }
    let block = serde_json::from_slice::<Block<'_>>(block);
    let alone = |text: &str| text.starts_with(ATTRIBUTION) && !text.trim_end().contains('\n');
    block.is_ok_and(|block| block.kind == "text" && alone(&block.text))
}
