//! `subagents policy show`.

use std::process::ExitCode;

use clap::Args;
use serde_json::json;

use crate::command::{Context, print};
use crate::config::{Policy, StrayRule};

#[derive(Debug, Args)]
#[command(after_help = "Example:\n  subagents policy show --json")]
pub(super) struct Show {
    /// Print `{"version":1,"enabled":…,"allowed":[…],"stray":"…"}`.
    #[arg(long)]
    json: bool,
}

impl Show {
    pub(super) fn run(self, context: &Context) -> ExitCode {
        let (config, problems) = context.config();
        let policy = config.policy;
        if self.json {
            let allowed: Vec<String> = policy.allowed.iter().map(ToString::to_string).collect();
            let stray = policy.stray;
            print::json(
                &json!({"version": 1, "enabled": policy.enabled, "allowed": allowed, "stray": stray}),
            );
        } else {
            print::line(&sentences(&policy));
        }
        print::problems_of(&problems, &context.places.config_file());
        ExitCode::SUCCESS
    }
}

fn sentences(policy: &Policy) -> String {
    let switch = if policy.enabled {
        "on: a model may choose one of these routes for itself"
    } else {
        "off: no model chooses a route for itself"
    };
    let mut lines = vec![format!("Policy {switch}.")];
    lines.extend(policy.allowed.iter().map(|route| format!("  {route}")));
    if policy.allowed.is_empty() {
        lines.push("  no route is authorised: `subagents route allow PROVIDER/MODEL`".to_owned());
    }
    lines.push(match policy.stray {
        StrayRule::Deny => {
            "Strays are denied: a routed agent that is called with another model doesn't run.".to_owned()
        }
        StrayRule::Pass => {
            "Strays pass: a routed agent that is called with another model runs on that one.".to_owned()
        }
    });
    lines.push("A change counts for sessions that are started after it.".to_owned());
    lines.join("\n")
}
