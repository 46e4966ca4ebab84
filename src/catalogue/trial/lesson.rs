//! What a trial and a catalogue teach that the configuration doesn't say yet. Pure.
//!
//! What a person wrote stays: only what is missing is filled in, but for what the trial saw to be wrong.

use std::fmt;

use super::{Report, Verdict};
use crate::catalogue::Model;
use crate::config::changes::KeyError;
use crate::config::changes::{ProviderValue, RouteFact, set_fact, set_provider};
use crate::config::edit::Document;
use crate::config::{RouteId, RouteSettings};

/// One thing worth writing down.
#[derive(Debug, Clone, PartialEq)]
pub enum Lesson {
    /// The provider takes its key in this kind of `auth`.
    Auth(&'static str),
    Route(RouteFact),
}

/// Who says so.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Origin {
    /// The person, in config.toml.
    Config,
    Catalogue,
    Trial,
}

impl Lesson {
    pub fn origin(&self) -> Origin {
        match self {
            Self::Auth(_) | Self::Route(RouteFact::Tools(_)) => Origin::Trial,
            Self::Route(_) => Origin::Catalogue,
        }
    }

    /// What it teaches of a model that the catalogue describes, where the route's settings don't say it.
    pub fn of_model(model: &Model, settings: &RouteSettings) -> Vec<Self> {
        let efforts =
            Some(&model.efforts).filter(|efforts| !efforts.is_empty() && settings.efforts.is_empty());
        let window = model.context_window.filter(|_| settings.context_window.is_none());
        let output = model.output_limit.filter(|_| settings.output_limit.is_none());
        let price = model.price.filter(|_| settings.price.is_none());
        let facts = [
            window.map(RouteFact::ContextWindow),
            output.map(RouteFact::OutputLimit),
            efforts.cloned().map(RouteFact::Efforts),
            price.map(RouteFact::Price),
        ];
        facts.into_iter().flatten().map(Self::Route).collect()
    }

    /// Writes it down, with a note of who says so; `day` as `2026-11-30`.
    ///
    /// # Errors
    /// The file can't be changed there.
    pub fn write(&self, document: &mut Document, route: &RouteId, day: &str) -> Result<(), KeyError> {
        match self {
            Self::Auth(kind) => {
                let set = ProviderValue::Set(kind);
                set_provider(document, route.provider(), "auth.kind", set).map(drop)
            }
            Self::Route(fact) => {
                let note = format!("{}, {day}", self.origin().word());
                Ok(set_fact(document, route, fact, Some(&note))?)
            }
        }
    }
}

/// As config.toml would say it.
impl fmt::Display for Lesson {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Auth(kind) => write!(f, "auth.kind = \"{kind}\""),
            Self::Route(RouteFact::Tools(true)) => f.write_str("no `tools = false`"),
            Self::Route(fact) => fact.fmt(f),
        }
    }
}

impl Origin {
    pub fn word(self) -> &'static str {
        match self {
            Self::Config => "config",
            Self::Catalogue => "catalogue",
            Self::Trial => "trial",
        }
    }
}

/// Everything that is worth writing down. `configured_auth` is the kind that config.toml says.
pub fn lessons(
    report: &Report,
    configured_auth: &str,
    model: Option<&Model>,
    settings: &RouteSettings,
) -> Vec<Lesson> {
    let auth = Some(report.auth.kind()).filter(|kind| *kind != configured_auth).map(Lesson::Auth);
    let tools = match (&report.tools, settings.no_tools) {
        (Verdict::Fails(_), false) => Some(Lesson::Route(RouteFact::Tools(false))),
        (Verdict::Works, true) => Some(Lesson::Route(RouteFact::Tools(true))),
        _ => None,
    };
    let described = model.map(|model| Lesson::of_model(model, settings)).unwrap_or_default();
    auth.into_iter().chain(tools).chain(described).collect()
}

#[cfg(test)]
mod tests {
    use std::num::NonZeroU64;

    use super::*;
    use crate::config::Price;

    #[test]
    fn what_a_person_wrote_stays() {
        let window = NonZeroU64::new(4096);
        let price = Some(Price { input: 1.0, output: 2.0, ..Price::default() });
        let efforts = vec!["low".to_owned()];
        let model =
            Model { context_window: window, output_limit: window, price, efforts, ..Model::default() };
        assert_eq!(Lesson::of_model(&model, &RouteSettings::default()).len(), 4);
        let settings =
            RouteSettings { context_window: NonZeroU64::new(1), price, ..RouteSettings::default() };
        let taught: Vec<String> =
            Lesson::of_model(&model, &settings).iter().map(ToString::to_string).collect();
        assert_eq!(taught, ["output_limit = 4096", "efforts = [\"low\"]"]);
    }

    #[test]
    fn what_was_learned_is_written_with_its_source() {
        let mut document = Document::parse("[providers.p]\npreset = \"kimi\"\n").unwrap();
        let route = "p/m".parse().unwrap();
        for lesson in [Lesson::Auth("x-api-key"), Lesson::Route(RouteFact::Tools(false))] {
            lesson.write(&mut document, &route, "2026-11-30").unwrap();
        }
        let expect = "[providers.p]\npreset = \"kimi\"\nauth = { kind = \"x-api-key\" }\n\n\
                      [routes.\"p/m\"]\ntools = false   # trial, 2026-11-30\n";
        assert_eq!(document.to_string(), expect);
    }
}
