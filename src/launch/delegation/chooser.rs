//! One question to the route that chooses agents, through the session's own router.

use std::sync::Arc;
use std::time::Duration;

use serde_json::Value;

use super::delegator::Delegator;
use super::refusal::Refusal;
use crate::catalogue::{Client, Fault};
use crate::config::{Auth, ChatOptions, Dialect, Provider, ProviderName, Repairs, Timeouts, Tls, WireId};
use crate::launch::assembly::Engine;
use crate::router::{Binding, Budget, Pass, ProxyVariables, Purse, Shared, Table, Token};

/// Whose request it is, in the figures.
pub const CHOOSER: &str = "chooser";

/// A local model may think for long.
const PATIENCE: Duration = Duration::from_mins(5);

impl Delegator {
    /// Asks the chooser's route; the answer is a message, or an error in its shape. `body` lacks the model.
    ///
    /// # Errors
    /// Nobody answered.
    pub async fn ask_chooser(&self, mut body: Value) -> Result<Value, Refusal> {
        let failed =
            |error: &dyn std::fmt::Display| Refusal::Agent(format!("the chooser can't be asked: {error}"));
        let Some(route) = self.book.config.delegation.chooser.clone() else {
            return Err(failed(&"none is set"));
        };
        let provider = route.provider().clone();
        let wire = WireId::new(CHOOSER, &route);
        body["model"] = wire.as_str().into();
        let binding = Binding { agent: CHOOSER.to_owned(), wire, route };
        let table = Arc::new(Table::new(vec![binding], Vec::new(), self.book.config.policy.clone()));
        let budget = Budget { requests: Some(1), ..Budget::default() };
        let purse = Arc::new(Purse::new(budget));
        let pass = Pass { name: CHOOSER.to_owned(), table, callers: Arc::default(), purse };
        let token = Token::random().map_err(|error| failed(&error))?;
        self.workshop.passes.grant(token.clone(), pass);
        let answer = post(provider, &Engine::base_url(self.workshop.port, &token), &body).await;
        self.workshop.passes.revoke(&token);
        answer.map_err(|fault| failed(&fault))
    }
}

async fn post(name: ProviderName, base_url: &str, body: &Value) -> Result<Value, Fault> {
    let provider = Provider {
        name,
        base_url: base_url.to_owned(),
        dialect: Dialect::Anthropic,
        auth: Auth::None,
        tls: Tls::System,
        timeouts: Timeouts::default(),
        preset: None,
        repairs: Repairs::default(),
        chat: ChatOptions::default(),
    };
    let shared = Shared::new(&ProxyVariables::default());
    let client = Client::new(&provider, base_url, &Auth::None, None, &shared)?;
    let answer = client.post("/v1/messages", body, PATIENCE).await?;
    client.json(&answer)
}
