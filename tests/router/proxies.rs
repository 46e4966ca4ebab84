//! Proxies of the environment: for providers elsewhere, never for loopback.

use crate::support::lab::message;
use crate::support::proxy::Proxy;
use crate::support::tls::SelfSigned;
use crate::support::{AutoUpstream, Lab, RawUpstream};

const ROUTED: &str = r#"{"model":"reviewer@glm/glm-5"}"#;

#[tokio::test]
async fn a09_r13_a_provider_elsewhere_is_reached_through_the_proxys_tunnel_and_loopback_is_not() {
    let certificate = SelfSigned::new(&["http/1.1"]);
    let (upstream, local) = (RawUpstream::bind().await, AutoUpstream::ok().await);
    let proxy = Proxy::start(upstream.port(), None).await;
    let lab = Lab::setup(&local.url())
        .config("[providers.glm]\nbase_url = \"https://provider.example\"\nverify_tls = false")
        .agent("reviewer", "glm/glm-5")
        .env("HTTPS_PROXY", &proxy.url("me:canary@"))
        .env("HTTP_PROXY", &proxy.url(""))
        .start()
        .await;
    let mut client = lab.client().await;
    client.write(lab.post(&[], ROUTED)).await;
    let mut peer = certificate.accept(upstream.accept().await).await;
    let head = peer.head().await;
    peer.body(&head).await;
    assert_eq!(head.first, "POST /v1/messages HTTP/1.1");
    assert_eq!(head.one("host"), Some("provider.example"));
    assert_eq!(head.one("proxy-authorization"), None, "the proxy's login is not the provider's");
    peer.write(message()).await;
    assert_eq!(client.answer().await.0.status(), 200);

    client.write(lab.post(&[], r#"{"model":"claude-opus-5"}"#)).await;
    assert_eq!((client.answer().await.0.status(), local.seen().len()), (200, 1));
    let asked = proxy.asked();
    assert_eq!(asked.len(), 1, "one tunnel, and nothing for loopback");
    assert_eq!(asked[0].first, "CONNECT provider.example:443 HTTP/1.1");
    assert_eq!(asked[0].one("proxy-authorization"), Some("Basic bWU6Y2FuYXJ5"));
}

#[tokio::test]
async fn a09_plain_http_goes_to_the_proxy_as_a_whole_url() {
    let upstream = AutoUpstream::ok().await;
    let proxy = Proxy::start(upstream.port, None).await;
    let lab = Lab::setup("http://127.0.0.1:9")
        .provider("glm", "http://provider.example/api")
        .agent("reviewer", "glm/glm-5")
        .env("http_proxy", &proxy.url("me:canary@"))
        .start()
        .await;
    let client = ["Proxy-Authorization: Basic client"];
    assert_eq!(lab.ask(lab.post(&client, ROUTED)).await.0.status(), 200);
    let asked = &proxy.asked()[0];
    assert_eq!(asked.first, "POST http://provider.example/api/v1/messages HTTP/1.1");
    assert_eq!(asked.one("host"), Some("provider.example"));
    assert_eq!(asked.one("proxy-authorization"), Some("Basic bWU6Y2FuYXJ5"));
}

#[tokio::test]
async fn a09_a_proxy_that_says_no_is_a_502_in_its_words_and_without_its_login() {
    let target = AutoUpstream::ok().await;
    let refusal = Some("HTTP/1.1 407 Proxy Authentication Required");
    let proxy = Proxy::start(target.port, refusal).await;
    let lab = Lab::setup("http://127.0.0.1:9")
        .provider("glm", "https://provider.example")
        .agent("reviewer", "glm/glm-5")
        .env("HTTPS_PROXY", &proxy.url("me:canary@"))
        .start()
        .await;
    let (head, body) = lab.ask(lab.post(&[], ROUTED)).await;
    let text = String::from_utf8(body).expect("text");
    assert_eq!(head.status(), 502);
    assert!(text.contains("glm/glm-5") && text.contains("407 Proxy Authentication Required"), "{text}");
    assert!(!text.contains("canary") && target.seen().is_empty());
}

#[tokio::test]
async fn a09_no_proxy_variable_leads_loopback_away() {
    let (local, elsewhere) = (AutoUpstream::ok().await, AutoUpstream::ok().await);
    let proxy = Proxy::start(elsewhere.port, None).await;
    let lab = Lab::setup(&local.url())
        .provider("glm", &format!("http://localhost:{}", local.port))
        .agent("reviewer", "glm/glm-5")
        .env("HTTP_PROXY", &proxy.url(""))
        .env("HTTPS_PROXY", &proxy.url(""))
        .env("ALL_PROXY", &proxy.url(""))
        .env("NO_PROXY", "corp.example")
        .start()
        .await;
    for model in ["claude-opus-5", "reviewer@glm/glm-5"] {
        let (head, _) = lab.ask(lab.post(&[], format!(r#"{{"model":"{model}"}}"#))).await;
        assert_eq!(head.status(), 200);
    }
    assert_eq!((local.seen().len(), elsewhere.seen().len(), proxy.asked().len()), (2, 0, 0));
}
