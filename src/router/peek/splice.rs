//! Writes the provider's own model name into a body as it passes, and takes the user's id out of it, and the line by
//! which Claude Code tells its version where that is wanted.
//!
//! Only those bytes change. What takes their place has the length of the original, so that the body's length is
//! known before its end is. A second top-level `model` ends it: a parser that takes the last one must not get
//! this route's key for another model.

use std::collections::VecDeque;
use std::ops::Range;

use bytes::Bytes;

use super::attribution::Attribution;
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
    /// `None`: the attribution block stays.
    attribution: Option<Attribution>,
}

/// A place at which something begins or ends that is treated in its own way.
#[derive(Debug, Clone, Copy)]
enum Mark {
    UserId(u64),
    Block(u64),
}

impl Mark {
    fn at(self) -> u64 {
        match self {
            Self::UserId(at) | Self::Block(at) => at,
        }
    }
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
            attribution: None,
        }
    }

    /// Blanks the attribution block, whose changing bytes defeat a provider's prefix cache (B05).
    #[must_use]
    pub fn without_attribution(self) -> Self {
        Self { attribution: Some(Attribution::default()), ..self }
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
        let place = |mark: Mark| usize::try_from(mark.at() - begin).unwrap_or(usize::MAX).min(piece.len());
        let marks = self.read(piece)?;
        let (mut marks, mut at) = (marks.into_iter().peekable(), 0);
        while let Some(mark) = marks.next() {
            let to = place(mark);
            if matches!(mark, Mark::Block(_))
                && marks.next_if(|end| self.lets_by(&piece[to..place(*end)])).is_some()
            {
                continue;
            }
            self.emit(piece, at..to, begin, out);
            match mark {
                Mark::UserId(_) => self.in_user_id = !self.in_user_id,
                Mark::Block(_) => {
                    if let Some(attribution) = &mut self.attribution {
                        attribution.turn(out);
                    }
                }
            }
            at = to;
        }
        self.emit(piece, at..piece.len(), begin, out);
        Ok(())
    }

    /// The first block lies whole in a piece, and isn't the one that is to be blanked.
    fn lets_by(&mut self, block: &[u8]) -> bool {
        self.attribution.as_mut().is_some_and(|attribution| attribution.lets_by(block))
    }

    /// Scans a piece: where a user id or the first block begins or ends, in their order.
    fn read(&mut self, piece: &[u8]) -> Result<Vec<Mark>, SpliceFault> {
        let (mut marks, mut at) = (Vec::new(), 0);
        while at < piece.len() {
            let (read, seen) = self.scanner.next(&piece[at..]);
            at += read;
            match seen {
                Some(Seen::Model(_)) if self.models == 0 => self.models = 1,
                Some(Seen::Model(_) | Seen::ModelLike) => return Err(SpliceFault::SecondModel),
                Some(Seen::NotJson) => return Err(SpliceFault::NotJson),
                Some(Seen::Streams) => self.streams = true,
                Some(Seen::UserIdStart(at) | Seen::UserIdEnd(at)) => marks.push(Mark::UserId(at)),
                Some(Seen::BlockStart(at) | Seen::BlockEnd(at)) => marks.push(Mark::Block(at)),
                Some(Seen::End) | None => {}
            }
        }
        self.offset += piece.len() as u64;
        Ok(marks)
    }

    /// `range` is in the piece, which begins at `begin` in the body.
    fn emit(&mut self, piece: &Bytes, range: Range<usize>, begin: u64, out: &mut VecDeque<Bytes>) {
        if self.in_user_id {
            let before = self.filled % USER_ID.len();
            self.filled += range.len();
            let filler = USER_ID.repeat((before + range.len()).div_ceil(USER_ID.len()));
            return push(out, Bytes::from(filler).slice(before..before + range.len()));
        }
        if let Some(attribution) = &mut self.attribution
            && attribution.take(&piece[range.clone()], out)
        {
            return;
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

pub(super) fn push(out: &mut VecDeque<Bytes>, bytes: Bytes) {
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

    fn blanked(body: &str, want: &str) {
        for cut in 0..=body.len() {
            let mut splicer =
                Splicer::new(model_of(body.as_bytes()), Bytes::from_static(b"\"new\"")).without_attribution();
            let mut out = VecDeque::new();
            for piece in [&body[..cut], &body[cut..]] {
                splicer.feed(&Bytes::copy_from_slice(piece.as_bytes()), &mut out).unwrap();
            }
            let sent: Vec<u8> = out.iter().flatten().copied().collect();
            assert_eq!(String::from_utf8(sent).unwrap(), want, "cut at {cut}");
        }
    }

    #[test]
    fn b05_the_attribution_block_is_blanked_and_nothing_that_looks_like_it() {
        let block = r#"{"type":"text","text":"x-anthropic-billing-header: cc_version=2; cch=71fea;"}"#;
        let blank = " ".repeat(block.len());
        let rest = r#"{"type":"text","text":"Be kind."}],"messages":[]}"#;
        let body = |block: &str, comma: &str| format!(r#"{{"model":"m","system":[{block}{comma}{rest}"#);
        let want = |block: &str, comma: &str| body(block, comma).replace("\"m\"", "\"new\"");
        blanked(&body(block, ","), &want(&blank, " "));
        blanked(&body(block, " , "), &want(&blank, "   "));
        for other in [
            r#"{"type":"text","text":"about x-anthropic-billing-header: it"}"#,
            r#"{"type":"text","text":"Be {[ \" kind.","cache_control":{"type":"ephemeral"}}"#,
            r#"{"type":"image","text":"x-anthropic-billing-header: x"}"#,
        ] {
            blanked(&body(other, ","), &want(other, ","));
        }
        let alone = format!(r#"{{"system":[{block}],"model":"m"}}"#);
        blanked(&alone, &alone.replace(block, &blank).replace("\"m\"", "\"new\""));
        let within = format!(r#"{{"model":"m","messages":[{{"system":[{block}]}}],"system":"{{"}}"#);
        blanked(&within, &within.replace("\"m\"", "\"new\""));
        for system in ["[]", "[\"a\",{}]", "[[{}],{}]", "{}", "null", "[7]"] {
            let odd = format!(r#"{{"model":"m","system":{system},"x":1}}"#);
            blanked(&odd, &odd.replace("\"m\"", "\"new\""));
        }
    }

    #[test]
    fn a_long_first_block_is_not_held() {
        let long =
            format!(r#"{{"model":"m","system":[{{"type":"text","text":"{}"}}]}}"#, "x".repeat(100_000));
        let mut splicer =
            Splicer::new(model_of(long.as_bytes()), Bytes::from_static(b"\"m\"")).without_attribution();
        let (mut out, mut sent, mut fed) = (VecDeque::new(), 0, 0);
        for piece in long.as_bytes().chunks(1000) {
            splicer.feed(&Bytes::copy_from_slice(piece), &mut out).unwrap();
            sent += out.drain(..).map(|piece| piece.len()).sum::<usize>();
            fed += piece.len();
            assert!(fed - sent <= 5000, "{fed} {sent}");
        }
        assert_eq!(sent, long.len());
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
