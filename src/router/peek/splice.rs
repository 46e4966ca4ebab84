//! Writes the provider's own model name into a body as it passes, and takes the user's id out of it.
//!
//! Only those bytes change. The id's replacement has the length of the original, so that the body's length is
//! known before its end is. A second top-level `model` ends it: a parser that takes the last one must not get
//! this route's key for another model.

use std::collections::VecDeque;
use std::ops::Range;

use bytes::Bytes;

use super::scan::{Scanner, Seen};

/// What stands in place of `metadata.user_id`, repeated to the original's length.
const USER_ID: &[u8] = b"subagents-";

#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum SpliceFault {
    #[error("the body has two top-level `model` keys")]
    SecondModel,
    #[error("the body is no valid JSON object")]
    NotJson,
}

/// The pure part: pieces in, pieces out.
#[derive(Debug)]
pub struct Splicer {
    scanner: Scanner,
    /// Where the model's token stands in the body, quotes included.
    model: Range<u64>,
    /// The new token, quotes included.
    name: Bytes,
    /// Bytes of the body fed so far.
    offset: u64,
    models: u32,
    streams: bool,
    in_user_id: bool,
    /// Bytes of the user id's replacement that were sent: it reads the same wherever the pieces are cut.
    filled: usize,
}

impl Splicer {
    /// `name` is a JSON string, quotes included.
    pub fn new(model: Range<u64>, name: Bytes) -> Self {
        Self {
            scanner: Scanner::default(),
            model,
            name,
            offset: 0,
            models: 0,
            streams: false,
            in_user_id: false,
            filled: 0,
        }
    }

    /// How much longer (or shorter) the body becomes.
    pub fn growth(&self) -> i64 {
        let old = self.model.end - self.model.start;
        i64::try_from(self.name.len()).unwrap_or(0) - i64::try_from(old).unwrap_or(0)
    }

    /// Whether the body has asked for a stream so far.
    pub fn streams(&self) -> bool {
        self.streams
    }

    /// Takes the next piece and appends what is to be sent to `out`; on a fault, nothing of this piece.
    pub fn feed(&mut self, piece: &Bytes, out: &mut VecDeque<Bytes>) -> Result<(), SpliceFault> {
        let begin = self.offset;
        let marks = self.read(piece)?;
        let mut at = 0;
        for mark in marks {
            let to = usize::try_from(mark - begin).unwrap_or(usize::MAX).min(piece.len());
            self.emit(piece, at..to, begin, out);
            self.in_user_id = !self.in_user_id;
            at = to;
        }
        self.emit(piece, at..piece.len(), begin, out);
        Ok(())
    }

    /// Scans a piece: the offsets at which a user id begins or ends, in turn.
    fn read(&mut self, piece: &[u8]) -> Result<Vec<u64>, SpliceFault> {
        let (mut marks, mut at) = (Vec::new(), 0);
        while at < piece.len() {
            let (read, seen) = self.scanner.next(&piece[at..]);
            at += read;
            match seen {
                Some(Seen::Model(_)) if self.models == 0 => self.models = 1,
                Some(Seen::Model(_) | Seen::ModelLike) => return Err(SpliceFault::SecondModel),
                Some(Seen::NotJson) => return Err(SpliceFault::NotJson),
                Some(Seen::Streams) => self.streams = true,
                Some(Seen::UserIdStart(mark) | Seen::UserIdEnd(mark)) => marks.push(mark),
                Some(Seen::End) | None => {}
            }
        }
        self.offset += piece.len() as u64;
        Ok(marks)
    }

    /// `range` is in the piece, which begins at `begin` in the body.
    fn emit(&mut self, piece: &Bytes, range: Range<usize>, begin: u64, out: &mut VecDeque<Bytes>) {
        if self.in_user_id {
            let filler = USER_ID.iter().copied().cycle().skip(self.filled % USER_ID.len());
            self.filled += range.len();
            return push(out, filler.take(range.len()).collect());
        }
        let place = |offset: u64| {
            usize::try_from(offset.saturating_sub(begin)).unwrap_or(usize::MAX).clamp(range.start, range.end)
        };
        let (cut, resume) = (place(self.model.start), place(self.model.end));
        push(out, piece.slice(range.start..cut));
        let starts_here = (begin + range.start as u64..begin + range.end as u64).contains(&self.model.start);
        if starts_here {
            push(out, self.name.clone());
        }
        push(out, piece.slice(resume.max(cut)..range.end));
    }
}

fn push(out: &mut VecDeque<Bytes>, bytes: Bytes) {
    if !bytes.is_empty() {
        out.push_back(bytes);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn model_of(body: &[u8]) -> Range<u64> {
        let mut scanner = Scanner::default();
        let mut at = 0;
        while at < body.len() {
            let (read, seen) = scanner.next(&body[at..]);
            at += read;
            if let Some(Seen::Model(Some(model))) = seen {
                return model.start..model.end;
            }
        }
        panic!("no model");
    }

    fn splice(body: &[u8], cuts: &[usize]) -> Result<Vec<u8>, SpliceFault> {
        let mut splicer = Splicer::new(model_of(body), Bytes::from_static(b"\"new\""));
        let (mut out, mut from) = (VecDeque::new(), 0);
        for &to in cuts.iter().chain([&body.len()]) {
            splicer.feed(&Bytes::copy_from_slice(&body[from..to]), &mut out)?;
            from = to;
        }
        let sent: Vec<u8> = out.iter().flatten().copied().collect();
        let length = i64::try_from(body.len()).unwrap() + splicer.growth();
        assert_eq!(i64::try_from(sent.len()).unwrap(), length, "the length is known beforehand");
        Ok(sent)
    }

    fn check(body: &str, want: &str) {
        for cut in 0..=body.len() {
            let got = splice(body.as_bytes(), &[cut]).unwrap();
            assert_eq!(String::from_utf8(got).unwrap(), want, "cut at {cut}");
        }
        let every: Vec<usize> = (1..body.len()).collect();
        assert_eq!(splice(body.as_bytes(), &every).unwrap(), want.as_bytes());
    }

    #[test]
    fn b01_only_the_models_bytes_change() {
        check(
            r#"{"z":1, "model" : "r@p/m","big":12345678901234567890123,"e":1e5,"a":"\u00e9","a":2}"#,
            r#"{"z":1, "model" : "new","big":12345678901234567890123,"e":1e5,"a":"\u00e9","a":2}"#,
        );
    }

    #[test]
    fn the_user_id_is_replaced_by_one_of_its_length() {
        check(
            r#"{"metadata":{"user_id":"{\"device_id\":\"secret\"}","n":1},"model":"m","x":"user_id"}"#,
            r#"{"metadata":{"user_id":"subagents-subagents-subagents","n":1},"model":"new","x":"user_id"}"#
                .replace("subagents-subagents-subagents", &"subagents-".repeat(3)[..26])
                .as_str(),
        );
    }

    #[test]
    fn a_second_model_ends_it_before_its_piece_is_sent() {
        for body in [
            r#"{"model":"a","x":1,"model":"b"}"#,
            r#"{"model":"a","Model":"b"}"#,
            r#"{"MODEL":"b","model":"a"}"#,
            r#"{"model":"a","m\u006fdel":null}"#,
        ] {
            assert_eq!(splice(body.as_bytes(), &[]), Err(SpliceFault::SecondModel), "{body}");
        }
        assert_eq!(splice(br#"{"model":"a"}{"model":"b"}"#, &[]), Err(SpliceFault::NotJson));
        assert_eq!(splice(br#"{"model":"a",model:"b"}"#, &[]), Err(SpliceFault::NotJson));
    }
}
