//! What a completion's answer shows of itself, piece by piece or whole, once it is said as Claude Code gets it. Pure.

use std::borrow::Cow;

use serde_json::Value;

use super::question::TOOL;
use crate::catalogue::complaint::Complaint;
use crate::dialect::{Rewrite, Speech};

/// The longest line that is looked at, in bytes.
const LINE_LIMIT: usize = 256 * 1024;

/// What a translated message is called; nobody else sees it.
const ID: &str = "msg_trial";

/// How far an answer has come.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Progress {
    #[default]
    Nothing,
    /// The message has begun.
    Begun,
    /// Text, a thought or a call has begun: the model itself answers.
    Content,
    /// In order.
    Ended,
}

/// What has been seen so far.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub(super) struct Seen {
    pub(super) progress: Progress,
    pub(super) thought: bool,
    /// The tool that was offered was called.
    pub(super) called: bool,
    pub(super) stop_reason: Option<String>,
    /// What an error said in the middle of a stream.
    pub(super) error: Option<Complaint>,
}

/// Reads an event stream, wherever it is cut.
#[derive(Debug)]
pub(super) struct Reading {
    translation: Option<Box<dyn Rewrite>>,
    seen: Seen,
    carry: Vec<u8>,
}

impl Reading {
    pub(super) fn new(speech: Speech) -> Self {
        Self { translation: speech.stream(ID.to_owned(), ""), seen: Seen::default(), carry: Vec::new() }
    }

    pub(super) fn seen(&self) -> &Seen {
        &self.seen
    }

    /// Reads the next piece, and gives it as Claude Code would get it.
    pub(super) fn feed<'p>(&mut self, piece: &'p [u8]) -> Cow<'p, [u8]> {
        let piece = match &mut self.translation {
            None => Cow::Borrowed(piece),
            Some(translation) => {
                let mut out = Vec::new();
                translation.feed(piece, &mut out);
                Cow::Owned(out)
            }
        };
        self.read(&piece);
        piece
    }

    /// The body has come to its end. Gives what Claude Code would get yet.
    pub(super) fn finish(&mut self) -> Vec<u8> {
        let mut rest = Vec::new();
        if let Some(translation) = &mut self.translation {
            translation.finish(&mut rest);
        }
        self.read(&rest);
        rest
    }

    fn read(&mut self, piece: &[u8]) {
        for part in piece.split_inclusive(|byte| *byte == b'\n') {
            if self.carry.len() + part.len() <= LINE_LIMIT {
                self.carry.extend_from_slice(part);
            }
            if part.ends_with(b"\n") {
                let line = std::mem::take(&mut self.carry);
                self.line(&line);
            }
        }
    }

    fn line(&mut self, line: &[u8]) {
        let Some(data) = line.strip_prefix(b"data:") else { return };
        if let Ok(value) = serde_json::from_slice::<Value>(data) {
            self.event(&value);
        }
    }

    fn event(&mut self, value: &Value) {
        if let Some(error) = Complaint::of(value) {
            self.seen.error = Some(error);
            return;
        }
        self.seen.message_event(value);
    }
}

impl Seen {
    /// A whole answer, where no stream came. Nothing is seen of what is none.
    pub(super) fn of_whole(speech: Speech, body: Vec<u8>) -> Self {
        let message = speech.whole(200, body, false, ID.to_owned()).unwrap_or_default();
        let value: Value = serde_json::from_slice(&message).unwrap_or_default();
        let mut seen = Self::default();
        if value["type"] == "message" {
            seen.reach(Progress::Begun);
        }
        value["content"].as_array().into_iter().flatten().for_each(|block| seen.block(block));
        seen.stop(&value["stop_reason"]);
        seen.end();
        seen
    }

    fn reach(&mut self, progress: Progress) {
        self.progress = self.progress.max(progress);
    }

    /// What never began doesn't end.
    fn end(&mut self) {
        if self.progress >= Progress::Begun {
            self.reach(Progress::Ended);
        }
    }

    fn message_event(&mut self, value: &Value) {
        match value["type"].as_str() {
            Some("message_start") => self.reach(Progress::Begun),
            Some("content_block_start") => self.block(&value["content_block"]),
            Some("message_delta") => self.stop(&value["delta"]["stop_reason"]),
            Some("message_stop") => self.end(),
            _ => {}
        }
    }

    fn block(&mut self, block: &Value) {
        self.reach(Progress::Content);
        match block["type"].as_str() {
            Some("thinking" | "redacted_thinking") => self.thought = true,
            Some("tool_use") => self.called |= block["name"] == TOOL,
            _ => {}
        }
    }

