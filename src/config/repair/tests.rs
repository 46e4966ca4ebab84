//! Which repairs hold where, and that what is known of them is whole.

use std::num::NonZeroU64;

use super::evidence::parse;
use super::standing::standings;
use super::*;
use crate::config::{Auth, ChatOptions, Dialect, Provider, RouteSettings, Timeouts, Tls, preset};

fn provider(preset: Option<&str>, base_url: &str, repairs: Repairs) -> Provider {
    Provider {
        name: "p".parse().unwrap(),
        base_url: base_url.to_owned(),
        dialect: Dialect::Anthropic,
        auth: Auth::None,
        tls: Tls::System,
        timeouts: Timeouts::default(),
        preset: preset.map(str::to_owned),
        repairs,
        chat: ChatOptions::default(),
    }
}

/// The words of those that are on.
fn on(provider: &Provider, model: &str, settings: Option<&RouteSettings>) -> Vec<&'static str> {
    let route = format!("p/{model}").parse().unwrap();
    let standings = standings(provider, &route, settings);
    assert_eq!(standings.len(), Repair::ALL.len());
    standings.iter().filter(|standing| standing.is_on()).map(|standing| standing.repair.word()).collect()
}

fn switches(switches: &[(Repair, bool)]) -> Repairs {
    switches.iter().map(|(repair, on)| (*repair, Switch::Plain(*on))).collect()
}

#[test]
fn what_is_known_reads_and_names_presets_sources_and_reasons() {
    let known = parse().unwrap();
    assert_eq!(known.len(), Repair::ALL.len(), "each has its place in the file");
    let presets: Vec<String> = preset::all().into_iter().map(|preset| preset.name).collect();
    let told = include_str!("../../../assets/repairs.toml");
    for name in told.lines().filter_map(|line| line.strip_prefix("providers = [")) {
        let name = name.trim_matches([']', '"']);
        assert!(name == "*" || name != "anthropic" && presets.iter().any(|preset| preset == name), "{name}");
    }
    for evidence in known.values().flat_map(|known| &known.holds) {
        assert!(evidence.source.starts_with("https://") && !evidence.says.is_empty(), "{evidence:?}");
    }
}

#[test]
fn each_preset_gets_what_it_was_seen_to_need() {
    for (preset, model, expect) in [
        (None, "m", &["drop-attribution"][..]),
        (Some("anthropic"), "claude-opus-5", &[]),
        (Some("openrouter"), "anthropic/claude-sonnet-5", &["drop-attribution"]),
        (
            Some("deepseek"),
            "deepseek-flash",
            &["drop-attribution", "fold-system-turns", "drop-effort-without-thinking"],
        ),
        (Some("glm"), "glm-5", &["drop-attribution", "fold-system-turns"]),
        (Some("kimi"), "kimi-k3", &["drop-attribution", "tool-references-as-text"]),
        (
            Some("kimi"),
            "Kimi-K2.7-Code",
            &["drop-attribution", "tool-references-as-text", "drop-thinking-setting"],
        ),
        (Some("minimax"), "MiniMax-M2.7", &["drop-attribution", "fold-system-turns", "images-as-text"]),
        (Some("minimax"), "MiniMax-M3", &["drop-attribution", "fold-system-turns"]),
        (Some("ollama"), "glm-5.2:cloud", &["drop-attribution", "fold-system-turns", "images-as-text"]),
        (Some("vllm"), "m", &["drop-attribution", "fold-system-turns"]),
        (Some("lm-studio"), "m", &["drop-attribution", "fold-system-turns"]),
        (
            Some("llama-cpp"),
            "m",
            &["drop-attribution", "fold-system-turns", "collapse-duplicate-starts", "sign-thinking"],
        ),
    ] {
        let provider = provider(preset, "https://example.com", Repairs::default());
        assert_eq!(on(&provider, model, None), expect, "{preset:?} {model}");
    }
    let own = provider(None, "https://api.anthropic.com", Repairs::default());
    assert_eq!(on(&own, "m", None), [""; 0], "Anthropic without its preset");
}

#[test]
fn a_route_overrules_its_provider_and_both_what_is_known() {
    use Repair::{DropAttribution, FreeToolChoice};
    let provider =
        provider(None, "https://example.com", switches(&[(DropAttribution, false), (FreeToolChoice, true)]));
    assert_eq!(on(&provider, "m", None), ["free-tool-choice"]);
    let settings = RouteSettings {
        repairs: switches(&[(DropAttribution, true), (FreeToolChoice, false)]),
        ..RouteSettings::default()
    };
    assert_eq!(on(&provider, "m", Some(&settings)), ["drop-attribution"]);
    let standing = standings(&provider, &"p/m".parse().unwrap(), Some(&settings));
    assert_eq!(standing[0].because, Because::Route);
}

