//! Step 1: only this session's own programs are let in, before anything else is looked at.

use std::sync::Arc;

use hyper::header::{HOST, HeaderMap, HeaderName, ORIGIN};
use hyper::{Method, Request, Uri};

use super::error::Error;
use super::pass::{Pass, Passes};
use super::purpose::path_of;

const FETCH_SITE: HeaderName = HeaderName::from_static("sec-fetch-site");

/// Where an admitted request wants to go.
#[derive(Debug, Clone)]
pub(super) enum Admitted {
    /// A connectivity probe, answered here.
    Probe,
    /// A call: whose token it carries, and path and query without the token's prefix.
    Call(Arc<Pass>, String),
    /// The control endpoint, which checks a token of its own: the path after `/.subagents/`.
    Control(String),
}

/// Checks where a request comes from, then what it carries.
///
/// # Errors
/// [`Error::Foreign`] for a `Host` that isn't this listener, or anything that a web page sends;
/// [`Error::Token`] without a token that is known.
pub(super) fn admit<B>(request: &Request<B>, port: u16, passes: &Passes) -> Result<Admitted, Error> {
    local(request, port)?;
    let uri = request.uri();
    let target = uri.path_and_query().map_or("/", |target| target.as_str());
    if let Some(rest) = uri.path().strip_prefix("/.subagents/") {
        return Ok(Admitted::Control(rest.to_owned()));
    }
    let probe = matches!(*request.method(), Method::GET | Method::HEAD);
    let Some(rest) = target.strip_prefix("/s/") else {
        let bare = probe && matches!(uri.path(), "/" | "/api/hello");
        return if bare { Ok(Admitted::Probe) } else { Err(Error::Token) };
    };
    let (word, call) = rest.split_at(memchr::memchr2(b'/', b'?', rest.as_bytes()).unwrap_or(rest.len()));
    let pass = passes.of(word).ok_or(Error::Token)?;
    if probe && matches!(path_of(call), "" | "/" | "/api/hello") {
        return Ok(Admitted::Probe);
    }
    Ok(Admitted::Call(pass, said_once(call)))
}

/// A base URL that was pasted with `/v1` or `/v1/messages` doubles them: said once is enough.
fn said_once(call: &str) -> String {
    let doubled = ["/v1/messages/v1/", "/v1/v1/"];
    match doubled.iter().find_map(|prefix| call.strip_prefix(prefix)) {
        Some(rest) => format!("/v1/{rest}"),
        None if call.starts_with('/') => call.to_owned(),
        None => format!("/{call}"),
    }
}

fn local<B>(request: &Request<B>, port: u16) -> Result<(), Error> {
    let headers = request.headers();
    if headers.contains_key(ORIGIN) {
        return Err(Error::Foreign("Origin"));
    }
    if headers.get(FETCH_SITE).is_some_and(|site| site != "none") {
        return Err(Error::Foreign("Sec-Fetch-Site"));
    }
    if request.method() == Method::OPTIONS {
        return Err(Error::Foreign("method"));
    }
    if !host(headers, port) || !authority(request.uri(), port) {
        return Err(Error::Foreign("Host"));
    }
    Ok(())
}

/// Exactly one `Host`, and it is this listener.
fn host(headers: &HeaderMap, port: u16) -> bool {
    let mut hosts = headers.get_all(HOST).iter();
    let host = hosts.next().and_then(|host| host.to_str().ok());
    hosts.next().is_none() && host.is_some_and(|host| loopback(host, port))
}

/// An absolute-form target must be this listener too.
fn authority(uri: &Uri, port: u16) -> bool {
    uri.authority().is_none_or(|authority| loopback(authority.as_str(), port))
}

