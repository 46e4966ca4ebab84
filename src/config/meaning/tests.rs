//! What a config.toml comes to, mistake by mistake.

use std::path::Path;
use std::time::Duration;

use super::*;
use crate::config::{
    Auth, Budget, DelegationSettings, Dialect, Motion, Mouse, Period, Problem, Retention, Sandbox, SecretRef,
    Severity, Signs, StrayRule, ThemeChoice, Timeouts, Tls, Tui,
};

fn read_text(text: &str) -> (Config, Vec<Problem>) {
    let around =
        Around { config_dir: Path::new("/c"), home: Some(Path::new("/h")), themes: &Themes::default() };
    let mut report = Report::new(Path::new("/c/config.toml"));
    let config = read(text, &around, &mut report);
    (config, report.into_problems())
}

/// The problems must be these, in any order: severity, line, and a part of message or remedy.
fn check(text: &str, expect: &[(Severity, usize, &str)]) -> Config {
    let (config, problems) = read_text(text);
    let told: Vec<String> = problems.iter().map(ToString::to_string).collect();
    assert_eq!(problems.len(), expect.len(), "{text}\n{told:#?}");
    for (severity, line, part) in expect {
        let fits = |problem: &&Problem| {
            problem.severity == *severity && problem.line == Some(*line) && problem.to_string().contains(part)
        };
        assert!(problems.iter().any(|problem| fits(&problem)), "{severity:?} {line} {part}\n{told:#?}");
    }
    assert!(told.iter().all(|told| !told.contains("canary")), "{told:#?}");
    config
}

fn provider(config: &Config, name: &str) -> Option<crate::config::Provider> {
    config.providers.get(&name.parse().unwrap()).cloned()
}

fn env(name: &str) -> SecretRef {
    SecretRef::Env(name.to_owned())
}

use Severity::{Error, Warning};

#[test]
fn an_empty_file_means_the_defaults() {
    let config = check("", &[]);
    assert!(config.providers.is_empty() && !config.policy.enabled && config.main.route.is_none());
    assert_eq!(config.policy.stray, StrayRule::Deny);
}

#[test]
fn the_documented_file_reads_without_a_problem() {
    let config = check(
        r#"
[main]
upstream = "https://gateway.example/v1/"
route = "glm/glm-5"
[policy]
enabled = true
allowed = ["ollama/qwen3-coder:30b", "glm/glm-5"]
stray = "pass"
[providers.ollama]
preset = "ollama"
base_url = "http://127.0.0.1:11435/"
[providers.glm]
base_url = "https://api.z.ai/api/anthropic"
auth = { kind = "bearer", secret = "env:ZAI_API_KEY" }
ca_file = "~/ca.pem"
timeouts = { connect = 2, first_byte = 90, idle = 0.5 }
[routes."ollama/qwen3-coder:30b"]
context_window = 32_768
price = { input = 0, output = 0.25, cache_read = 0.1 }
[profiles.default]
agents = ["*"]
args = ["--permission-mode", "acceptEdits"]
[claude]
path = "~/bin/claude"
"#,
        &[],
    );
    assert_eq!(config.main.upstream.as_deref(), Some("https://gateway.example"));
    assert_eq!(config.main.route.as_ref().map(ToString::to_string).as_deref(), Some("glm/glm-5"));
    assert_eq!((config.policy.enabled, config.policy.allowed.len()), (true, 2));
    assert_eq!(config.policy.stray, StrayRule::Pass);
    assert_eq!(config.claude.path.as_deref(), Some(Path::new("/h/bin/claude")));
    assert_eq!(config.profiles["default"].args.len(), 2);

    let ollama = provider(&config, "ollama").unwrap();
    assert_eq!((ollama.base_url.as_str(), &ollama.auth), ("http://127.0.0.1:11435", &Auth::None));
    assert_eq!((ollama.preset.as_deref(), ollama.timeouts), (Some("ollama"), Timeouts::default()));
    let glm = provider(&config, "glm").unwrap();
    assert_eq!((glm.dialect, glm.tls), (Dialect::Anthropic, Tls::CaFile("/h/ca.pem".into())));
    assert_eq!(glm.auth, Auth::Bearer(env("ZAI_API_KEY")));
    assert_eq!(glm.timeouts.first_byte, Some(Duration::from_secs(90)));
    assert_eq!(glm.timeouts.idle, Duration::from_millis(500));

    let settings = &config.routes[&"ollama/qwen3-coder:30b".parse().unwrap()];
    assert_eq!(settings.context_window.map(std::num::NonZeroU64::get), Some(32_768));
    let price = settings.price.unwrap();
    assert!((price.output - 0.25).abs() < 1e-9 && price.cache_write.is_none());
}

