//! Who is let in, and what is answered here.

use std::pin::Pin;

use bytes::Bytes;
use http_body_util::{BodyExt, Full};
use hyper::body::Incoming;
use hyper::{Request, Response};
use subagents::router::{Control, ControlBody};

use crate::support::{AutoUpstream, Lab, Refusing, TOKEN, Wire};

/// Sends whole bytes, and returns the status of the answer.
async fn status(lab: &Lab, request: &str) -> u16 {
    let (head, body) = lab.ask(request.as_bytes().to_vec()).await;
    let text = String::from_utf8(body).expect("text");
    assert!(!text.contains("canary") && !text.contains("127.0.0.1"), "no hint: {text}");
    let foreign =
        head.fields.iter().find(|(name, _)| name.to_ascii_lowercase().starts_with("access-control"));
    assert!(foreign.is_none(), "no CORS");
    head.status()
}

fn request(line: &str, host: &str, more: &str) -> String {
    format!("{line} HTTP/1.1\r\n{host}{more}Content-Length: 2\r\n\r\n{{}}")
}

#[tokio::test]
async fn r16_i02_without_the_token_no_upstream_is_called() {
    let upstream = AutoUpstream::ok().await;
    let lab = Lab::setup(&upstream.url()).start().await;
    let host = format!("Host: 127.0.0.1:{}\r\n", lab.port);
    let other_case = format!("/s/{}/v1/messages", TOKEN.to_uppercase());
    let longer = format!("/s/{TOKEN}x/v1/messages");
    let shorter = format!("/s/{}/v1/messages", &TOKEN[..20]);
    let escaped = format!("/s/%63{}/v1/messages", &TOKEN[1..]);
    let within = format!("/x/s/{TOKEN}/v1/messages");
    for path in [
        "/v1/messages",
        "/",
        "/s/",
        "/s",
        "/s//v1/messages",
        &other_case,
        &longer,
        &shorter,
        &escaped,
        &within,
    ] {
        let bearer = format!("Authorization: Bearer {TOKEN}\r\nx-api-key: {TOKEN}\r\n");
        assert_eq!(status(&lab, &request(&format!("POST {path}"), &host, &bearer)).await, 401, "{path}");
    }
    assert_eq!((upstream.seen().len(), lab.meter.used()), (0, false));
}

#[tokio::test]
async fn i01_i02_what_a_web_page_or_another_name_sends_is_403_and_reaches_nobody() {
    let upstream = AutoUpstream::ok().await;
    let lab = Lab::setup(&upstream.url()).start().await;
    let port = lab.port;
    let line = format!("POST /s/{TOKEN}/v1/messages");
    let host = format!("Host: 127.0.0.1:{port}\r\n");
    for (first, host, more) in [
        (&*line, &*host, "Origin: https://evil.example\r\n"),
        (&line, &host, "origin: null\r\n"),
        (&line, &host, "Sec-Fetch-Site: cross-site\r\n"),
        (&format!("OPTIONS /s/{TOKEN}/v1/messages"), &host, "Access-Control-Request-Method: POST\r\n"),
        (&line, "Host: evil.example\r\n", ""),
        (&line, &format!("Host: evil.example:{port}\r\n"), ""),
        (&line, "Host: 127.0.0.1\r\n", ""),
        (&line, "Host: 127.0.0.1:1\r\n", ""),
        (&line, "", ""),
        (&line, &format!("{host}{host}"), ""),
        (&line, &format!("{host}Host: evil.example\r\n"), ""),
        (&format!("POST http://evil.example/s/{TOKEN}/v1/messages"), &host, ""),
    ] {
        assert_eq!(status(&lab, &request(first, host, more)).await, 403, "{host}{more}");
    }
    assert_eq!((upstream.seen().len(), lab.meter.used()), (0, false));
    for host in [format!("Host: localhost:{port}\r\n"), format!("host: [::1]:{port}\r\n")] {
        assert_eq!(status(&lab, &request(&line, &host, "Sec-Fetch-Site: none\r\n")).await, 200);
    }
    let absolute = format!("POST http://127.0.0.1:{port}/s/{TOKEN}/v1/messages");
    assert_eq!(status(&lab, &request(&absolute, &host, "")).await, 200);
}

