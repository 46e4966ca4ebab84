//! Which headers go on, and which credential goes with them.

use hyper::header::{
    ACCEPT, ACCEPT_ENCODING, AUTHORIZATION, CONNECTION, CONTENT_ENCODING, CONTENT_LENGTH, CONTENT_TYPE,
    COOKIE, EXPECT, HOST, HeaderMap, HeaderName, HeaderValue, InvalidHeaderName, InvalidHeaderValue,
};

use crate::config::Secret;

const API_KEY: HeaderName = HeaderName::from_static("x-api-key");

/// Headers without which a request means something else: they say nothing of who sends it.
const MEANING: [HeaderName; 8] = [
    HOST,
    ACCEPT,
    ACCEPT_ENCODING,
    CONTENT_TYPE,
    CONTENT_LENGTH,
    CONTENT_ENCODING,
    HeaderName::from_static("anthropic-version"),
    HeaderName::from_static("anthropic-beta"),
];

/// What a route does to the credentials of a request.
#[derive(Debug, Clone, Default)]
pub struct Credential {
    /// The route's own; marked sensitive, so that it doesn't print.
    headers: Vec<(HeaderName, HeaderValue)>,
    /// The user's own, meant for another upstream; they may hold its key.
    foreign: Vec<HeaderName>,
}

#[derive(Debug, thiserror::Error)]
pub enum CredentialError {
    #[error("the secret holds a character that no header can carry")]
    Value(#[from] InvalidHeaderValue),
    #[error("`auth.header` is no header's name")]
    Name(#[from] InvalidHeaderName),
}

impl Credential {
    /// No key: the client's credentials are taken out, and none is put in.
    pub fn none() -> Self {
        Self::default()
    }

    pub fn bearer(secret: &Secret) -> Result<Self, CredentialError> {
        Self::default().and(AUTHORIZATION, &format!("Bearer {}", secret.expose()))
    }

    pub fn api_key(secret: &Secret) -> Result<Self, CredentialError> {
        Self::default().and(API_KEY, secret.expose())
    }

    pub fn both(secret: &Secret) -> Result<Self, CredentialError> {
        Self::bearer(secret)?.and(API_KEY, secret.expose())
    }

    pub fn header(name: &str, secret: &Secret) -> Result<Self, CredentialError> {
        Self::default().and(name.parse()?, secret.expose())
    }

    /// Takes these out of requests too, but for those that give a request its meaning. What is no name is no header.
    #[must_use]
    pub fn without<'a>(mut self, names: impl IntoIterator<Item = &'a str>) -> Self {
        let names = names.into_iter().filter_map(|name| name.parse().ok());
        self.foreign.extend(names.filter(|name| !MEANING.contains(name)));
        self
    }

    fn and(mut self, name: HeaderName, value: &str) -> Result<Self, CredentialError> {
        let mut value = HeaderValue::from_str(value)?;
        value.set_sensitive(true);
        self.headers.push((name, value));
        Ok(self)
    }

    /// Takes out whatever the client proves itself by, and puts the route's credential in.
    pub fn apply(&self, headers: &mut HeaderMap) {
        for name in [AUTHORIZATION, API_KEY, COOKIE].iter().chain(&self.foreign) {
            headers.remove(name);
        }
        for (name, value) in &self.headers {
            headers.insert(name, value.clone());
        }
    }
}

/// Drops what belongs to the connection that the message came by. Everything else stays, in its order.
pub(in crate::router) fn strip_hop_by_hop(headers: &mut HeaderMap) {
    let mut doomed: Vec<HeaderName> = headers.keys().filter(|name| is_hop_by_hop(name)).cloned().collect();
    if doomed.contains(&CONNECTION) {
        let named = headers.get_all(CONNECTION).iter().filter_map(|value| value.to_str().ok());
        doomed.extend(named.flat_map(|value| value.split(',')).filter_map(|name| name.trim().parse().ok()));
    }
    for name in &doomed {
        headers.remove(name);
    }
}

/// Headers of one connection (RFC 9110, 7.6.1).
fn is_hop_by_hop(name: &HeaderName) -> bool {
    matches!(
        name.as_str(),
        "connection"
            | "keep-alive"
            | "te"
            | "trailer"
            | "transfer-encoding"
            | "upgrade"
            | "proxy-connection"
            | "proxy-authenticate"
            | "proxy-authorization"
    )
}

/// The same for a request, whose `Expect` the server side has answered already.
pub(in crate::router) fn strip_request(headers: &mut HeaderMap) {
    strip_hop_by_hop(headers);
    headers.remove(EXPECT);
}

#[cfg(test)]
mod tests {
    use super::*;

