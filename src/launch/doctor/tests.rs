//! One healthy machine, and one thing wrong with it at a time.

use std::num::NonZeroU64;

use serde_json::json;

use super::*;
use crate::config::{self, Agent, RouteSettings, Sandbox};
use crate::launch::bind::tests::{agent, config};
use crate::launch::scopes::Scope;
use crate::launch::settings::Layer;
use crate::launch::settings::tests::settings_of;
use crate::launch::upstream::{Origin, default_upstream};

/// One agent on the route `glm/glm-5`, and everything as it should be.
fn healthy() -> Facts {
    let mut config = config(vec![agent("rev", "glm/glm-5")]);
    set_window(&mut config, "glm/glm-5", 200_000);
    let environment = Environment::default();
    let glm: ProviderName = "glm".parse().unwrap();
    Facts {
        claude: Ok(Installed { path: "/bin/claude".into(), version: Ok("2.1.332".parse().unwrap()) }),
        config,
        problems: Vec::new(),
        profile: Profile::default(),
        arguments: arguments("--permission-mode acceptEdits"),
        own_agents: Ok(None),
        settings: Settings::default(),
        upstream: default_upstream(None, &Settings::default(), &environment),
        environment,
        secrets: BTreeMap::from([(glm.clone(), Ok(()))]),
        answers: BTreeMap::from([(glm, Ok(()))]),
        upstream_answers: Ok(()),
        others: Vec::new(),
        sandbox: true,
    }
}

fn arguments(line: &str) -> Arguments {
    Arguments::parse(&shlex::split(line).unwrap())
}

fn set_window(config: &mut Config, route: &str, tokens: u64) {
    let settings = RouteSettings { context_window: NonZeroU64::new(tokens), ..RouteSettings::default() };
    config.routes.insert(route.parse().unwrap(), settings);
}

/// Exactly one finding that isn't fine, with this severity, this subject and these parts.
fn check(change: impl FnOnce(&mut Facts), severity: Severity, subject: &str, parts: &[&str]) {
    let mut facts = healthy();
    change(&mut facts);
    let findings = examine(&facts);
    let wrong: Vec<_> = findings.iter().filter(|finding| finding.severity != Severity::Ok).collect();
    let [finding] = wrong.as_slice() else { panic!("{findings:#?}") };
    assert_eq!((finding.severity, finding.subject.as_str()), (severity, subject), "{finding:?}");
    let text = format!("{} {}", finding.message, finding.remedy.as_deref().unwrap_or_default());
    for part in parts {
        assert!(text.contains(part), "{part}: {text}");
    }
}

fn add(facts: &mut Facts, agent: Agent) {
    facts.config.agents.push(agent);
}

#[test]
fn a_healthy_machine_is_told_to_be_fine() {
    let findings = examine(&healthy());
    let subjects: Vec<_> = findings.iter().map(|finding| finding.subject.as_str()).collect();
    assert!(findings.iter().all(|finding| finding.severity == Severity::Ok), "{findings:#?}");
    assert_eq!(subjects, ["Claude Code", "provider glm", "main session", "sandbox"]);
}

#[test]
fn l9_claude_code_is_missing_old_or_silent() {
    let version = |facts: &mut Facts, version| {
        facts.claude = Ok(Installed { path: "/bin/claude".into(), version });
    };
    check(
        |facts| facts.claude = Err(ClaudeError::NotInPath),
        Severity::Breaks,
        "Claude Code",
        &["not in PATH", "npm install"],
    );
    check(
        |facts| version(facts, Ok("2.1.331".parse().unwrap())),
        Severity::Notes,
        "Claude Code",
        &["2.1.331 at /bin/claude", "older than 2.1.332", "claude update"],
    );
    check(
        |facts| version(facts, Err(ClaudeError::Silent("/bin/claude".into()))),
        Severity::Warns,
        "Claude Code",
        &["gave no version"],
    );
}

#[test]
fn a07_settings_that_pass_the_router_by_break_a_launch_that_needs_it() {
    let managed = json!({"env": {"ANTHROPIC_BASE_URL": "https://gateway.example"}});
    let pinned = |facts: &mut Facts| facts.settings = settings_of([(Layer::Managed, managed.clone())]);
    check(pinned, Severity::Breaks, "settings", &["managed settings set ANTHROPIC_BASE_URL"]);
    let bedrock = |facts: &mut Facts| {
        facts.environment = [("CLAUDE_CODE_USE_BEDROCK", "1")].into_iter().collect();
    };
    check(bedrock, Severity::Breaks, "settings", &["CLAUDE_CODE_USE_BEDROCK", "Unset it"]);
    let unneeded = |facts: &mut Facts| {
        pinned(facts);
        facts.config.agents.clear();
    };
    check(unneeded, Severity::Notes, "settings", &["managed"]);
    let hooks = json!({"disableAllHooks": true});
    check(
        |facts| facts.settings = settings_of([(Layer::User, hooks)]),
        Severity::Warns,
        "launch",
        &["disableAllHooks", "nothing is refused"],
    );
}

