//! Settings that would keep requests, or what is known of them, from the router.

use super::{Facts, Finding, Severity};
use crate::launch::settings::findings;

const SUBJECT: &str = "settings";

/// Where the router's hooks are called; any port stands for the one that a launch will get.
const HOOK_URL: &str = "http://127.0.0.1:4000/.subagents/hook";

/// `needed`: something is on a route, so that a launch can't do without the router.
pub(super) fn bypasses(facts: &Facts, needed: bool) -> Vec<Finding> {
    let severity = if needed { Severity::Breaks } else { Severity::Notes };
    let Facts { settings, arguments, environment, .. } = facts;
    let cloud = findings::other_cloud(settings, environment);
    let pinned = findings::pinned_base_url(settings);
    let hooks =
        findings::hooks_off(settings, arguments, environment, HOOK_URL).map(|reason| hooks_off(&reason));
    let around = cloud.into_iter().chain(pinned);
    around.map(|reason| Finding::new(severity, SUBJECT, reason)).chain(hooks).collect()
}

fn hooks_off(reason: &str) -> Finding {
    let message = format!(
        "{reason}: it won't be known which agent a request belongs to, and no agent called off its route is refused"
    );
    Finding::new(Severity::Warns, "hooks", message)
        .mended_by("allow hooks to `http://127.0.0.1:*` for sessions with routed agents")
}
