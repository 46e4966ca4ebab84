//! How the child's environment differs from ours, and why.
//!
//! Pure. What is set here must stand in the settings file's `env` too, because that beats the process's.

use super::command::{Plan, Router};
use super::no_proxy;
use super::settings::Layer;

/// Variables that a user's own login may need; they stay even if a provider's secret is read from them.
const LOGIN: [&str; 3] = ["ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN", "CLAUDE_CODE_OAUTH_TOKEN"];

/// Tells every process of a session which one it belongs to. What descends from a session may not attach to one.
pub(super) const SESSION: &str = "SUBAGENTS_SESSION";

const BASE_URL: &str = "ANTHROPIC_BASE_URL";
const SUBAGENT_MODEL: &str = "CLAUDE_CODE_SUBAGENT_MODEL";

/// The documented differences.
#[derive(Default)]
pub(super) struct Changes {
    pub(super) set: Vec<(String, String)>,
    pub(super) remove: Vec<String>,
    /// Variables that only settings set and that are to be empty there.
    pub(super) blank: Vec<String>,
    pub(super) warnings: Vec<String>,
}

/// Everything that a launch of this plan changes.
pub(super) fn changes(plan: &Plan<'_>) -> Changes {
    let mut changes = Changes::default();
    changes.remove_secrets(plan);
    if let Some(router) = &plan.router {
        changes.set(SESSION, &router.session.to_string());
        changes.base_url(plan, router);
        changes.no_proxy(plan);
        changes.main_route(router);
        if let Some(window) = router.window {
            changes.set("CLAUDE_CODE_MAX_CONTEXT_TOKENS", &window.to_string());
        }
    }
    if !plan.agents.is_empty() {
        changes.remove_subagent_model(plan);
    }
    changes
}

impl Changes {
    fn set(&mut self, name: &str, value: &str) {
        self.set.push((name.to_owned(), value.to_owned()));
    }

    fn base_url(&mut self, plan: &Plan<'_>, router: &Router) {
        self.set(BASE_URL, &router.base_url);
        self.set("CLAUDE_CODE_GATEWAY_HINT_HEADERS", "1");
        if let Some((layer, value)) = plan.settings.variable(BASE_URL)
            && layer != Layer::Managed
            && !value.is_empty()
        {
            self.warnings.push(format!(
                "{BASE_URL} in {} gives way to the router for this launch; the file is left as it is",
                layer.name()
            ));
        }
    }

    /// Both spellings, because programs differ in which they read.
    fn no_proxy(&mut self, plan: &Plan<'_>) {
        let names = ["NO_PROXY", "no_proxy"];
        let values: Vec<String> =
            names.iter().filter_map(|name| plan.settings.effective(name, plan.environment)).collect();
        let extended = no_proxy::extended(values.iter().map(String::as_str));
        for name in names {
            self.set(name, &extended);
        }
    }

    fn main_route(&mut self, router: &Router) {
        let Some(main) = &router.main else { return };
        for name in ["ANTHROPIC_MODEL", "ANTHROPIC_SMALL_FAST_MODEL", "ANTHROPIC_DEFAULT_HAIKU_MODEL"] {
            self.set(name, main.wire.as_str());
        }
        if main.keyless {
            self.set("ANTHROPIC_AUTH_TOKEN", "unset");
        }
    }

    /// It would move sub-agents off their routes in some versions of Claude Code.
    fn remove_subagent_model(&mut self, plan: &Plan<'_>) {
        let in_settings = plan.settings.variable(SUBAGENT_MODEL).is_some_and(|(_, value)| !value.is_empty());
        let in_environment = plan.environment.get(SUBAGENT_MODEL).is_some();
        if in_environment {
            self.remove.push(SUBAGENT_MODEL.to_owned());
        }
        if in_settings {
            self.blank.push(SUBAGENT_MODEL.to_owned());
        }
        if in_environment || in_settings {
            self.warnings.push(format!(
                "{SUBAGENT_MODEL} is unset for this launch: it could move agents off their routes"
            ));
        }
    }

    fn remove_secrets(&mut self, plan: &Plan<'_>) {
        let present = plan.secret_variables.iter().filter(|name| plan.environment.get(name).is_some());
        for name in present {
            if LOGIN.contains(&name.as_str()) {
                self.warnings.push(format!(
                    "{name} is a provider's secret and stays in Claude Code's environment, because your own \
                     login may need it; keep the provider's key under another name to avoid that"
                ));
            } else {
                self.remove.push(name.clone());
            }
        }
    }
}