    fn stop(&mut self, reason: &Value) {
        if let Some(reason) = reason.as_str() {
            self.stop_reason = Some(reason.to_owned());
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::config::{ChatOptions, LimitField};

    const STREAM: &str = "event: message_start\ndata: {\"type\":\"message_start\",\"message\":{}}\n\n\
        event: ping\ndata: {\"type\": \"ping\"}\n\n\
        data: {\"type\":\"content_block_start\",\"content_block\":{\"type\":\"thinking\"}}\r\n\r\n\
        data:{\"type\":\"content_block_start\",\"content_block\":{\"type\":\"tool_use\",\"name\":\"report\"}}\n\n\
        data: {\"type\":\"message_delta\",\"delta\":{\"stop_reason\":\"tool_use\"}}\n\n\
        data: {\"type\":\"message_stop\"}\n\n";

    fn read(speech: Speech, text: &str, cut: usize) -> Seen {
        let mut reading = Reading::new(speech);
        for piece in text.as_bytes().chunks(cut) {
            reading.feed(piece);
        }
        reading.finish();
        reading.seen().clone()
    }

    #[test]
    fn a_stream_shows_the_same_however_it_is_cut() {
        for cut in 1..STREAM.len() {
            let seen = read(Speech::Anthropic, STREAM, cut);
            assert!(seen.thought && seen.called && seen.error.is_none(), "{cut}");
            assert_eq!(seen.progress, Progress::Ended);
            assert_eq!(seen.stop_reason.as_deref(), Some("tool_use"));
        }
    }

    #[test]
    fn an_error_in_a_stream_is_seen_and_another_tool_is_no_call() {
        let error = "event: error\ndata: {\"type\":\"error\",\"error\":{\"message\":\"overloaded\"}}\n\n";
        let expect = Some(Complaint::Error("overloaded".to_owned()));
        assert_eq!(read(Speech::Anthropic, error, 7).error, expect);
        let other = STREAM.replace("report", "other");
        assert!(!read(Speech::Anthropic, &other, 9).called);
        assert_eq!(read(Speech::Anthropic, "<html>\ndata: {\n\ndata: 7\n\n", 5), Seen::default());
    }

    const CHAT: Speech =
        Speech::Chat(ChatOptions { limit: LimitField::MaxTokens, effort: None, thinking: None });

    #[test]
    fn what_is_translated_is_read_as_claude_code_gets_it() {
        let chat = "data: {\"choices\":[{\"delta\":{\"role\":\"assistant\",\"content\":\"\"}}]}\n\n\
            data: {\"choices\":[{\"delta\":{\"tool_calls\":[{\"function\":{\"name\":\"report\"}}]}}]}\n\n\
            data: {\"choices\":[{\"delta\":{},\"finish_reason\":\"tool_calls\"}]}\n\n\
            data: {\"choices\":[],\"usage\":{}}\n\n";
        let done = format!("{chat}data: [DONE]\n\n");
        let responses = "data: {\"type\":\"response.created\",\"response\":{}}\n\n\
            data: {\"type\":\"response.output_item.done\",\"output_index\":0,\"item\":\
            {\"type\":\"function_call\",\"call_id\":\"a\",\"name\":\"report\",\"arguments\":\"{}\"}}\n\n\
            data: {\"type\":\"response.completed\",\"response\":{}}\n\n";
        for (speech, stream) in [(CHAT, chat), (CHAT, &done), (Speech::Responses(None), responses)] {
            let seen = read(speech, stream, 11);
            assert!(seen.called && !seen.thought && seen.progress == Progress::Ended, "{stream}");
            assert_eq!(seen.stop_reason.as_deref(), Some("tool_use"));
            let cut = read(speech, &stream[..stream.len() - 120], 11);
            assert!(cut.progress < Progress::Ended, "{cut:?}");
        }
    }

    #[test]
    fn a_whole_message_shows_as_much() {
        let message =
            json!({"type": "message", "stop_reason": "end_turn", "content": [{"type": "text", "text": "x"}]});
        let completion = json!({"choices": [{"message": {"content": "x"}, "finish_reason": "stop"}]});
        for (speech, body) in [(Speech::Anthropic, message), (CHAT, completion)] {
            let seen = Seen::of_whole(speech, body.to_string().into_bytes());
            assert!(!seen.called && seen.progress == Progress::Ended, "{body}");
            assert_eq!(seen.stop_reason.as_deref(), Some("end_turn"));
        }
        assert_eq!(Seen::of_whole(Speech::Anthropic, b"{\"ok\":true}".to_vec()), Seen::default());
        assert_eq!(Seen::of_whole(CHAT, b"<html>".to_vec()), Seen::default());
    }
}
