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

use super::delegation::Visitor;
use super::delegation::permission::{Verdict, verdict};
use super::hook::{self, HookAnswer, HookEvent, OwnTool};
use super::overlay::Dialogs;
use super::state::Desk;
use super::stats::Observer;
use crate::config::StrayRule;
use crate::router::{Control, ControlBody, Meter, Table, Token, Tokens};

/// Bytes of a hook's body: a prompt of any size that the router takes.
const HOOK_LIMIT: usize = 64 * 1024 * 1024;

/// The tools of our own that agents see, behind the Model Context Protocol.
pub trait ToolServer: Send + Sync {
    fn serve(
        &self,
        request: Request<Incoming>,
        visitor: Arc<Visitor>,
    ) -> Pin<Box<dyn Future<Output = Response<ControlBody>> + Send + '_>>;
}

pub struct ControlEndpoint {
    /// The session's own Claude Code, and its children.
    pub visitors: Arc<Tokens<Visitor>>,
    pub observer: Arc<Observer>,
    pub meter: Arc<Meter>,
    /// `None`: the session has none.
    pub tools: Option<Arc<dyn ToolServer>>,
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

    /// `http://127.0.0.1:PORT/.subagents/mcp`, for a token in a header.
    pub fn mcp_url(port: u16) -> String {
        format!("http://127.0.0.1:{port}/.subagents/mcp")
    }

    async fn answer(&self, path: &str, request: Request<Incoming>) -> Response<ControlBody> {
        let Some((visitor, path)) = self.admit(path, request.headers()) else {
            return reply(
                StatusCode::UNAUTHORIZED,
                &json!({"error": "the control token is missing or wrong"}),
            );
        };
        match (request.method().clone(), path) {
            (Method::POST, "hook") => self.hook(request, &visitor).await,
            (_, "mcp") => match &self.tools {
                Some(tools) => tools.serve(request, visitor).await,
                None => {
                    reply(StatusCode::NOT_FOUND, &json!({"error": "this session has no tools of its own"}))
                }
            },
            (Method::GET, "stats") if visitor.grant.depth == 0 => {
                match serde_json::to_value(self.observer.stats()) {
                    Ok(stats) => reply(StatusCode::OK, &stats),
                    Err(error) => {
                        reply(StatusCode::INTERNAL_SERVER_ERROR, &json!({"error": error.to_string()}))
                    }
                }
            }
            _ => reply(StatusCode::NOT_FOUND, &json!({"error": "there is `GET stats` and `POST hook`"})),
        }
    }