#[test]
fn a_syntax_error_is_one_error_with_its_line() {
    let config = check("[policy]\nenabled = true\nallowed = [\n[providers.x]\n", &[(Error, 4, "no TOML")]);
    assert!(!config.policy.enabled);
    check("[providers.x]\nauth = { secret = \"canary }\n", &[(Error, 2, "no TOML")]);
}

#[test]
fn unknown_keys_are_warned_of_with_what_was_meant() {
    check(
        "[polcy]\n[providers.a]\nbase-url = 1\nbase_url = \"http://127.0.0.1:1\"\n[claude]\npth = \"x\"\nzzz = 1\n",
        &[
            (Warning, 1, "`policy`"),
            (Warning, 3, "did you mean `base_url`"),
            (Warning, 6, "did you mean `path`"),
            (Warning, 7, "has no key `zzz`"),
        ],
    );
}

#[test]
fn one_bad_provider_leaves_the_others() {
    let config = check(
        "[providers.bad]\nbase_url = \"nonsense\"\n[providers.good]\npreset = \"vllm\"\n[providers.\"a/b\"]\n\
         [providers.none]\n[providers]\nflat = 3\n",
        &[
            (Error, 2, "no URL"),
            (Error, 5, "no name for a provider"),
            (Error, 6, "has no `base_url`"),
            (Error, 8, "[providers.flat] is no table"),
        ],
    );
    assert_eq!(config.providers.len(), 1);
    assert!(provider(&config, "good").is_some());
}

#[test]
fn a_preset_fills_in_and_each_value_overrides() {
    let config = check(
        "[providers.a]\npreset = \"glm\"\nauth = { secret = \"env:MINE\" }\n[providers.b]\npreset = \"glm\"\n\
         auth = { kind = \"x-api-key\" }\n[providers.c]\npreset = \"glm\"\nverify_tls = false\n[providers.d]\n\
         preset = \"glm\"\nauth = { kind = \"none\" }\n",
        &[],
    );
    assert_eq!(provider(&config, "a").unwrap().auth, Auth::Bearer(env("MINE")));
    assert_eq!(provider(&config, "b").unwrap().auth, Auth::XApiKey(env("ZAI_API_KEY")));
    assert_eq!(provider(&config, "d").unwrap().auth, Auth::None);
    let c = provider(&config, "c").unwrap();
    assert_eq!((c.tls, c.auth), (Tls::Unverified, Auth::Bearer(env("ZAI_API_KEY"))));
    assert_eq!(c.base_url, "https://api.z.ai/api/anthropic");
    check("[providers.a]\npreset = \"olama\"\n", &[(Error, 2, "did you mean `ollama`")]);
}

#[test]
fn a05_every_preset_alone_makes_a_provider() {
    for preset in crate::config::preset::all() {
        let config = check(&format!("[providers.x]\npreset = \"{}\"\n", preset.name), &[]);
        let provider = provider(&config, "x").unwrap();
        assert_eq!((provider.base_url, provider.auth), (preset.base_url, preset.auth));
    }
}

#[test]
fn a_byte_order_mark_and_windows_line_ends_are_read() {
    let config = check("\u{feff}[providers.a]\r\npreset = \"vllm\"\r\nzzz = 1\r\n", &[(Warning, 3, "`zzz`")]);
    assert_eq!(config.providers.len(), 1);
}

