//! What holds for any body and any set of repairs, and for ten real turns.

use proptest::prelude::*;
use serde_json::{Value as Json, json};

use super::*;

/// Those that only ever take bytes away.
const DROPPING: [Repair; 8] = [
    Repair::DropAttribution,
    Repair::DropCacheControl,
    Repair::DropContextManagement,
    Repair::DropOutputConfig,
    Repair::DropEffortWithoutThinking,
    Repair::DropThinkingSetting,
    Repair::DropBetaToolFields,
    Repair::DropServerTools,
];

/// Whether a text is what is left of another when bytes are taken out.
fn is_left_of(part: &str, whole: &str) -> bool {
    let mut bytes = whole.bytes();
    part.bytes().all(|byte| bytes.any(|other| other == byte))
}

fn block() -> impl Strategy<Value = Json> {
    let mark = prop_oneof![Just(json!({})), Just(json!({"cache_control": {"type": "ephemeral"}}))];
    let kind = prop_oneof![
        any::<String>().prop_map(|text| json!({"type": "text", "text": text})),
        Just(json!({"type": "text", "text": "x-anthropic-billing-header: a\nb"})),
        Just(json!({"type": "image", "source": {"data": "AA=="}})),
        Just(json!({"type": "tool_reference", "tool_name": "é"})),
        Just(json!({"type": "thinking", "thinking": "t", "signature": "s"})),
        Just(
            json!({"type": "tool_result", "tool_use_id": "t", "content": [{"type": "image"}, {"type": "tool_reference"}]})
        ),
    ];
    (kind, mark).prop_map(|(mut block, mark)| {
        block.as_object_mut().unwrap().extend(mark.as_object().unwrap().clone());
        block
    })
}

fn content() -> impl Strategy<Value = Json> {
    prop_oneof![
        any::<String>().prop_map(Json::from),
        prop::collection::vec(block(), 0..4).prop_map(Json::from)
    ]
}

fn body() -> impl Strategy<Value = String> {
    let turn = (prop_oneof![Just("user"), Just("assistant"), Just("system")], content());
    let turn = turn.prop_map(|(role, content)| json!({"role": role, "content": content}));
    let thinking = prop_oneof![
        Just(json!({"type": "adaptive"})),
        Just(json!({"type": "disabled"})),
        (0_u64..70_000).prop_map(|tokens| json!({"type": "enabled", "budget_tokens": tokens})),
    ];
    let tools = prop_oneof![
        Just(json!([{"type": "web_search_2025", "name": "w", "strict": true}])),
        Just(
            json!([{"name": "a", "defer_loading": true, "cache_control": {}}, {"type": "web_search_2025", "name": "w"}])
        ),
    ];
    let settings = (thinking, tools, 0_u64..70_000, any::<bool>());
    (content(), prop::collection::vec(turn, 0..8), settings).prop_map(|(system, messages, settings)| {
        let (thinking, tools, most, pretty) = settings;
        let body = json!({
            "model": "m", "messages": messages, "system": system, "tools": tools, "max_tokens": most,
            "tool_choice": {"type": "tool", "name": "w"}, "thinking": thinking, "context_management": {},
            "output_config": {"effort": "high"}, "metadata": {"n": 1.50},
        });
        if pretty { serde_json::to_string_pretty(&body).unwrap() } else { body.to_string() }
    })
}

fn any_plan() -> impl Strategy<Value = Plan> {
    prop::sample::subsequence(Repair::ALL.to_vec(), 0..Repair::ALL.len()).prop_map(|on| {
        let tokens = Switch::Tokens(NonZeroU64::new(4096).unwrap());
        let switch = |repair| match repair {
            Repair::ClampMaxTokens => (repair, tokens.clone()),
            _ => (repair, Switch::Plain(true)),
        };
        Plan { on: on.into_iter().map(switch).collect() }
    })
}

