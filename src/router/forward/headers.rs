//! Which headers go on, and which credential goes with them.

use hyper::header::{
    AUTHORIZATION, CONNECTION, COOKIE, EXPECT, HeaderMap, HeaderName, HeaderValue, InvalidHeaderName,
    InvalidHeaderValue, PROXY_AUTHENTICATE, PROXY_AUTHORIZATION, TE, TRAILER, TRANSFER_ENCODING, UPGRADE,
};

use crate::config::Secret;

/// Headers that belong to one connection (RFC 9110, 7.6.1), and `Expect`, which the server side has answered.
const HOP_BY_HOP: [HeaderName; 9] = [
    CONNECTION,
    TE,
    TRAILER,
    TRANSFER_ENCODING,
    UPGRADE,
    PROXY_AUTHENTICATE,
    PROXY_AUTHORIZATION,
    HeaderName::from_static("keep-alive"),
    HeaderName::from_static("proxy-connection"),
];

const API_KEY: HeaderName = HeaderName::from_static("x-api-key");

/// What a route does to the credentials of a request.
#[derive(Debug, Clone, Default)]
pub struct Credential {
    /// The route's own; marked sensitive, so that it doesn't print.
    headers: Vec<(HeaderName, HeaderValue)>,
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

    fn and(mut self, name: HeaderName, value: &str) -> Result<Self, CredentialError> {
        let mut value = HeaderValue::from_str(value)?;
        value.set_sensitive(true);
        self.headers.push((name, value));
        Ok(self)
    }

    /// Takes out whatever the client proves itself by, and puts the route's credential in.
    pub fn apply(&self, headers: &mut HeaderMap) {
        for name in [AUTHORIZATION, API_KEY, COOKIE] {
            headers.remove(name);
        }
        for (name, value) in &self.headers {
            headers.insert(name, value.clone());
        }
    }
}

/// Drops what belongs to the connection that the message came by. Everything else stays, in its order.
pub(in crate::router) fn strip_hop_by_hop(headers: &mut HeaderMap) {
    // Most messages have none of them: one look at the names there are is cheaper than asking for each.
    if !headers.keys().any(|name| HOP_BY_HOP.contains(name)) {
        return;
    }
    let named: Vec<HeaderName> = headers
        .get_all(CONNECTION)
        .iter()
        .filter_map(|value| value.to_str().ok())
        .flat_map(|value| value.split(','))
        .filter_map(|name| name.trim().parse().ok())
        .collect();
    for name in named.iter().chain(&HOP_BY_HOP) {
        headers.remove(name);
    }
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
    fn a_secret_that_no_header_can_carry_is_refused() {
        let secret = Secret::new("a\nb".into());
        let error = Credential::bearer(&secret).unwrap_err();
        assert!(!error.to_string().contains('a') || !error.to_string().contains("a\nb"));
    }
}
