//! `subagents provider models`: each preset's provider as it lists its models, and every way not to.

use serde_json::{Value, json};

use crate::provider_servers::{
    Always, CANARY, Reply, Server, like, missing, no_canary_in_files, refusal, stage,
};
use crate::stage::{Ran, Stage};

fn models(stage: &Stage) -> Ran {
    let ran = stage.run(&["provider", "models", "p", "--refresh", "--json"]);
    assert!(!ran.stdout.contains(CANARY) && !ran.stderr.contains(CANARY), "{}{}", ran.stdout, ran.stderr);
    no_canary_in_files(stage, &[]);
    ran
}

fn listed(preset: &str) -> (Value, Vec<String>) {
    let server = Server::new(like(preset));
    let list = models(&stage(preset, &server)).json("provider-models");
    (list["models"].clone(), server.paths())
}

#[test]
fn each_presets_provider_is_asked_where_it_lists() {
    for (preset, path, id, window) in [
        ("lm-studio", "/api/v1/models", "gemma", json!(4096)),
        ("llama-cpp", "/v1/models", "local.gguf", json!(8192)),
        ("vllm", "/v1/models", "qwen", json!(16384)),
        ("openrouter", "/api/v1/models", "z-ai/glm-5", json!(202_752)),
        ("deepseek", "/models", "deepseek-chat", Value::Null),
        ("glm", "/api/paas/v4/models", "glm-5", Value::Null),
        ("kimi", "/v1/models", "kimi-k2.6", json!(262_144)),
        ("minimax", "/anthropic/v1/models", "MiniMax-M3", Value::Null),
    ] {
        let (models, paths) = listed(preset);
        assert_eq!((&models[0]["id"], &models[0]["context_window"]), (&json!(id), &window), "{preset}");
        assert_eq!((paths.len(), paths[0].as_str()), (1, path), "{preset}");
    }
}

#[test]
fn openrouters_prices_are_for_a_million_tokens() {
    let (models, _) = listed("openrouter");
    let price = json!({"input": 0.6, "output": 2.2, "cache_read": 0.11, "cache_write": null});
    assert_eq!((&models[0]["price"], &models[0]["output_limit"]), (&price, &json!(131_072)));
    assert_eq!((&models[0]["tools"], &models[0]["thinking"]), (&json!(true), &json!(true)));
}

#[test]
fn ollamas_models_are_described_one_by_one() {
    let (models, paths) = listed("ollama");
    assert_eq!(paths, ["/api/tags", "/api/show", "/api/show"]);
    let [model] = models.as_array().unwrap().as_slice() else { panic!("{models}") };
    assert_eq!((&model["id"], &model["context_window"]), (&json!("qwen3:8b"), &json!(8192)));
}

#[test]
fn anthropics_pages_are_followed() {
    let (models, paths) = listed("anthropic");
    let ids: Vec<_> = models.as_array().unwrap().iter().map(|model| model["id"].as_str().unwrap()).collect();
    assert_eq!((ids, paths.len()), (vec!["claude-a", "claude-b"], 2));
    assert_eq!(models[0]["efforts"], json!(["low", "high"]));
}

#[test]
fn a_provider_without_a_preset_is_asked_in_the_usual_places() {
    let server = Server::new(|_| missing());
    let config = format!(
        "[providers.p]\nbase_url = \"{}\"\nauth = {{ kind = \"bearer\", secret = \"env:CANARY\" }}\n",
        server.url("/v1")
    );
    let stage = Stage::new().with("config/config.toml", &config).with_variable("CANARY", CANARY);
    let told = models(&stage).failed(1);
    assert!(told.contains("nothing at /v1/models (404)") && told.contains("base_url"), "{told}");
    let kimi = Server::new(like("kimi"));
    let text = config.replace(&server.url("/v1"), &kimi.url("/anthropic"));
    let stage = Stage::new().with("config/config.toml", &text).with_variable("CANARY", CANARY);
    assert_eq!(models(&stage).json("provider-models")["path"], "/v1/models");
    assert_eq!(kimi.paths(), ["/anthropic/v1/models", "/v1/models"]);
}

#[test]
fn older_lm_studios_list_at_v0() {
    let server = Server::new(|asked| match asked.path() {
        "/api/v0/models" => {
            Reply::Json(200, json!({"data": [{"id": "old", "type": "llm", "max_context_length": 2048}]}))
        }
        // D03: a 200 that is none.
        _ => Reply::Json(200, json!({"error": "Unexpected endpoint or method. Returning 200 anyway"})),
    });
    let list = models(&stage("lm-studio", &server)).json("provider-models");
    assert_eq!(list["models"][0]["id"], "old");
}

#[test]
fn each_way_not_to_answer_is_told_with_its_fix() {
    let bad = |text: &'static str| move || Reply::Text(200, "application/json", text.to_owned());
    let table: Vec<(Always, &[&str])> = vec![
        (Box::new(|| Reply::Page(200)), &["web page", "base_url"]),
        (Box::new(|| Reply::Page(403)), &["refused the key (403, sent as `bearer`)", "web page"]),
        (Box::new(|| Reply::Page(502)), &["web page", "502"]),
        (Box::new(|| Reply::Redirect("/login")), &["redirects (302)", "base_url"]),
        (
            Box::new(|| Reply::Json(200, json!({"error": {"message": "quota is used up"}}))),
            &["quota is used up"],
        ),
        (Box::new(|| Reply::Json(429, json!({"error": {"message": "slow down"}}))), &["429", "slow down"]),
        (Box::new(bad("{\"data\": [")), &["no JSON"]),
        (Box::new(bad("")), &["no JSON"]),
        (Box::new(bad("{\"ok\": true}")), &["no list of models"]),
        (Box::new(bad("{\"data\": []}")), &["empty", "pull a model"]),
    ];
    for (manner, parts) in table {
        let server = Server::new(move |_| manner());
        let told = models(&stage("kimi", &server)).failed(1);
        assert!(parts.iter().all(|part| told.contains(part)) && told.contains("`p`"), "{parts:?}: {told}");
    }
}

