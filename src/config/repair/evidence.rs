//! Which repairs hold where nobody has said anything, and which would mend a refusal: `assets/repairs.toml`, embedded.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use serde::Deserialize;

use super::Repair;
use crate::config::{Provider, preset};

const FILE: &str = include_str!("../../../assets/repairs.toml");

/// Stands for every provider but Anthropic itself, which gets what Claude Code sends.
const EVERY: &str = "*";

/// The preset whose routes are left alone.
const ANTHROPIC: &str = "anthropic";

/// More of an error's body is not looked at. Bytes.
const LONGEST: usize = 1 << 16;

/// One reason why a repair holds by itself.
#[derive(Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Evidence {
    /// Presets; `*` for every provider, whether it has a preset or not.
    providers: Vec<String>,
    /// Models, with `*` for any text in them; none given: all of them.
    #[serde(default)]
    models: Vec<String>,
    /// What was seen there.
    pub says: String,
    /// An address that tells more.
    pub source: String,
}

/// What the file says of one repair.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Known {
    /// Words of a refusal that it would mend, in their order, with `*` between them.
    #[serde(default)]
    pub(super) mends: Vec<String>,
    #[serde(default)]
    pub(super) holds: Vec<Evidence>,
}

impl Evidence {
    fn speaks_of(&self, provider: &Provider, model: &str) -> bool {
        let preset = provider.preset.as_deref();
        let named =
            |name: &String| Some(name.as_str()) == preset || (name == EVERY && !is_anthropic(provider));
        let meant = |pattern: &String| fits(pattern, model);
        self.providers.iter().any(named) && (self.models.is_empty() || self.models.iter().any(meant))
    }
}

/// Why a repair holds by itself on a provider's model.
pub(super) fn evidence(repair: Repair, provider: &Provider, model: &str) -> Option<&'static Evidence> {
    known().get(&repair)?.holds.iter().find(|evidence| evidence.speaks_of(provider, model))
}

/// The repair that would mend a refusal with this body. Nothing is tried again by itself.
pub fn mending(status: u16, body: &[u8]) -> Option<Repair> {
    // Strict readers say 422; where the model's own template refuses, servers say 500.
    if !matches!(status, 400 | 422 | 500) {
        return None;
    }
    let told = String::from_utf8_lossy(&body[..body.len().min(LONGEST)]).replace('\\', "");
    let fitting = |known: &Known| known.mends.iter().any(|words| fits(&format!("*{words}*"), &told));
    Repair::ALL.into_iter().find(|repair| known().get(repair).is_some_and(fitting))
}

pub(super) fn is_anthropic(provider: &Provider) -> bool {
    let own = || preset::find(ANTHROPIC).is_some_and(|preset| preset.base_url == provider.base_url);
    provider.preset.as_deref() == Some(ANTHROPIC) || own()
}

/// Whether a text is a pattern's, where `*` stands for any text. Case doesn't count.
fn fits(pattern: &str, text: &str) -> bool {
    let (pattern, text) = (pattern.to_lowercase(), text.to_lowercase());
    let Some((head, rest)) = pattern.split_once('*') else { return pattern == text };
    let Some(mut left) = text.strip_prefix(head) else { return false };
    let (middle, end) = rest.rsplit_once('*').unwrap_or(("", rest));
    for part in middle.split('*') {
        let Some(at) = left.find(part) else { return false };
        left = &left[at + part.len()..];
    }
    left.ends_with(end)
}

fn known() -> &'static BTreeMap<Repair, Known> {
    // The file is ours and a test reads it: an error can't reach a user.
    static KNOWN: LazyLock<BTreeMap<Repair, Known>> = LazyLock::new(|| parse().unwrap_or_default());
    &KNOWN
}

pub(super) fn parse() -> Result<BTreeMap<Repair, Known>, toml::de::Error> {
    toml::from_str(FILE)
}
