//! `list_subagent_models` (A4, A5): what a model may choose from. The policy allows, the catalogue only advises.

use jiff::Timestamp;
use serde_json::{Map, Value, json};
use tokio::task::spawn_blocking;

use crate::catalogue::{Cache, Catalogue, Freshness, Listing, Model};
use crate::config::{Config, Environment, Provider, RouteId};
use crate::launch::delegation::{Delegator, Refusal};
use crate::launch::surroundings::Surroundings;
use crate::router::Shared;

/// What is asked for.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Question {
    Providers,
    Models(String),
    Efforts(String, String),
}

/// Answers a call.
///
/// # Errors
/// The arguments make no sense, or the policy doesn't let a model choose what is asked about. Nobody has been asked by then.
pub(super) async fn answer(arguments: &Map<String, Value>, delegator: &Delegator) -> Result<Value, Refusal> {
    let config = &delegator.book.config;
    match question(arguments)? {
        Question::Providers => Ok(providers(config)),
        Question::Models(provider) => {
            let routes = authorised(config, &provider, None)?;
            let listing = listing(&routes[0], delegator).await;
            Ok(models(&provider, &routes, listing))
        }
        Question::Efforts(provider, model) => {
            let routes = authorised(config, &provider, Some(&model))?;
            let listing = listing(&routes[0], delegator).await.ok();
            let described = listing.and_then(|listing| listing.find(&model).cloned());
            Ok(efforts(&routes[0], config, described))
        }
    }
}

fn question(arguments: &Map<String, Value>) -> Result<Question, Refusal> {
    let wrong = |key: &str| Refusal::Arguments(format!("`{key}` must be a name"));
    if let Some(unknown) = arguments.keys().find(|key| !matches!(key.as_str(), "provider" | "model")) {
        return Err(Refusal::Arguments(format!("there is no argument `{}`", unknown.escape_debug())));
    }
    let text = |key: &str| match arguments.get(key) {
        None | Some(Value::Null) => Ok(None),
        Some(value) => {
            let name = value.as_str().filter(|name| !name.trim().is_empty());
            name.map(|name| Some(name.to_owned())).ok_or_else(|| wrong(key))
        }
    };
    match (text("provider")?, text("model")?) {
        (None, None) => Ok(Question::Providers),
        (Some(provider), None) => Ok(Question::Models(provider)),
        (Some(provider), Some(model)) => Ok(Question::Efforts(provider, model)),
        (None, Some(_)) => Err(Refusal::Arguments("`model` without `provider`: give both".to_owned())),
    }
}

/// The routes of a provider that a model may choose; at least one.
fn authorised(config: &Config, provider: &str, model: Option<&str>) -> Result<Vec<RouteId>, Refusal> {
    let is_asked = |route: &&RouteId| {
        route.provider().as_str() == provider && model.is_none_or(|model| route.model() == model)
    };
    let routes: Vec<RouteId> = config.policy.authorised().filter(is_asked).cloned().collect();
    if routes.is_empty() {
        let asked = model.map_or_else(|| provider.to_owned(), |model| format!("{provider}/{model}"));
        return Err(Refusal::Forbidden(asked.escape_debug().to_string()));
    }
    Ok(routes)
}

fn providers(config: &Config) -> Value {
    let mut names: Vec<&str> = config.policy.authorised().map(|route| route.provider().as_str()).collect();
    names.dedup();
    json!({ "providers": names })
}

fn models(provider: &str, routes: &[RouteId], listing: Result<Listing, String>) -> Value {
    let models: Vec<Value> = routes
        .iter()
        .map(|route| {
            let described = listing.as_ref().ok().and_then(|listing| listing.find(route.model()));
            json!({
                "model": route.model(),
                // The catalogue advises: a model that it doesn't list may be chosen all the same.
                "listed": listing.as_ref().ok().map(|_| described.is_some()),
                "context_window": described.and_then(|model| model.context_window),
            })
        })
        .collect();
    json!({"provider": provider, "models": models, "catalogue": listing.err()})
}

fn efforts(route: &RouteId, config: &Config, described: Option<Model>) -> Value {
    let settings = config.routes.get(route).cloned().unwrap_or_default();
    let advised = described.map(|model| model.efforts).unwrap_or_default();
    let efforts = if settings.efforts.is_empty() { advised } else { settings.efforts };
    json!({
        "provider": route.provider().as_str(),
        "model": route.model(),
        "reasoning_efforts": efforts,
        "default": settings.default_effort,
    })
}

