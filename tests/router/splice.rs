//! What changes in a body on its way to a route: the model's name and the user's id, and no other byte.

use crate::support::{AutoUpstream, Lab, RawUpstream};

const WIRE: &str = "reviewer@glm/glm-5";

#[tokio::test]
async fn b01_on_a_route_only_the_models_bytes_change_and_the_length_is_right() {
    let upstream = AutoUpstream::ok().await;
    let lab = Lab::with_route("http://127.0.0.1:9", &upstream.url()).await;
    let long = "x".repeat(200_000);
    for body in [
        r#"{"model":"@@"}"#.to_owned(),
        r#" { "z" : 1 , "model"  :  "@@" , "big":12345678901234567890123,"e":1e5,"t":"\u00e9","t":"高" } "#
            .to_owned(),
        format!(r#"{{"messages":["{long}"],"model":"@@"}}"#),
        format!(r#"{{"messages":["{long}"],"mod\u0065l":"@@"}}"#),
        format!(r#"{{"model":"@@","tools":[{{"zebra":1,"apple":2}}],"messages":["{long}"]}}"#),
    ] {
        lab.ask(lab.post(&[], body.replace("@@", WIRE))).await;
        let seen = upstream.last();
        let want = body.replace("@@", "glm-5");
        assert!(seen.body == want.as_bytes(), "{}", &want[..80.min(want.len())]);
        assert_eq!(seen.head.one("content-length"), Some(&*want.len().to_string()));
    }
}

#[tokio::test]
async fn b01_fifty_times_the_same_request_is_fifty_times_the_same_bytes() {
    let upstream = AutoUpstream::ok().await;
    let lab = Lab::with_route("http://127.0.0.1:9", &upstream.url()).await;
    let request = lab.post(&["b: 1", "a: 2", "A: 3"], format!(r#"{{"z":1,"model":"{WIRE}","a":{{}}}}"#));
    let mut client = lab.client().await;
    for _ in 0..50 {
        client.write(&request).await;
        client.answer().await;
    }
    let seen = upstream.seen();
    assert_eq!(seen.len(), 50);
    assert!(seen.iter().all(|one| one.body == seen[0].body && one.head.raw == seen[0].head.raw));
}

#[tokio::test]
async fn b01_the_users_id_does_not_reach_a_route() {
    let upstream = AutoUpstream::ok().await;
    let lab = Lab::with_route(&upstream.url(), &upstream.url()).await;
    let id = r#"{\"device_id\":\"canary\",\"session_id\":\"7\"}"#;
    for body in [
        format!(r#"{{"metadata":{{"user_id":"{id}","n":1}},"model":"@@","x":"user_id"}}"#),
        format!(r#"{{"model":"@@","metadata":{{"user_id":"{id}"}}}}"#),
    ] {
        lab.ask(lab.post(&[], body.replace("@@", WIRE))).await;
        let seen = upstream.last();
        assert!(!seen.holds("canary"));
        assert_eq!(seen.body.len(), body.len() - 2 + "glm-5".len());
        let filler = &"subagents-".repeat(9)[..id.len()];
        assert_eq!(seen.json()["metadata"]["user_id"], filler);
        lab.ask(lab.post(&[], body.replace("@@", "claude-opus-5"))).await;
        assert!(upstream.last().holds("canary"), "kept on the default upstream");
    }
}

#[tokio::test]
async fn b01_two_models_are_refused_on_a_route_and_the_upstream_gets_no_whole_request() {
    let upstream = RawUpstream::bind().await;
    let lab = Lab::with_route("http://127.0.0.1:9", &upstream.url()).await;
    let filler = "x".repeat(300_000);
    for second in [r#""model":"other""#, r#""Model":"other""#, r#""m\u006fdel":null"#] {
        let mut client = lab.client().await;
        client.write(lab.post(&[], format!(r#"{{"model":"{WIRE}","a":"{filler}",{second}}}"#))).await;
        let mut peer = upstream.accept().await;
        let head = peer.head().await;
        let (body, whole) = peer.what_comes(&head).await;
        assert!(!whole, "the connection closes instead");
        assert!(memchr::memmem::find(&body, b"other").is_none() && body.starts_with(br#"{"model":"glm-5""#));
        let (head, body) = client.answer().await;
        assert_eq!((head.status(), head.one("x-should-retry")), (400, Some("false")));
        let text = String::from_utf8(body).expect("text");
        assert!(
            text.contains("invalid_request_error") && text.contains("two top-level `model` keys"),
            "{text}"
        );
    }
    assert_eq!(lab.settled("glm/glm-5").await, [3, 0, 0, 3, 0, 0, 0]);
}

#[tokio::test]
async fn b01_what_is_no_json_after_its_model_is_not_sent_on_to_a_route() {
    let upstream = RawUpstream::bind().await;
    let lab = Lab::with_route("http://127.0.0.1:9", &upstream.url()).await;
    let mut client = lab.client().await;
    client.write(lab.post(&[], format!(r#"{{"model":"{WIRE}"}}{{"model":"other"}}"#))).await;
    let (head, body) = client.answer().await;
    assert_eq!(head.status(), 400);
    assert!(String::from_utf8(body).expect("text").contains("no valid JSON object"));
    assert_eq!(lab.settled("glm/glm-5").await, [1, 0, 0, 1, 0, 0, 0]);
}