proptest! {
    #[test]
    fn twice_is_once_and_what_comes_out_is_json(plan in any_plan(), body in body()) {
        let once = request(&plan, &body);
        prop_assert!(serde_json::from_str::<Json>(&once).is_ok(), "{once}");
        prop_assert_eq!(request(&plan, &once), once);
    }

    #[test]
    fn what_drops_adds_and_moves_nothing(body in body()) {
        let out = request(&plan(&DROPPING), &body);
        prop_assert!(is_left_of(&out, &body));
    }

    #[test]
    fn without_repairs_no_byte_changes(body in body()) {
        prop_assert_eq!(request(&plan(&[]), &body), body);
    }

    #[test]
    fn no_system_turn_is_left_and_nothing_is_said_twice_or_lost(body in body()) {
        let out: Json = serde_json::from_str(&request(&plan(&[Repair::FoldSystemTurns]), &body)).unwrap();
        let before: Json = serde_json::from_str(&body).unwrap();
        let turns = |body: &Json| body["messages"].as_array().unwrap().clone();
        prop_assert!(turns(&out).iter().all(|turn| turn["role"] != "system"));
        let thoughts = |body: &Json| body["messages"].to_string().matches(r#""type":"thinking""#).count();
        prop_assert_eq!(thoughts(&out), thoughts(&before));
        let folded = |turn: &Json| turn["role"] == "system";
        if !turns(&before).iter().any(folded) {
            prop_assert_eq!(out, before);
        }
    }

    #[test]
    fn any_bytes_are_survived(plan in any_plan(), body in prop::collection::vec(any::<u8>(), 0..200)) {
        let _ = plan.request(&body);
    }

    #[test]
    fn any_object_is_survived(plan in any_plan(), inner in "[\\[\\]{}\",:\\\\ a]{0,60}") {
        for key in ["messages", "system", "tools", "thinking"] {
            let _ = plan.request(format!("{{\"{key}\":{inner}}}").as_bytes());
        }
    }
}

/// What a provider's cache compares: marks for it move on with each turn, and are no part of the prompt.
fn unmarked(body: &str) -> String {
    body.replace(r#","cache_control":{"type":"ephemeral"}"#, "")
}

/// From one key up to the next.
fn between<'b>(body: &'b str, from: &str, to: &str) -> &'b str {
    &body[body.find(from).unwrap()..body.find(to).unwrap()]
}

#[test]
fn ten_growing_turns_begin_with_the_same_bytes() {
    use Repair::{DropAttribution, FoldSystemTurns, ImagesAsText, ToolReferencesAsText};
    let plan = plan(&[DropAttribution, FoldSystemTurns, ImagesAsText, ToolReferencesAsText]);
    let out: Vec<String> = TURNS.iter().map(|body| unmarked(&request(&plan, body))).collect();
    for pair in out.windows(2) {
        let [before, after] = [0, 1].map(|at| between(&pair[at], r#""messages":["#, r#"],"system""#));
        assert!(after.starts_with(before) && after.len() > before.len(), "{before}\n{after}");
        let [before, after] = [0, 1].map(|at| between(&pair[at], r#""system""#, r#""tools""#));
        assert_eq!(before, after);
    }
    for gone in
        [r#""role":"system""#, r#""tool_reference""#, r#""image""#, "x-anthropic-billing", "defer_loading"]
    {
        assert!(TURNS[9].contains(gone) && !out[9].contains(gone), "{gone}");
    }
    assert!(out[9].contains("[tool_reference: WebFetch]"));
}

#[test]
fn a_real_body_keeps_every_byte_that_nothing_is_named_after() {
    let last = TURNS[9];
    let out = request(&plan(&[Repair::DropContextManagement]), last);
    let field = r#""context_management":{"edits":[{"type":"clear_thinking_20251015","keep":"all"}]},"#;
    assert_eq!(out, last.replacen(field, "", 1));
    let all = request(&plan(&DROPPING), last);
    assert!(is_left_of(&all, last) && all.len() < last.len());
    for body in TURNS {
        assert_eq!(request(&plan(&[]), body), body);
        assert_eq!(request(&plan(&[Repair::FreeToolChoice, Repair::DropServerTools]), body), body);
    }
}
