//! The tools on a session's control endpoint, by streamable HTTP.

use std::pin::Pin;
use std::sync::Arc;

use hyper::body::Incoming;
use hyper::{Request, Response};
use rmcp::transport::streamable_http_server::StreamableHttpServerConfig;

use super::reception::Reception;
use super::server::Server;
use crate::launch::control::ToolServer;
use crate::launch::delegation::request::PROMPT_LIMIT;
use crate::launch::delegation::{Delegator, Visitor};
use crate::router::ControlBody;

/// Bytes of a call: a prompt as long as it may be, escaped as unhappily as it can be, and the rest.
const CALL_LIMIT: usize = 6 * PROMPT_LIMIT + 64 * 1024;

struct Mounted(Reception<Server>);

/// The tools of whoever can be delegated to. Must be called within a tokio runtime.
#[expect(clippy::needless_pass_by_value, reason = "a launch takes any way to make tools by this one type")]
pub fn mount(delegator: Arc<Delegator>) -> Arc<dyn ToolServer> {
    let config = StreamableHttpServerConfig::default()
        .enforce_origin_validation()
        .with_max_request_body_bytes(CALL_LIMIT);
    let reception = Reception::new(Server::new(Arc::clone(&delegator), false), config);
    delegator.until_ended(reception.watch());
    Arc::new(Mounted(reception))
}

impl ToolServer for Mounted {
    fn serve(
        &self,
        mut request: Request<Incoming>,
        visitor: Arc<Visitor>,
    ) -> Pin<Box<dyn Future<Output = Response<ControlBody>> + Send + '_>> {
        // Of each call, because a connection may be used by several.
        request.extensions_mut().insert(visitor);
        Box::pin(self.0.handle(request))
    }
}
