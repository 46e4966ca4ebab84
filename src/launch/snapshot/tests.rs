//! What is recorded of a launch makes the same launch, and holds no key.

use std::time::Duration;

use serde_json::{Map, Value, json};

use super::*;
use crate::config::repair::Switch;
use crate::config::{
    Auth, Budget, ChatOptions, ClaudeSettings, Dialect, Effort, LimitField, MainSession, Model, Period,
    Policy, Price, Provider, Repair, Repairs, Retention, RouteSettings, SecretRef, StrayRule, ThinkingField,
    Timeouts, Tls, Visibility,
};
use crate::launch::bind::bind;

const KEY: &str = "sk-canary-0123456789abcdef";

fn map(value: &Value) -> Map<String, Value> {
    value.as_object().cloned().unwrap()
}

fn provider(name: &str, auth: Auth) -> Provider {
    Provider {
        name: name.parse().unwrap(),
        base_url: format!("https://{name}.example/api"),
        dialect: Dialect::Anthropic,
        auth,
        tls: Tls::System,
        timeouts: Timeouts::default(),
        preset: None,
        repairs: Repairs::default(),
        chat: ChatOptions::default(),
    }
}

fn agent(name: &str, model: Model) -> Agent {
    Agent {
        name: name.to_owned(),
        description: format!("Does {name}."),
        prompt: format!("You do\n\"{name}\"."),
        tools: None,
        model,
        visibility: Visibility::Model,
        read_only: false,
        fields: Map::new(),
        unknown: Map::new(),
        file: format!("/c/{name}.md").into(),
    }
}

/// One of each kind of switch.
fn repairs() -> Repairs {
    [
        (Repair::FreeToolChoice, Switch::Plain(true)),
        (Repair::ThinkingAsBudget, Switch::Tokens(std::num::NonZeroU64::MIN)),
        (Repair::DropBetas, Switch::Values(vec!["a-2026".to_owned()])),
    ]
    .into_iter()
    .collect()
}

/// Nothing in it is as it would be unasked, and every kind of everything is there.
fn config() -> Config {
    let env = || SecretRef::Env("KEY".to_owned());
    let keyring = SecretRef::Keyring { service: "s".to_owned(), account: "a".to_owned() };
    let providers = [
        Provider {
            dialect: Dialect::OpenaiChat,
            tls: Tls::CaFile("/ca.pem".into()),
            timeouts: Timeouts {
                connect: Duration::from_millis(1500),
                first_byte: Some(Duration::from_secs(7)),
                idle: Duration::from_secs(9),
                total: Some(Duration::from_hours(1)),
            },
            preset: Some("glm".to_owned()),
            repairs: [(Repair::FoldSystemTurns, Switch::Plain(false))].into_iter().collect(),
            chat: ChatOptions {
                limit: LimitField::MaxCompletionTokens,
                effort: Some(Effort::Xhigh),
                thinking: Some(ThinkingField::Reasoning),
            },
            ..provider("foreign", Auth::Bearer(env()))
        },
        Provider {
            tls: Tls::Unverified,
            ..provider("glm", Auth::XApiKey(SecretRef::File("/run/key".into())))
        },
        provider("both", Auth::Both(SecretRef::Command("pass show a:b".to_owned()))),
        provider("own", Auth::Header { name: "x-key".to_owned(), secret: keyring }),
        provider("local", Auth::None),
    ];
    let route = RouteSettings {
        context_window: std::num::NonZeroU64::new(32_768),
        output_limit: std::num::NonZeroU64::new(8_000),
        efforts: vec!["low".to_owned(), "high".to_owned()],
        default_effort: Some("low".to_owned()),
        price: Some(Price { input: 0.1, output: 1.0 / 3.0, cache_read: Some(0.0), cache_write: None }),
        no_tools: true,
        no_images: true,
        repairs: repairs(),
        concurrency: std::num::NonZeroU64::new(2),
        queue: std::num::NonZeroU64::new(3),
        fallback: vec!["local/x".parse().unwrap()],
        local: true,
        timeouts: Some(Timeouts { first_byte: Some(Duration::from_secs(8)), ..Timeouts::default() }),
        chat: Some(ChatOptions { effort: Some(Effort::Low), ..ChatOptions::default() }),
    };
    let budget = Budget {
        name: "night".to_owned(),
        per: Period::Day,
        agent: Some("a b".to_owned()),
        routes: Some("glm/*".parse().unwrap()),
        requests: std::num::NonZeroU64::new(9),
        tokens: std::num::NonZeroU64::new(10),
        usd: Some(0.3),
    };
    let agents = vec![
        Agent {
            tools: Some(vec!["Read".to_owned()]),
            visibility: Visibility::Hidden,
            read_only: true,
            fields: map(&json!({"effort": "high", "maxTurns": 12, "skills": ["a"], "x": {"y": [1.5, null]}})),
            ..agent("a b", Model::Route("glm/glm-5".parse().unwrap()))
        },
        Agent { tools: Some(Vec::new()), ..agent("a-b", Model::Route("local/m/n:1".parse().unwrap())) },
        agent("plain", Model::Claude("sonnet".to_owned())),
        agent("heir", Model::Inherit),
    ];
    Config {
        main: MainSession {
            upstream: Some("https://gateway.example".to_owned()),
            route: Some("local/main".parse().unwrap()),
        },
        policy: Policy {
            enabled: true,
            allowed: ["glm/glm-5".parse().unwrap(), "local/x".parse().unwrap()].into(),
            stray: StrayRule::Pass,
        },
        providers: providers.into_iter().map(|provider| (provider.name.clone(), provider)).collect(),
        routes: [("glm/glm-5".parse().unwrap(), route)].into(),
        budgets: vec![budget],
        agents,
        ..Config::default()
    }
}

