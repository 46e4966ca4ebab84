//! What each repair makes of a body.

use super::*;

#[test]
fn b05_two_requests_that_differ_by_their_attribution_go_out_alike() {
    let body = |nonce: &str| {
        format!(
            r#"{{"system":[{{"type":"text","text":"x-anthropic-billing-header: cc_version=2.1.117.48f; cch={nonce};"}},{{"type":"text","text":"You review."}}],"messages":[{{"role":"user","content":"x-anthropic-billing-header: mine"}}]}}"#
        )
    };
    let plan = plan(&[Repair::DropAttribution]);
    let out = request(&plan, &body("71fea"));
    assert_eq!(out, request(&plan, &body("0aaa9")));
    // The same words in a message are the person's.
    assert_eq!(
        out,
        r#"{"system":[{"type":"text","text":"You review."}],"messages":[{"role":"user","content":"x-anthropic-billing-header: mine"}]}"#
    );
}

#[test]
fn b05_the_line_goes_and_what_stands_behind_it_stays() {
    check(
        Repair::DropAttribution,
        &[
            (
                r#"{"system":"x-anthropic-billing-header: a;\n\u00e9 \"b\"\nc"}"#,
                r#"{"system":"\u00e9 \"b\"\nc"}"#,
            ),
            (r#"{"system":"x-anthropic-billing-header: \\n;\nb"}"#, r#"{"system":"b"}"#),
            (r#"{"system":"x-anthropic-billing-header: a;","m":1}"#, r#"{"m":1}"#),
            (r#"{"system":[{"type":"text","text":"x-anthropic-billing-header: a"}],"m":1}"#, r#"{"m":1}"#),
            (
                r#"{"system": [ {"text":"x-anthropic-billing-header: a\nb","cache_control":{}} ]}"#,
                r#"{"system": [ {"text":"b","cache_control":{}} ]}"#,
            ),
            // Nothing but exactly that.
            (
                r#"{"system":" x-anthropic-billing-header: a"}"#,
                r#"{"system":" x-anthropic-billing-header: a"}"#,
            ),
            (
                r#"{"system":"X-Anthropic-Billing-Header: a"}"#,
                r#"{"system":"X-Anthropic-Billing-Header: a"}"#,
            ),
            (
                r#"{"system":"see\nx-anthropic-billing-header: a"}"#,
                r#"{"system":"see\nx-anthropic-billing-header: a"}"#,
            ),
            (
                r#"{"system":[],"a":{"system":"x-anthropic-billing-header: a"}}"#,
                r#"{"system":[],"a":{"system":"x-anthropic-billing-header: a"}}"#,
            ),
        ],
    );
}

#[test]
fn b07_fields_that_are_refused_go_and_all_other_bytes_stay() {
    check(
        Repair::DropContextManagement,
        &[
            (
                "{ \"a\" : 1e5 ,\n \"context_management\":{\"edits\":[{}]}, \"z\":[ 1 ] }",
                "{ \"a\" : 1e5 , \"z\":[ 1 ] }",
            ),
            (r#"{"context_management":null}"#, "{}"),
            (r#"{"a":{"context_management":1}}"#, r#"{"a":{"context_management":1}}"#),
        ],
    );
    check(Repair::DropOutputConfig, &[(r#"{"output_config":{"effort":"high"},"a":1}"#, r#"{"a":1}"#)]);
}

#[test]
fn d06_disabled_thinking_goes_without_effort_and_enabled_keeps_both() {
    check(
        Repair::DropEffortWithoutThinking,
        &[
            (
                r#"{"thinking":{"type":"disabled"},"output_config":{"effort":"high"},"reasoning_effort":"high","a":1}"#,
                r#"{"thinking":{"type":"disabled"},"a":1}"#,
            ),
            (
                r#"{"thinking":{"type":"disabled"},"output_config":{"effort":"high","format":{}}}"#,
                r#"{"thinking":{"type":"disabled"},"output_config":{"format":{}}}"#,
            ),
            (
                r#"{"thinking":{"type":"enabled"},"output_config":{"effort":"high"},"reasoning_effort":"high"}"#,
                r#"{"thinking":{"type":"enabled"},"output_config":{"effort":"high"},"reasoning_effort":"high"}"#,
            ),
            (r#"{"output_config":{"effort":"high"}}"#, r#"{"output_config":{"effort":"high"}}"#),
            (
                r#"{"thinking":{"type":"disabled"},"output_config":{}}"#,
                r#"{"thinking":{"type":"disabled"},"output_config":{}}"#,
            ),
        ],
    );
}

#[test]
fn d09_references_become_text_and_deferred_tools_normal_ones() {
    check(
        Repair::ToolReferencesAsText,
        &[
            (
                r#"{"tools":[{"name":"WebFetch","defer_loading":true,"strict":true}],"messages":[{"role":"user","content":[{"type":"tool_result","tool_use_id":"t1","content":[{"type":"tool_reference","tool_name":"WebFetch"}]}]}]}"#,
                r#"{"tools":[{"name":"WebFetch","strict":true}],"messages":[{"role":"user","content":[{"type":"tool_result","tool_use_id":"t1","content":[{"type":"text","text":"[tool_reference: WebFetch]"}]}]}]}"#,
            ),
            (
                r#"{"messages":[{"role":"user","content":[{"type":"tool_reference","tool_name":"a\"b","cache_control":{"type":"ephemeral"}}]}]}"#,
                r#"{"messages":[{"role":"user","content":[{"type":"text","text":"[tool_reference: a\"b]","cache_control":{"type":"ephemeral"}}]}]}"#,
            ),
            // What a tool was given is no block.
            (
                r#"{"messages":[{"role":"assistant","content":[{"type":"tool_use","input":{"type":"tool_reference","content":[{"type":"tool_reference"}]}}]}]}"#,
                r#"{"messages":[{"role":"assistant","content":[{"type":"tool_use","input":{"type":"tool_reference","content":[{"type":"tool_reference"}]}}]}]}"#,
            ),
        ],
    );
}

#[test]
fn d11_d14_thinking_and_its_signatures_arrive_as_they_were() {
    let all_but_settings = Repair::ALL.into_iter().filter(|repair| *repair != Repair::DropCacheControl);
    let plan = plan(&all_but_settings.collect::<Vec<_>>());
    let turn = r#"{"role":"assistant","content":[{"type":"thinking","thinking":"Hm\u2026","signature":"Zm9yZWlnbg=="},{"type":"redacted_thinking","data":"eA=="},{"type":"tool_use","id":"t1","name":"Read","input":{ "a" : 1.0 }}]}"#;
    let body = format!(
        r#"{{"messages":[{{"role":"user","content":"a"}},{turn},{{"role":"user","content":[{{"type":"tool_result","tool_use_id":"t1","content":"b"}}]}}]}}"#
    );
    assert_eq!(request(&plan, &body), body);
}

#[test]
fn d12_a_forced_choice_becomes_free_and_a_free_one_stays() {
    check(
        Repair::FreeToolChoice,
        &[
            (
                r#"{"tool_choice":{"type":"tool","name":"WebSearch","disable_parallel_tool_use":true}}"#,
                r#"{"tool_choice":{"type":"auto","disable_parallel_tool_use":true}}"#,
            ),
            (r#"{"tool_choice":{"type": "any"}}"#, r#"{"tool_choice":{"type": "auto"}}"#),
            (r#"{"tool_choice":{"type":"none"}}"#, r#"{"tool_choice":{"type":"none"}}"#),
            (r#"{"tool_choice":{"type":"auto"}}"#, r#"{"tool_choice":{"type":"auto"}}"#),
        ],
    );
}

#[test]
fn images_become_a_line_wherever_they_stand() {
    check(
        Repair::ImagesAsText,
        &[
            (
                r#"{"messages":[{"role":"user","content":[{"type":"image","source":{"type":"base64","data":"AA=="},"cache_control":{"type":"ephemeral"}},{"type":"tool_result","content":[{"type":"image"}]},{"type":"document","source":{"type":"image"}}]}]}"#,
                r#"{"messages":[{"role":"user","content":[{"type":"text","text":"[An image stood here. This model reads text only.]","cache_control":{"type":"ephemeral"}},{"type":"tool_result","content":[{"type":"text","text":"[An image stood here. This model reads text only.]"}]},{"type":"document","source":{"type":"image"}}]}]}"#,
            ),
            (
                r#"{"messages":[{"role":"user","content":"image"}]}"#,
                r#"{"messages":[{"role":"user","content":"image"}]}"#,
            ),
        ],
    );
}

#[test]
fn marks_for_a_cache_go_from_blocks_tools_and_the_request() {
    check(
        Repair::DropCacheControl,
        &[
            (
                r#"{"cache_control":{},"system":[{"text":"a","cache_control":{}}],"tools":[{"name":"a","cache_control":{},"input_schema":{"properties":{"cache_control":{}}}}],"messages":[{"role":"user","content":[{"type":"tool_result","content":[{"type":"text","cache_control":{}}],"cache_control":{}}]}]}"#,
                r#"{"system":[{"text":"a"}],"tools":[{"name":"a","input_schema":{"properties":{"cache_control":{}}}}],"messages":[{"role":"user","content":[{"type":"tool_result","content":[{"type":"text"}]}]}]}"#,
            ),
            (
                r#"{"messages":[{"role":"user","content":[{"type":"tool_use","input":{"cache_control":1}}]}]}"#,
                r#"{"messages":[{"role":"user","content":[{"type":"tool_use","input":{"cache_control":1}}]}]}"#,
            ),
        ],
    );
}

#[test]
fn tools_lose_what_only_betas_know_but_not_their_own_parameters() {
    check(
        Repair::DropBetaToolFields,
        &[(
            r#"{"tools":[{"name":"a","strict":true,"input_schema":{"strict":1},"eager_input_streaming":true,"input_examples":[],"allowed_callers":[],"defer_loading":false}]}"#,
            r#"{"tools":[{"name":"a","input_schema":{"strict":1}}]}"#,
        )],
    );
}

#[test]
fn tools_of_anthropics_servers_go_and_no_choice_is_left_of_them() {
    check(
        Repair::DropServerTools,
        &[
            (
                r#"{"tools":[{"type":"web_search_20250305","name":"web_search"},{"type":"custom","name":"a"},{"name":"b"}],"tool_choice":{"type":"tool","name":"web_search"}}"#,
                r#"{"tools":[{"type":"custom","name":"a"},{"name":"b"}]}"#,
            ),
            (
                r#"{"tools":[{"type":"bash_20250124","name":"bash"}],"tool_choice":{"type":"auto"},"a":1}"#,
                r#"{"a":1}"#,
            ),
            (
                r#"{"tools":[{"name":"b"}],"tool_choice":{"type":"auto"}}"#,
                r#"{"tools":[{"name":"b"}],"tool_choice":{"type":"auto"}}"#,
            ),
            (
                r#"{"tools":[],"tool_choice":{"type":"auto"}}"#,
                r#"{"tools":[],"tool_choice":{"type":"auto"}}"#,
            ),
        ],
    );
}

#[test]
fn adaptive_thinking_becomes_a_budget_below_the_answers_tokens() {
    check(
        Repair::ThinkingAsBudget,
        &[
            (
                r#"{"max_tokens":32000,"thinking":{"type":"adaptive","display":"omitted"}}"#,
                r#"{"max_tokens":32000,"thinking":{"type":"enabled","budget_tokens":16000}}"#,
            ),
            (r#"{"max_tokens":1024,"thinking":{"type":"adaptive"}}"#, r#"{"max_tokens":1024}"#),
            (
                r#"{"max_tokens":9,"thinking":{"type":"disabled"}}"#,
                r#"{"max_tokens":9,"thinking":{"type":"disabled"}}"#,
            ),
        ],
    );
    let body = r#"{"thinking":{"type":"adaptive"},"max_tokens":3000}"#;
    for (tokens, expect) in [(2000, 2000), (8000, 2999)] {
        let out = request(&with_tokens(Repair::ThinkingAsBudget, tokens), body);
        assert!(out.contains(&format!(r#""budget_tokens":{expect}}}"#)), "{out}");
    }
    check(Repair::DropThinkingSetting, &[(r#"{"thinking":{"type":"disabled"},"a":1}"#, r#"{"a":1}"#)]);
}

#[test]
fn a_limit_is_never_exceeded_nor_raised_and_a_budget_stays_below_it() {
    let plan = with_tokens(Repair::ClampMaxTokens, 8192);
    for (body, expect) in [
        (r#"{"max_tokens": 32000 }"#, r#"{"max_tokens": 8192 }"#),
        (r#"{"max_tokens":8192}"#, r#"{"max_tokens":8192}"#),
        (r#"{"max_tokens":1}"#, r#"{"max_tokens":1}"#),
        (r#"{"max_tokens":"many"}"#, r#"{"max_tokens":"many"}"#),
        ("{}", "{}"),
        (
            r#"{"max_tokens":32000,"thinking":{"type":"enabled","budget_tokens":31999}}"#,
            r#"{"max_tokens":8192,"thinking":{"type":"enabled","budget_tokens":8191}}"#,
        ),
        (
            r#"{"max_tokens":32000,"thinking":{"type":"enabled","budget_tokens":5000}}"#,
            r#"{"max_tokens":8192,"thinking":{"type":"enabled","budget_tokens":5000}}"#,
        ),
    ] {
        assert_eq!(request(&plan, body), expect);
        assert_eq!(request(&plan, expect), expect, "again");
    }
}
