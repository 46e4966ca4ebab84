//! `subagents route add`.

use std::num::NonZeroU64;
use std::process::ExitCode;

use clap::Args;
use jiff::Timestamp;

use super::limits::Limits;
use crate::catalogue::trial::Lesson;
use crate::catalogue::{Freshness, Model};
use crate::command::change::{Unset, tell};
use crate::command::network::progress;
use crate::command::{Context, Failure, print, provider};
use crate::config::changes::{RouteFact, add_route, has_route, set_fact};
use crate::config::{Price, Provider, RouteId};
use crate::ui::visible;

#[derive(Debug, Args)]
#[command(
    after_help = "A route needs no entry to be used. What isn't given is taken from the provider's catalogue, \
    with a note of where it comes from; what the file says already stays, but for what is given here.\n\nExamples:\n  \
    subagents route add ollama/qwen3-coder:30b --context-window 32768 --offline\n  \
    subagents route add glm/glm-5 --price-input 1 --price-output 3.2 --offline\n  \
    subagents route add glm/glm-5 --concurrency 4 --timeout first_byte=600 --offline\n  \
    subagents route add glm/glm-5 --repair drop-betas --offline\n  \
    subagents route add glm/glm-5 --unset context_window --unset price --offline"
)]
pub(super) struct Add {
    /// The route.
    #[arg(value_name = "PROVIDER/MODEL")]
    route: RouteId,
    /// Tokens that the model can look at.
    #[arg(long, value_name = "TOKENS")]
    context_window: Option<NonZeroU64>,
    /// Tokens of one answer, at most.
    #[arg(long, value_name = "TOKENS")]
    output_limit: Option<NonZeroU64>,
    /// USD per million tokens in.
    #[arg(long, value_name = "USD", requires = "price_output", value_parser = dollars)]
    price_input: Option<f64>,
    /// USD per million tokens out.
    #[arg(long, value_name = "USD", requires = "price_input", value_parser = dollars)]
    price_output: Option<f64>,
    /// USD per million tokens read from the provider's cache.
    #[arg(long, value_name = "USD", requires = "price_input", value_parser = dollars)]
    price_cache_read: Option<f64>,
    /// USD per million tokens written to the provider's cache.
    #[arg(long, value_name = "USD", requires = "price_input", value_parser = dollars)]
    price_cache_write: Option<f64>,
    /// Levels of effort that the model takes, lowest first, with commas between.
    #[arg(long, value_name = "LEVEL", value_delimiter = ',', value_parser = level)]
    efforts: Vec<String>,
    /// The usual one of them.
    #[arg(long, value_name = "LEVEL", value_parser = level)]
    default_effort: Option<String>,
    /// The model can't call tools: no agent may run on it.
    #[arg(long)]
    no_tools: bool,
    #[command(flatten)]
    limits: Limits,
    #[command(flatten)]
    unset: Unset,
    /// Don't ask the provider's catalogue.
    #[arg(long)]
    offline: bool,
    /// Print what changed as JSON (docs/json/change.schema.json).
    #[arg(long)]
    json: bool,
}

impl Add {
    pub(super) async fn run(self, context: &Context) -> Result<ExitCode, Failure> {
        let (config, _) = context.config();
        let provider = provider::find(&config, self.route.provider())?;
        let settings = config.routes.get(&self.route).cloned().unwrap_or_default();
        let given = self.given();
        let taught = match self.described(context, provider).await? {
            Some(model) => Lesson::of_model(&model, &settings),
            None => Vec::new(),
        };
        let is_given = |lesson: &Lesson| matches!(lesson, Lesson::Route(fact) if given.iter().any(|given| given.key() == fact.key()));
        let taught: Vec<Lesson> = taught.into_iter().filter(|lesson| !is_given(lesson)).collect();
        let (what, day) = (format!("route add {}", self.route), today());
        let changes = context.change_config(&what, |document| {
            self.unset.write(["routes", &self.route.to_string()], document)?;
            for fact in &given {
                set_fact(document, &self.route, fact, None)?;
            }
            for lesson in &taught {
                lesson.write(document, &self.route, &day)?;
            }
            if !has_route(document, &self.route.to_string()) {
                add_route(document, &self.route)?;
            }
            Ok::<(), Failure>(())
        })?;
        tell(&what, &changes, self.json);
        Ok(ExitCode::SUCCESS)
    }

    fn given(&self) -> Vec<RouteFact> {
        let efforts = Some(self.efforts.clone()).filter(|efforts| !efforts.is_empty());
        let price = self.price_input.zip(self.price_output).map(|(input, output)| Price {
            input,
            output,
            cache_read: self.price_cache_read,
            cache_write: self.price_cache_write,
        });
        let facts = [
            self.context_window.map(RouteFact::ContextWindow),
            self.output_limit.map(RouteFact::OutputLimit),
            efforts.map(RouteFact::Efforts),
            self.default_effort.clone().map(RouteFact::DefaultEffort),
            price.map(RouteFact::Price),
            self.no_tools.then_some(RouteFact::Tools(false)),
        ];
        facts.into_iter().flatten().chain(self.limits.facts()).collect()
    }

    /// What the catalogue says of the model, where it can be asked. It advises only: a route is added without it.
    async fn described(&self, context: &Context, provider: &Provider) -> Result<Option<Model>, Failure> {
        if self.offline {
            return Ok(None);
        }
        let shared = context.shared()?;
        progress(format!("asking `{}` what it knows of this model", provider.name));
        let listing = context.catalogue(&shared).models(provider, Freshness::AnHour, Timestamp::now()).await;
        let warn =
            |text: &str| print::line_to_stderr(&format!("warning: provider `{}`: {text}", provider.name));
        match listing {
            Err(fault) => {
                warn(&visible(&fault.to_string()));
                Ok(None)
            }
            Ok(listing) => {
                let model = listing.find(self.route.model()).cloned();
                if model.is_none() {
                    warn(&format!("its catalogue lists no `{}`", visible(self.route.model())));
                }
                Ok(model)
            }
        }
    }
}

/// As notes give it: `2026-11-30`, in UTC.
pub(super) fn today() -> String {
    Timestamp::now().strftime("%Y-%m-%d").to_string()
}

fn level(text: &str) -> Result<String, String> {
    match text.trim() {
        "" => Err("a level has a name, like `low`".to_owned()),
        name => Ok(name.to_owned()),
    }
}

fn dollars(text: &str) -> Result<f64, String> {
    let amount = text.parse().ok().filter(|amount: &f64| amount.is_finite() && *amount >= 0.0);
    amount.ok_or_else(|| "it is a number, 0 or more: USD per million tokens".to_owned())
}
