//! One finished request, as plain data.

use std::sync::Arc;

use hyper::HeaderMap;

use super::error::Blame;
use super::tap::Usage;
use crate::config::Price;

/// What is known of one inference request after its end. Times in milliseconds, UTC.
#[derive(Debug, Clone, Default, PartialEq, serde::Serialize)]
pub struct Record {
    /// When it was admitted, in milliseconds since 1970.
    pub at: i64,
    pub caller: Arc<CallerHeaders>,
    /// The agent's name; `main` for the main session.
    pub agent: String,
    /// `provider/model`, or `default`.
    pub route: String,
    /// The `model` that the client sent.
    pub wire_model: Option<String>,
    /// The `model` that was sent on: on a route the provider's own name of it, else what the client sent.
    pub upstream_model: Option<String>,
    /// The body's `output_config.effort`, where it stands near the body's end.
    pub effort: Option<String>,
    pub path: String,
    /// The provider's status, or ours; `None`: cancelled before there was one.
    pub status: Option<u16>,
    pub outcome: Outcome,
    pub blame: Option<Blame>,
    /// Bytes of the bodies, from the client and to it.
    pub bytes_in: u64,
    pub bytes_out: u64,
    /// Until the answer's head; `None`: there was none.
    pub ttfb: Option<u64>,
    pub total: u64,
    pub stop_reason: Option<String>,
    pub usage: Usage,
    /// What `cost` was reckoned by; `None`: the route has no price.
    pub price: Option<Price>,
    /// USD; `None`: the route has no price.
    pub cost: Option<f64>,
    /// A routed agent off its route, let through by the policy.
    pub stray: bool,
    /// How long it waited for one of the route's places, in milliseconds; `None`: it didn't.
    pub queued: Option<u64>,
    /// The route that failed before, in whose place this one was tried.
    pub instead_of: Option<String>,
    /// The repair that would mend what the provider refused, as far as its wording tells.
    pub mending: Option<String>,
}

/// What Claude Code's own headers say of a request.
#[derive(Debug, Clone, Default, PartialEq, Eq, serde::Serialize)]
pub struct CallerHeaders {
    pub session: Option<String>,
    /// The person's prompt that this request is a part of the answer to.
    pub prompt_id: Option<String>,
    pub agent_id: Option<String>,
    pub parent_id: Option<String>,
    /// `main`, `subagent`, `workflow`, `compaction`, `auxiliary`
    pub class: Option<String>,
    /// 0 for the first try, as the client counts.
    pub attempt: Option<u32>,
}

impl CallerHeaders {
    pub fn read(headers: &HeaderMap) -> Self {
        let mut read = Self::default();
        for (name, value) in headers {
            let text = || value.to_str().ok().map(str::to_owned);
            match name.as_str() {
                "x-claude-code-session-id" => read.session = text(),
                "x-claude-code-prompt-id" => read.prompt_id = text(),
                "x-claude-code-agent-id" => read.agent_id = text(),
                "x-claude-code-parent-agent-id" => read.parent_id = text(),
                "x-claude-code-request-class" => read.class = text(),
                "x-stainless-retry-count" => read.attempt = text().and_then(|count| count.parse().ok()),
                _ => {}
            }
        }
        read
    }
}

/// How a request ended.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Outcome {
    Ok,
    ClientError,
    UpstreamError,
    #[default]
    Cancelled,
}

impl Outcome {
    /// What is written so; anything else was cancelled.
    pub fn named(name: &str) -> Self {
        let all = [Self::Ok, Self::ClientError, Self::UpstreamError];
        all.into_iter().find(|outcome| outcome.as_str() == name).unwrap_or_default()
    }

    /// As it is written in JSON and in the ledger.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Ok => "ok",
            Self::ClientError => "client_error",
            Self::UpstreamError => "upstream_error",
            Self::Cancelled => "cancelled",
        }
    }
}