#[test]
fn what_a_launch_would_warn_of_is_told_before_it() {
    check(
        |facts| facts.arguments = Arguments::default(),
        Severity::Warns,
        "launch",
        &["no permission mode", "route of rev", "--permission-mode acceptEdits"],
    );
    let nothing_routed = |facts: &mut Facts| {
        facts.arguments = Arguments::default();
        facts.config.agents.clear();
        add(facts, agent("Explore", "haiku"));
    };
    check(nothing_routed, Severity::Warns, "agent Explore", &["takes its place"]);
    let own = OwnAgentsError::NoAgent("x".to_owned());
    check(|facts| facts.own_agents = Err(own), Severity::Breaks, "launch", &["`x` needs"]);
    check(
        |facts| facts.arguments = arguments("--permission-mode plan --settings nowhere.json"),
        Severity::Breaks,
        "launch",
        &["--settings can't be read"],
    );
}

#[test]
fn mistakes_in_files_are_told_with_file_line_and_fix() {
    for (severity, expect) in [
        (config::Severity::Error, Severity::Breaks),
        (config::Severity::Warning, Severity::Warns),
        (config::Severity::Info, Severity::Notes),
    ] {
        let problem = Problem {
            severity,
            file: "/c/agents/x.md".into(),
            line: Some(4),
            message: "no such route".to_owned(),
            remedy: "did you mean `glm`?".to_owned(),
        };
        check(
            |facts| facts.problems.push(problem),
            expect,
            "/c/agents/x.md:4",
            &["no such route", "did you mean `glm`?"],
        );
    }
}

#[test]
fn a_missing_secret_names_agent_route_and_reference() {
    check(
        |facts| {
            let missing = SecretError::Variable("ZAI_API_KEY".to_owned());
            facts.secrets.insert("glm".parse().unwrap(), Err(missing));
        },
        Severity::Breaks,
        "provider glm",
        &["agent `rev`", "`glm/glm-5`", "`env:ZAI_API_KEY`", "not set", "export ZAI_API_KEY="],
    );
}

#[test]
fn a_provider_that_does_not_answer_breaks_and_the_default_upstream_warns() {
    let silent = |facts: &mut Facts| {
        facts.answers.insert("glm".parse().unwrap(), Err("connection refused".to_owned()));
    };
    let parts = ["http://127.0.0.1:1 doesn't answer", "agent `rev`", "refused", "[providers.glm]"];
    check(silent, Severity::Breaks, "provider glm", &parts);
    check(
        |facts| facts.upstream_answers = Err("no address".to_owned()),
        Severity::Warns,
        "main session",
        &["https://api.anthropic.com", &Origin::Default.to_string(), "no address"],
    );
}

#[test]
fn l11_names_that_claude_code_refuses_break() {
    for name in ["-x", "plugin:x"] {
        let subject = format!("agent {name}");
        check(|facts| add(facts, agent(name, "sonnet")), Severity::Breaks, &subject, &["rename it", "edit "]);
    }
}

#[test]
fn f14_a_name_that_is_taken_tells_who_wins() {
    check(
        |facts| add(facts, agent("Explore", "haiku")),
        Severity::Warns,
        "agent Explore",
        &["takes its place"],
    );
    for (scope, part) in [
        (Scope::Managed, "which beats yours"),
        (Scope::Project, "project's .claude/agents hold"),
        (Scope::User, "yours beats it"),
    ] {
        let other = OtherAgent {
            name: "rev".to_owned(),
            model: "sonnet".to_owned(),
            description: String::new(),
            tools: None,
            file: "/p/rev.md".into(),
            scope,
        };
        let parts = [part, "model sonnet", "/p/rev.md"];
        check(|facts| facts.others.push(other), Severity::Warns, "agent rev", &parts);
    }
    let mut facts = healthy();
    facts.others.push(OtherAgent {
        name: "someone-else".to_owned(),
        model: "inherit".to_owned(),
        description: String::new(),
        tools: None,
        file: "x.md".into(),
        scope: Scope::Project,
    });
    assert!(examine(&facts).iter().all(|finding| finding.severity == Severity::Ok));
}