/// Claude Code's path and the retention, which are of today.
fn today() -> Config {
    Config {
        claude: ClaudeSettings { path: Some("/bin/claude".into()) },
        retention: Retention { days: std::num::NonZeroU32::new(9), bytes: None },
        ..Config::default()
    }
}

fn written(snapshot: &Value) -> Value {
    serde_json::from_str(&snapshot.to_string()).unwrap()
}

/// With one agent that has these fields.
fn with_fields(fields: &Value) -> Config {
    let agent = Agent { fields: map(fields), ..agent("rev", Model::Inherit) };
    Config { agents: vec![agent], ..Config::default() }
}

#[test]
fn a_launch_is_restored_whole() {
    let config = config();
    let (bound, _) = bind(&config);
    let restored = restore(&written(&snapshot(&bound, &config)), &[], &today()).unwrap();
    assert_eq!((restored.agents(), restored.filled.len()), (bound.clone(), 0));
    // One line for each field, so that one that is added has to be decided about.
    let Config {
        main,
        policy,
        providers,
        routes,
        budgets,
        profiles,
        agents,
        claude,
        retention,
        delegation,
        leader,
        notify_command,
        tui,
        themes,
    } = restored.config;
    assert_eq!(main, config.main);
    assert_eq!(policy, config.policy);
    assert_eq!(providers, config.providers);
    assert_eq!(routes, config.routes);
    assert_eq!(budgets, config.budgets);
    assert!(profiles.is_empty(), "what is launched was chosen by them already");
    assert_eq!(agents, bound.iter().map(|bound| bound.agent.clone()).collect::<Vec<_>>());
    assert_eq!((claude, retention, leader), (today().claude, today().retention, today().leader));
    assert_eq!(delegation, today().delegation);
    assert_eq!(notify_command, today().notify_command);
    assert_eq!((tui, themes), (today().tui, today().themes), "how the app looks is no part of it");
}

#[test]
fn wire_ids_stay_as_they_were_though_another_agent_is_gone() {
    let config = config();
    let (mut bound, _) = bind(&config);
    bound.retain(|bound| bound.agent.name == "a-b");
    let restored = restore(&snapshot(&bound, &config), &[], &today()).unwrap();
    let wires: Vec<_> = restored.agents().into_iter().map(|bound| bound.wire.unwrap().to_string()).collect();
    assert_eq!(wires, ["a-b-2@local/m/n:1"]);
}

#[test]
fn what_claude_code_does_not_know_is_no_part_of_a_launch() {
    let mut config = with_fields(&json!({}));
    config.agents[0].unknown = map(&json!({"api_key": KEY}));
    let text = snapshot(&bind(&config).0, &config).to_string();
    assert!(!text.contains("canary"), "{text}");
}

