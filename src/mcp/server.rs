//! Calls of tools, and what is answered.

use std::sync::Arc;

use hyper::http::request::Parts;
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, ContentBlock, Implementation, ListToolsResult,
    PaginatedRequestParams, ServerCapabilities, ServerConfig, Tool,
};
use rmcp::service::{RequestContext, RoleServer};
use rmcp::{ErrorData, ServerHandler};
use serde_json::{Map, Value, json};
use tokio::sync::mpsc::unbounded_channel;

use super::definition::{Offer, tools};
use super::progress;
use crate::launch::delegation::{Asker, Chooser, Delegated, Delegator, Refusal, Request, Visitor, Watch};

/// Where Claude Code says which call of its own this is.
const TOOL_USE_ID: &str = "claudecode/toolUseId";

/// The tools of one session.
#[derive(Clone)]
pub struct Server {
    delegator: Arc<Delegator>,
    tools: Arc<Vec<Tool>>,
}

impl Server {
    pub fn new(delegator: Arc<Delegator>, read_only: bool) -> Self {
        let offer = Offer { routes: delegator.book.config.policy.enabled, read_only };
        Self { delegator, tools: Arc::new(tools(offer)) }
    }

    async fn call(
        &self,
        name: &str,
        arguments: Map<String, Value>,
        context: &RequestContext<RoleServer>,
    ) -> CallToolResult {
        match name {
            "list_subagents" => self.list(),
            "delegate_subagent" => self.delegate(&arguments, context).await,
            _ => failed(format!("there is no tool `{name}`")),
        }
    }

    /// E4: names and descriptions, and nothing else.
    fn list(&self) -> CallToolResult {
        let agents = self.delegator.book.callable();
        let agents: Vec<Value> =
            agents.map(|agent| json!({"name": agent.name, "description": agent.description})).collect();
        CallToolResult::structured(json!({ "agents": agents }))
    }

    async fn delegate(
        &self,
        arguments: &Map<String, Value>,
        context: &RequestContext<RoleServer>,
    ) -> CallToolResult {
        let asker = asker(context);
        match self.delegated(arguments, &asker, context).await {
            Ok(Delegated::Done(outcome)) => {
                let mut result = CallToolResult::success(vec![ContentBlock::text(outcome.text())]);
                result.structured_content = Some(outcome.json());
                result
            }
            Ok(Delegated::Begun(id)) => {
                let text =
                    format!("It runs in the background: `collect` with the id {id} waits for its answer.");
                let mut result = CallToolResult::success(vec![ContentBlock::text(text)]);
                result.structured_content = Some(json!({"id": id, "ended": "running"}));
                result
            }
            Err(refusal) => failed(refusal.to_string()),
        }
    }

    async fn delegated(
        &self,
        arguments: &Map<String, Value>,
        asker: &Asker,
        context: &RequestContext<RoleServer>,
    ) -> Result<Delegated, Refusal> {
        let request = Request::read(arguments)?;
        let (steps, seen) = unbounded_channel();
        let watch = Watch { steps, cancel: context.ct.clone() };
        let chooser = Chooser::Model(&self.delegator.book.config.policy);
        let told = progress::tell(seen, context.peer.clone(), context.meta.get_progress_token());
        let (done, ()) = tokio::join!(self.delegator.delegate(request, asker, chooser, watch), told);
        done
    }
}

/// Who calls: the token says which Claude Code, its hook which of its agents.
fn asker(context: &RequestContext<RoleServer>) -> Asker {
    let parts = context.extensions.get::<Parts>();
    let visitor = parts.and_then(|parts| parts.extensions.get::<Arc<Visitor>>());
    let id = context.meta.get(TOOL_USE_ID).and_then(Value::as_str);
    visitor.map_or_else(Asker::nobody, |visitor| visitor.asker(id))
}

/// An answer that the model reads as an error.
fn failed(reason: String) -> CallToolResult {
    CallToolResult::error(vec![ContentBlock::text(reason)])
}

impl ServerHandler for Server {
    fn get_info(&self) -> ServerConfig {
        let capabilities = ServerCapabilities::builder().enable_tools().build();
        ServerConfig::new(capabilities)
            .with_server_info(Implementation::new("subagents", env!("CARGO_PKG_VERSION")))
            .with_instructions("Sub-agents that run by themselves, each on its own route.")
    }

    async fn list_tools(
        &self,
        _request: Option<PaginatedRequestParams>,
        _context: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        Ok(ListToolsResult::with_all_items(self.tools.to_vec()))
    }

    fn get_tool(&self, name: &str) -> Option<Tool> {
        self.tools.iter().find(|tool| tool.name == name).cloned()
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        if self.get_tool(&request.name).is_none() {
            return Err(ErrorData::invalid_params(format!("there is no tool `{}`", request.name), None));
        }
        let arguments = request.arguments.unwrap_or_default();
        Ok(self.call(&request.name, arguments, &context).await.into())
    }
}
