//! Plans and the commands that they must become.

use super::*;
use crate::config::{Agent, WireId};
use crate::launch::bind::bind;
use crate::launch::bind::tests::{agent, config};
use crate::launch::settings::tests::settings_of;

const UUID: &str = "00000000-0000-4000-8000-000000000001";

/// What a test changes of an ordinary launch.
#[derive(Default)]
pub(crate) struct Case {
    pub(crate) agents: Vec<Agent>,
    pub(crate) line: &'static str,
    pub(crate) environment: Vec<(&'static str, &'static str)>,
    pub(crate) settings: Vec<(Layer, Value)>,
    pub(crate) own_agents: Option<Value>,
    pub(crate) secrets: Vec<&'static str>,
    pub(crate) router: Option<Router>,
}

impl Case {
    pub(crate) fn compose(self) -> Result<Command, CommandError> {
        let config = config(self.agents);
        let environment: Environment =
            self.environment.into_iter().map(|(n, v)| (n.to_owned(), v.to_owned())).collect();
        compose(&Plan {
            claude: Path::new("/bin/claude"),
            arguments: &Arguments::parse(&shlex::split(self.line).unwrap()),
            agents: &bind(&config).0,
            own_agents: self.own_agents.as_ref().and_then(Value::as_object),
            settings: &settings_of(self.settings),
            environment: &environment,
            secret_variables: &self.secrets.into_iter().map(str::to_owned).collect(),
            folder: Path::new("/run/s"),
            router: self.router,
        })
    }

    fn command(self) -> Command {
        self.compose().unwrap_or_else(|error| panic!("{error}"))
    }
}

pub(crate) fn router() -> Router {
    Router {
        session: UUID.parse().unwrap(),
        base_url: "http://127.0.0.1:1/s/TOKEN".to_owned(),
        hook_url: Some("http://127.0.0.1:1/.subagents/T/hook".to_owned()),
        dialogs: Dialogs::Passed,
        mcp: None,
        main: None,
        window: None,
    }
}

fn main_route(keyless: bool) -> Router {
    let wire = WireId::main(&"ollama/m".parse().unwrap());
    Router { main: Some(MainRoute { wire, keyless }), ..router() }
}

fn routed_case(line: &'static str) -> Case {
    Case { agents: vec![agent("rev", "ollama/m")], line, router: Some(router()), ..Case::default() }
}

fn large(line: &'static str) -> Case {
    let prompt = "x".repeat(agents_json::ARGUMENT_LIMIT);
    let agents = vec![Agent { prompt, ..agent("rev", "ollama/m") }];
    Case { agents, line, router: Some(router()), ..Case::default() }
}

/// The value of a variable in the command's environment.
fn env<'a>(command: &'a Command, name: &str) -> Option<&'a str> {
    command.env_set.iter().find(|(own, _)| own == name).map(|(_, value)| value.as_str())
}

fn settings_json(command: &Command) -> Value {
    let file = command.files.iter().find(|file| file.path.ends_with("settings.json")).unwrap();
    serde_json::from_str(&file.contents).unwrap()
}

fn warned(command: &Command, part: &str) -> bool {
    command.warnings.iter().any(|warning| warning.contains(part))
}

#[test]
fn l1_a_launch_that_needs_nothing_is_untouched() {
    let line = "--settings '{\"a\": 1}' -p 'hi there' -- --agents x";
    let environment = vec![("CLAUDE_CODE_SUBAGENT_MODEL", "haiku"), ("NO_PROXY", "a")];
    let command = Case { line, environment, ..Case::default() }.command();
    assert_eq!(command.args, shlex::split(line).unwrap());
    assert!(command.env_set.is_empty() && command.env_remove.is_empty());
    assert!(command.files.is_empty() && command.warnings.is_empty());
}

#[test]
fn l1_agents_without_a_route_need_no_router() {
    let command = Case { agents: vec![agent("a", "sonnet")], line: "-p hi", ..Case::default() }.command();
    let json = r#"{"a":{"description":"Does a","prompt":"You do a.","model":"sonnet"}}"#;
    assert_eq!(command.args, ["--agents", json, "-p", "hi"]);
    assert!(command.env_set.is_empty() && command.files.is_empty());
}

#[test]
fn l1_a_command_of_claude_codes_own_gets_nothing_of_ours() {
    for line in ["mcp list", "--version", "doctor"] {
        let command = routed_case(line).command();
        assert_eq!(command.args, shlex::split(line).unwrap());
        assert!(command.env_set.is_empty() && command.files.is_empty());
    }
}

#[test]
fn l3_ours_stand_first_and_end_in_an_option_of_one_value() {
    let command = routed_case("--permission-mode plan 'do it'").command();
    let json = r#"{"rev":{"description":"Does rev","prompt":"You do rev.","model":"rev@ollama/m"}}"#;
    assert_eq!(
        command.args,
        [
            "--agents",
            json,
            "--session-id",
            UUID,
            "--settings",
            "/run/s/settings.json",
            "--permission-mode",
            "plan",
            "do it"
        ]
    );
}