    fn map(pairs: &[(&str, &str)]) -> HeaderMap {
        let mut map = HeaderMap::new();
        for (name, value) in pairs {
            map.append(name.parse::<HeaderName>().unwrap(), value.parse().unwrap());
        }
        map
    }

    #[test]
    fn r5_hop_by_hop_headers_go_and_so_do_those_that_connection_names() {
        let mut headers = map(&[
            ("connection", "X-Foo, keep-alive"),
            ("connection", "x-bar"),
            ("x-foo", "1"),
            ("x-bar", "1"),
            ("keep-alive", "timeout=5"),
            ("te", "trailers"),
            ("trailer", "x"),
            ("transfer-encoding", "chunked"),
            ("upgrade", "h2c"),
            ("proxy-authorization", "Basic x"),
            ("proxy-connection", "keep-alive"),
            ("anthropic-beta", "a"),
            ("anthropic-beta", "b"),
            ("x-empty", ""),
        ]);
        strip_request(&mut headers);
        assert_eq!(headers, map(&[("anthropic-beta", "a"), ("anthropic-beta", "b"), ("x-empty", "")]));
    }

    #[test]
    fn r6_a01_the_clients_credentials_go_and_exactly_the_routes_comes() {
        let secret = Secret::new("canary".into());
        let client =
            [("authorization", "Bearer sk-ant-oat01-FAKE"), ("x-api-key", "k"), ("cookie", "c"), ("x", "1")];
        for (credential, want) in [
            (Credential::none(), &[("x", "1")][..]),
            (Credential::bearer(&secret).unwrap(), &[("x", "1"), ("authorization", "Bearer canary")]),
            (Credential::api_key(&secret).unwrap(), &[("x", "1"), ("x-api-key", "canary")]),
            (
                Credential::both(&secret).unwrap(),
                &[("x", "1"), ("authorization", "Bearer canary"), ("x-api-key", "canary")],
            ),
            (Credential::header("X-Key", &secret).unwrap(), &[("x", "1"), ("x-key", "canary")]),
        ] {
            let mut headers = map(&client);
            credential.apply(&mut headers);
            assert_eq!(headers, map(want));
            assert!(!format!("{credential:?}").contains("canary"), "a credential doesn't print");
        }
    }

    #[test]
    fn r6_headers_meant_for_another_upstream_go_and_a_requests_meaning_stays() {
        let secret = Secret::new("canary".into());
        let names = ["X-Gateway-Key", "X-Key", "Anthropic-Beta", "no name"];
        let credential = Credential::header("x-key", &secret).unwrap().without(names);
        let mut headers = map(&[("x-gateway-key", "k"), ("x-key", "k"), ("anthropic-beta", "b"), ("x", "1")]);
        credential.apply(&mut headers);
        assert_eq!(headers, map(&[("anthropic-beta", "b"), ("x", "1"), ("x-key", "canary")]));
    }

    #[test]
    fn a_secret_that_no_header_can_carry_is_refused() {
        let secret = Secret::new("a\nb".into());
        let error = Credential::bearer(&secret).unwrap_err();
        assert!(!error.to_string().contains('a') || !error.to_string().contains("a\nb"));
    }
}
