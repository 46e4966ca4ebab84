//! What a completion's answer shows of itself, piece by piece or whole. Pure.

use serde_json::Value;

use super::question::TOOL;
use crate::catalogue::complaint::Complaint;
use crate::config::Dialect;

/// The longest line that is looked at, in bytes.
const LINE_LIMIT: usize = 256 * 1024;

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
    dialect: Dialect,
    seen: Seen,
    carry: Vec<u8>,
}

impl Reading {
    pub(super) fn new(dialect: Dialect) -> Self {
        Self { dialect, seen: Seen::default(), carry: Vec::new() }
    }

    pub(super) fn seen(&self) -> &Seen {
        &self.seen
    }

    pub(super) fn feed(&mut self, piece: &[u8]) {
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
        if data.trim_ascii() == b"[DONE]" {
            self.seen.end();
        } else if let Ok(value) = serde_json::from_slice::<Value>(data) {
            self.event(&value);
        }
    }

    fn event(&mut self, value: &Value) {
        if let Some(error) = Complaint::of(value) {
            self.seen.error = Some(error);
            return;
        }
        match self.dialect {
            Dialect::Anthropic => self.seen.message_event(value),
            Dialect::OpenaiChat => self.seen.chat_choice(&value["choices"][0], "delta"),
        }
    }
}

impl Seen {
    /// A whole answer, where no stream came.
    pub(super) fn of_whole(dialect: Dialect, value: &Value) -> Self {
        let mut seen = Self::default();
        match dialect {
            Dialect::Anthropic => {
                if value["type"] == "message" {
                    seen.reach(Progress::Begun);
                }
                value["content"].as_array().into_iter().flatten().for_each(|block| seen.block(block));
                seen.stop(&value["stop_reason"]);
            }
            Dialect::OpenaiChat => seen.chat_choice(&value["choices"][0], "message"),
        }
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

    fn chat_choice(&mut self, choice: &Value, part: &str) {
        if !choice.is_object() {
            return;
        }
        self.reach(Progress::Begun);
        let message = &choice[part];
        let said = message["content"].as_str().is_some_and(|text| !text.is_empty());
        let call = &message["tool_calls"][0];
        self.thought |= ["reasoning_content", "reasoning"].iter().any(|key| message[*key].is_string());
        self.called |= call["function"]["name"] == TOOL;
        if said || self.thought || call.is_object() {
            self.reach(Progress::Content);
        }
        self.stop(&choice["finish_reason"]);
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

    const STREAM: &str = "event: message_start\ndata: {\"type\":\"message_start\",\"message\":{}}\n\n\
        event: ping\ndata: {\"type\": \"ping\"}\n\n\
        data: {\"type\":\"content_block_start\",\"content_block\":{\"type\":\"thinking\"}}\r\n\r\n\
        data:{\"type\":\"content_block_start\",\"content_block\":{\"type\":\"tool_use\",\"name\":\"report\"}}\n\n\
        data: {\"type\":\"message_delta\",\"delta\":{\"stop_reason\":\"tool_use\"}}\n\n\
        data: {\"type\":\"message_stop\"}\n\n";

    fn read(dialect: Dialect, text: &str, cut: usize) -> Seen {
        let mut reading = Reading::new(dialect);
        text.as_bytes().chunks(cut).for_each(|piece| reading.feed(piece));
        reading.seen().clone()
    }

    #[test]
    fn a_stream_shows_the_same_however_it_is_cut() {
        for cut in 1..STREAM.len() {
            let seen = read(Dialect::Anthropic, STREAM, cut);
            assert!(seen.thought && seen.called && seen.error.is_none(), "{cut}");
            assert_eq!(seen.progress, Progress::Ended);
            assert_eq!(seen.stop_reason.as_deref(), Some("tool_use"));
        }
    }

    #[test]
    fn an_error_in_a_stream_is_seen_and_another_tool_is_no_call() {
        let error = "event: error\ndata: {\"type\":\"error\",\"error\":{\"message\":\"overloaded\"}}\n\n";
        let expect = Some(Complaint::Error("overloaded".to_owned()));
        assert_eq!(read(Dialect::Anthropic, error, 7).error, expect);
        let other = STREAM.replace("report", "other");
        assert!(!read(Dialect::Anthropic, &other, 9).called);
        assert_eq!(read(Dialect::Anthropic, "<html>\ndata: {\n\ndata: 7\n\n", 5), Seen::default());
    }

    #[test]
    fn chat_completions_are_read_too() {
        let stream = "data: {\"choices\":[{\"delta\":{\"role\":\"assistant\",\"content\":\"\"}}]}\n\n\
            data: {\"choices\":[{\"delta\":{\"tool_calls\":[{\"function\":{\"name\":\"report\"}}]}}]}\n\n\
            data: {\"choices\":[{\"delta\":{},\"finish_reason\":\"tool_calls\"}]}\n\n\
            data: {\"choices\":[],\"usage\":{}}\n\ndata: [DONE]\n\n";
        let seen = read(Dialect::OpenaiChat, stream, 11);
        assert!(seen.called && !seen.thought && seen.progress == Progress::Ended);
    }

    #[test]
    fn a_whole_message_shows_as_much() {
        let message =
            json!({"type": "message", "stop_reason": "end_turn", "content": [{"type": "text", "text": "x"}]});
        let seen = Seen::of_whole(Dialect::Anthropic, &message);
        assert!(!seen.called && seen.progress == Progress::Ended);
        assert_eq!(Seen::of_whole(Dialect::Anthropic, &json!({"ok": true})), Seen::default());
    }
}
