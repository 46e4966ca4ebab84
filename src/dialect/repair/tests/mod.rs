//! Each repair on bytes. Numbers like D01 name the public report that stands behind a test.

mod cases;
mod properties;
mod turns;

use std::num::NonZeroU64;

use super::*;

/// A plan of these, as a person would switch them.
pub(in crate::dialect::repair) fn plan(on: &[Repair]) -> Plan {
    Plan { on: on.iter().map(|repair| (*repair, Switch::Plain(true))).collect() }
}

pub(super) fn with_tokens(repair: Repair, tokens: u64) -> Plan {
    Plan { on: vec![(repair, Switch::Tokens(NonZeroU64::new(tokens).unwrap()))] }
}

pub(super) fn request(plan: &Plan, body: &str) -> String {
    String::from_utf8(plan.request(body.as_bytes()).unwrap()).unwrap()
}

/// One repair makes that of a body, and nothing more of it a second time.
pub(super) fn check(repair: Repair, cases: &[(&str, &str)]) {
    let plan = plan(&[repair]);
    for (body, expect) in cases {
        assert_eq!(request(&plan, body), *expect, "{repair}: {body}");
        assert_eq!(request(&plan, expect), *expect, "{repair}, again: {body}");
    }
}

/// What Claude Code 2.1.332 sent in ten turns of one sub-agent, with its long texts shortened.
pub(super) const TURNS: [&str; 10] = [
    include_str!("../testdata/turn-01.json"),
    include_str!("../testdata/turn-02.json"),
    include_str!("../testdata/turn-03.json"),
    include_str!("../testdata/turn-04.json"),
    include_str!("../testdata/turn-05.json"),
    include_str!("../testdata/turn-06.json"),
    include_str!("../testdata/turn-07.json"),
    include_str!("../testdata/turn-08.json"),
    include_str!("../testdata/turn-09.json"),
    include_str!("../testdata/turn-10.json"),
];

#[test]
fn a_plan_that_changes_no_body_is_empty() {
    assert_eq!(plan(&[]).bodies(), Bodies::Untouched);
    assert_eq!(plan(&[Repair::DropBetas, Repair::SignThinking]).bodies(), Bodies::Untouched);
    assert_eq!(plan(&[Repair::DropAttribution]).bodies(), Bodies::WithoutAttribution);
    assert_eq!(plan(&[Repair::DropAttribution, Repair::ClampMaxTokens]).bodies(), Bodies::Whole);
    assert!(plan(&[Repair::DropBetas]).answer(None).is_none());
}

#[test]
fn what_is_no_object_is_said_to_be_none() {
    let plan = plan(&Repair::ALL);
    for body in [&b""[..], b"[]", b"null", b"{\"a\":", b"{\"a\":\"\xff\"}"] {
        assert_eq!(plan.request(body), Err(Unreadable));
    }
}

#[test]
fn betas_go_by_list_all_at_once_or_with_what_they_belong_to() {
    let sent = "claude-code-20250219, context-management-2025-06-27,effort-2025-11-24";
    let by_list =
        Plan { on: vec![(Repair::DropBetas, Switch::Values(vec!["effort-2025-11-24".to_owned()]))] };
    for (plan, expect) in [
        (plan(&[]), Some(sent)),
        (plan(&[Repair::DropCacheControl]), Some(sent)),
        (plan(&[Repair::DropBetas]), None),
        (by_list, Some("claude-code-20250219,context-management-2025-06-27")),
        // B07: the field and the header that asks for it.
        (plan(&[Repair::DropContextManagement]), Some("claude-code-20250219,effort-2025-11-24")),
        (plan(&[Repair::DropOutputConfig]), Some("claude-code-20250219,context-management-2025-06-27")),
    ] {
        assert_eq!(plan.betas(sent).as_deref(), expect, "{plan:?}");
    }
    assert_eq!(plan(&[]).betas(" , "), None);
}
