//! The control endpoint, `/.subagents/…`: hooks come in, figures go out.
//!
//! Its token is not the router's: Claude Code tells every shell command the router's address, so that token
//! buys inference only. This one stands in 0600 files alone. A hook is never failed, and never kept waiting but for a
//! person's answer.

use std::pin::Pin;
use std::sync::Arc;

use bytes::Bytes;
use http_body_util::{BodyExt, Collected, Full, Limited};
use hyper::body::Incoming;
use hyper::header::{AUTHORIZATION, CONTENT_TYPE, HeaderMap, HeaderValue};
use hyper::{Method, Request, Response, StatusCode};
use serde_json::{Value, json};

use super::hook::{self, HookAnswer, HookEvent};
use super::overlay::Dialogs;
use super::state::Desk;
use super::stats::Observer;
use crate::config::StrayRule;
use crate::router::{Callers, Control, ControlBody, Meter, Table, Token};

/// Bytes of a hook's body: a prompt of any size that the router takes.
const HOOK_LIMIT: usize = 64 * 1024 * 1024;

pub struct ControlEndpoint {
    pub token: Token,
    pub observer: Arc<Observer>,
    pub table: Arc<Table>,
    pub meter: Arc<Meter>,
    pub callers: Arc<Callers>,
    /// Where dialogs wait for a person; `None`: nobody can answer them but in the session.
    pub desk: Option<Arc<Desk>>,
    /// Whether they may.
    pub dialogs: Dialogs,
}

impl Control for ControlEndpoint {
    fn call<'a>(
        &'a self,
        path: &'a str,
        request: Request<Incoming>,
    ) -> Pin<Box<dyn Future<Output = Response<ControlBody>> + Send + 'a>> {
        Box::pin(self.answer(path, request))
    }
}

impl ControlEndpoint {
    /// `http://127.0.0.1:PORT/.subagents/TOKEN/hook`
    pub fn hook_url(port: u16, token: &Token) -> String {
        format!("http://127.0.0.1:{port}/.subagents/{}/hook", token.expose())
    }

    async fn answer(&self, path: &str, request: Request<Incoming>) -> Response<ControlBody> {
        let Some(path) = self.admit(path, request.headers()) else {
            return reply(
                StatusCode::UNAUTHORIZED,
                &json!({"error": "the control token is missing or wrong"}),
            );
        };
        match (request.method().clone(), path) {
            (Method::POST, "hook") => self.hook(request).await,
            (Method::GET, "stats") => match serde_json::to_value(self.observer.stats()) {
                Ok(stats) => reply(StatusCode::OK, &stats),
                Err(error) => reply(StatusCode::INTERNAL_SERVER_ERROR, &json!({"error": error.to_string()})),
            },
            _ => reply(StatusCode::NOT_FOUND, &json!({"error": "there is `GET stats` and `POST hook`"})),
        }
    }

    /// The path without the token, which comes in a header, or first in the path where no header can be set.
    fn admit<'a>(&self, path: &'a str, headers: &HeaderMap) -> Option<&'a str> {
        let bearer =
            headers.get(AUTHORIZATION).and_then(|value| value.to_str().ok()?.strip_prefix("Bearer "));
        if bearer.is_some_and(|token| self.token.matches(token)) {
            return Some(path);
        }
        let (token, rest) = path.split_once('/')?;
        self.token.matches(token).then_some(rest)
    }

    async fn hook(&self, request: Request<Incoming>) -> Response<ControlBody> {
        let body = Limited::new(request.into_body(), HOOK_LIMIT).collect().await;
        let body = body.map(Collected::to_bytes).unwrap_or_default();
        if let Some(conversation) = hook::conversation(&body) {
            self.callers.conversed(&conversation);
        }
        let event = HookEvent::read(&body);
        let answer = match (&self.desk, &event) {
            (Some(desk), HookEvent::PermissionAsked(asked)) if self.dialogs == Dialogs::Held => {
                self.heard(&event);
                desk.hold(asked).await
            }
            (Some(desk), event) => {
                desk.heard(event);
                self.heard(event)
            }
            (None, event) => self.heard(event),
        };
        reply(StatusCode::OK, &answer.json())
    }

    /// What an event changes, and what it is answered.
    pub fn heard(&self, event: &HookEvent) -> HookAnswer {
        self.callers.heard();
        match event {
            HookEvent::Prompt => self.observer.prompted(),
            HookEvent::Stopped { .. } => self.observer.answered(),
            HookEvent::AgentStarted { id, name } => self.callers.started(id, name),
            HookEvent::AgentCall { agent, model: Some(model) } => return self.override_of(agent, model),
            HookEvent::AgentCall { model: None, .. }
            | HookEvent::AgentStopped { .. }
            | HookEvent::PermissionAsked(_)
            | HookEvent::ToolRan(_)
            | HookEvent::ToolsDone { .. }
            | HookEvent::Notified { .. }
            | HookEvent::SessionEnded { .. }
            | HookEvent::Other => {}
        }
        HookAnswer::Nothing
    }

    /// The main model gives a routed agent another model for one call.
    fn override_of(&self, agent: &str, model: &str) -> HookAnswer {
        if self.table.wire_of(agent).is_none() || self.table.stray_rule() == StrayRule::Pass {
            return HookAnswer::Nothing;
        }
        self.meter.stray(Some(agent), model, true);
        HookAnswer::Deny { reason: self.table.stray_message(agent, model) }
    }
}

