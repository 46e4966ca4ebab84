//! `subagents provider test`: reach, catalogue, and one trial.

use serde_json::json;

use crate::provider_servers::{CANARY, Reply, Server, like, missing, no_canary_in_files, stage};

#[test]
fn the_first_model_of_the_list_is_tried() {
    let server = Server::new(like("kimi"));
    let stage = stage("kimi", &server);
    let ran = stage.run(&["provider", "test", "p", "--json"]);
    assert_eq!(ran.code, 0, "{}{}", ran.stdout, ran.stderr);
    let report = ran.json("provider-test");
    assert_eq!(
        (&report["catalogue"]["models"], &report["trial"]["route"]),
        (&json!(1), &json!("p/kimi-k2.6"))
    );
    let told = stage.run(&["provider", "test", "p"]).ok();
    assert!(
        told.contains("p: connected") && told.contains("listed at /v1/models: 1") && told.contains("works"),
        "{told}"
    );
    no_canary_in_files(&stage, &[]);
}

#[test]
fn a_model_in_use_comes_first_and_a_named_one_before_it() {
    let server = Server::new(like("kimi"));
    let stage = stage("kimi", &server)
        .with("config/agents/a.md", "---\nname: a\ndescription: d\nmodel: p/used\n---\nDo it.\n");
    let route = |more: &[&str]| {
        let report = stage.run(&[&["provider", "test", "p", "--json"], more].concat()).json("provider-test");
        report["trial"]["route"].clone()
    };
    assert_eq!(route(&[]), "p/used");
    assert_eq!(route(&["--model", "named"]), "p/named");
}

#[test]
fn an_id_that_can_be_no_route_is_passed_over() {
    let server = Server::new(|asked| match asked.path() {
        "/v1/models" => Reply::Json(200, json!({"data": [{"id": "My Model"}, {"id": "m"}]})),
        _ => missing(),
    });
    let stage = stage("vllm", &server);
    let report = stage.run(&["provider", "test", "p", "--json"]).json("provider-test");
    assert_eq!(report["trial"]["route"], "p/m");
    let told = stage.run(&["provider", "test", "p", "--model", "My Model"]).failed(2);
    assert!(told.contains("--model"), "{told}");
}

#[test]
fn d13_a_list_without_a_completion_is_a_failure() {
    let server = Server::new(|asked| match asked.path() {
        "/v1/models" => Reply::Json(200, json!({"data": [{"id": "m"}]})),
        _ => missing(),
    });
    let ran = stage("vllm", &server).run(&["provider", "test", "p", "--json"]);
    assert_eq!(ran.code, 1);
    let report = ran.json("provider-test");
    assert_eq!((&report["catalogue"]["models"], &report["ok"]), (&json!(1), &json!(false)));
    assert_eq!(report["trial"]["problem"]["kind"], "missing");
}

#[test]
fn nobody_there_is_told_and_nothing_is_tried() {
    let config = "[providers.p]\npreset = \"vllm\"\nbase_url = \"http://127.0.0.1:9\"\n";
    let stage = crate::stage::Stage::new().with("config/config.toml", config);
    let ran = stage.run(&["provider", "test", "p", "--json"]);
    assert_eq!(ran.code, 1);
    let report = ran.json("provider-test");
    assert_eq!(
        (&report["reach"]["problem"]["kind"], &report["trial"]),
        (&json!("unreachable"), &json!(null))
    );
}

#[test]
fn i03_a_provider_that_repeats_the_key_finds_no_echo_here() {
    let server = Server::new(crate::provider_servers::refusal);
    let stage = stage("kimi", &server);
    let ran = stage.run(&["provider", "test", "p", "--model", "m", "--json"]);
    assert!(!ran.stdout.contains(CANARY) && !ran.stderr.contains(CANARY));
    assert_eq!(ran.code, 1);
    no_canary_in_files(&stage, &[]);
}
