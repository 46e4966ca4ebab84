//! `[routes."provider/model"]`: what is known of single routes.

use std::collections::BTreeMap;

use super::{chat, provider, repairs};
use crate::config::raw::Section;
use crate::config::report::Report;
use crate::config::{ChatOptions, Price, Provider, ProviderName, RouteId, RouteSettings, Timeouts, similar};

type Providers = BTreeMap<ProviderName, Provider>;
type Routes = BTreeMap<RouteId, RouteSettings>;

/// The settings of every route that the file names.
pub(super) fn read_all(section: &Section<'_>, providers: &Providers, report: &mut Report) -> Routes {
    let mut routes = Routes::new();
    for (name, section) in section.sections(report) {
        match name.parse() {
            Ok(route) => {
                warn_of_no_provider(&route, section.line, providers, report);
                let provider = providers.get(route.provider());
                routes.insert(route, read(section, provider, report));
            }
            Err(error) => {
                report.error(section.line, error.to_string(), "write it as `[routes.\"provider/model\"]`");
            }
        }
    }
    routes
}

fn warn_of_no_provider(route: &RouteId, line: Option<usize>, providers: &Providers, report: &mut Report) {
    if !providers.contains_key(route.provider()) {
        let message = format!("route `{route}` belongs to no usable provider");
        let known = providers.keys().map(ProviderName::as_str);
        report.warning(line, message, similar::suggestion(route.provider().as_str(), known));
    }
}

fn read(mut section: Section<'_>, provider: Option<&Provider>, report: &mut Report) -> RouteSettings {
    let has_price = section.has("price");
    let has_timeouts = section.has("timeouts");
    let timeouts = section.section("timeouts", report);
    let usual = provider.map_or_else(Timeouts::default, |provider| provider.timeouts);
    let timeouts = provider::timeouts(timeouts, usual, report);
    let has_chat = section.has("chat");
    let usual = provider.map_or_else(ChatOptions::default, |provider| provider.chat);
    let chat = chat::read(section.section("chat", report), usual, report);
    let efforts = words(&mut section, "efforts", report);
    let settings = RouteSettings {
        context_window: section.count("context_window", report),
        output_limit: section.count("output_limit", report),
        default_effort: default_effort(&mut section, &efforts, report),
        efforts,
        price: Some(section.section("price", report)).filter(|_| has_price).and_then(|s| price(s, report)),
        no_tools: section.flag("tools", report).is_some_and(|tools| !tools.value),
        concurrency: section.count("concurrency", report),
        queue: section.count("queue", report),
        fallback: Vec::new(),
        local: section.flag("local", report).is_some_and(|local| local.value),
        timeouts: has_timeouts.then_some(timeouts),
        chat: has_chat.then_some(chat),
        no_images: section.flag("images", report).is_some_and(|images| !images.value),
        repairs: repairs::read(section.section("repairs", report), report),
    };
    // Read once the policy is known.
    section.knows("fallback");
    section.finish(report);
    settings
}

/// A list of words; what is empty is left out.
fn words(section: &mut Section<'_>, key: &'static str, report: &mut Report) -> Vec<String> {
    let words = section.strings(key, report).unwrap_or_default().into_iter();
    words.map(|word| word.value.trim().to_owned()).filter(|word| !word.is_empty()).collect()
}

fn default_effort(section: &mut Section<'_>, efforts: &[String], report: &mut Report) -> Option<String> {
    let wanted = section.string("default_effort", report)?;
    let known = || efforts.iter().map(String::as_str);
    if !known().any(|effort| effort == wanted.value) {
        let message = format!("`default_effort` in {} is none of its `efforts`", section.title);
        report.error(wanted.line, message, similar::suggestion(wanted.value, known().collect::<Vec<_>>()));
        return None;
    }
    Some(wanted.value.to_owned())
}

/// A price without `input` or `output` is none: half a price would count as free.
fn price(mut section: Section<'_>, report: &mut Report) -> Option<Price> {
    let (input, output) = (section.amount("input", report), section.amount("output", report));
    let cache_read = section.amount("cache_read", report);
    let cache_write = section.amount("cache_write", report);
    let (line, title) = (section.line, section.title.clone());
    section.finish(report);
    if input.is_none() || output.is_none() {
        report.error(
            line,
            format!("{title} needs `input` and `output`"),
            "USD per million tokens; 0 for free",
        );
    }
    Some(Price { input: input?, output: output?, cache_read, cache_write })
}
