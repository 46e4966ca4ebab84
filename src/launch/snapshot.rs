//! What a session was launched with, as it is remembered: agents, routes and policy, never a secret. Pure.

use serde_json::{Map, Value, json};

use crate::config::{Config, RouteId, RouteSettings};
use crate::router::Binding;

/// `{"version":1,"agents":[{"name","route","wire_id"}],"routes":{"p/m":{"context_window","price"}},"policy":{…}}`
pub fn snapshot(bindings: &[Binding], config: &Config) -> Value {
    let routes: Map<String, Value> =
        bindings.iter().map(|binding| (binding.route.to_string(), route(config, &binding.route))).collect();
    let allowed: Vec<String> = config.policy.allowed.iter().map(ToString::to_string).collect();
    json!({
        "version": 1,
        "agents": bindings.iter().map(agent).collect::<Vec<_>>(),
        "routes": routes,
        "policy": {"enabled": config.policy.enabled, "allowed": allowed, "stray": config.policy.stray},
    })
}

fn agent(binding: &Binding) -> Value {
    json!({"name": binding.agent, "route": binding.route.to_string(), "wire_id": binding.wire.as_str()})
}

fn route(config: &Config, id: &RouteId) -> Value {
    let unknown = RouteSettings::default();
    let settings = config.routes.get(id).unwrap_or(&unknown);
    let price = settings.price.map(|price| {
        json!({"input": price.input, "output": price.output, "cache_read": price.cache_read,
               "cache_write": price.cache_write})
    });
    json!({"context_window": settings.context_window, "price": price})
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::{Price, WireId};

    #[test]
    fn agents_routes_prices_and_policy_are_kept() {
        let id: RouteId = "glm/glm-5".parse().unwrap();
        let mut config = Config::default();
        let price = Some(Price { input: 1.0, output: 3.2, ..Price::default() });
        config.routes.insert(id.clone(), RouteSettings { price, ..RouteSettings::default() });
        config.policy.allowed.insert(id.clone());
        let binding = Binding { agent: "rev".to_owned(), wire: WireId::new("rev", &id), route: id };
        let price = json!({"input": 1.0, "output": 3.2, "cache_read": null, "cache_write": null});
        let expect = json!({
            "version": 1,
            "agents": [{"name": "rev", "route": "glm/glm-5", "wire_id": "rev@glm/glm-5"}],
            "routes": {"glm/glm-5": {"context_window": null, "price": price}},
            "policy": {"enabled": false, "allowed": ["glm/glm-5"], "stray": "deny"},
        });
        assert_eq!(snapshot(&[binding], &config), expect);
    }
}