/// The provider's list, or why there is none. On a thread of its own: reading a key may take half a minute.
async fn listing(route: &RouteId, delegator: &Delegator) -> Result<Listing, String> {
    let provider = delegator.book.config.provider_for(route).map_err(|refusal| refusal.to_string())?.clone();
    let (environment, cache) = (delegator.book.environment.clone(), delegator.workshop.cache.clone());
    let project = delegator.book.project.clone();
    let asking = spawn_blocking(move || {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
        let runtime = runtime.map_err(|error| error.to_string())?;
        runtime.block_on(ask(&provider, &environment, cache, &project))
    });
    asking.await.map_err(|error| error.to_string())?
}

async fn ask(
    provider: &Provider,
    environment: &Environment,
    cache: Cache,
    project: &std::path::Path,
) -> Result<Listing, String> {
    let shared = Shared::new(&Surroundings::of(project, environment).proxies);
    let catalogue = Catalogue { environment, shared: &shared, cache };
    let listing = catalogue.models(provider, Freshness::AnHour, Timestamp::now()).await;
    listing.map_err(|fault| fault.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::{Policy, RouteSettings};

    fn config(enabled: bool) -> Config {
        let allowed = ["glm/glm-5", "glm/glm-5-air", "ollama/a/b"].map(|route| route.parse().unwrap());
        let policy = Policy { enabled, allowed: allowed.into(), ..Policy::default() };
        let efforts = vec!["low".to_owned(), "high".to_owned()];
        let settings =
            RouteSettings { efforts, default_effort: Some("low".to_owned()), ..RouteSettings::default() };
        let routes = [("glm/glm-5".parse().unwrap(), settings)].into();
        Config { policy, routes, ..Config::default() }
    }

    fn asked(arguments: &Value) -> Result<Question, String> {
        question(arguments.as_object().unwrap()).map_err(|refusal| refusal.to_string())
    }

    #[test]
    fn a5_no_argument_asks_for_providers_and_both_for_efforts() {
        assert_eq!(asked(&json!({})), Ok(Question::Providers));
        assert_eq!(asked(&json!({"provider": "glm", "model": null})), Ok(Question::Models("glm".into())));
        let both = asked(&json!({"provider": "glm", "model": "m"}));
        assert_eq!(both, Ok(Question::Efforts("glm".into(), "m".into())));
        for wrong in
            [json!({"model": "m"}), json!({"provider": ""}), json!({"provider": 5}), json!({"x": "y"})]
        {
            assert!(asked(&wrong).is_err(), "{wrong}");
        }
        assert_eq!(providers(&config(true)), json!({"providers": ["glm", "ollama"]}));
    }

    #[test]
    fn a4_a5_the_policy_is_asked_first_and_allows_what_no_catalogue_lists() {
        let config = config(true);
        assert!(authorised(&config, "other", None).is_err());
        assert!(authorised(&config, "glm", Some("glm-4")).is_err());
        assert!(authorised(&config, "ollama/a", Some("b")).is_err(), "A2");
        let routes = authorised(&config, "glm", None).unwrap();
        let listed = Model { id: "glm-5".into(), ..Model::default() };
        let elsewhere = Model { id: "glm-9".into(), ..Model::default() };
        let listing =
            Listing { fetched: Timestamp::UNIX_EPOCH, path: "/".into(), models: vec![listed, elsewhere] };
        let told = models("glm", &routes, Ok(listing));
        let seen: Vec<_> =
            told["models"].as_array().unwrap().iter().map(|m| (&m["model"], &m["listed"])).collect();
        assert_eq!(seen, [(&json!("glm-5"), &json!(true)), (&json!("glm-5-air"), &json!(false))]);
        let unknown = models("glm", &routes, Err("it is down".to_owned()));
        assert_eq!(
            (&unknown["models"][0]["listed"], &unknown["catalogue"]),
            (&Value::Null, &json!("it is down"))
        );
        assert!(authorised(&super::tests::config(false), "glm", None).is_err(), "the policy is off");
    }

    #[test]
    fn a5_a_route_tells_its_efforts_and_the_default() {
        let config = config(true);
        let told = efforts(&"glm/glm-5".parse().unwrap(), &config, None);
        assert_eq!((&told["reasoning_efforts"], &told["default"]), (&json!(["low", "high"]), &json!("low")));
        let advised = Model { efforts: vec!["max".to_owned()], ..Model::default() };
        let told = efforts(&"glm/glm-5-air".parse().unwrap(), &config, Some(advised));
        assert_eq!((&told["reasoning_efforts"], &told["default"]), (&json!(["max"]), &Value::Null));
    }
}
