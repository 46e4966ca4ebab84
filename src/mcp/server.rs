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

use super::choice::choose;
use super::definition::{Offer, tools};
use super::git::{self, Look};
use super::{models, progress};
use crate::launch::delegation::{Asker, Chooser, Delegated, Delegator, Refusal, Request, Visitor, Watch};

/// Where Claude Code says which call of its own this is.
const TOOL_USE_ID: &str = "claudecode/toolUseId";

/// The tools of one session.
#[derive(Clone)]
pub struct Server {
    delegator: Arc<Delegator>,
    tools: Arc<Vec<Tool>>,
    /// Who calls where no token says it: the one client of a pipe.
    client: Option<Arc<Visitor>>,
}

impl Server {
    pub fn new(delegator: Arc<Delegator>, read_only: bool) -> Self {
        let offer = Offer { routes: delegator.book.config.policy.enabled, read_only };
        Self { delegator, tools: Arc::new(tools(offer)), client: None }
    }

    /// For the one client of a pipe.
    #[must_use]
    pub fn of_client(self, client: Visitor) -> Self {
        Self { client: Some(Arc::new(client)), ..self }
    }

    async fn call(
        &self,
        name: &str,
        arguments: Map<String, Value>,
        context: &RequestContext<RoleServer>,
    ) -> CallToolResult {
        match name {
            "list_subagents" => self.list(),
            "list_subagent_models" => match models::answer(&arguments, &self.delegator).await {
                Ok(told) => CallToolResult::structured(told),
                Err(refusal) => failed(refusal.to_string()),
            },
            "delegate_subagent" => told(self.delegate(&arguments, context).await),
            "route_subagent" => told(self.route(&arguments, context).await),
            _ => self.look(name, &arguments, context).await,
        }
    }

    /// E4: names and descriptions, and nothing else.
    fn list(&self) -> CallToolResult {
        let agents = self.delegator.book.callable();
        let agents: Vec<Value> =
            agents.map(|agent| json!({"name": agent.name, "description": agent.description})).collect();
        CallToolResult::structured(json!({ "agents": agents }))
    }

    /// Git, in the folder of whoever asks.
    async fn look(
        &self,
        name: &str,
        arguments: &Map<String, Value>,
        context: &RequestContext<RoleServer>,
    ) -> CallToolResult {
        let book = &self.delegator.book;
        let folder = self.asker(context).folder.unwrap_or_else(|| book.project.clone());
        let looked = match Look::read(name, arguments, &folder) {
            None => Err(format!("there is no tool `{name}`")),
            Some(Err(reason)) => Err(reason),
            Some(Ok(look)) => {
                git::look(&look, &folder, &book.environment).await.map_err(|failure| failure.to_string())
            }
        };
        looked.map_or_else(failed, |text| CallToolResult::success(vec![ContentBlock::text(text)]))
    }

    async fn delegate(
        &self,
        arguments: &Map<String, Value>,
        context: &RequestContext<RoleServer>,
    ) -> Result<Delegated, Refusal> {
        self.perform(Request::read(arguments)?, context).await
    }

    /// Somebody is chosen first.
    async fn route(
        &self,
        arguments: &Map<String, Value>,
        context: &RequestContext<RoleServer>,
    ) -> Result<Delegated, Refusal> {
        let request = Request::read(arguments)?;
        if request.agent.is_some() || request.continues.is_some() || request.collects.is_some() {
            return Err(Refusal::Arguments(
                "who does it is chosen here: call delegate_subagent to say it".to_owned(),
            ));
        }
        let chosen = choose(&request.prompt, &self.delegator).await?;
        let note = format!("{} was chosen: {}", chosen.agent, chosen.why);
        let done = self.perform(Request { agent: Some(chosen.agent), ..request }, context).await?;
        Ok(done.noted(note))
    }

    async fn perform(
        &self,
        request: Request,
        context: &RequestContext<RoleServer>,
    ) -> Result<Delegated, Refusal> {
        let asker = self.asker(context);
        let (steps, seen) = unbounded_channel();
        let watch = Watch { steps, cancel: context.ct.clone() };
        let chooser = Chooser::Model(&self.delegator.book.config.policy);
        let told = progress::tell(seen, context.peer.clone(), context.meta.get_progress_token());
        let (done, ()) = tokio::join!(self.delegator.delegate(request, &asker, chooser, watch), told);
        done
    }

    /// Who calls: the token says which Claude Code, its hook which of its agents.
    fn asker(&self, context: &RequestContext<RoleServer>) -> Asker {
        let parts = context.extensions.get::<Parts>();
        let visitor = parts.and_then(|parts| parts.extensions.get::<Arc<Visitor>>()).or(self.client.as_ref());
        let id = context.meta.get(TOOL_USE_ID).and_then(Value::as_str);
        visitor.map_or_else(Asker::nobody, |visitor| visitor.asker(id))
    }
}

fn told(done: Result<Delegated, Refusal>) -> CallToolResult {
    match done {
        Ok(Delegated::Done(outcome)) => structured(outcome.text(), outcome.json()),
        Ok(Delegated::Begun(id)) => {
            let text = format!("It runs in the background: `collect` with the id {id} waits for its answer.");
            structured(text, json!({"id": id, "ended": "running"}))
        }
        Err(refusal) => failed(refusal.to_string()),
    }
}

fn structured(text: String, value: Value) -> CallToolResult {
    let mut result = CallToolResult::success(vec![ContentBlock::text(text)]);
    result.structured_content = Some(value);
    result
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