#[test]
fn a_routes_own_settings_say_as_much_as_a_switch() {
    let settings =
        RouteSettings { no_images: true, output_limit: NonZeroU64::new(8000), ..RouteSettings::default() };
    let plain = provider(None, "https://example.com", Repairs::default());
    assert_eq!(on(&plain, "m", Some(&settings)), ["drop-attribution", "images-as-text", "clamp-max-tokens"]);
    let standings = standings(&plain, &"p/m".parse().unwrap(), Some(&settings));
    let clamp = standings.iter().find(|standing| standing.repair == Repair::ClampMaxTokens).unwrap();
    assert_eq!(clamp.switch, Switch::Tokens(NonZeroU64::new(8000).unwrap()));
    assert_eq!(clamp.because, Because::Settings("output_limit"));
    // Without a limit there is nothing to lower anything to.
    let asked =
        provider(Some("anthropic"), "https://example.com", switches(&[(Repair::ClampMaxTokens, true)]));
    assert_eq!(on(&asked, "m", None), [""; 0]);
    assert_eq!(on(&asked, "m", Some(&settings)), ["images-as-text", "clamp-max-tokens"]);
    let untouched = provider(Some("anthropic"), "https://example.com", Repairs::default());
    assert_eq!(on(&untouched, "m", Some(&settings)), ["images-as-text"]);
}

/// Wordings of public reports.
const REFUSALS: [(u16, &str, Option<Repair>); 19] = [
    (400, "context_management: Extra inputs are not permitted", Some(Repair::DropContextManagement)),
    (
        400,
        "messages[1].role: unknown variant `system`, expected `user` or `assistant`",
        Some(Repair::FoldSystemTurns),
    ),
    (
        400,
        "request.messages.1.role: Invalid discriminator value. Expected 'user' | 'assistant'",
        Some(Repair::FoldSystemTurns),
    ),
    (422, "[body, messages, 0, role] Input should be 'user' or 'assistant'", Some(Repair::FoldSystemTurns)),
    (500, "system message must be at the beginning", Some(Repair::FoldSystemTurns)),
    (
        400,
        "invalid params, chat content has invalid message role: system (2013)",
        Some(Repair::FoldSystemTurns),
    ),
    (
        400,
        "unsupported content type in ContentBlockParamUnion: tool_reference",
        Some(Repair::ToolReferencesAsText),
    ),
    (400, "tools.0.custom.defer_loading: Extra inputs are not permitted", Some(Repair::ToolReferencesAsText)),
    (
        400,
        "thinking options type cannot be disabled when reasoning_effort is set",
        Some(Repair::DropEffortWithoutThinking),
    ),
    (400, "output_config.effort: Extra inputs are not permitted", Some(Repair::DropOutputConfig)),
    (
        400,
        "400 invalid thinking: only type=enabled is allowed for this model",
        Some(Repair::DropThinkingSetting),
    ),
    (400, "\"llama3.1:8b\" does not support thinking", Some(Repair::DropThinkingSetting)),
    (400, "this model does not support image input", Some(Repair::ImagesAsText)),
    (
        400,
        "Unexpected value(s) `effort-2025-11-24` for the `anthropic-beta` header.",
        Some(Repair::DropBetas),
    ),
    (400, "deepseek-reasoner does not support this tool_choice", Some(Repair::FreeToolChoice)),
    (
        400,
        "max_tokens: 128001 > 64000, which is the maximum allowed number of output tokens",
        Some(Repair::ClampMaxTokens),
    ),
    (
        400,
        "messages.1.content.0.thinking.cache_control: Extra inputs are not permitted",
        Some(Repair::DropCacheControl),
    ),
    (400, "prompt is too long: 210000 tokens > 200000 maximum", None),
    (401, "context_management: Extra inputs are not permitted", None),
];

#[test]
fn a_refusal_tells_the_repair_that_would_mend_it() {
    for (status, message, expect) in REFUSALS {
        let body = serde_json::json!({"type": "error", "error": {"type": "invalid_request_error", "message": message}});
        assert_eq!(mending(status, body.to_string().as_bytes()), expect, "{message}");
    }
    assert_eq!(mending(400, b"\xff\xfe"), None);
}

#[test]
fn each_has_a_word_of_its_own_and_a_slip_is_told() {
    for repair in Repair::ALL {
        assert_eq!(repair.word().parse(), Ok(repair));
        assert!(!repair.about().is_empty() && repair.about().len() < 100, "{repair}");
        assert_eq!(serde_json::to_string(&repair).unwrap(), format!("\"{repair}\""));
    }
    let error = "drop-beta".parse::<Repair>().unwrap_err().to_string();
    assert_eq!(error, "there is no repair `drop-beta`: did you mean `drop-betas`?");
}
