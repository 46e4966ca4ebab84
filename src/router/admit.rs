//! Step 1: only this session's own programs are let in, before anything else is looked at.

use hyper::header::{HOST, HeaderMap, HeaderName, ORIGIN};
use hyper::{Method, Request, Uri};
use subtle::ConstantTimeEq;

use super::error::Error;
use super::purpose::path_of;

const FETCH_SITE: HeaderName = HeaderName::from_static("sec-fetch-site");

/// A random word that opens an address. It prints as `…`, never as itself.
#[derive(Clone, PartialEq, Eq)]
pub struct Token(String);

impl Token {
    /// 128 random bits, as hexadecimal digits.
    ///
    /// # Errors
    /// The system has no randomness to give.
    pub fn random() -> Result<Self, getrandom::Error> {
        let mut bytes = [0u8; 16];
        getrandom::fill(&mut bytes)?;
        Ok(Self(format!("{:032x}", u128::from_be_bytes(bytes))))
    }

    /// A token of the user's own: at least 16 characters that need no escape in a URL.
    pub fn new(text: &str) -> Option<Self> {
        let plain = |b: u8| b.is_ascii_alphanumeric() || b"-._~".contains(&b);
        (text.len() >= 16 && text.bytes().all(plain)).then(|| Self(text.to_owned()))
    }

    /// Compared in a time that tells nothing about where the difference is.
    pub fn matches(&self, other: &str) -> bool {
        self.0.as_bytes().ct_eq(other.as_bytes()).into()
    }

    /// The word itself, for the address that is handed to the session.
    pub fn expose(&self) -> &str {
        &self.0
    }
}

impl std::fmt::Debug for Token {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Token(…)")
    }
}

/// Where an admitted request wants to go.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Admitted {
    /// A connectivity probe, answered here.
    Probe,
    /// A call: path and query without the token's prefix.
    Call(String),
    /// The control endpoint, which checks a token of its own: the path after `/.subagents/`.
    Control(String),
}

/// Checks where a request comes from, then what it carries.
///
/// # Errors
/// [`Error::Foreign`] for a `Host` that isn't this listener, or anything that a web page sends;
/// [`Error::Token`] without the right token.
pub(super) fn admit<B>(request: &Request<B>, port: u16, token: &Token) -> Result<Admitted, Error> {
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
    if !token.matches(word) {
        return Err(Error::Token);
    }
    if probe && matches!(path_of(call), "" | "/" | "/api/hello") {
        return Ok(Admitted::Probe);
    }
    Ok(Admitted::Call(said_once(call)))
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

    const TOKEN: &str = "0123456789abcdef";

    fn ask(method: &str, path: &str, headers: &[(&str, &str)]) -> Result<Admitted, u16> {
        let mut request = Request::builder().method(method).uri(path);
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        let token = Token::new(TOKEN).unwrap();
        admit(&request.body(()).unwrap(), 4000, &token).map_err(|error| error.status().as_u16())
    }

    fn path(path: &str) -> Result<Admitted, u16> {
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
            assert_eq!(got, Ok(Admitted::Call(want.to_owned())), "{asked}");
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
                assert_eq!(ask(method, probe, &[("host", "127.0.0.1:4000")]), Ok(Admitted::Probe), "{probe}");
            }
        }
    }

    #[test]
    fn a_token_does_not_print() {
        assert_eq!(format!("{:?}", Token::new(TOKEN)), "Some(Token(…))");
        assert_ne!(Token::random().unwrap(), Token::random().unwrap());
        assert_eq!(Token::new("short"), None);
        assert_eq!(Token::new("0123456789abcdef/../"), None);
    }
}
