//! System turns among the messages.

use super::*;

/// A body with these messages, each written `role: text` (content as a string) or `role[text]` (as a block).
fn body(turns: &str) -> String {
    let turn = |turn: &str| {
        if let Some((role, text)) = turn.split_once(": ") {
            return format!(r#"{{"role":"{role}","content":"{text}"}}"#);
        }
        let (role, text) = turn.trim_end_matches(']').split_once('[').unwrap();
        format!(r#"{{"role":"{role}","content":[{{"type":"text","text":"{text}"}}]}}"#)
    };
    let turns: Vec<String> = turns.split(" | ").map(turn).collect();
    format!(r#"{{"messages":[{}],"max_tokens":8}}"#, turns.join(","))
}

/// The same way of writing, of what came out: the texts of a turn joined by ` + `, reminders in parentheses.
fn told(body: &str) -> String {
    let body: serde_json::Value = serde_json::from_str(body).unwrap();
    let text = |block: &serde_json::Value| {
        let text = block["text"].as_str().unwrap_or(block["type"].as_str().unwrap()).to_owned();
        match text.strip_prefix("<system-reminder>\n") {
            Some(inner) => format!("({})", inner.strip_suffix("\n</system-reminder>").unwrap()),
            None => text,
        }
    };
    let turn = |turn: &serde_json::Value| {
        let role = turn["role"].as_str().unwrap();
        match &turn["content"] {
            serde_json::Value::String(text) => format!("{role}: {text}"),
            content => {
                let texts: Vec<String> = content.as_array().unwrap().iter().map(text).collect();
                format!("{role}[{}]", texts.join(" + "))
            }
        }
    };
    body["messages"].as_array().unwrap().iter().map(turn).collect::<Vec<_>>().join(" | ")
}

#[test]
fn d01_system_turns_are_folded_in_their_order_and_roles_alternate() {
    let plan = plan(&[Repair::FoldSystemTurns]);
    for (turns, expect) in [
        ("user: a | system: s", "user[a + (s)]"),
        ("user[a] | system[s]", "user[a + (s)]"),
        ("user: a | system: s | assistant: b | user: c", "user[a + (s)] | assistant: b | user: c"),
        ("user: a | system: s | system: t | assistant: b", "user[a + (s) + (t)] | assistant: b"),
        ("user: a | assistant: b | system: s | user: c", "user: a | assistant: b | user[(s) + c]"),
        ("user: a | assistant: b | system: s", "user: a | assistant: b | user[(s)]"),
        (
            "user: a | assistant: b | system: s | assistant: c",
            "user: a | assistant: b | user[(s)] | assistant: c",
        ),
        ("system: s | user: a", "user[(s) + a]"),
        ("user: a | system: s | user: b | assistant: c", "user[a + (s) + b] | assistant: c"),
        ("user: a | system:  | assistant: b", "user: a | assistant: b"),
        ("system: s", "user[(s)]"),
        // Nothing that isn't the system's is touched.
        ("user: a | user: b | assistant: c", "user: a | user: b | assistant: c"),
        ("user: system | assistant: s", "user: system | assistant: s"),
    ] {
        let out = request(&plan, &body(turns));
        assert_eq!(told(&out), expect, "{turns}");
        assert_eq!(request(&plan, &out), out, "again: {turns}");
    }
}

#[test]
fn d01_marks_for_a_cache_and_other_bytes_stay() {
    let body = r#"{"messages":[{"role":"user","content":"x\u00e9"} , {"role":"system","content":[{"type":"text","text":"a\"b","cache_control":{"type":"ephemeral"}}]}],"system":[1.0]}"#;
    let expect = r#"{"messages":[{"role":"user","content":[{"type":"text","text":"x\u00e9"},{"type":"text","text":"<system-reminder>\na\"b\n</system-reminder>","cache_control":{"type":"ephemeral"}}]} ],"system":[1.0]}"#;
    check(Repair::FoldSystemTurns, &[(body, expect)]);
}

#[test]
fn results_of_tools_stay_at_the_head_of_their_turn() {
    let body = r#"{"messages":[{"role":"assistant","content":[{"type":"tool_use","id":"t"}]},{"role":"system","content":"s"},{"role":"user","content":[{"type":"tool_result","tool_use_id":"t"},{"type":"text","text":"a"}]}]}"#;
    let out = request(&plan(&[Repair::FoldSystemTurns]), body);
    assert_eq!(told(&out), "assistant[tool_use] | user[tool_result + (s) + a]");
}

#[test]
fn what_says_nothing_or_is_marked_already_gets_no_mark() {
    let plan = plan(&[Repair::FoldSystemTurns]);
    // One that only sets an effort for what follows.
    let empty = r#"{"messages":[{"role":"user","content":"a"},{"role":"system","content":[],"output_config":{}},{"role":"system","content":[{"type":"text","text":""}]}]}"#;
    assert_eq!(told(&request(&plan, empty)), "user: a");
    let marked = r"user: a | system: <system-reminder>\ns\n</system-reminder>";
    assert_eq!(told(&request(&plan, &body(marked))), "user[a + (s)]");
}

#[test]
fn d01_or_they_go_to_the_end_of_the_system_prompt() {
    let messages = r#""messages":[{"role":"user","content":"a"},{"role":"system","content":"s"},{"role":"user","content":"b"}]"#;
    let left =
        r#""messages":[{"role":"user","content":[{"type":"text","text":"a"},{"type":"text","text":"b"}]}]"#;
    let plan = plan(&[Repair::HoistSystemTurns, Repair::FoldSystemTurns]);
    for (system, expect) in [
        (r#""system":"S","#, r#""system":[{"type":"text","text":"S"},{"type":"text","text":"s"}],"#),
        (r#""system":[{"text":"S"}],"#, r#""system":[{"text":"S"},{"type":"text","text":"s"}],"#),
    ] {
        assert_eq!(request(&plan, &format!("{{{system}{messages}}}")), format!("{{{expect}{left}}}"));
    }
    let added = request(&plan, &format!("{{{messages}}}"));
    assert_eq!(added, format!(r#"{{{left},"system":[{{"type":"text","text":"s"}}]}}"#));
    assert_eq!(request(&plan, &added), added);
}

#[test]
fn d01_what_is_folded_is_repaired_too() {
    let plan = plan(&[Repair::FoldSystemTurns, Repair::DropCacheControl, Repair::ImagesAsText]);
    let body = r#"{"messages":[{"role":"user","content":[]},{"role":"system","content":[{"type":"text","text":"s","cache_control":{}},{"type":"image"}]}]}"#;
    let out = request(&plan, body);
    assert!(!out.contains("cache_control"), "{out}");
    assert_eq!(told(&out), "user[(s) + ([An image stood here. This model reads text only.])]");
}