#[test]
fn l3_many_valued_options_never_stand_last_of_ours() {
    let mcp = McpServer { url: "http://127.0.0.1:1/mcp".to_owned(), token: "MCP-TOKEN".to_owned() };
    let mut case = large("-r 'do it'");
    case.router = Some(Router { mcp: Some(mcp), ..router() });
    let command = case.command();
    assert_eq!(
        command.args,
        [
            "--add-dir",
            "/run/s/agents",
            "--mcp-config",
            "/run/s/mcp.json",
            "--settings",
            "/run/s/settings.json",
            "-r",
            "do it"
        ]
    );
    let routerless = Case { router: None, ..large("'do it'") }.command();
    assert_eq!(
        routerless.args,
        ["--add-dir", "/run/s/agents", "--settings", "/run/s/settings.json", "do it"]
    );
    assert_eq!(settings_json(&routerless), json!({}));
}

#[test]
fn l3_own_settings_and_agents_are_merged_not_doubled() {
    let own = json!({"x": {"description": "mine"}, "rev": {"description": "mine too"}});
    let settings = vec![(Layer::Arguments, json!({"model": "opus", "env": {"A": "1"}}))];
    let mut case = routed_case("--agents {} --settings=x -p hi --settings y");
    case.own_agents = Some(own.clone());
    case.settings = settings;
    let command = case.command();
    assert_eq!(command.agents["rev"], own["rev"]);
    assert_eq!(command.agents["x"], own["x"]);
    assert!(warned(&command, "agent `rev` comes from your own --agents"));
    for option in ["--agents", "--settings"] {
        assert_eq!(command.args.iter().filter(|arg| arg.starts_with(option)).count(), 1, "{option}");
    }
    assert_eq!(command.args[command.args.len() - 2..], ["-p", "hi"]);
    let merged = settings_json(&command);
    assert_eq!((&merged["model"], &merged["env"]["A"]), (&json!("opus"), &json!("1")));
}

#[test]
fn l3_own_settings_that_cannot_be_read_are_never_dropped() {
    assert_eq!(routed_case("--settings nowhere").compose().err(), Some(CommandError::OwnSettings));
}

#[test]
fn a_conversation_that_the_user_names_gets_no_id_of_ours() {
    for (line, ours) in
        [("", true), ("-c", false), ("--resume x", false), ("--session-id y", false), ("--from-pr", false)]
    {
        let command = routed_case(line).command();
        assert_eq!(command.args.contains(&UUID.to_owned()), ours, "{line}");
    }
}

#[test]
fn a07_h05_all_that_is_set_stands_in_the_settings_file_too() {
    let mut case = routed_case("");
    let theirs =
        json!({"env": {"ANTHROPIC_BASE_URL": "https://other.example", "ANTHROPIC_AUTH_TOKEN": "sk-x"}});
    case.settings = vec![(Layer::User, theirs)];
    case.router = Some(Router { window: NonZeroU64::new(32_768), ..main_route(true) });
    let command = case.command();
    let env = settings_json(&command)["env"].clone();
    assert!(command.env_set.len() >= 8);
    for (name, value) in &command.env_set {
        assert_eq!(env[name], value.as_str(), "{name}");
    }
    assert!(warned(&command, "gives way to the router"));
    assert!(settings_json(&command)["hooks"]["SubagentStart"].is_array());
}

#[test]
fn no_token_stands_in_an_argument() {
    let command = routed_case("-p hi").command();
    assert!(command.args.iter().all(|arg| !arg.contains("TOKEN") && !arg.contains("/.subagents/")));
}

#[test]
fn a09_proxies_are_never_asked_for_loopback() {
    let mut case = routed_case("");
    case.environment = vec![("NO_PROXY", "a"), ("no_proxy", "b c"), ("HTTPS_PROXY", "http://corp:8080")];
    case.settings = vec![(Layer::User, json!({"env": {"NO_PROXY": "d"}}))];
    let command = case.command();
    for name in ["NO_PROXY", "no_proxy"] {
        assert_eq!(env(&command, name), Some("d,b,c,127.0.0.1,localhost,::1"));
    }
    assert!(env(&command, "HTTPS_PROXY").is_none() && command.env_remove.is_empty());
}

#[test]
fn l6_a_main_route_names_its_models_and_a_passed_through_session_is_left_alone() {
    let models = ["ANTHROPIC_MODEL", "ANTHROPIC_SMALL_FAST_MODEL", "ANTHROPIC_DEFAULT_HAIKU_MODEL"];
    for (router, model, token) in [
        (main_route(true), Some("main@ollama/m"), Some("unset")),
        (main_route(false), Some("main@ollama/m"), None),
        (router(), None, None),
    ] {
        let command = Case { router: Some(router), ..Case::default() }.command();
        assert!(models.iter().all(|name| env(&command, name) == model));
        assert_eq!(env(&command, "ANTHROPIC_AUTH_TOKEN"), token);
    }
}

