//! What comes in goes out, whatever it is and however deep.

use proptest::prelude::*;

use super::*;

/// Looks into everything that there is.
fn expand(value: &mut Value<'_>) {
    if let Some(object) = value.object() {
        object.members.iter_mut().for_each(|member| expand(&mut member.item.value));
    } else if let Some(array) = value.array() {
        array.items.iter_mut().for_each(|item| expand(&mut item.value));
    }
}

fn expanded(text: &str) -> Option<String> {
    let mut document = Document::read(text)?;
    document.root.members.iter_mut().for_each(|member| expand(&mut member.item.value));
    Some(document.write())
}

#[test]
fn what_is_looked_into_is_written_as_it_came() {
    for text in [
        "{}",
        " { \n } ",
        r#"{"a":1}"#,
        "\n{ \"a\" :\t1 , \"a\":[ ] ,\"b\" : [1 , { \"c\":null } ] }\r\n",
        r#"{"zebra":1,"mango":12345678901234567890123,"e":1e5,"t":"\u00e9\\\" ,}]"}"#,
        r#"{"":{"":[[],[{}]]}}"#,
    ] {
        assert_eq!(expanded(text).as_deref(), Some(text));
    }
}

#[test]
fn what_is_no_object_is_refused() {
    for text in [
        "",
        " ",
        "[]",
        "1",
        "\"{}\"",
        "{",
        "}",
        r#"{"a"}"#,
        r#"{"a":}"#,
        r#"{"a":1,}"#,
        r#"{,"a":1}"#,
        r#"{"a":1}}"#,
        r#"{"a":1}{"b":2}"#,
        r#"{"a":[1}"#,
        r#"{"a":"1}"#,
        r#"{"a":"\"}"#,
        "{a:1}",
        r#"{"a":1"#,
    ] {
        assert!(Document::read(text).is_none(), "{text}");
    }
}

#[test]
fn depth_costs_nothing() {
    let (open, close) = ("[".repeat(1_000_000), "]".repeat(1_000_000));
    let text = format!("{{\"deep\":{open}{close},\"last\":1}}");
    let mut document = Document::read(&text).unwrap();
    assert_eq!(document.root.get("last").and_then(Value::number), Some(1));
    assert!(document.root.get_mut("deep").and_then(Value::array).is_some());
    assert_eq!(document.write(), text);
}

#[test]
fn a_key_goes_with_its_comma_and_a_new_one_comes_last() {
    for (text, key, expect) in [
        (r#"{"a":1,"b":2}"#, "a", r#"{"b":2}"#),
        (r#"{"a":1,"b":2}"#, "b", r#"{"a":1}"#),
        (r#"{ "a":1, "b":2, "c":3 }"#, "b", r#"{ "a":1, "c":3 }"#),
        (r#"{"a":1,"\u0061":2,"b":3}"#, "a", r#"{"b":3}"#),
        (r#"{"a":1}"#, "a", "{}"),
        (r#"{"a":1}"#, "b", r#"{"a":1}"#),
    ] {
        let mut document = Document::read(text).unwrap();
        document.root.remove(key);
        assert_eq!(document.write(), expect, "{text} without {key}");
    }
    let mut document = Document::read(r#"{"a":1}"#).unwrap();
    document.root.set("b", Value::string("\"\n"));
    document.root.set("a", Value::new("2"));
    assert_eq!(document.write(), r#"{"a":2,"b":"\"\n"}"#);
}

#[test]
fn of_a_key_that_stands_twice_the_last_counts() {
    let mut document = Document::read(r#"{"a":"first","a":"last"}"#).unwrap();
    assert!(document.root.says("a", "last"));
    *document.root.entry("a") = Value::new("0");
    assert_eq!(document.write(), r#"{"a":"first","a":0}"#);
}

/// JSON with white space of any kind at any place.
fn json() -> impl Strategy<Value = String> {
    let space = || prop_oneof![Just(""), Just(" "), Just("\n\t"), Just("\r\n ")];
    let word = prop_oneof![
        Just("null".to_owned()),
        Just("-1.50e+3".to_owned()),
        any::<String>().prop_map(|text| serde_json::Value::from(text).to_string()),
        Just(r#""\ud83d\ude00\/""#.to_owned()),
    ];
    word.prop_recursive(5, 60, 6, move |inner| {
        let padded = (space(), inner, space()).prop_map(|(a, value, b)| format!("{a}{value}{b}"));
        let key = any::<String>().prop_map(|key| serde_json::Value::from(key).to_string());
        let member = (space(), key, space(), padded.clone())
            .prop_map(|(a, key, b, value)| format!("{a}{key}{b}:{value}"));
        prop_oneof![
            prop::collection::vec(padded, 0..6).prop_map(|items| format!("[{}]", items.join(","))),
            prop::collection::vec(member, 0..6).prop_map(|members| format!("{{{}}}", members.join(","))),
        ]
    })
}

proptest! {
    #[test]
    fn any_json_is_written_as_it_came(value in json()) {
        let text = format!("{{\"a\":{value}}}");
        prop_assert_eq!(expanded(&text), Some(text));
    }

    #[test]
    fn any_text_is_survived(text in "[\\[\\]{}\",:\\\\ 1aé]{0,40}") {
        if let Some(written) = expanded(&text) {
            prop_assert_eq!(written, text);
        }
    }
}
