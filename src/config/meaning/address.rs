//! Base URLs: what is accepted, and in which form it is kept.
//!
//! A refusal never repeats the text, since a key may stand in it.

use hyper::Uri;
use hyper::http::uri::Authority;

use crate::config::Dialect;

#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub(in crate::config) enum AddressError {
    #[error("the address is no URL: write it as `https://host/path`")]
    NoUrl,
    #[error("the address doesn't start with `http://` or `https://`")]
    Scheme,
    #[error("the address holds a user or a password: take it out, and give the key with `auth`")]
    Credentials,
    #[error("the address holds a `?` or a `#`: only host, port and path belong in it")]
    Query,
}

/// The address without a trailing `/`, and for the Anthropic dialect without `/v1` or `/v1/messages`, which
/// the client's own path brings along.
pub(in crate::config) fn base_url(text: &str, dialect: Dialect) -> Result<String, AddressError> {
    let text = text.trim();
    if text.contains(['?', '#']) {
        return Err(AddressError::Query);
    }
    let uri: Uri = text.parse().map_err(|_| AddressError::NoUrl)?;
    if !matches!(uri.scheme_str(), Some("http" | "https")) {
        return Err(if text.contains("://") { AddressError::Scheme } else { AddressError::NoUrl });
    }
    let authority = uri.authority().ok_or(AddressError::NoUrl)?;
    if authority.as_str().contains('@') {
        return Err(AddressError::Credentials);
    }
    if authority.host().is_empty() || has_wrong_port(authority) {
        return Err(AddressError::NoUrl);
    }
    Ok(trimmed(text, dialect).to_owned())
}

/// Whether what is sent there stays on this machine.
pub(super) fn is_loopback(base_url: &str) -> bool {
    let uri: Option<Uri> = base_url.parse().ok();
    let host = uri.as_ref().and_then(Uri::host).unwrap_or_default();
    let address = host.trim_matches(['[', ']']).parse::<std::net::IpAddr>();
    host.eq_ignore_ascii_case("localhost") || address.is_ok_and(|address| address.is_loopback())
}

/// Something stands behind the host, and it is no port.
fn has_wrong_port(authority: &Authority) -> bool {
    authority.as_str().len() > authority.host().len() && authority.port_u16().is_none()
}

fn trimmed(text: &str, dialect: Dialect) -> &str {
    let text = text.trim_end_matches('/');
    if dialect != Dialect::Anthropic {
        return text;
    }
    let without = text.strip_suffix("/v1/messages").or_else(|| text.strip_suffix("/v1"));
    without.unwrap_or(text).trim_end_matches('/')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn r4_trailing_slashes_and_pasted_paths_are_trimmed_and_own_paths_kept() {
        for (text, expect) in [
            ("http://127.0.0.1:11434", "http://127.0.0.1:11434"),
            ("https://a.example/", "https://a.example"),
            ("https://a.example/api/anthropic//", "https://a.example/api/anthropic"),
            ("https://a.example/v1", "https://a.example"),
            ("https://a.example/x/v1/messages/", "https://a.example/x"),
            ("https://a.example/api/v1x", "https://a.example/api/v1x"),
            (" http://[::1]:80/ ", "http://[::1]:80"),
        ] {
            assert_eq!(base_url(text, Dialect::Anthropic).as_deref(), Ok(expect), "{text}");
        }
        assert_eq!(base_url("https://a/v1/", Dialect::OpenaiChat).as_deref(), Ok("https://a/v1"));
    }

    #[test]
    fn what_is_no_base_url_is_refused_without_being_repeated() {
        for (text, expect) in [
            ("", AddressError::NoUrl),
            ("localhost:11434", AddressError::NoUrl),
            ("ftp://a.example", AddressError::Scheme),
            ("https://user:canary@a.example", AddressError::Credentials),
            ("https://canary@a.example", AddressError::Credentials),
            ("https://a.example/?key=canary", AddressError::Query),
            ("https://a.example/#x", AddressError::Query),
            ("https://a.example:99999", AddressError::NoUrl),
            ("https://:80", AddressError::NoUrl),
            ("https://a b", AddressError::NoUrl),
        ] {
            let error = base_url(text, Dialect::Anthropic).unwrap_err();
            assert_eq!(error, expect, "{text}");
            assert!(!error.to_string().contains("canary"));
        }
    }

    #[test]
    fn loopback_is_told_from_the_rest() {
        for (text, expect) in [
            ("http://127.0.0.1:1", true),
            ("http://127.9.9.9", true),
            ("http://localhost/x", true),
            ("http://[::1]:2", true),
            ("http://192.168.0.2", false),
            ("http://127.0.0.1.example", false),
        ] {
            assert_eq!(is_loopback(text), expect, "{text}");
        }
    }
}