fn loopback(host: &str, port: u16) -> bool {
    host.rsplit_once(':').is_some_and(|(name, digits)| {
        let here = matches!(name, "127.0.0.1" | "[::1]") || name.eq_ignore_ascii_case("localhost");
        here && digits.parse() == Ok(port) && !digits.starts_with(['+', '0'])
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::router::Token;

    const TOKEN: &str = "0123456789abcdef";

    /// What was admitted, in words.
    fn ask(method: &str, path: &str, headers: &[(&str, &str)]) -> Result<String, u16> {
        let mut request = Request::builder().method(method).uri(path);
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        let main = Pass::main(Arc::default(), Arc::default());
        let passes = Passes::new(Token::new(TOKEN).unwrap(), main);
        let admitted = admit(&request.body(()).unwrap(), 4000, &passes);
        admitted.map_err(|error| error.status().as_u16()).map(|admitted| match admitted {
            Admitted::Probe => "probe".to_owned(),
            Admitted::Call(_, call) => call,
            Admitted::Control(path) => format!("control {path}"),
        })
    }

    fn path(path: &str) -> Result<String, u16> {
        ask("POST", path, &[("host", "127.0.0.1:4000")])
    }

    #[test]
    fn r16_no_token_or_a_wrong_one_is_401() {
        for wrong in [
            "/v1/messages",
            "/s/",
            "/s//v1/messages",
            "/s/0123456789abcdeg/v1/messages",
            "/s/0123/v1/messages",
            "/S/0123456789abcdef/v1/messages",
        ] {
            assert_eq!(path(wrong), Err(401), "{wrong}");
        }
    }

    #[test]
    fn r16_i01_i02_a_foreign_host_or_any_origin_is_403() {
        let good = format!("/s/{TOKEN}/v1/messages");
        for headers in [
            &[("host", "evil.example")][..],
            &[("host", "127.0.0.1")],
            &[("host", "127.0.0.1:4001")],
            &[("host", "evil.example:4000")],
            &[],
            &[("host", "127.0.0.1:4000"), ("host", "127.0.0.1:4000")],
            &[("host", "127.0.0.1:4000"), ("origin", "null")],
            &[("host", "127.0.0.1:4000"), ("origin", "http://127.0.0.1:4000")],
            &[("host", "127.0.0.1:4000"), ("sec-fetch-site", "cross-site")],
        ] {
            assert_eq!(ask("POST", &good, headers), Err(403), "{headers:?}");
        }
        assert_eq!(ask("OPTIONS", &good, &[("host", "127.0.0.1:4000")]), Err(403));
        let absolute = format!("http://evil.example/s/{TOKEN}/v1/messages");
        assert_eq!(ask("POST", &absolute, &[("host", "127.0.0.1:4000")]), Err(403));
        for host in ["localhost:4000", "LOCALHOST:4000", "[::1]:4000"] {
            assert!(ask("POST", &good, &[("host", host)]).is_ok(), "{host}");
        }
    }

    #[test]
    fn r4_the_prefix_goes_and_the_rest_stays() {
        for (asked, want) in [
            ("/v1/messages?beta=true", "/v1/messages?beta=true"),
            ("/v1/v1/messages?a=%2F", "/v1/messages?a=%2F"),
            ("/v1/messages/v1/messages", "/v1/messages"),
            ("/v1/messages/v1/messages/count_tokens", "/v1/messages/count_tokens"),
            ("/api/oauth/x%20y", "/api/oauth/x%20y"),
            ("//v1", "//v1"),
            ("", "/"),
        ] {
            let got = path(&format!("/s/{TOKEN}{asked}"));
            assert_eq!(got.as_deref(), Ok(want), "{asked}");
        }
    }

    #[test]
    fn b11_b12_probes_are_known_with_and_without_the_prefix() {
        for method in ["GET", "HEAD"] {
            for probe in [
                "/",
                "/api/hello",
                "/s/0123456789abcdef",
                "/s/0123456789abcdef/",
                "/s/0123456789abcdef/api/hello",
            ] {
                assert_eq!(
                    ask(method, probe, &[("host", "127.0.0.1:4000")]),
                    Ok("probe".to_owned()),
                    "{probe}"
                );
            }
        }
    }
}
