//! `[providers.NAME]`: the preset, what overrides it, and whether the whole can be used.

use std::collections::BTreeMap;

use super::{Around, address, auth, chat, repairs};
use crate::config::preset::{self, Preset};
use crate::config::raw::{Lined, Section};
use crate::config::report::Report;
use crate::config::{Auth, ChatOptions, Dialect, Provider, ProviderName, Timeouts, Tls, similar};

/// Keys under which people write the credential itself.
const LITERAL_KEYS: [&str; 5] = ["api_key", "key", "token", "auth_token", "password"];

/// All providers that can be used; what is wrong with the others is reported.
pub(super) fn read_all(
    section: &Section<'_>,
    around: &Around<'_>,
    report: &mut Report,
) -> BTreeMap<ProviderName, Provider> {
    let presets = preset::all();
    let mut providers = BTreeMap::new();
    for (name, section) in section.sections(report) {
        let Ok(name) = name
            .parse::<ProviderName>()
            .map_err(|error| report.error(section.line, error.to_string(), "rename it"))
        else {
            continue;
        };
        if let Some(provider) = read(name, section, &presets, around, report) {
            providers.insert(provider.name.clone(), provider);
        }
    }
    providers
}

fn read(
    name: ProviderName,
    mut section: Section<'_>,
    presets: &[Preset],
    around: &Around<'_>,
    report: &mut Report,
) -> Option<Provider> {
    let before = report.errors();
    let preset = chosen_preset(&mut section, presets, report);
    let dialect = dialect(&mut section, preset, report);
    let base_url = base_url(&mut section, preset, dialect, report);
    let auth = auth::read(section.section("auth", report), preset.map(|preset| &preset.auth), around, report);
    let tls = tls(&mut section, around, report);
    refuse_literal_keys(&section, report);
    // Wrong timeouts, repairs and options fall back to ours; everything above decides where a request goes and who is trusted.
    let usable = report.errors() == before;
    let timeouts = timeouts(section.section("timeouts", report), Timeouts::default(), report);
    let repairs = repairs::read(section.section("repairs", report), report);
    warn_of_idle_chat(&section, dialect, report);
    let usual = preset.map_or_else(ChatOptions::default, |preset| preset.chat);
    let chat = chat::read(section.section("chat", report), usual, report);
    let line = section.line;
    section.finish(report);
    let (base_url, auth) = (base_url?, auth?);
    warn_of_plain_http(&name, &base_url, &auth, line, report);
    let preset = preset.map(|preset| preset.name.clone());
    usable.then_some(Provider { name, base_url, dialect, auth, tls, timeouts, preset, repairs, chat })
}

fn chosen_preset<'p>(
    section: &mut Section<'_>,
    presets: &'p [Preset],
    report: &mut Report,
) -> Option<&'p Preset> {
    let wanted = section.string("preset", report)?;
    let found = presets.iter().find(|preset| preset.name == wanted.value);
    if found.is_none() {
        let message = format!("there is no preset `{}`", wanted.value.escape_debug());
        let names = presets.iter().map(|preset| preset.name.as_str());
        report.error(wanted.line, message, similar::suggestion(wanted.value, names));
    }
    found
}

fn dialect(section: &mut Section<'_>, preset: Option<&Preset>, report: &mut Report) -> Dialect {
    let default = preset.map_or(Dialect::Anthropic, |preset| preset.dialect);
    let Some(text) = section.string("dialect", report) else { return default };
    let known = Dialect::ALL.into_iter().find(|dialect| dialect.word() == text.value);
    if known.is_none() {
        let message = format!("there is no dialect `{}`", text.value.escape_debug());
        report.error(text.line, message, similar::suggestion(text.value, Dialect::ALL.map(Dialect::word)));
    }
    known.unwrap_or(default)
}

fn base_url(
    section: &mut Section<'_>,
    preset: Option<&Preset>,
    dialect: Dialect,
    report: &mut Report,
) -> Option<String> {
    if let Some(text) = section.string("base_url", report) {
        let told = |error: address::AddressError| {
            report.error(text.line, error.to_string(), "mend `base_url`; this provider is not used");
        };
        return address::base_url(text.value, dialect).map_err(told).ok();
    }
    if preset.is_none() && !section.has("base_url") && !section.has("preset") {
        let message = format!("{} has no `base_url`", section.title);
        report.error(
            section.line,
            message,
            "add `base_url = \"https://…\"`, or a preset: `preset = \"ollama\"`",
        );
    }
    preset.map(|preset| preset.base_url.clone())
}

fn tls(section: &mut Section<'_>, around: &Around<'_>, report: &mut Report) -> Tls {
    let verify = section.flag("verify_tls", report);
    let ca_file = section.string("ca_file", report).map(|path| around.expand(path.value));
    match (verify, ca_file) {
        (Some(Lined { value: false, line }), Some(path)) => {
            let message = "`verify_tls = false` is not followed beside a `ca_file`";
            report.warning(line, message, "take one of the two out");
            Tls::CaFile(path)
        }
        (Some(Lined { value: false, .. }), None) => Tls::Unverified,
        (_, Some(path)) => Tls::CaFile(path),
        (_, None) => Tls::System,
    }
}

/// `default`: what holds where nothing is said.
pub(super) fn timeouts(mut section: Section<'_>, default: Timeouts, report: &mut Report) -> Timeouts {
    let timeouts = Timeouts {
        connect: section.seconds("connect", report).unwrap_or(default.connect),
        first_byte: section.seconds("first_byte", report).or(default.first_byte),
        idle: section.seconds("idle", report).unwrap_or(default.idle),
        total: section.seconds("total", report).or(default.total),
    };
    section.finish(report);
    timeouts
}

fn refuse_literal_keys(section: &Section<'_>, report: &mut Report) {
    for key in LITERAL_KEYS.into_iter().filter(|key| section.has(key)) {
        let message = format!("{} holds a key itself, in `{key}`", section.title);
        let remedy =
            "take it out of the file, and write `auth = { kind = \"bearer\", secret = \"env:NAME\" }`";
        report.error(section.line, message, remedy);
    }
}

fn warn_of_idle_chat(section: &Section<'_>, dialect: Dialect, report: &mut Report) {
    if dialect == Dialect::Anthropic && section.has("chat") {
        let message = format!("`chat` of {} does nothing, since it speaks `{dialect}`", section.title);
        report.warning(section.line, message, "take it out, or write `dialect = \"openai-chat\"`");
    }
}

fn warn_of_plain_http(
    name: &ProviderName,
    base_url: &str,
    auth: &Auth,
    line: Option<usize>,
    report: &mut Report,
) {
    if base_url.starts_with("http://") && auth.secret().is_some() && !address::is_loopback(base_url) {
        let message = format!("the key of `{name}` leaves this machine unencrypted");
        report.warning(line, message, "use `https://`");
    }
}
