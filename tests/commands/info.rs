//! `subagents info`, and the shapes of what the older commands print as JSON.

use serde_json::Value;

use crate::fake::{Provider, with_claude};
use crate::stage::{Ran, Stage};

fn place<'v>(info: &'v Value, name: &str) -> &'v Value {
    info["places"].as_array().unwrap().iter().find(|place| place["name"] == name).unwrap()
}

#[test]
fn every_place_is_told_and_whether_it_is_there() {
    let stage = Stage::new().with("project/.subagents/profile.toml", "");
    let stage = with_claude(stage.only_own("project/.subagents/profile.toml").only_own("project/.subagents"));
    let info = stage.run(&["info", "--json"]).json("info");
    assert_eq!(place(&info, "config_dir")["path"], stage.at("config").to_str().unwrap());
    assert_eq!(place(&info, "agents_dir")["exists"], true);
    assert_eq!(place(&info, "config_file")["exists"], false);
    let log = stage.at("home/.local/state/subagents/subagents.log");
    assert_eq!(place(&info, "log_file")["path"], log.to_str().unwrap());
    assert_eq!(info["claude"]["version"], "2.1.332");
    assert_eq!(info["project"]["standing"], "unknown");
    assert!(["landlock", "none"].contains(&info["sandbox"].as_str().unwrap()));
    let text = stage.run(&["info"]).ok();
    assert!(text.contains("config file") && text.contains("2.1.332"), "{text}");
}

#[test]
fn without_claude_code_it_says_why() {
    let info = Stage::new().run(&["info", "--json"]).json("info");
    assert!(info["claude"]["error"].as_str().unwrap().contains("npm install"), "{info}");
    assert_eq!(info["project"], Value::Null);
}

/// An agent on a route of a provider on loopback.
fn routed(provider: &Provider) -> Stage {
    let config = format!(
        "[providers.p]\nbase_url = \"{}\"\nauth = {{ kind = \"bearer\", secret = \"env:KEY\" }}\n\
         [routes.\"p/m\"]\ncontext_window = 1000\nprice = {{ input = 1, output = 2 }}\n",
        provider.url()
    );
    let agent = "---\nname: rev\ndescription: Reviews.\nmodel: p/m\n---\nReview.\n";
    let stage = Stage::new().with("config/config.toml", &config).with("config/agents/rev.md", agent);
    with_claude(stage).with_variable("KEY", "canary-key").with_variable("ANTHROPIC_BASE_URL", &provider.url())
}

#[test]
fn the_doctors_findings_have_their_documented_shape() {
    let provider = Provider::start();
    let found = routed(&provider).run(&["doctor", "--json"]).json("doctor");
    assert_eq!(found["breaks"], 0, "{found:#}");
    let found = Stage::new().run(&["doctor", "--json"]).json("doctor");
    assert_eq!(found["breaks"], 1, "{found:#}");
}

#[test]
fn l2_a_dry_run_has_its_documented_shape_and_no_key() {
    let shown = routed(&Provider::start()).run(&["run", "--dry-run", "--json"]).json("dry-run");
    assert_eq!(shown["agents"]["rev"]["model"], "rev@p/m");
    assert!(!shown.to_string().contains("canary"), "{shown:#}");
}

/// One request as `rev`, by Bash alone.
const ASK: &str = r#"
    address=${ANTHROPIC_BASE_URL#http://}; body='{"model":"rev@p/m","max_tokens":1,"messages":[]}'
    exec 3<>"/dev/tcp/${address%%:*}/$(cut -d: -f2 <<<"$address" | cut -d/ -f1)"
    printf 'POST /%s/v1/messages HTTP/1.1\r\nHost: %s\r\nConnection: close\r\nContent-Type: application/json\r\nContent-Length: %s\r\n\r\n%s' \
        "${address#*/}" "${address%%/*}" "${#body}" "$body" >&3
    cat <&3 > answer.txt
"#;

#[test]
fn the_figures_have_their_documented_shape() {
    let stage = routed(&Provider::start()).with_variable("THEN", ASK);
    stage.run(&["run", "--stats-file", "stats.json"]).ok();
    let answer = stage.read("project/answer.txt");
    assert!(answer.starts_with("HTTP/1.1 200"), "{answer}");
    let stats =
        Ran { code: 0, stdout: stage.read("project/stats.json"), stderr: String::new() }.json("stats");
    let row = stats["agents"].as_array().unwrap().iter().find(|row| row["route"] == "p/m").unwrap();
    assert_eq!((&row["requests"], &row["ok"], &row["output_tokens"]), (&1.into(), &1.into(), &7.into()));
}
