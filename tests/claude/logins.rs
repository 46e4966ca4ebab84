//! However the user is logged in, the main session goes where it would go anyway, and no agent takes the login along.

use std::fs;

use serde_json::json;

use super::launch::headless;
use super::reply::{Script, agent};
use super::stage::{DEVICE, GLM_KEY, Stage, USER_TOKEN};
use super::upstream::{DOWN, Upstream};

/// An upstream for the main session that calls `reviewer`, the provider `glm`, and a stage for both.
fn play() -> (Upstream, Upstream, Stage) {
    let main = Upstream::start(Script::main([vec![agent("reviewer")]]));
    let glm = Upstream::start(Script::talker("glm"));
    let stage = Stage::new();
    stage.providers(&glm.url(), &glm.url()).agent("reviewer", "glm/glm-5");
    (main, glm, stage)
}

fn kept_apart(main: &Upstream, glm: &Upstream) {
    assert_eq!((main.questions().len(), glm.questions().len()), (2, 1));
    assert!(main.questions().iter().all(|request| request.holds(USER_TOKEN) && request.holds(DEVICE)));
    assert!(main.seen().iter().all(|request| !request.holds(GLM_KEY)));
    assert!(glm.seen().iter().all(|request| request.holds(GLM_KEY)));
    assert!(glm.seen().iter().all(|request| !request.holds(USER_TOKEN) && !request.holds(DEVICE)));
}

#[test]
fn r7_a_subscription_s_login_reaches_the_main_upstream_and_no_provider() {
    let (main, glm, stage) = play();
    let oauth = json!({"accessToken": USER_TOKEN, "refreshToken": format!("refresh-{USER_TOKEN}"),
        "expiresAt": 4_102_444_800_000_u64, "scopes": ["user:inference", "user:profile"], "subscriptionType": "max"});
    let login = json!({"claudeAiOauth": oauth}).to_string();
    fs::write(stage.home().join(".claude/.credentials.json"), login).unwrap();
    let upstream = format!("[main]\nupstream = \"{}\"\n", main.url());
    stage.config_more(&upstream);
    let ended = stage.bare(&headless(&[])).env("GLM_KEY", GLM_KEY).run().expect_code(0);
    kept_apart(&main, &glm);
    for request in main.questions() {
        assert_eq!(request.header("authorization"), format!("Bearer {USER_TOKEN}"));
        assert!(request.header("anthropic-beta").contains("oauth-2025-04-20"));
    }
    assert_eq!(ended.figures().routes(), ["default: 2 ok", "glm/glm-5: 1 ok"]);
}

#[test]
fn r7_an_api_key_reaches_the_main_upstream_and_no_provider() {
    let (main, glm, stage) = play();
    let launch = stage.subagents(&main, &headless(&[])).without("ANTHROPIC_AUTH_TOKEN");
    launch.env("ANTHROPIC_API_KEY", USER_TOKEN).run().expect_code(0);
    kept_apart(&main, &glm);
    assert!(main.questions().iter().all(|request| request.header("x-api-key") == USER_TOKEN));
    assert!(glm.seen().iter().all(|request| request.header("x-api-key").is_empty()));
}

#[test]
fn r6_a_gateway_s_key_in_custom_headers_reaches_the_main_upstream_and_no_provider() {
    let (main, glm, stage) = play();
    stage.settings(
        &json!({"env": {"ANTHROPIC_CUSTOM_HEADERS": "X-Gateway-Key: canary-of-the-gateway\nX-Org: o-1"}}),
    );
    stage.subagents(&main, &headless(&[])).run().expect_code(0);
    kept_apart(&main, &glm);
    assert!(
        main.questions().iter().all(|request| request.header("x-gateway-key") == "canary-of-the-gateway")
    );
    assert!(
        glm.seen().iter().all(|request| !request.holds("canary-of-the-gateway") && !request.holds("o-1"))
    );
}

#[test]
fn r19_a_base_url_of_the_user_s_settings_becomes_the_default_upstream() {
    let (main, glm, stage) = play();
    let env = json!({"ANTHROPIC_BASE_URL": main.url(), "ANTHROPIC_AUTH_TOKEN": USER_TOKEN});
    stage.settings(&json!({"env": env}));
    let launch = stage.bare(&headless(&[])).env("ANTHROPIC_BASE_URL", DOWN).env("GLM_KEY", GLM_KEY);
    let ended = launch.run().expect_code(0);
    kept_apart(&main, &glm);
    assert!(ended.stderr.contains("ANTHROPIC_BASE_URL in your settings.json gives way"), "{ended:#?}");
    assert_eq!(ended.figures().agents(), ["main on default: 2 ok", "reviewer on glm/glm-5: 1 ok"]);
}

#[test]
fn hooks_that_the_user_has_switched_off_are_not_needed() {
    let (main, glm, stage) = play();
    stage.settings(&json!({"disableAllHooks": true}));
    let ended = stage.subagents(&main, &headless(&[])).run().expect_code(0);
    kept_apart(&main, &glm);
    assert!(
        ended.stderr.contains("`disableAllHooks` in your settings.json switches hooks off"),
        "{ended:#?}"
    );
    let figures = ended.figures();
    assert!(!figures.hooks());
    assert_eq!(figures.agents(), ["main on default: 2 ok", "reviewer on glm/glm-5: 1 ok"]);
}

#[test]
fn l6_a_main_session_on_a_route_needs_no_login_at_all() {
    let local = Upstream::start(Script::main([vec![agent("reviewer")]]));
    let glm = Upstream::start(Script::talker("glm"));
    let stage = Stage::new();
    stage.providers(&glm.url(), &local.url()).agent("reviewer", "glm/glm-5");
    stage.config_more("[main]\nroute = \"local/qwen3:30b\"\n");
    let launch = stage.bare(&headless(&[])).env("GLM_KEY", GLM_KEY).env("ANTHROPIC_BASE_URL", DOWN);
    let ended = launch.run().expect_code(0);
    assert!(ended.stdout.contains("glm says hello."), "{ended:#?}");
    assert_eq!(local.questions().len(), 2);
    for request in local.questions() {
        assert_eq!(request.model(), "qwen3:30b");
        assert!(
            !request.holds(GLM_KEY) && !request.holds(DEVICE) && request.header("authorization").is_empty()
        );
    }
    let figures = ended.figures();
    assert_eq!(figures.routes(), ["default: ", "glm/glm-5: 1 ok", "local/qwen3:30b: 2 ok"]);
    assert_eq!(figures.agents(), ["main on local/qwen3:30b: 2 ok", "reviewer on glm/glm-5: 1 ok"]);
}