#[test]
fn a_wire_id_that_looks_like_a_claude_models_is_told() {
    check(
        |facts| add(facts, agent("my-sonnet", "glm/glm-5")),
        Severity::Warns,
        "agent my-sonnet",
        &["`my-sonnet@glm/glm-5`", "1M", "200000 tokens", "rename the agent"],
    );
    check(
        |facts| add(facts, agent("cl", "glm/anthropic/claude-sonnet-5")),
        Severity::Notes,
        "agent cl",
        &["`cl@glm/anthropic/claude-sonnet-5`", "take another model"],
    );
    assert!(!names::is_claude_like("reviewer@ollama/qwen3-coder:30b"));
}

#[test]
fn l7_a_small_window_that_shrinks_other_agents_is_told() {
    check(
        |facts| {
            add(facts, agent("small", "glm/small"));
            set_window(&mut facts.config, "glm/small", 32_768);
        },
        Severity::Warns,
        "context window",
        &["`rev` shrinks to 32768 tokens", "profile"],
    );
    check(
        |facts| facts.config.routes.clear(),
        Severity::Notes,
        "context window",
        &["`glm/glm-5`", "1M", "[routes.\"glm/glm-5\"] context_window"],
    );
}

#[test]
fn f05_definitions_near_the_limit_are_told() {
    let of_size = |kib: usize| Agent { prompt: "x".repeat(kib * 1024), ..agent("big", "sonnet") };
    check(|facts| add(facts, of_size(85)), Severity::Notes, "agents", &["85 of the 100 KiB"]);
    check(
        |facts| add(facts, of_size(120)),
        Severity::Warns,
        "launch",
        &["Yes, add it", "may win", "shorten"],
    );
}

#[test]
fn an_agent_that_the_profile_leaves_out_is_not_examined() {
    let mut facts = healthy();
    add(&mut facts, agent("Explore", "haiku"));
    facts.profile.agents = vec!["rev".to_owned()];
    assert!(examine(&facts).iter().all(|finding| finding.severity == Severity::Ok));
}

#[test]
fn the_gravest_finding_stands_first() {
    let mut facts = healthy();
    facts.others.push(OtherAgent {
        name: "rev".to_owned(),
        model: "opus".to_owned(),
        description: String::new(),
        tools: None,
        file: "x.md".into(),
        scope: Scope::User,
    });
    facts.answers.insert("glm".parse().unwrap(), Err("refused".to_owned()));
    let severities: Vec<_> = examine(&facts).iter().map(|finding| finding.severity).collect();
    assert!(severities.is_sorted() && severities[0] == Severity::Breaks, "{severities:?}");
}

#[test]
fn a_missing_sandbox_is_told_as_gravely_as_it_is_wanted() {
    let missing = |wanted| {
        move |facts: &mut Facts| {
            facts.sandbox = false;
            facts.config.delegation.sandbox = wanted;
        }
    };
    check(missing(Sandbox::Require), Severity::Warns, "sandbox", &["Landlock", "best-effort"]);
    check(missing(Sandbox::BestEffort), Severity::Notes, "sandbox", &["tools alone"]);
    let mut off = healthy();
    missing(Sandbox::Off)(&mut off);
    assert!(examine(&off).iter().all(|finding| finding.subject != "sandbox"));
}

#[test]
fn limits_that_limit_nothing_and_places_that_nothing_can_take_are_told() {
    let route = |text: &str| text.parse::<config::RouteId>().unwrap();
    let falls_on = |facts: &mut Facts, others: &[&str]| {
        let settings = facts.config.routes.get_mut(&route("glm/glm-5")).unwrap();
        settings.fallback = others.iter().map(|other| route(other)).collect();
    };
    let subject = "route glm/glm-5";
    let parts = ["all routes in its place are of `glm` too", "another provider"];
    check(|facts| falls_on(facts, &["glm/glm-4", "glm/air"]), Severity::Warns, subject, &parts);
    let local = |facts: &mut Facts| {
        falls_on(facts, &["glm/glm-4", "ollama/m"]);
        let settings = RouteSettings { local: true, ..RouteSettings::default() };
        facts.config.routes.insert(route("ollama/m"), settings);
    };
    let parts = ["no context_window", "subagents route add ollama/m --context-window"];
    check(local, Severity::Warns, "route ollama/m", &parts);
    let budget = |agent: &str| config::Budget {
        name: "night".to_owned(),
        per: config::Period::Day,
        agent: Some(agent.to_owned()),
        routes: None,
        requests: None,
        tokens: None,
        usd: Some(1.0),
    };
    check(
        |facts| facts.config.budgets = vec![budget("rev"), budget("main"), budget("revv")],
        Severity::Warns,
        "budget night",
        &["the agent `revv`", "subagents budget set night --agent"],
    );
}
