//! `subagents route test`: a real completion with each preset's provider, good and bad.

use serde_json::{Value, json};

use crate::provider_servers::{
    Always, Asked, CANARY, Reply, Server, like, message, missing, no_canary_in_files, refusal, stage,
    stream_of,
};
use crate::stage::{Ran, Stage};

fn tested(stage: &Stage, more: &[&str]) -> Ran {
    let arguments = [&["route", "test", "p/m", "--json"], more].concat();
    let ran = stage.run(&arguments);
    assert!(!ran.stdout.contains(CANARY) && !ran.stderr.contains(CANARY), "{}{}", ran.stdout, ran.stderr);
    no_canary_in_files(stage, &[]);
    ran
}

/// A stage whose `p` has this key and this server below `path`.
fn keyed(kind: &str, url: &str) -> Stage {
    let auth = format!("{{ kind = \"{kind}\", secret = \"env:CANARY\" }}");
    let config = format!("[providers.p]\nbase_url = \"{url}\"\nauth = {auth}\n");
    Stage::new().with("config/config.toml", &config).with_variable("CANARY", CANARY)
}

fn verdict<'v>(report: &'v Value, check: &str) -> &'v str {
    report["checks"][check]["verdict"].as_str().unwrap()
}

#[test]
fn each_presets_provider_is_tried_on_the_path_that_agents_use() {
    for (preset, path) in [
        ("ollama", "/v1/messages"),
        ("lm-studio", "/v1/messages"),
        ("llama-cpp", "/v1/messages"),
        ("vllm", "/v1/messages"),
        ("openrouter", "/api/v1/messages"),
        ("deepseek", "/anthropic/v1/messages"),
        ("glm", "/api/anthropic/v1/messages"),
        ("kimi", "/anthropic/v1/messages"),
        ("minimax", "/anthropic/v1/messages"),
        ("anthropic", "/v1/messages"),
    ] {
        let server = Server::new(like(preset));
        let ran = tested(&stage(preset, &server), &[]);
        assert_eq!(ran.code, 0, "{preset}: {}{}", ran.stdout, ran.stderr);
        let report = ran.json("route-test");
        assert_eq!((&report["path"], &report["ok"]), (&json!(path), &json!(true)), "{preset}");
        for check in ["streaming", "tools", "count_tokens", "thinking", "system_turn"] {
            assert_eq!(verdict(&report, check), "works", "{preset} {check}");
        }
        assert_eq!(
            report["tokens"],
            json!({"input": 31, "output": 9, "cache_read": null, "cache_write": null})
        );
        assert_eq!(
            (&report["stop_reason"], &report["auth"]["worked"]),
            (&json!("tool_use"), &report["auth"]["configured"])
        );
    }
}

#[test]
fn d13_the_completion_is_real_tiny_and_streamed_with_our_own_name() {
    let server = Server::new(like("kimi"));
    tested(&stage("kimi", &server), &[]).ok();
    let asked = server.asked();
    let first = &asked[0];
    assert_eq!(first.target, "/anthropic/v1/messages?beta=true");
    assert_eq!((&first.body["stream"], &first.body["model"]), (&json!(true), &json!("m")));
    assert!(first.body["max_tokens"].as_u64().unwrap() <= 512 && first.body["tools"].is_array());
    assert_eq!(first.header("anthropic-version"), Some("2023-06-01"));
    for asked in &asked {
        assert!(asked.header("user-agent").unwrap().starts_with("subagents/"));
        assert_eq!(asked.auth(), ["authorization"]);
    }
}

/// Kimi's coding endpoint as D13 reports it: the list is open to all, chat completions only to some.
fn gated(asked: &Asked) -> Reply {
    match asked.path() {
        "/coding/v1/models" => Reply::Json(200, json!({"object": "list", "data": [{"id": "m"}]})),
        "/coding/v1/chat/completions" => {
            let error = json!({"type": "access_terminated_error", "message": "only for coding agents"});
            Reply::Json(403, json!({"error": error}))
        }
        "/coding/v1/messages" => message(asked),
        _ => missing(),
    }
}