#[test]
fn l7_the_window_is_set_only_when_known() {
    for (window, expect) in [(None, None), (NonZeroU64::new(32_768), Some("32768"))] {
        let command = Case { router: Some(Router { window, ..router() }), ..Case::default() }.command();
        assert_eq!(env(&command, "CLAUDE_CODE_MAX_CONTEXT_TOKENS"), expect);
    }
}

#[test]
fn a_subagent_model_is_unset_where_it_stands_and_that_is_said() {
    let mut case = routed_case("");
    case.environment = vec![("CLAUDE_CODE_SUBAGENT_MODEL", "haiku")];
    let command = case.command();
    assert_eq!(command.env_remove, ["CLAUDE_CODE_SUBAGENT_MODEL"]);
    assert!(warned(&command, "CLAUDE_CODE_SUBAGENT_MODEL is unset"));
    let mut case = routed_case("");
    case.settings = vec![(Layer::User, json!({"env": {"CLAUDE_CODE_SUBAGENT_MODEL": "haiku"}}))];
    let command = case.command();
    assert_eq!(settings_json(&command)["env"]["CLAUDE_CODE_SUBAGENT_MODEL"], "");
    assert!(warned(&command, "CLAUDE_CODE_SUBAGENT_MODEL is unset") && command.env_remove.is_empty());
}

#[test]
fn p6_secrets_of_providers_leave_the_environment_and_logins_stay() {
    let mut case = routed_case("");
    case.secrets = vec!["ZAI_API_KEY", "NOT_SET", "ANTHROPIC_API_KEY"];
    case.environment =
        vec![("ZAI_API_KEY", "zai-secret"), ("ANTHROPIC_API_KEY", "sk-secret"), ("OTHER", "1")];
    let command = case.command();
    assert_eq!(command.env_remove, ["ZAI_API_KEY"]);
    assert!(warned(&command, "ANTHROPIC_API_KEY is a provider's secret and stays"));
    assert!(
        !command.warnings.concat().contains("secret-") && !command.warnings.concat().contains("sk-secret")
    );
}

#[test]
fn f05_agents_too_large_for_an_argument_travel_as_files() {
    let headless = large("-p hi").command();
    assert_eq!(headless.args[..2], ["--agents", "/run/s/agents.json"]);
    let written: Value = serde_json::from_str(&headless.files[0].contents).unwrap();
    assert_eq!(written, Value::Object(headless.agents.clone()));
    let interactive = large("").command();
    assert_eq!(interactive.files[0].path, Path::new("/run/s/agents/.claude/agents/rev.md"));
    assert!(interactive.files[0].contents.contains("\nmodel: \"rev@ollama/m\"\n"));
    assert!(warned(&interactive, "start `claude` once in /run and trust it there"));
    assert!(warned(&interactive, "answer `Yes, add it`") && !warned(&headless, "Yes, add it"));
    assert!(interactive.args.iter().all(|arg| arg.len() < agents_json::ARGUMENT_LIMIT));
}

#[test]
fn a_router_that_would_see_nothing_keeps_routed_agents_from_starting() {
    let bedrock = vec![("CLAUDE_CODE_USE_BEDROCK", "1")];
    let refused = Case { environment: bedrock.clone(), ..routed_case("") }.compose().err();
    assert!(matches!(refused, Some(CommandError::Bypassed(reason)) if reason.contains("BEDROCK")));
    let watched = Case { environment: bedrock, router: Some(router()), ..Case::default() }.command();
    assert!(warned(&watched, "CLAUDE_CODE_USE_BEDROCK is set"));
    let base = json!({"env": {"ANTHROPIC_BASE_URL": "https://gw"}});
    let pinned = Case { settings: vec![(Layer::Managed, base)], ..routed_case("") }.command();
    assert!(warned(&pinned, "managed settings set ANTHROPIC_BASE_URL"));
}

#[test]
fn an_unchosen_permission_mode_is_said_once_with_its_remedy() {
    let mode = |mode: &str| vec![(Layer::User, json!({"permissions": {"defaultMode": mode}}))];
    for (line, settings, said) in [
        ("", vec![], true),
        ("", mode("auto"), true),
        ("", mode("acceptEdits"), false),
        ("--permission-mode plan", vec![], false),
        ("--dangerously-skip-permissions", vec![], false),
    ] {
        let command = Case { settings, ..routed_case(line) }.command();
        assert_eq!(warned(&command, "--permission-mode acceptEdits"), said, "{line}");
        assert_eq!(warned(&command, "[profiles.default] args"), said, "{line}");
    }
    let unrouted = Case { agents: vec![agent("a", "sonnet")], router: Some(router()), ..Case::default() };
    assert!(unrouted.command().warnings.is_empty());
}

#[test]
fn f14_an_agent_without_a_model_is_never_given_a_concrete_one() {
    let command = Case { agents: vec![agent("a", "inherit")], ..Case::default() }.command();
    assert_eq!(command.agents["a"]["model"], "inherit");
}

#[test]
fn hooks_that_are_off_are_said_with_what_is_then_not_known() {
    assert!(warned(&routed_case("--bare").command(), "--bare switches hooks off: it is then not known"));
    assert!(!warned(&routed_case("").command(), "hooks"));
}
