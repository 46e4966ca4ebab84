//! Which upstream a request reaches, and with whose credential.

use subagents::config::{Auth, Dialect, Policy, SecretRef, StrayRule, preset};

use crate::support::{AutoUpstream, Lab, RawUpstream};

/// What a client may prove itself by; nothing of it may reach a route.
const LOGINS: [&[&str]; 4] = [
    &["Authorization: Bearer canary-of-the-client"],
    &["x-api-key: canary-of-the-client"],
    &["AUTHORIZATION: Bearer canary-of-the-client", "X-Api-Key: canary-of-the-client"],
    &["aUthorization: x", "authorization: Bearer canary-of-the-client", "Cookie: canary-of-the-client=1"],
];

#[tokio::test]
async fn a01_a05_r6_a_route_gets_its_own_credential_and_nothing_of_the_clients() {
    for (auth, want) in [
        ("kind = \"none\"", &[][..]),
        ("kind = \"bearer\", secret = \"env:KEY\"", &[("authorization", "Bearer canary-key")]),
        ("kind = \"x-api-key\", secret = \"env:KEY\"", &[("x-api-key", "canary-key")]),
        (
            "kind = \"both\", secret = \"env:KEY\"",
            &[("authorization", "Bearer canary-key"), ("x-api-key", "canary-key")],
        ),
        ("kind = \"header\", header = \"X-Goog-Key\", secret = \"env:KEY\"", &[("x-goog-key", "canary-key")]),
    ] {
        let upstream = AutoUpstream::ok().await;
        let provider = format!("[providers.glm]\nbase_url = \"{}\"\nauth = {{ {auth} }}", upstream.url());
        let lab = Lab::setup("http://127.0.0.1:9")
            .config(&provider)
            .agent("reviewer", "glm/glm-5")
            .env("KEY", "canary-key")
            .start()
            .await;
        for login in LOGINS {
            let target = "/v1/messages?beta=true";
            let (head, _) = lab.ask(lab.post_to(target, login, r#"{"model":"reviewer@glm/glm-5"}"#)).await;
            assert_eq!(head.status(), 200);
            let seen = upstream.last();
            assert!(!seen.holds("canary-of-the-client"), "{}", seen.head.raw.escape_ascii());
            for name in ["authorization", "x-api-key", "x-goog-key", "cookie"] {
                let value = want.iter().find(|(header, _)| *header == name).map(|(_, value)| *value);
                assert_eq!(seen.head.one(name), value, "{auth} {name}");
            }
        }
    }
}

#[tokio::test]
async fn a01_a05_every_preset_sends_its_own_credential_in_its_own_style() {
    for preset in preset::all().into_iter().filter(|preset| preset.dialect == Dialect::Anthropic) {
        let upstream = AutoUpstream::ok().await;
        let name = &preset.name;
        let mut setup = Lab::setup("http://127.0.0.1:9")
            .config(&format!("[providers.{name}]\npreset = \"{name}\"\nbase_url = \"{}\"", upstream.url()))
            .agent("reviewer", &format!("{name}/m"));
        if let Some(SecretRef::Env(variable)) = preset.auth.secret() {
            setup = setup.env(variable, "canary-key");
        }
        let lab = setup.start().await;
        for login in LOGINS {
            lab.ask(lab.post(login, format!(r#"{{"model":"reviewer@{name}/m"}}"#))).await;
            let seen = upstream.last();
            assert!(!seen.holds("canary-of-the-client"), "{name}");
            let sent = (seen.head.one("authorization"), seen.head.one("x-api-key"));
            let want = match preset.auth {
                Auth::Bearer(_) => (Some("Bearer canary-key"), None),
                Auth::XApiKey(_) => (None, Some("canary-key")),
                _ => (None, None),
            };
            assert_eq!(sent, want, "{name}");
        }
    }
}

#[tokio::test]
async fn r2_r14_r15_each_agent_reaches_its_own_provider_and_the_main_session_none_of_them() {
    let (default, one, two) = (AutoUpstream::ok().await, AutoUpstream::ok().await, AutoUpstream::ok().await);
    let lab = Lab::setup(&default.url())
        .provider("one", &one.url())
        .provider("two", &two.url())
        .agent("reviewer", "one/claude-opus-5")
        .agent("critic", "two/claude-opus-5")
        .start()
        .await;
    for (model, upstream, want) in [
        ("reviewer@one/claude-opus-5", &one, "claude-opus-5"),
        ("critic@two/claude-opus-5", &two, "claude-opus-5"),
        ("critic@one/claude-opus-5", &default, "critic@one/claude-opus-5"),
        ("claude-opus-5", &default, "claude-opus-5"),
    ] {
        lab.ask(lab.post(&[], format!(r#"{{"model":"{model}"}}"#))).await;
        assert_eq!(upstream.last().json()["model"], want, "{model}");
    }
    assert_eq!([default.seen().len(), one.seen().len(), two.seen().len()], [2, 1, 1]);
    let agents = lab.meter.figures().agents;
    let agents: Vec<_> = agents.iter().map(|row| (row.agent.as_deref().unwrap(), &*row.route)).collect();
    assert_eq!(
        agents,
        [("critic", "two/claude-opus-5"), ("main", "default"), ("reviewer", "one/claude-opus-5")]
    );
}

#[tokio::test]
async fn a13_the_window_suffix_finds_its_route_and_the_routes_own_name_is_sent() {
    let (default, route) = (AutoUpstream::ok().await, AutoUpstream::ok().await);
    let lab = Lab::setup(&default.url())
        .provider("glm", &route.url())
        .agent("reviewer", "glm/größe-5")
        .agent("wide", "glm/x[1m]")
        .open("glm/free")
        .start()
        .await;
    for (model, want) in [
        ("reviewer@glm/größe-5[1m]", Some("größe-5")),
        ("reviewer@glm/gr\\u00f6\\u00dfe-5", Some("größe-5")),
        ("reviewer@glm/größe-5[1M][1m]", Some("größe-5")),
        ("wide@glm/x[1m]", Some("x[1m]")),
        ("wide@glm/x", Some("x[1m]")),
        ("glm/free[1m]", Some("free")),
        ("reviewer@glm/gr[x]-5", None),
        ("claude-opus-5[1m]", None),
    ] {
        let body = format!(r#"{{"model":"{model}"}}"#);
        lab.ask(lab.post(&[], &body)).await;
        match want {
            Some(want) => assert_eq!(route.last().json()["model"], want, "{model}"),
            None => assert_eq!(default.last().body, body.as_bytes(), "{model}"),
        }
    }
    assert_eq!((default.seen().len(), route.seen().len()), (2, 6));
}

#[tokio::test]
async fn a12_a_name_anywhere_else_in_the_body_leads_nowhere() {
    let (default, route) = (AutoUpstream::ok().await, AutoUpstream::ok().await);
    let lab = Lab::with_route(&default.url(), &route.url()).await;
    let wire = r#""model":"reviewer@glm/glm-5""#;
    for body in [
        format!(r#"{{"system":[{{"type":"text","text":"a"}},{{{wire}}}],"model":"claude-opus-5"}}"#),
        format!(r#"{{"messages":[{{"role":"user","content":[{{{wire}}}]}}],"model":"claude-opus-5"}}"#),
        format!(r#"{{"metadata":{{{wire}}},"model":"claude-opus-5"}}"#),
        format!(r#"{{"tools":[{{"input_schema":{{{wire}}}}}],"model":"claude-opus-5"}}"#),
        r#"{"system":"\",\"model\":\"reviewer@glm/glm-5\"","model":"claude-opus-5"}"#.to_owned(),
        r#"{"system":"<MODEL>reviewer@glm/glm-5</MODEL>","model":"claude-opus-5"}"#.to_owned(),
    ] {
        lab.ask(lab.post(&[], &body)).await;
        assert_eq!(default.last().body, body.as_bytes());
    }
    assert_eq!(route.seen().len(), 0);
}

#[tokio::test]
async fn a12_a_routed_agent_off_its_route_is_refused_here_and_counted() {
    let (default, route) = (AutoUpstream::ok().await, AutoUpstream::ok().await);
    let lab = Lab::with_route(&default.url(), &route.url()).await;
    lab.callers.started("a1", "reviewer");
    lab.callers.started("a2", "Explore");
    let headers = ["X-Claude-Code-Agent-Id: a1", "x-claude-code-request-class: subagent"];
    let (head, body) = lab.ask(lab.post(&headers, r#"{"model":"claude-opus-5"}"#)).await;
    assert_eq!((head.status(), head.one("x-should-retry")), (403, Some("false")));
    let body: serde_json::Value = serde_json::from_slice(&body).unwrap();
    assert_eq!((&body["type"], &body["error"]["type"]), (&"error".into(), &"permission_error".into()));
    assert!(body["error"]["message"].as_str().unwrap().contains("`reviewer` runs on reviewer@glm/glm-5"));
    let other = ["x-claude-code-agent-id: a2", "x-claude-code-request-class: subagent"];
    let (head, _) = lab.ask(lab.post(&other, r#"{"model":"reviewer@glm/glm-5"}"#)).await;
    assert_eq!(head.status(), 403, "a model's own choice");
    assert_eq!(default.seen().len() + route.seen().len(), 0, "nothing is sent");
    let strays = lab.meter.figures().strays;
    let strays: Vec<_> = strays.iter().map(|s| (s.agent.as_deref(), s.requests, s.refused)).collect();
    assert_eq!(strays, [(None, 1, 1), (Some("reviewer"), 1, 1)]);
    let auxiliary = ["x-claude-code-agent-id: a1", "x-claude-code-request-class: auxiliary"];
    assert_eq!(lab.ask(lab.post(&auxiliary, r#"{"model":"claude-haiku"}"#)).await.0.status(), 200);
    assert_eq!((default.seen().len(), lab.row("default").ok), (1, 1));
}

#[tokio::test]
async fn a12_a_policy_may_let_strays_pass_and_they_are_counted() {
    let default = AutoUpstream::ok().await;
    let lab = Lab::setup(&default.url())
        .provider("glm", "http://127.0.0.1:9")
        .agent("reviewer", "glm/glm-5")
        .policy(Policy { stray: StrayRule::Pass, ..Policy::default() })
        .start()
        .await;
    lab.callers.started("a1", "reviewer");
    let headers = ["x-claude-code-agent-id: a1", "x-claude-code-request-class: workflow"];
    assert_eq!(lab.ask(lab.post(&headers, r#"{"model":"claude-opus-5"}"#)).await.0.status(), 200);
    let stray = &lab.meter.figures().strays[0];
    assert_eq!((stray.agent.as_deref(), stray.requests, stray.refused), (Some("reviewer"), 1, 0));
    let row = &lab.meter.figures().agents[0];
    assert_eq!((row.agent.as_deref(), &*row.route, row.ok), (Some("reviewer"), "default", 1));
}

#[tokio::test]
async fn a12_other_calls_go_to_the_default_upstream_untouched_whatever_they_hold() {
    let (default, route) = (AutoUpstream::ok().await, AutoUpstream::ok().await);
    let lab = Lab::with_route(&default.url(), &route.url()).await;
    lab.callers.started("a1", "reviewer");
    let stray = ["x-claude-code-agent-id: a1", "x-claude-code-request-class: subagent"];
    for (target, model) in [
        ("/v1/messages/batches", "reviewer@glm/glm-5"),
        ("/v1/messages/", "reviewer@glm/glm-5"),
        ("/x/v1/messages", "reviewer@glm/glm-5"),
        ("/v1/files", "claude-opus-5"),
        ("/v1/messages/count_tokens", "claude-opus-5"),
    ] {
        let body = format!(r#"{{"model":"{model}"}}"#);
        assert_eq!(lab.ask(lab.post_to(target, &stray, &body)).await.0.status(), 200, "{target}");
        assert_eq!(default.last().body, body.as_bytes());
    }
    assert_eq!((route.seen().len(), lab.counts("default")), (0, [0, 0, 0, 0, 0, 0, 5]));
    assert!(lab.meter.figures().strays.is_empty());
}

#[tokio::test]
async fn other_calls_are_not_read_before_they_are_sent() {
    let upstream = RawUpstream::bind().await;
    let lab = Lab::setup(&upstream.url()).start().await;
    let mut client = lab.client().await;
    client.write(lab.request("POST /v1/files", &["content-length: 20"], "{")).await;
    let mut peer = upstream.accept().await;
    let head = peer.head().await;
    client.write(r#""file":"a","b":"c"}"#).await;
    assert_eq!(peer.body(&head).await, br#"{"file":"a","b":"c"}"#);
}

#[tokio::test]
async fn a17_models_are_listed_here_where_the_main_session_runs_on_a_route() {
    let upstream = AutoUpstream::ok().await;
    for (agent, here) in [("main", true), ("reviewer", false)] {
        let lab = Lab::setup(&upstream.url())
            .provider("glm", &upstream.url())
            .agent(agent, "glm/glm-5")
            .start()
            .await;
        let before = upstream.seen().len();
        let (head, body) = lab.ask(lab.request("GET /v1/models?limit=1000", &[], "")).await;
        assert_eq!(head.status(), 200);
        assert_eq!(upstream.seen().len() - before, usize::from(!here));
        assert_eq!(String::from_utf8_lossy(&body).contains("main@glm/glm-5"), here);
    }
}