#[test]
fn no_redirect_is_followed() {
    let server = Server::new(|asked| match asked.path() {
        "/elsewhere" => Reply::Json(200, json!({"data": [{"id": "stolen"}]})),
        _ => Reply::Redirect("/elsewhere"),
    });
    models(&stage("kimi", &server)).failed(1);
    assert!(!server.paths().contains(&"/elsewhere".to_owned()));
}

#[test]
fn i03_a_refused_key_is_told_by_its_kind_and_never_repeated() {
    let server = Server::new(refusal);
    let told = models(&stage("kimi", &server)).failed(1);
    assert!(told.contains("401, sent as `bearer`") && told.contains("[the key]"), "{told}");
}

#[test]
fn silence_ends_at_the_providers_own_limit() {
    let server = Server::new(|_| Reply::Silence);
    let stage = stage("vllm", &server);
    stage.run(&["provider", "set", "p", "timeouts.first_byte", "0.2"]).ok();
    let told = models(&stage).failed(1);
    assert!(told.contains("0.2 s (timeouts.first_byte)"), "{told}");
}

#[test]
fn nobody_there_and_no_key_are_told() {
    let config = "[providers.p]\npreset = \"vllm\"\nbase_url = \"http://127.0.0.1:9\"\n[providers.k]\npreset = \"kimi\"\n";
    let stage = Stage::new().with("config/config.toml", config);
    let told = models(&stage).failed(1);
    assert!(told.contains("no connection") && told.contains("running"), "{told}");
    let told = stage.run(&["provider", "models", "k"]).failed(1);
    assert!(told.contains("MOONSHOT_API_KEY is not set"), "{told}");
    let told = stage.run(&["provider", "models", "q"]).failed(3);
    assert!(told.contains("`p`") && told.contains("provider add q"), "{told}");
}

#[test]
fn a_self_signed_certificate_is_told_and_trusted_by_its_file_alone() {
    let server = Server::self_signed(like("vllm"));
    let stage = stage("vllm", &server);
    let told = models(&stage).failed(1);
    assert!(
        told.contains("certificate") && told.contains("ca_file") && told.contains("verify_tls"),
        "{told}"
    );
    stage.run(&["provider", "set", "p", "ca_file", server.ca_file().to_str().unwrap()]).ok();
    assert_eq!(models(&stage).json("provider-models")["models"][0]["id"], "qwen");
    stage.run(&["provider", "set", "p", "ca_file", "--unset"]).ok();
    stage.run(&["provider", "set", "p", "verify_tls", "false"]).ok();
    models(&stage).ok();
}

#[test]
fn a_list_is_kept_for_an_hour_in_a_private_file_at_its_own_address() {
    use std::os::unix::fs::PermissionsExt;
    let server = Server::new(like("kimi"));
    let stage = stage("kimi", &server);
    for _ in 0..2 {
        stage.run(&["provider", "models", "p"]).ok();
    }
    assert_eq!(server.paths().len(), 1, "the second was kept");
    let file = stage.at("home/.local/state/subagents/catalogue/p.json");
    assert_eq!(std::fs::metadata(&file).unwrap().permissions().mode() & 0o777, 0o600);
    no_canary_in_files(&stage, &[]);
    stage.run(&["provider", "models", "p", "--refresh"]).ok();
    assert_eq!(server.paths().len(), 2);
    let other = Server::new(like("kimi"));
    stage.run(&["provider", "set", "p", "base_url", &other.url("/anthropic")]).ok();
    stage.run(&["provider", "models", "p"]).ok();
    assert_eq!(other.paths().len(), 1, "another address is asked anew");
}

#[test]
fn a17_ids_that_claude_codes_picker_leaves_out_are_said_to_work_all_the_same() {
    let server = Server::new(like("kimi"));
    let ran = stage("kimi", &server).run(&["provider", "models", "p"]);
    assert!(ran.stderr.contains("picker") && ran.stderr.contains("sub-agents can use"), "{}", ran.stderr);
    assert!(ran.ok().contains("kimi-k2.6"));
    let help = Stage::new().run(&["provider", "models", "--help"]).ok();
    assert!(help.contains("picker"), "{help}");
    let server = Server::new(like("anthropic"));
    let ran = stage("anthropic", &server).run(&["provider", "models", "p"]);
    assert!(!ran.stderr.contains("picker"), "{}", ran.stderr);
}

#[test]
fn what_a_provider_says_cannot_move_the_cursor() {
    let server = Server::new(|_| Reply::Json(400, json!({"error": {"message": "a\u{1b}[2Jb"}})));
    let told = models(&stage("kimi", &server)).failed(1);
    assert!(told.contains("\\u{1b}[2J") && !told.contains('\u{1b}'), "{told:?}");
}

#[test]
fn our_own_name_is_sent_and_no_other_products() {
    let server = Server::new(like("kimi"));
    models(&stage("kimi", &server)).ok();
    let asked = &server.asked()[0];
    assert!(asked.header("user-agent").unwrap().starts_with("subagents/"));
    assert_eq!((asked.method.as_str(), asked.auth()), ("GET", vec!["authorization"]));
}