#[test]
fn d13_a_list_proves_nothing_and_the_path_that_works_is_named() {
    let server = Server::new(gated);
    let stage = keyed("bearer", &server.url("/coding/v1"));
    stage.run(&["provider", "set", "p", "dialect", "openai-chat"]).ok();
    stage.run(&["provider", "models", "p"]).ok();
    let ran = tested(&stage, &[]);
    assert_eq!(ran.code, 1);
    let report = ran.json("route-test");
    assert_eq!(report["problem"]["kind"], "denied");
    let expect =
        json!({"dialect": "anthropic", "base_url": server.url("/coding"), "path": "/coding/v1/messages"});
    assert_eq!(report["elsewhere"], expect);
    let told = stage.run(&["route", "test", "p/m"]);
    assert!(told.stdout.contains("works at /coding/v1/messages"), "{}", told.stdout);
    for asked in server.asked() {
        assert!(asked.header("user-agent").unwrap().starts_with("subagents/"));
    }
}

/// Takes the key in one header only.
fn only(style: &'static str) -> impl Fn(&Asked) -> Reply + Send + Sync + 'static {
    move |asked| match asked.auth().as_slice() {
        [header] if *header == style && asked.path() == "/v1/messages" => message(asked),
        [header] if *header == style => missing(),
        _ => refusal(asked),
    }
}

#[test]
fn a05_the_other_style_is_tried_and_what_worked_is_told_and_written() {
    for (configured, worked, header) in [
        ("bearer", "x-api-key", "x-api-key"),
        ("x-api-key", "bearer", "authorization"),
        ("both", "bearer", "authorization"),
    ] {
        let server = Server::new(only(header));
        let stage = keyed(configured, &server.url(""));
        let report = tested(&stage, &["--write"]).json("route-test");
        assert_eq!(
            (&report["auth"]["worked"], &report["written"]),
            (&json!(worked), &json!(true)),
            "{configured}"
        );
        let line = format!("auth.kind = \"{worked}\"");
        assert_eq!(report["learned"], json!([{"line": line, "source": "trial"}]));
        let text = stage.read("config/config.toml");
        assert!(
            text.contains(&format!("auth = {{ kind = \"{worked}\", secret = \"env:CANARY\" }}")),
            "{text}"
        );
        let both = server.asked().iter().filter(|asked| asked.auth().len() > 1).count();
        assert_eq!(both, usize::from(configured == "both"), "never both at once unless configured");
    }
}

#[test]
fn a05_a_key_that_no_style_makes_right_is_told_with_what_was_tried() {
    let server = Server::new(refusal);
    let stage = keyed("bearer", &server.url(""));
    let ran = tested(&stage, &[]);
    let report = ran.json("route-test");
    assert_eq!(
        report["auth"],
        json!({"configured": "bearer", "worked": null, "tried": ["bearer", "x-api-key"]})
    );
    let told = stage.run(&["route", "test", "p/m"]);
    assert!(told.code == 1 && told.stdout.contains("`x-api-key` too"), "{}", told.stdout);
}

#[test]
fn d03_only_a_whole_number_is_a_count() {
    let answers: [fn() -> Reply; 6] = [
        || Reply::Json(404, json!({})),
        || Reply::Json(405, json!({})),
        || Reply::Json(501, json!({"error": "no"})),
        || Reply::Json(200, json!({})),
        || Reply::Json(200, json!({"error": "Unexpected endpoint. Returning 200 anyway"})),
        || Reply::Page(200),
    ];
    for answer in answers {
        let server = Server::new(move |asked| match asked.path() {
            "/v1/messages/count_tokens" => answer(),
            _ => message(asked),
        });
        let report = tested(&keyed("bearer", &server.url("")), &[]).json("route-test");
        assert_ne!(verdict(&report, "count_tokens"), "works");
        assert_eq!((verdict(&report, "tools"), &report["ok"]), ("works", &json!(true)));
    }
}

#[test]
fn a_model_without_tools_is_found_out_and_written_with_its_source() {
    let server = Server::new(|asked| match asked.path() {
        "/v1/messages" if asked.body["tools"].is_array() => {
            Reply::Json(400, json!({"error": "m does not support tools"}))
        }
        "/v1/messages" => message(asked),
        _ => missing(),
    });
    let stage = keyed("bearer", &server.url(""));
    let report = tested(&stage, &["--write"]).json("route-test");
    assert_eq!(verdict(&report, "tools"), "fails");
    assert!(report["checks"]["tools"]["reason"].as_str().unwrap().contains("does not support tools"));
    let text = stage.read("config/config.toml");
    assert!(text.contains("[routes.\"p/m\"]\ntools = false   # trial, 20"), "{text}");
}

#[test]
fn what_the_catalogue_says_is_written_with_its_source_and_what_stood_there_stays() {
    let server = Server::new(like("openrouter"));
    let stage = stage("openrouter", &server);
    let text = format!(
        "{}\n[routes.\"p/z-ai/glm-5\"]\ncontext_window = 1000 # mine\n",
        stage.read("config/config.toml")
    );
    let stage = stage.with("config/config.toml", &text);
    let ran = stage.run(&["route", "test", "p/z-ai/glm-5", "--write"]);
    assert!(ran.stdout.contains("output_limit = 131072 (catalogue)"), "{}", ran.stdout);
    ran.ok();
    let text = stage.read("config/config.toml");
    assert!(text.contains("context_window = 1000 # mine\noutput_limit = 131072   # catalogue, 20"), "{text}");
    assert!(
        text.contains("price = { input = 0.6, output = 2.2, cache_read = 0.11 }   # catalogue, 20"),
        "{text}"
    );
}

#[test]
fn nothing_is_written_unless_it_is_wanted() {
    let server = Server::new(only("x-api-key"));
    let stage = keyed("bearer", &server.url(""));
    let before = stage.read("config/config.toml");
    let ran = stage.run(&["route", "test", "p/m"]);
    assert!(ran.stderr.contains("--write"), "{}", ran.stderr);
    ran.ok();
    assert_eq!(stage.read("config/config.toml"), before);
}

#[test]
fn an_answer_in_one_piece_works_and_is_no_stream() {
    let server = Server::new(|asked| match asked.path() {
        "/v1/messages" => Reply::Json(
            200,
            json!({"type": "message", "role": "assistant", "content": [{"type": "text", "text": "x"}], "stop_reason": "end_turn"}),
        ),
        _ => missing(),
    });
    let report = tested(&keyed("bearer", &server.url("")), &[]).json("route-test");
    assert_eq!((verdict(&report, "streaming"), verdict(&report, "tools")), ("fails", "accepted"));
    assert_eq!(verdict(&report, "thinking"), "accepted");
}

#[test]
fn refused_thinking_and_system_turns_are_told_with_the_providers_words() {
    let server = Server::new(|asked| {
        let role = &asked.body["messages"][1]["role"];
        if asked.path() != "/v1/messages" {
            missing()
        } else if asked.body["thinking"].is_object() {
            Reply::Json(400, json!({"error": {"message": "thinking: adaptive is unknown"}}))
        } else if role == "system" {
            let told = "messages[1].role: unknown variant `system`, expected `user` or `assistant`";
            Reply::Json(400, json!({"error": {"message": told}}))
        } else {
            message(asked)
        }
    });
    let report = tested(&keyed("bearer", &server.url("")), &[]).json("route-test");
    assert!(report["checks"]["system_turn"]["reason"].as_str().unwrap().contains("unknown variant `system`"));
    assert!(report["checks"]["thinking"]["reason"].as_str().unwrap().contains("adaptive is unknown"));
    assert_eq!(report["ok"], true);
}

#[test]
fn what_may_be_passing_proves_nothing() {
    let server = Server::new(|asked| {
        if asked.body["thinking"].is_object() {
            Reply::Json(529, json!({"error": {"message": "overloaded"}}))
        } else {
            message(asked)
        }
    });
    let report = tested(&keyed("bearer", &server.url("")), &[]).json("route-test");
    assert_eq!(verdict(&report, "thinking"), "unknown");
}

#[test]
fn an_overload_in_the_middle_of_a_stream_proves_nothing_and_ends_the_trial() {
    let overloaded = || {
        let error = json!({"type": "error", "error": {"type": "overloaded_error", "message": "Overloaded"}});
        Reply::Events(format!("event: error\ndata: {error}\n\n"))
    };
    let server = Server::new(
        move |asked| if asked.body["thinking"].is_object() { overloaded() } else { message(asked) },
    );
    let report = tested(&keyed("bearer", &server.url("")), &[]).json("route-test");
    assert_eq!(verdict(&report, "thinking"), "unknown");
    let server = Server::new(move |_| overloaded());
    let report = tested(&keyed("bearer", &server.url("")), &[]).json("route-test");
    assert_eq!((&report["problem"]["kind"], server.asked().len()), (&json!("overloaded"), 1));
}

#[test]
fn each_way_to_fail_is_told_by_its_kind() {
    let error = "event: error\ndata: {\"type\":\"error\",\"error\":{\"message\":\"overloaded\"}}\n\n";
    let cut = stream_of(&json!({"type": "text", "text": ""}))
        .split("event: message_delta")
        .next()
        .unwrap()
        .to_owned();
    let table: Vec<(Always, &str, &str)> = vec![
        (Box::new(|| Reply::Page(200)), "page", "web page"),
        (Box::new(|| Reply::Redirect("/x")), "redirect", "base_url"),
        (Box::new(missing), "missing", "nothing at /v1/messages"),
        (
            Box::new(|| Reply::Json(200, json!({"error": "Unexpected endpoint"}))),
            "error_body",
            "Unexpected endpoint",
        ),
        (Box::new(move || Reply::Events(error.to_owned())), "error_body", "overloaded"),
        (Box::new(move || Reply::Events(cut.clone())), "cut", "before its last event"),
        (Box::new(|| Reply::Events(String::new())), "cut", "no message"),
        (Box::new(|| Reply::Json(200, json!({"ok": true}))), "no_json", "no JSON"),
        (
            Box::new(|| Reply::Json(400, json!({"error": {"message": "no such model"}}))),
            "refused",
            "no such model",
        ),
        (Box::new(|| Reply::Silence), "timeout", "0.3 s (timeouts.first_byte)"),
    ];
    for (manner, kind, part) in table {
        let server = Server::new(move |_| manner());
        let stage = keyed("bearer", &server.url(""));
        if kind == "timeout" {
            stage.run(&["provider", "set", "p", "timeouts.first_byte", "0.3"]).ok();
        }
        let ran = tested(&stage, &[]);
        assert_eq!(ran.code, 1, "{kind}");
        let problem = ran.json("route-test")["problem"].clone();
        assert_eq!(problem["kind"], kind, "{problem}");
        assert!(problem["message"].as_str().unwrap().contains(part), "{problem}");
    }
}

#[test]
fn a_self_signed_provider_is_tried_with_its_own_certificate() {
    let server = Server::self_signed(message);
    let stage = keyed("bearer", &server.url(""));
    assert_eq!(tested(&stage, &[]).json("route-test")["problem"]["kind"], "certificate");
    stage.run(&["provider", "set", "p", "ca_file", server.ca_file().to_str().unwrap()]).ok();
    assert_eq!(tested(&stage, &[]).json("route-test")["ok"], true);
}

#[test]
fn a_provider_of_another_dialect_is_tried_as_its_agents_would_use_it() {
    let chat = |tool: &Value| {
        let called = json!({"choices": [{"delta": {"tool_calls": [{"function": {"name": tool["function"]["name"]}}]}}]});
        let end = json!({"choices": [{"delta": {}, "finish_reason": "tool_calls"}]});
        let usage = json!({"choices": [], "usage": {"prompt_tokens": 9, "completion_tokens": 4}});
        Reply::Events(format!("data: {called}\n\ndata: {end}\n\ndata: {usage}\n\ndata: [DONE]\n\n"))
    };
    let responses = |tool: &Value| {
        let item = json!({"type": "function_call", "call_id": "a", "name": tool["name"], "arguments": "{}"});
        let called = json!({"type": "response.output_item.done", "output_index": 0, "item": item});
        let usage = json!({"input_tokens": 9, "output_tokens": 4});
        let end = json!({"type": "response.completed", "response": {"status": "completed", "usage": usage}});
        Reply::Events(format!("data: {called}\n\ndata: {end}\n\n"))
    };
    let server = Server::new(move |asked| match asked.path() {
        "/v1/chat/completions" if asked.body["max_completion_tokens"].is_u64() => {
            chat(&asked.body["tools"][0])
        }
        "/v1/responses" => responses(&asked.body["tools"][0]),
        _ => missing(),
    });
    for (dialect, path) in [("openai-chat", "/v1/chat/completions"), ("openai-responses", "/v1/responses")] {
        let config = format!(
            "[providers.p]\nbase_url = \"{}\"\ndialect = \"{dialect}\"\n\
             auth = {{ kind = \"x-api-key\", secret = \"env:CANARY\" }}\n\
             [routes.\"p/m\"]\nchat.limit = \"max_completion_tokens\"\n",
            server.url("/v1")
        );
        let stage = Stage::new().with("config/config.toml", &config).with_variable("CANARY", CANARY);
        let report = tested(&stage, &[]).json("route-test");
        assert_eq!(
            (&report["ok"], &report["usable"], verdict(&report, "tools")),
            (&json!(true), &json!(true), "works")
        );
        assert_eq!((&report["path"], &report["auth"]["worked"]), (&json!(path), &json!("bearer")));
        assert_eq!((&report["stop_reason"], &report["tokens"]["output"]), (&json!("tool_use"), &json!(4)));
    }
}

#[test]
fn a_key_that_is_missing_and_a_provider_that_is_none_are_told() {
    let stage = keyed("bearer", "http://127.0.0.1:9");
    let told = stage.run(&["route", "test", "q/m"]).failed(3);
    assert!(told.contains("no usable provider `q`"), "{told}");
    let stage = Stage::new().with("config/config.toml", "[providers.kimi]\npreset = \"kimi\"\n");
    let told = stage.run(&["route", "test", "kimi/m"]).failed(1);
    assert!(told.contains("MOONSHOT_API_KEY is not set"), "{told}");
}

#[test]
fn each_step_is_told_as_it_is_taken_where_that_is_asked_for() {
    let server = Server::new(like("vllm"));
    let stage = stage("vllm", &server);
    let ran = tested(&stage, &["--steps"]);
    let steps: Vec<&str> = ran.stderr.lines().collect();
    assert!(steps[0].starts_with("asking for a completion"), "{steps:?}");
    assert!(steps.contains(&"counting tokens") && steps.contains(&"asking it to think"), "{steps:?}");
    ran.json("route-test");
    assert_eq!(tested(&stage, &[]).stderr, "", "nobody is at a terminal");
}

#[test]
fn d15_ollama_is_asked_with_how_much_context_it_has_loaded_the_model() {
    let loaded = |tokens: u64| json!({"models": [{"name": "m:latest", "model": "m:latest", "context_length": tokens}]});
    for (told, settings, expect) in [
        (Some(loaded(4096)), "", "fails"),
        (Some(loaded(65_536)), "", "works"),
        (Some(loaded(4096)), "[routes.\"p/m\"]\ncontext_window = 4096\n", "works"),
        (None, "", "unknown"),
    ] {
        let answers = like("ollama");
        let server = Server::new(move |asked| match (asked.path(), &told) {
            ("/api/ps", Some(told)) => Reply::Json(200, told.clone()),
            _ => answers(asked),
        });
        let plain = stage("ollama", &server);
        let config = format!("{}{settings}", plain.read("config/config.toml"));
        let stage = plain.with("config/config.toml", &config);
        let ran = tested(&stage, &[]);
        assert_eq!(ran.code, 0, "it advises only: {}", ran.stderr);
        let report = ran.json("route-test");
        assert_eq!(verdict(&report, "context"), expect, "{report}");
        let text = stage.run(&["route", "test", "p/m"]).ok();
        assert_eq!(text.contains("OLLAMA_CONTEXT_LENGTH=32000"), expect == "fails", "{text}");
    }
    let server = Server::new(like("vllm"));
    assert!(tested(&stage("vllm", &server), &[]).json("route-test")["checks"].get("context").is_none());
    assert!(!server.paths().contains(&"/api/ps".to_owned()));
}