fn reply(status: StatusCode, body: &Value) -> Response<ControlBody> {
    let mut response = Response::new(Full::new(Bytes::from(body.to_string())).boxed());
    *response.status_mut() = status;
    response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
    response
}

#[cfg(test)]
mod tests {
    use uuid::Uuid;

    use super::*;
    use crate::config::{Policy, RouteId, WireId};
    use crate::router::{Binding, Stray};

    fn endpoint(stray: StrayRule) -> ControlEndpoint {
        let route: RouteId = "glm/glm-5".parse().unwrap();
        let binding = Binding { agent: "reviewer".into(), wire: WireId::new("reviewer", &route), route };
        let policy = Policy { stray, ..Policy::default() };
        let (meter, callers) = (Arc::new(Meter::new(vec![])), Arc::<Callers>::default());
        ControlEndpoint {
            token: Token::new("0123456789abcdef").unwrap(),
            observer: Arc::new(Observer::new(Uuid::nil(), Arc::clone(&meter), Arc::clone(&callers), None)),
            table: Arc::new(Table::new(vec![binding], vec![], policy)),
            meter,
            callers,
            desk: None,
            dialogs: Dialogs::Passed,
        }
    }

    fn call(agent: &str, model: Option<&str>) -> HookEvent {
        HookEvent::AgentCall { agent: agent.into(), model: model.map(Into::into) }
    }

    #[test]
    fn a12_an_override_of_a_routed_agent_is_denied_with_a_reason_and_counted() {
        let endpoint = endpoint(StrayRule::Deny);
        assert_eq!(endpoint.heard(&call("reviewer", None)), HookAnswer::Nothing);
        assert_eq!(endpoint.heard(&call("Explore", Some("opus"))), HookAnswer::Nothing, "it has no route");
        let HookAnswer::Deny { reason } = endpoint.heard(&call("reviewer", Some("opus"))) else {
            panic!("not denied")
        };
        assert!(reason.contains("again without a model"), "{reason}");
        let want = Stray { agent: Some("reviewer".into()), model: "opus".into(), requests: 1, refused: 1 };
        assert_eq!(endpoint.meter.figures().strays, [want]);
    }

    #[test]
    fn a12_where_strays_may_pass_the_call_is_made() {
        let endpoint = endpoint(StrayRule::Pass);
        assert_eq!(endpoint.heard(&call("reviewer", Some("opus"))), HookAnswer::Nothing);
    }

    #[test]
    fn the_token_comes_in_a_header_or_in_the_path() {
        let endpoint = endpoint(StrayRule::Deny);
        let mut headers = HeaderMap::new();
        assert_eq!(endpoint.admit("stats", &headers), None);
        assert_eq!(endpoint.admit("0123456789abcdee/stats", &headers), None);
        assert_eq!(endpoint.admit("0123456789abcdef/stats", &headers), Some("stats"));
        headers.insert(AUTHORIZATION, HeaderValue::from_static("Bearer 0123456789abcdef"));
        assert_eq!(endpoint.admit("stats", &headers), Some("stats"));
    }
}