#[tokio::test]
async fn r1_i07_the_listener_is_on_one_loopback_address_only() {
    let lab = Lab::setup("http://127.0.0.1:9").start().await;
    assert!(tokio::net::TcpStream::connect(("127.0.0.1", lab.port)).await.is_ok());
    assert!(tokio::net::TcpStream::connect(("127.0.0.2", lab.port)).await.is_err());
    assert!(tokio::net::TcpStream::connect(("::1", lab.port)).await.is_err());
}

#[tokio::test]
async fn b11_b12_probes_are_answered_here_with_every_upstream_down_and_the_connection_stays() {
    let down = Refusing::new();
    let route = AutoUpstream::ok().await;
    let lab = Lab::with_route(&down.url(), &route.url()).await;
    let mut client = lab.client().await;
    let host = format!("host: 127.0.0.1:{}\r\n", lab.port);
    for path in
        ["/", "/api/hello", &format!("/s/{TOKEN}"), &format!("/s/{TOKEN}/"), &format!("/s/{TOKEN}/api/hello")]
    {
        client.write(format!("HEAD {path} HTTP/1.1\r\n{host}user-agent: Bun/1.4.0\r\n\r\n")).await;
        assert_eq!(client.head().await.status(), 200, "HEAD {path}");
        client.write(format!("GET {path} HTTP/1.1\r\n{host}\r\n")).await;
        let (head, body) = client.answer().await;
        assert_eq!((head.status(), &body[..]), (200, &b"{}"[..]), "GET {path}");
    }
    client.write(lab.post(&[], r#"{"model":"reviewer@glm/glm-5"}"#)).await;
    assert_eq!(client.answer().await.0.status(), 200);
    assert_eq!(lab.settled("glm/glm-5").await, [1, 0, 1, 0, 0, 0, 0]);
    assert_eq!(lab.counts("default"), [0; 7]);
}

#[tokio::test]
async fn b12_a_burst_of_fifty_probes_is_quiet() {
    let lab = Lab::setup("http://127.0.0.1:9").start().await;
    let mut clients: Vec<Wire> = Vec::new();
    for _ in 0..50 {
        let mut client = lab.client().await;
        client.write(lab.request("HEAD /api/hello", &["connection: close"], "")).await;
        clients.push(client);
    }
    for client in &mut clients {
        assert_eq!(client.head().await.status(), 200);
        assert!(client.next_head().await.is_none(), "no byte follows");
    }
    assert_eq!((lab.logs.count(&["WARN", "ERROR", "INFO"]), lab.meter.used()), (0, false));
}

/// Answers by what it was asked.
struct Echo;

impl Control for Echo {
    fn call<'a>(
        &'a self,
        path: &'a str,
        request: Request<Incoming>,
    ) -> Pin<Box<dyn Future<Output = Response<ControlBody>> + Send + 'a>> {
        Box::pin(async move {
            let method = request.method().clone();
            let token =
                request.headers().get("authorization").is_some_and(|value| value == "Bearer canary-control");
            let body = request.into_body().collect().await.expect("a body").to_bytes();
            let text = format!("{method} {path} {token} {}", String::from_utf8_lossy(&body));
            let mut response = Response::new(Full::new(Bytes::from(text)).boxed());
            *response.status_mut() = hyper::StatusCode::IM_A_TEAPOT;
            response
        })
    }
}

#[tokio::test]
async fn r16_the_control_endpoint_is_asked_with_what_came_and_judges_by_itself() {
    let upstream = AutoUpstream::ok().await;
    let lab = Lab::setup(&upstream.url()).control(Echo).start().await;
    let host = format!("Host: 127.0.0.1:{}\r\n", lab.port);
    let bearer = "Authorization: Bearer canary-control\r\n";
    let (head, body) = lab.ask(request("POST /.subagents/hook/x?y=1", &host, bearer).into_bytes()).await;
    assert_eq!((head.status(), body), (418, b"POST hook/x true {}".to_vec()));
    assert_eq!(status(&lab, &request("POST /.subagents/stats", "Host: evil.example\r\n", bearer)).await, 403);
    assert_eq!(status(&lab, &request("POST /.subagents/stats", &host, "Origin: http://x\r\n")).await, 403);
    let none = Lab::setup(&upstream.url()).start().await;
    let host = format!("Host: 127.0.0.1:{}\r\n", none.port);
    assert_eq!(status(&none, &request("POST /.subagents/stats", &host, "")).await, 401);
    assert_eq!((upstream.seen().len(), lab.meter.used()), (0, false));
}