    /// Whose the token is, and the path without it, which comes in a header, or first in the path where no header can be set.
    fn admit<'a>(&self, path: &'a str, headers: &HeaderMap) -> Option<(Arc<Visitor>, &'a str)> {
        let bearer =
            headers.get(AUTHORIZATION).and_then(|value| value.to_str().ok()?.strip_prefix("Bearer "));
        if let Some(visitor) = bearer.and_then(|token| self.visitors.of(token)) {
            return Some((visitor, path));
        }
        let (token, rest) = path.split_once('/')?;
        Some((self.visitors.of(token)?, rest))
    }

    async fn hook(&self, request: Request<Incoming>, visitor: &Visitor) -> Response<ControlBody> {
        let body = Limited::new(request.into_body(), HOOK_LIMIT).collect().await;
        let body = body.map(Collected::to_bytes).unwrap_or_default();
        if let Some(conversation) = hook::conversation(&body) {
            visitor.callers.conversed(&conversation);
        }
        let event = HookEvent::read(&body);
        // A child has no dialogs, and the session's state is its main agent's.
        let desk = self.desk.as_ref().filter(|_| visitor.grant.depth == 0);
        let answer = match (desk, &event) {
            (Some(desk), HookEvent::PermissionAsked(asked)) if self.dialogs == Dialogs::Held => {
                self.heard(&event, visitor);
                desk.hold(asked).await
            }
            (Some(desk), event) => {
                desk.heard(event);
                self.heard(event, visitor)
            }
            (None, event) => self.heard(event, visitor),
        };
        reply(StatusCode::OK, &answer.json())
    }

    /// What an event changes, and what it is answered.
    pub fn heard(&self, event: &HookEvent, visitor: &Visitor) -> HookAnswer {
        visitor.callers.heard();
        match event {
            HookEvent::Prompt => self.observer.prompted(),
            HookEvent::Stopped { .. } => self.observer.answered(),
            HookEvent::AgentStarted { id, name } => visitor.callers.started(id, name),
            HookEvent::AgentCall { agent, model: Some(model) } => {
                return self.override_of(agent, model, &visitor.table);
            }
            HookEvent::OwnTool(call) => return own_tool(call, visitor),
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
    fn override_of(&self, agent: &str, model: &str, table: &Table) -> HookAnswer {
        if table.wire_of(agent).is_none() || table.stray_rule() == StrayRule::Pass {
            return HookAnswer::Nothing;
        }
        self.meter.stray(Some(agent), model, true);
        HookAnswer::Deny { reason: table.stray_message(agent, model) }
    }
}

/// Whoever makes the call will be known by its id, and is asked for what a tool that changes things would ask.
fn own_tool(call: &OwnTool, visitor: &Visitor) -> HookAnswer {
    visitor.announced(&call.id, call.calling.clone());
    match verdict(&call.name, &call.input, call.calling.permission) {
        Verdict::Allow => HookAnswer::Allow,
        Verdict::Ask(reason) => HookAnswer::Ask { reason },
        Verdict::Deny(reason) => HookAnswer::Deny { reason },
        Verdict::Nothing => HookAnswer::Nothing,
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
    use crate::launch::delegation::grant::{Grant, PermissionMode};
    use crate::router::{Binding, Callers, Stray};

    const TOKEN: &str = "0123456789abcdef";

    fn heard(endpoint: &ControlEndpoint, event: &HookEvent) -> HookAnswer {
        endpoint.heard(event, &endpoint.visitors.of(TOKEN).unwrap())
    }

    fn endpoint(stray: StrayRule) -> ControlEndpoint {
        let route: RouteId = "glm/glm-5".parse().unwrap();
        let binding = Binding { agent: "reviewer".into(), wire: WireId::new("reviewer", &route), route };
        let policy = Policy { stray, ..Policy::default() };
        let (meter, callers) = (Arc::new(Meter::new(vec![])), Arc::<Callers>::default());
        let table = Arc::new(Table::new(vec![binding], vec![], policy));
        let main = Visitor::new("main", Grant::main(PermissionMode::Auto), table, Arc::clone(&callers));
        ControlEndpoint {
            visitors: Arc::new(Tokens::new(Token::new(TOKEN).unwrap(), main)),
            observer: Arc::new(Observer::new(Uuid::nil(), Arc::clone(&meter), Arc::clone(&callers), None)),
            meter,
            tools: None,
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
        assert_eq!(heard(&endpoint, &call("reviewer", None)), HookAnswer::Nothing);
        assert_eq!(heard(&endpoint, &call("Explore", Some("opus"))), HookAnswer::Nothing, "it has no route");
        let HookAnswer::Deny { reason } = heard(&endpoint, &call("reviewer", Some("opus"))) else {
            panic!("not denied")
        };
        assert!(reason.contains("again without a model"), "{reason}");
        let want = Stray { agent: Some("reviewer".into()), model: "opus".into(), requests: 1, refused: 1 };
        assert_eq!(endpoint.meter.figures().strays, [want]);
    }

    #[test]
    fn a12_where_strays_may_pass_the_call_is_made() {
        let endpoint = endpoint(StrayRule::Pass);
        assert_eq!(heard(&endpoint, &call("reviewer", Some("opus"))), HookAnswer::Nothing);
    }

    #[test]
    fn the_token_comes_in_a_header_or_in_the_path() {
        let endpoint = endpoint(StrayRule::Deny);
        let path =
            |path: &'static str, headers: &HeaderMap| endpoint.admit(path, headers).map(|(_, path)| path);
        let mut headers = HeaderMap::new();
        assert_eq!(path("stats", &headers), None);
        assert_eq!(path("0123456789abcdee/stats", &headers), None);
        assert_eq!(path("0123456789abcdef/stats", &headers), Some("stats"));
        headers.insert(AUTHORIZATION, HeaderValue::from_static("Bearer 0123456789abcdef"));
        assert_eq!(path("stats", &headers), Some("stats"));
    }
}
