//! One trial, as `route test` and `provider test` run it and tell of it.

use jiff::Timestamp;
use serde_json::{Map, Value, json};

use crate::catalogue::trial::{Failed, Lesson, Report, Step, Verdict, lessons};
use crate::catalogue::{Freshness, Trial};
use crate::command::provider::find;
use crate::command::{Context, Failure};
use crate::config::{Config, Provider, RouteId};
use crate::router::Shared;
use crate::ui::trial::checks;
use crate::ui::{Colour, failure, trial, visible};

/// What came of a trial.
pub(in crate::command) struct Tried {
    route: RouteId,
    configured_auth: &'static str,
    pub(super) outcome: Result<Report, Box<Failed>>,
    pub(super) lessons: Vec<Lesson>,
}

/// Tries the route, and asks the catalogue for what it says of the model, where it says anything. `told` hears of each
/// step before it is taken.
pub(in crate::command) async fn try_route(
    context: &Context,
    shared: &Shared,
    config: &Config,
    route: &RouteId,
    told: impl FnMut(Step),
) -> Result<Tried, Failure> {
    let provider = find(config, route.provider())?;
    let catalogue = context.catalogue(shared);
    let secret = catalogue.secret(provider);
    let secret = secret.map_err(|fault| Failure::failed(format!("provider `{}`: {fault}", provider.name)))?;
    let window = config.routes.get(route).and_then(|settings| settings.context_window);
    let trial = Trial { provider, route, secret: secret.as_ref(), window, shared, chat: config.chat(route) };
    let outcome = trial.run(told).await;
    let configured_auth = provider.auth.kind();
    let mut learned = Vec::new();
    if let Ok(report) = &outcome {
        // The kind of auth that was just seen to work is the one to ask with.
        let provider = &Provider { auth: report.auth.clone(), ..provider.clone() };
        let listing = catalogue.models(provider, Freshness::AnHour, Timestamp::now()).await.ok();
        let model = listing.as_ref().and_then(|listing| listing.find(route.model()));
        let settings = config.routes.get(route).cloned().unwrap_or_default();
        learned = lessons(report, configured_auth, model, &settings);
    }
    Ok(Tried { route: route.clone(), configured_auth, outcome, lessons: learned })
}

impl Tried {
    pub(in crate::command) fn works(&self) -> bool {
        self.outcome.is_ok()
    }

    /// What was found, and what of it the configuration doesn't say.
    pub(in crate::command) fn text(&self, colour: Colour) -> String {
        let report = match &self.outcome {
            Ok(report) => report,
            Err(failed) => return failure(&self.route, failed),
        };
        let mut lines = vec![trial(report, colour)];
        if !self.lessons.is_empty() {
            lines.push("Learned:".to_owned());
        }
        lines.extend(
            self.lessons
                .iter()
                .map(|lesson| format!("  {} ({})", visible(&lesson.to_string()), lesson.origin().word())),
        );
        lines.join("\n")
    }

    /// Without a version: it is a part of what two commands print.
    pub(in crate::command) fn as_json(&self) -> Value {
        let learned =
            self.lessons.iter().map(|lesson| json!({"line": lesson.to_string(), "source": lesson.origin()}));
        let learned: Vec<Value> = learned.collect();
        let mut value = match &self.outcome {
            Ok(report) => of_report(report),
            Err(failed) => of_failed(failed),
        };
        value["route"] = self.route.to_string().into();
        value["ok"] = self.works().into();
        value["auth"]["configured"] = self.configured_auth.into();
        value["learned"] = learned.into();
        value
    }
}

fn of_report(report: &Report) -> Value {
    let completion = &report.completion;
    let checks = checks(report).into_iter().map(|(check, verdict)| (check.to_owned(), of_verdict(verdict)));
    json!({
        "dialect": report.dialect,
        "usable": true,
        "path": report.path,
        "auth": {"worked": report.auth.kind()},
        "first_byte_ms": millis(completion.first_byte),
        "total_ms": millis(completion.total),
        "stop_reason": completion.stop_reason,
        "tokens": completion.usage,
        "checks": checks.collect::<Map<_, _>>(),
        "problem": null,
        "elsewhere": null,
    })
}

fn of_failed(failed: &Failed) -> Value {
    let elsewhere = failed.elsewhere.as_ref().map(|elsewhere| {
        json!({"dialect": elsewhere.dialect, "base_url": elsewhere.base_url, "path": elsewhere.path})
    });
    json!({
        "dialect": null,
        "usable": false,
        "path": failed.path,
        "auth": {"worked": null, "tried": failed.tried},
        "first_byte_ms": null,
        "total_ms": null,
        "stop_reason": null,
        "tokens": null,
        "checks": null,
        "problem": {"kind": failed.fault.kind(), "message": failed.fault.to_string()},
        "elsewhere": elsewhere,
    })
}

fn of_verdict(verdict: &Verdict) -> Value {
    json!({"verdict": verdict.word(), "reason": verdict.reason()})
}

fn millis(time: std::time::Duration) -> u64 {
    u64::try_from(time.as_millis()).unwrap_or(u64::MAX)
}
