//! What a scanner sees, however the bytes are cut.

use super::*;

/// All that is seen in `body`, fed in pieces that end at `cuts`.
fn scan(body: &[u8], cuts: &[usize]) -> Vec<Seen> {
    let mut scanner = Scanner::default();
    let mut all = Vec::new();
    let mut from = 0;
    for &to in cuts.iter().chain([&body.len()]) {
        let mut piece = &body[from..to.max(from)];
        from = to.max(from);
        while !piece.is_empty() {
            let (read, seen) = scanner.next(piece);
            piece = &piece[read..];
            all.extend(seen);
        }
    }
    all
}

fn span(range: std::ops::Range<u64>) -> std::ops::Range<usize> {
    usize::try_from(range.start).unwrap()..usize::try_from(range.end).unwrap()
}

fn models(body: &str) -> Vec<Option<String>> {
    let pick = |seen| match seen {
        Seen::Model(value) => Some(value.map(|m| m.text)),
        _ => None,
    };
    scan(body.as_bytes(), &[]).into_iter().filter_map(pick).collect()
}

fn one(text: &str) -> Vec<Option<String>> {
    vec![Some(text.to_owned())]
}

#[test]
fn r2_the_top_level_string_is_found_wherever_it_stands() {
    for body in [
        r#"{"model":"m"}"#,
        r#" { "a" : [1,{"model":"no"}] , "model" : "m" } "#,
        r#"{"messages":[{"content":"\"model\":\"no\""}],"x":-1.5e3,"y":null,"model":"m","z":{}}"#,
        r#"{"model":"m""#,
    ] {
        assert_eq!(models(body), one("m"), "{body}");
    }
}

#[test]
fn escaped_keys_and_values_are_decoded() {
    assert_eq!(models(r#"{"mod\u0065l":"a\/b\u00e9\ud83d\ude00"}"#), one("a/bé😀"));
    assert_eq!(models(r#"{"model":"\ud83d"}"#), [None]);
    assert_eq!(models(r#"{"model":"\x"}"#), [None]);
}

#[test]
fn r3_what_is_no_string_is_no_model() {
    for body in [r#"{"model":null}"#, r#"{"model":7}"#, r#"{"model":["m"]}"#, r#"{"model":{"model":"x"}}"#] {
        assert_eq!(models(body), [None], "{body}");
    }
    for body in [
        "",
        "[]",
        "\u{feff}{\"model\":\"m\"}",
        r#"{model:"m"}"#,
        r#"{"a":{"model":"m"}}"#,
        r#"x{"model":"m"}"#,
    ] {
        assert!(models(body).is_empty(), "{body}");
    }
}

#[test]
fn the_span_covers_the_quotes() {
    let body = br#"{ "model" : "a\/b" , "x":1}"#;
    let Some(Seen::Model(Some(model))) = scan(body, &[]).into_iter().next() else { panic!("no model") };
    assert_eq!(&body[span(model.start..model.end)], br#""a\/b""#);
}

#[test]
fn every_top_level_model_is_reported_and_so_is_what_looks_like_one() {
    assert_eq!(
        models(r#"{"model":"a","b":{"model":"x"},"model":"c"}"#),
        [Some("a".into()), Some("c".into())]
    );
    assert!(scan(br#"{"model":"a","MODEL":"b"}"#, &[]).contains(&Seen::ModelLike));
}

#[test]
fn the_user_id_of_metadata_is_marked_and_no_other() {
    let body = br#"{"user_id":"x","metadata":{"a":[{"user_id":"y"}],"user_\u0069d":"secret\"s","b":1},"z":{"user_id":"q"}}"#;
    let seen = scan(body, &[]);
    let [Seen::UserIdStart(from), Seen::UserIdEnd(to), Seen::End] = seen[..] else { panic!("{seen:?}") };
    assert_eq!(&body[span(from..to)], br#"secret\"s"#);
}

#[test]
fn broken_grammar_at_the_top_level_is_told() {
    for body in [r#"{"a":1 "b":2}"#, r#"{"a"}"#, r#"{"a":1,}"#, r#"{/**/"a":1}"#, r#"{"a":'x'}"#, "nonsense"]
    {
        assert_eq!(scan(body.as_bytes(), &[]).last(), Some(&Seen::NotJson), "{body}");
    }
}

#[test]
fn a_name_longer_than_any_is_none() {
    let body = format!(r#"{{"model":"{}"}}"#, "x".repeat(LONGEST + 1));
    assert_eq!(models(&body), [None]);
}

fn json() -> impl proptest::strategy::Strategy<Value = serde_json::Value> {
    use proptest::prelude::*;
    let leaf = prop_oneof![
        Just(serde_json::Value::Null),
        any::<bool>().prop_map(Into::into),
        any::<i32>().prop_map(Into::into),
        any::<f64>().prop_map(Into::into),
        ".*".prop_map(Into::into),
    ];
    let key = prop_oneof![
        Just("model".to_owned()),
        Just("metadata".to_owned()),
        Just("user_id".to_owned()),
        ".{0,6}"
    ];
    leaf.prop_recursive(4, 32, 6, move |inner| {
        prop_oneof![
            proptest::collection::vec(inner.clone(), 0..4).prop_map(Into::into),
            proptest::collection::vec((key.clone(), inner), 0..6)
                .prop_map(|pairs| { serde_json::Value::Object(pairs.into_iter().collect()) }),
        ]
    })
}

proptest::proptest! {
    #[test]
    fn a12_the_model_is_the_one_that_serde_reads(value in json()) {
        let body = value.to_string();
        let want = value.as_object().and_then(|o| o.get("model")).map(|m| m.as_str().map(str::to_owned));
        proptest::prop_assert_eq!(models(&body), want.into_iter().collect::<Vec<_>>());
    }

    #[test]
    fn every_split_sees_the_same(value in json(), a in 0usize..400, b in 0usize..400) {
        let body = serde_json::to_vec_pretty(&value).unwrap();
        let (a, b) = (a.min(body.len()), b.min(body.len()));
        proptest::prop_assert_eq!(scan(&body, &[a.min(b), a.max(b)]), scan(&body, &[]));
        let bytes: Vec<usize> = (1..body.len()).collect();
        proptest::prop_assert_eq!(scan(&body, &bytes), scan(&body, &[]));
    }

    #[test]
    fn any_bytes_are_survived(bytes: Vec<u8>) {
        scan(&bytes, &[]);
    }
}