#[test]
fn a05_every_kind_of_auth_is_read() {
    let auth = |table: &str| {
        let text = format!("[providers.a]\nbase_url = \"https://a.example\"\nauth = {table}\n");
        provider(&check(&text, &[]), "a").unwrap().auth
    };
    let name = "x-goog-Key".to_owned();
    assert_eq!(auth(r#"{ kind = "none" }"#), Auth::None);
    assert_eq!(auth(r#"{ kind = "bearer", secret = "env:K" }"#), Auth::Bearer(env("K")));
    assert_eq!(auth(r#"{ kind = "x-api-key", secret = "env:K" }"#), Auth::XApiKey(env("K")));
    assert_eq!(auth(r#"{ kind = "both", secret = "env:K" }"#), Auth::Both(env("K")));
    assert_eq!(
        auth(r#"{ kind = "header", header = "x-goog-Key", secret = "env:K" }"#),
        Auth::Header { name, secret: env("K") }
    );
    assert_eq!(
        auth(r#"{ kind = "bearer", secret = "file:~/k" }"#),
        Auth::Bearer(SecretRef::File("/h/k".into()))
    );
    assert_eq!(
        auth(r#"{ kind = "bearer", secret = "file:k" }"#),
        Auth::Bearer(SecretRef::File("/c/k".into()))
    );
}

#[test]
fn i03_a_mistake_in_auth_costs_the_provider_and_never_repeats_the_key() {
    for (line, part) in [
        (r#"auth = { kind = "bearer", secret = "sk-canary" }"#, "no reference"),
        (r#"auth = { kind = "bearer", secret = "env:sk-canary" }"#, "variable's name"),
        (r#"auth = { kind = "bearer", secret = ["canary"] }"#, "can't be this array"),
        (r#"auth = { kind = "bearer" }"#, "names no secret"),
        (r#"auth = { kind = "header", secret = "env:K" }"#, "names no header"),
        (r#"auth = { kind = "header", header = "Host", secret = "env:K" }"#, "can't carry"),
        (r#"auth = { kind = "bearr", secret = "env:K" }"#, "did you mean `bearer`"),
        (r#"auth = { secret = "env:K" }"#, "no kind"),
        (r#"auth = "sk-canary""#, "it is a table"),
        (r#"auth = { kind = 1, secret = "env:K" }"#, "it is a string"),
    ] {
        let text = format!("[providers.a]\nbase_url = \"https://a.example\"\n{line}\n");
        let config = check(&text, &[(Error, 3, part)]);
        assert!(config.providers.is_empty(), "{line}");
    }
}

#[test]
fn i03_a_key_in_a_key_of_its_own_is_an_error() {
    let (config, problems) = read_text("[providers.a]\npreset = \"glm\"\napi_key = \"sk-canary\"\n");
    assert!(config.providers.is_empty());
    let told: Vec<String> = problems.iter().map(ToString::to_string).collect();
    assert!(told[0].contains("holds a key itself") && !told.concat().contains("canary"), "{told:?}");
}

#[test]
fn a_key_that_leaves_the_machine_unencrypted_is_warned_of() {
    let text = |address: &str| {
        format!(
            "[providers.a]\nbase_url = \"{address}\"\nauth = {{ kind = \"bearer\", secret = \"env:K\" }}\n"
        )
    };
    let config = check(&text("http://10.0.0.1"), &[(Warning, 1, "unencrypted")]);
    assert_eq!(config.providers.len(), 1);
    check(&text("http://localhost:1"), &[]);
}

#[test]
fn tls_is_never_loosened_by_a_mistake() {
    let tls = |line: &str, expect: &[(Severity, usize, &str)]| {
        let text = format!("[providers.a]\nbase_url = \"https://a.example\"\n{line}\n");
        provider(&check(&text, expect), "a").map(|provider| provider.tls)
    };
    assert_eq!(tls("verify_tls = true", &[]), Some(Tls::System));
    assert_eq!(tls("ca_file = \"ca.pem\"", &[]), Some(Tls::CaFile("/c/ca.pem".into())));
    assert_eq!(tls("verify_tls = \"false\"", &[(Error, 3, "`true` or `false`")]), None);
    let both = "verify_tls = false\nca_file = \"/ca.pem\"";
    assert_eq!(tls(both, &[(Warning, 3, "not followed")]), Some(Tls::CaFile("/ca.pem".into())));
}

#[test]
fn wrong_timeouts_fall_back_to_ours() {
    let text =
        "[providers.a]\npreset = \"vllm\"\ntimeouts = { connect = 0, idle = \"x\", first_byte = 1e9 }\n";
    let config = check(text, &[(Error, 3, "`connect`"), (Error, 3, "`idle`"), (Error, 3, "`first_byte`")]);
    assert_eq!(provider(&config, "a").unwrap().timeouts, Timeouts::default());
}

const TWO: &str = "[providers.p]\npreset = \"vllm\"\n[providers.o]\nbase_url = \"https://o.example/v1\"\n\
                   dialect = \"openai-chat\"\n[routes.\"p/dumb\"]\ntools = false\n";

#[test]
fn a1_a_policy_that_is_on_needs_a_route() {
    for (policy, errors) in [
        ("enabled = true", &[(Error, 9, "stays off")][..]),
        ("enabled = true\nallowed = []", &[(Error, 9, "stays off")]),
        ("enabled = false\nallowed = []", &[]),
        ("enabled = \"yes\"\nallowed = [\"p/m\"]", &[(Error, 9, "`true` or `false`")]),
    ] {
        let config = check(&format!("{TWO}[policy]\n{policy}\n"), errors);
        assert!(!config.policy.enabled, "{policy}");
    }
}

#[test]
fn a2_what_is_no_list_of_routes_is_refused_and_told() {
    for (allowed, part) in [
        ("\"p/m\"", "a list of strings"),
        ("[\"\"]", "provider/model"),
        ("[\"p/\"]", "no model"),
        ("[3]", "no string"),
        ("[\"q/m\"]", "needs a provider `q`"),
        ("[\"p/dumb\"]", "can't call tools"),
    ] {
        let config = check(&format!("{TWO}[policy]\nallowed = {allowed}\n"), &[(Error, 9, part)]);
        assert!(config.policy.allowed.is_empty(), "{allowed}");
    }
    let text = format!("{TWO}[policy]\nenabled = true\nallowed = [\n\"p/m\",\n\"p/m\",\n\"p/n\"]\n");
    let config = check(&text, &[(Error, 12, "names `p/m` twice")]);
    assert_eq!((config.policy.enabled, config.policy.allowed.len()), (true, 2));
}

#[test]
fn strays_are_denied_unless_the_file_says_pass() {
    let config = check("[policy]\nstray = \"pss\"\n", &[(Error, 2, "did you mean `pass`")]);
    assert_eq!(config.policy.stray, StrayRule::Deny);
}

#[test]
fn l10_the_main_route_must_be_usable() {
    for (route, part) in [("p/dumb", "can't call tools"), ("x/m", "there is")] {
        let config = check(&format!("{TWO}[main]\nroute = \"{route}\"\n"), &[(Error, 9, part)]);
        assert_eq!(config.main.route, None);
    }
    check("[main]\nupstream = \"https://u:canary@x\"\n", &[(Error, 2, "user or a password")]);
}

#[test]
fn settings_of_routes_are_checked_one_by_one() {
    let config = check(
        "[providers.p]\npreset = \"vllm\"\n[routes.\"p/a\"]\ncontext_window = 0\nprice = { input = 1 }\n\
         [routes.\"p/b\"]\nprice = { input = -1, output = 1 }\n[routes.c]\n[routes.\"q/d\"]\n",
        &[
            (Error, 4, "a whole number above 0"),
            (Error, 5, "needs `input` and `output`"),
            (Error, 7, "0 or more"),
            (Error, 7, "needs `input` and `output`"),
            (Error, 8, "provider/model"),
            (Warning, 9, "no usable provider"),
        ],
    );
    assert_eq!(config.routes.len(), 3);
    assert_eq!(config.routes[&"p/a".parse().unwrap()].price, None);
}

#[test]
fn efforts_and_the_output_limit_of_a_route_are_read() {
    let route = |lines: &str, expect: &[(Severity, usize, &str)]| {
        let text = format!("[providers.p]\npreset = \"vllm\"\n[routes.\"p/a\"]\n{lines}\n");
        check(&text, expect).routes[&"p/a".parse().unwrap()].clone()
    };
    let read = route("output_limit = 4096\nefforts = [\"low\", \"high\"]\ndefault_effort = \"low\"", &[]);
    assert_eq!((read.output_limit.map(u64::from), read.efforts.len()), (Some(4096), 2));
    assert_eq!(read.default_effort.as_deref(), Some("low"));
    let wrong = "efforts = [\"low\"]\ndefault_effort = \"loww\"\noutput_limit = 0";
    let read = route(wrong, &[(Error, 5, "none of its `efforts`"), (Error, 6, "a whole number above 0")]);
    assert_eq!((read.default_effort, read.output_limit), (None, None));
}

#[test]
fn a_profile_never_takes_more_agents_than_were_meant() {
    let config = check(
        "[profiles.a]\n[profiles.b]\nagents = \"x\"\n[profiles.c]\nagents = [\"x\", 1]\n",
        &[(Error, 3, "a list of strings"), (Error, 5, "no string")],
    );
    let agents = ["a", "b", "c"].map(|name| config.profiles[name].agents.clone());
    assert_eq!(agents, [vec!["*".to_owned()], vec![], vec!["x".to_owned()]]);
}

#[test]
fn what_is_remembered_is_for_ever_unless_the_file_says_how_long() {
    assert_eq!(check("", &[]).retention, Retention::default());
    let retention = check("[ledger]\nkeep_days = 30\nkeep_megabytes = 2\n", &[]).retention;
    assert_eq!(retention.days.map(std::num::NonZero::get), Some(30));
    assert_eq!(retention.bytes.map(std::num::NonZero::get), Some(2_000_000));
    check("[ledger]\nkeep_days = 0\nkeep = 1\n", &[(Error, 2, "above 0"), (Warning, 3, "keep")]);
}

#[test]
fn the_key_that_leads_is_a_control_key() {
    assert_eq!(check("", &[]).leader.to_string(), "Ctrl-]");
    assert_eq!(check("[attach]\nleader = \"ctrl-b\"\n", &[]).leader.to_string(), "Ctrl-B");
    let wrong = check("[attach]\nleader = \"ctrl-i\"\nkey = 1\n", &[(Error, 2, "Tab"), (Warning, 3, "key")]);
    assert_eq!(wrong.leader, Leader::default());
}

#[test]
fn a_command_for_notices_is_taken_as_it_is_written() {
    let command = check("[notify]\ncommand = 'say \"$SUBAGENTS_NOTICE\"'\n", &[]).notify_command;
    assert_eq!(command.as_deref(), Some("say \"$SUBAGENTS_NOTICE\""));
    assert_eq!(check("[notify]\ncommand = \" \"\n", &[(Error, 2, "empty")]).notify_command, None);
}

#[test]
fn the_app_looks_as_it_is_told_and_a_theme_that_is_not_there_is_told_with_those_that_are() {
    let tui = |text: &str, expect: &[(Severity, usize, &str)]| check(&format!("[tui]\n{text}\n"), expect).tui;
    assert_eq!(tui("theme = \"auto\"\nmouse = true", &[]), Tui::default());
    let whole = tui("theme = \"dusk\"\nmouse = false\nmotion = \"reduced\"\nsigns = \"ascii\"", &[]);
    let theme = ThemeChoice::Named("dusk".to_owned());
    let expect = Tui { theme, mouse: Mouse::Terminals, motion: Motion::Reduced, signs: Signs::Ascii };
    assert_eq!(whole, expect);
    for (text, part) in [
        ("theme = \"drak\"", "did you mean `dark`?"),
        ("theme = \"midnight\"", "`auto`, `dark`, `light`, `high-contrast`, `dusk`, `paper`"),
        ("theme = 1", "it is a string"),
        ("mouse = \"no\"", "`true` or `false`"),
        ("motion = \"none\"", "there is `full`, `reduced`"),
        ("signs = \"asci\"", "did you mean `ascii`?"),
    ] {
        assert_eq!(tui(text, &[(Error, 2, part)]), Tui::default(), "{text}");
    }
}

#[test]
fn delegations_have_limits_and_a_mistake_about_the_sandbox_only_narrows() {
    let of = |text: &str, expect: &[(Severity, usize, &str)]| {
        check(&format!("[delegation]\n{text}\n"), expect).delegation
    };
    assert_eq!(of("", &[]), DelegationSettings::default());
    assert_eq!(of("timeout = false", &[]).timeout, None);
    let whole =
        of("tools = false\nmax_depth = 1\nmax_turns = 3\ntimeout = 60\nparallel = 9\nsandbox = \"off\"", &[]);
    let expect = DelegationSettings {
        offered: false,
        max_depth: 1,
        max_turns: 3,
        timeout: Some(Duration::from_mins(1)),
        parallel: 9,
        sandbox: Sandbox::Off,
        chooser: None,
    };
    assert_eq!(whole, expect);
    let mistaken = of("sandbox = \"best\"", &[(Error, 2, "best-effort")]);
    assert_eq!(mistaken.sandbox, Sandbox::Require);
    for wrong in ["timeout = true", "timeout = 0", "max_depth = 0", "chooser = \"nobody/m\""] {
        let problem = check(&format!("[delegation]\n{wrong}\n"), &[(Error, 2, "")]).delegation;
        assert_eq!(problem, DelegationSettings::default(), "{wrong}");
    }
}

#[test]
fn a_fallback_is_authorised_and_never_leaves_the_machine_from_a_local_route() {
    let routes = |text: &str, expect: &[(Severity, usize, &str)]| {
        let file = format!(
            "[providers.p]\npreset = \"vllm\"\n[policy]\nallowed = [\"p/a\", \"p/b\"]\n\
             [routes.\"p/b\"]\nlocal = true\n[routes.\"p/m\"]\n{text}\n"
        );
        let config = check(&file, expect);
        config.routes[&"p/m".parse().unwrap()].fallback.iter().map(ToString::to_string).collect::<Vec<_>>()
    };
    assert_eq!(routes("fallback = [\"p/b\", \"p/a\"]", &[]), ["p/b", "p/a"]);
    assert_eq!(routes("fallback = [\"p/c\", \"p/a\"]", &[(Error, 8, "not authorised")]), ["p/a"]);
    assert!(routes("fallback = [\"p/m\"]", &[(Error, 8, "the route itself")]).is_empty());
    assert!(routes("fallback = [\"q/m\"]", &[(Error, 8, "no usable one")]).is_empty());
    assert!(routes("fallback = \"p/a\"", &[(Error, 8, "a list of strings")]).is_empty());
    assert_eq!(routes("local = true\nfallback = [\"p/a\", \"p/b\"]", &[(Error, 9, "not local")]), ["p/b"]);
}

#[test]
fn a_routes_own_timeouts_stand_on_its_providers() {
    let config = check(
        "[providers.p]\npreset = \"vllm\"\ntimeouts = { idle = 7, first_byte = 8 }\n\
         [routes.\"p/m\"]\ntimeouts = { idle = 9, total = 60 }\n[routes.\"p/n\"]\n",
        &[],
    );
    let of = |route: &str| config.routes[&route.parse().unwrap()].timeouts;
    let seconds = Duration::from_secs;
    let expect = Timeouts {
        idle: seconds(9),
        first_byte: Some(seconds(8)),
        total: Some(seconds(60)),
        ..Timeouts::default()
    };
    assert_eq!((of("p/m"), of("p/n")), (Some(expect), None));
}

#[test]
fn a_budget_limits_something_and_names_what_is_there() {
    let budgets = |text: &str, expect: &[(Severity, usize, &str)]| {
        check(&format!("[providers.p]\npreset = \"vllm\"\n[budgets.night]\n{text}\n"), expect).budgets
    };
    let whole =
        budgets("per = \"day\"\nagent = \"a\"\nroute = \"p/*\"\nrequests = 1\ntokens = 2\nusd = 0.5", &[]);
    let expect = Budget {
        name: "night".to_owned(),
        per: Period::Day,
        agent: Some("a".to_owned()),
        routes: Some("p/*".parse().unwrap()),
        requests: std::num::NonZeroU64::new(1),
        tokens: std::num::NonZeroU64::new(2),
        usd: Some(0.5),
    };
    assert_eq!(whole, [expect]);
    assert_eq!(budgets("usd = 1", &[])[0].per, Period::Session);
    for (text, line, part) in [
        ("per = \"day\"", 3, "limits nothing"),
        ("per = \"week\"\nusd = 1", 4, "`session`, `day`"),
        ("per = \"request\"\nrequests = 1", 3, "always one request"),
        ("route = \"q/*\"\nusd = 1", 4, "no provider `q`"),
        ("route = \"p\"\nusd = 1", 4, "no route"),
        ("usd = -1", 4, "0 or more"),
        ("tokens = 0", 4, "above 0"),
    ] {
        assert!(budgets(text, &[(Error, line, part)]).is_empty(), "{text}");
    }
}