#[test]
fn i03_a_literal_key_in_an_agent_is_not_recorded_and_is_filled_from_todays_file() {
    for fields in [
        json!({"mcpServers": {"x": {"env": {"TOKEN": "canary"}}}}),
        json!({"mcpServers": [{"x": {"headers": {"Authorization": "canary ${X}"}}}]}),
        json!({"hooks": {"Stop": [{"hooks": [{"command": "curl -H 'Authorization: Bearer canary-0123456789'"}]}]}}),
        json!({"mcpServers": {"x": {"url": "https://me:canary@x.example/"}}}),
        json!({"mcpServers": {"x": {"args": ["--key", KEY]}}}),
        json!({"mcpServers": {"x": {"env": {"PORT": {"canary": 1}}}}}),
        json!({"mcpServers": {"x": {"env": {"TOKEN": "${TOKEN:-canary}"}}}}),
        json!({"mcpServers": {"x": {"headers": {"Authorization": "Bearer ${TOKEN:-canary}"}}}}),
        json!({"mcpServers": {"x": {"args": ["--api-key", "canary"]}}}),
        json!({"mcpServers": {"x": {"args": ["-y", "--Access-TOKEN=canary"]}}}),
        json!({"mcpServers": {"x": {"args": ["--client-secret", "${X:-canary}", "--password", "canary"]}}}),
        json!({"mcpServers": {"x": {"url": "https://x.example/mcp?v=1&api_key=canary"}}}),
        json!({"mcpServers": {"x": {"url": "https://x.example/mcp?accessToken=canary#a"}}}),
    ] {
        let config = with_fields(&fields);
        let (bound, _) = bind(&config);
        let snapshot = written(&snapshot(&bound, &config));
        assert!(!snapshot.to_string().contains("canary"), "{snapshot}");
        let restored = restore(&snapshot, &bound, &config).unwrap();
        assert_eq!(restored.config.agents[0].fields, map(&fields));
        assert!(restored.filled.iter().all(|place| place.starts_with("agents.rev.fields.")));
        assert!(!restored.filled.is_empty());
        let Err(RestoreError::Withheld(place)) = restore(&snapshot, &[], &today()) else {
            panic!("{snapshot}")
        };
        assert!(place.starts_with("agents.rev.fields."), "{place}");
    }
}

#[test]
fn what_is_no_key_is_recorded() {
    for fields in [
        json!({"mcpServers": {"x": {"env": {"TOKEN": "${TOKEN}", "A": "Bearer ${TOKEN}", "EMPTY": ""}}}}),
        json!({"mcpServers": ["github"], "hooks": {"Stop": [{"hooks": [{"command": "./check.sh sk-1"}]}]}}),
        json!({"mcpServers": {"x": {"url": "https://x.example/a@b:c", "command": "npx -y task-master-ai-package"}}}),
        json!({"mcpServers": {"x": {"args": ["--token", "${TOKEN}", "--api-key=${KEY}", "--verbose", "word", "key", "x"]}}}),
        json!({"mcpServers": {"x": {"url": "https://x.example/mcp?api_key=${KEY}&monkeys=1&token="}}}),
        json!({"initialPrompt": "Look at user@host, and at Bearer tokens."}),
    ] {
        let config = with_fields(&fields);
        let restored = restore(&snapshot(&bind(&config).0, &config), &[], &today()).unwrap();
        assert_eq!(restored.config.agents[0].fields, map(&fields));
    }
}

#[test]
fn i03_a_key_in_a_prompt_or_in_a_command_for_a_secret_is_not_recorded() {
    let mut config = with_fields(&json!({}));
    config.agents[0].prompt = format!("Use the key {KEY} for it.");
    let secret = SecretRef::Command(format!("echo {KEY}"));
    config.providers.insert("p".parse().unwrap(), provider("p", Auth::Bearer(secret)));
    let (bound, _) = bind(&config);
    let snapshot = snapshot(&bound, &config);
    assert!(!snapshot.to_string().contains("canary"), "{snapshot}");
    let restored = restore(&snapshot, &bound, &config).unwrap();
    assert_eq!(
        (restored.config.agents, restored.config.providers),
        (config.agents.clone(), config.providers.clone())
    );
}

#[test]
fn what_cannot_be_restored_says_why_and_what_to_do() {
    let v1 = json!({"version": 1, "agents": [{"name": "rev", "route": "p/m", "wire_id": "rev@p/m"}]});
    let mut damaged = snapshot(&bind(&config()).0, &config());
    damaged["agents"][0]["wire_id"] = json!("nonsense");
    for (snapshot, part) in [
        (v1, "--current"),
        (json!({"version": 3}), "newer version"),
        (json!({}), "no version"),
        (json!({"version": 2}), "missing field"),
        (damaged, "`nonsense` is no wire id"),
    ] {
        let told = restore(&snapshot, &[], &today()).unwrap_err().to_string();
        assert!(told.contains(part), "{told}");
    }
}
