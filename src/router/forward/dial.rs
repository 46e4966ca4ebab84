//! Opens connections to upstreams: TCP, through a proxy where the environment names one, TLS.

use std::io;
use std::sync::{Arc, OnceLock};

use hyper::Uri;
use hyper_util::client::proxy::matcher::Matcher;
use rustls::RootCertStore;
use rustls::pki_types::ServerName;
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio_rustls::TlsConnector;

use super::trust::{self, Tls};

/// Any byte stream to an upstream.
pub trait Stream: AsyncRead + AsyncWrite + Unpin + Send {}
impl<T: AsyncRead + AsyncWrite + Unpin + Send> Stream for T {}

/// An open connection, and how it has to be spoken to.
pub struct Dialled {
    pub stream: Box<dyn Stream>,
    pub protocol: Protocol,
    /// A plain-text proxy stands between: it wants absolute-form targets, and perhaps a credential.
    pub proxy: Option<ProxyLogin>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Protocol {
    Http1,
    Http2,
}

/// The `Proxy-Authorization` that a proxy in front of plain HTTP wants with each request.
#[derive(Debug, Clone)]
pub struct ProxyLogin(pub Option<hyper::header::HeaderValue>);

/// What all upstreams share: the system's root certificates, read at the first need, and the proxies.
#[derive(Debug)]
pub struct Dialer {
    roots: OnceLock<Arc<RootCertStore>>,
    proxies: Matcher,
}

/// What the proxy variables say. `ALL_PROXY` is none of them, as for Claude Code.
#[derive(Debug, Clone, Default)]
pub struct ProxyVariables {
    /// `HTTPS_PROXY`
    pub https: String,
    /// `HTTP_PROXY`
    pub http: String,
    /// `NO_PROXY`
    pub no: String,
}

impl ProxyVariables {
    /// From an environment: the lower-case name wins, as it does for curl.
    pub fn read(get: impl Fn(&str) -> Option<String>) -> Self {
        let either = |name: &str| get(&name.to_lowercase()).or_else(|| get(name)).unwrap_or_default();
        Self { https: either("HTTPS_PROXY"), http: either("HTTP_PROXY"), no: either("NO_PROXY") }
    }
}

impl Dialer {
    pub fn new(proxies: &ProxyVariables) -> Self {
        let proxies = Matcher::builder()
            .https(proxies.https.as_str())
            .http(proxies.http.as_str())
            .no(proxies.no.as_str())
            .build();
        Self { roots: OnceLock::new(), proxies }
    }

    /// Connects to `target` (scheme and authority are what counts).
    ///
    /// # Errors
    /// With a reason that names no credential: no address, refused, a certificate that isn't trusted, a proxy
    /// that says no.
    pub async fn dial(&self, target: &Uri, tls: &Tls) -> io::Result<Dialled> {
        let host = target.host().unwrap_or_default().trim_matches(['[', ']']);
        let secure = target.scheme_str() == Some("https");
        let port = target.port_u16().unwrap_or(if secure { 443 } else { 80 });
        let proxy = if is_loopback(host) { None } else { self.proxies.intercept(target) };
        let Some(proxy) = proxy else {
            let stream = connect(host, port).await?;
            return self.secure(stream, host, secure, tls).await;
        };
        let mut stream = connect_proxy(proxy.uri()).await?;
        let login = proxy.basic_auth().cloned();
        if !secure {
            let proxy = Some(ProxyLogin(login));
            return Ok(Dialled { stream: Box::new(stream), protocol: Protocol::Http1, proxy });
        }
        tunnel(&mut stream, &authority(host, port), login.as_ref()).await?;
        self.secure(stream, host, secure, tls).await
    }

    async fn secure(&self, stream: TcpStream, host: &str, secure: bool, tls: &Tls) -> io::Result<Dialled> {
        if !secure {
            return Ok(Dialled { stream: Box::new(stream), protocol: Protocol::Http1, proxy: None });
        }
        let roots = || Arc::clone(self.roots.get_or_init(trust::system_roots));
        let config = tls.config(roots)?;
        let name = ServerName::try_from(host.to_owned()).map_err(io::Error::other)?;
        let stream = TlsConnector::from(config).connect(name, stream).await?;
        let h2 = stream.get_ref().1.alpn_protocol() == Some(b"h2");
        let protocol = if h2 { Protocol::Http2 } else { Protocol::Http1 };
        Ok(Dialled { stream: Box::new(stream), protocol, proxy: None })
    }
}

/// Never by a proxy, whatever the variables say.
fn is_loopback(host: &str) -> bool {
    let address = host.parse::<std::net::IpAddr>();
    host.eq_ignore_ascii_case("localhost") || address.is_ok_and(|address| address.is_loopback())
}

async fn connect(host: &str, port: u16) -> io::Result<TcpStream> {
    let stream = TcpStream::connect((host, port)).await?;
    stream.set_nodelay(true)?;
    Ok(stream)
}

async fn connect_proxy(proxy: &Uri) -> io::Result<TcpStream> {
    if proxy.scheme_str() != Some("http") {
        return Err(io::Error::other("the proxy's address must begin with http://"));
    }
    let host = proxy.host().unwrap_or_default().trim_matches(['[', ']']);
    let port = proxy.port_u16().unwrap_or(80);
    let named = |error: io::Error| io::Error::new(error.kind(), format!("proxy {host}:{port}: {error}"));
    connect(host, port).await.map_err(named)
}

/// An IPv6 address stands in brackets.
fn authority(host: &str, port: u16) -> String {
    if host.contains(':') { format!("[{host}]:{port}") } else { format!("{host}:{port}") }
}

/// `CONNECT` (RFC 9110, 9.3.6).
async fn tunnel(
    stream: &mut TcpStream,
    authority: &str,
    login: Option<&hyper::header::HeaderValue>,
) -> io::Result<()> {
    let mut head = format!("CONNECT {authority} HTTP/1.1\r\nHost: {authority}\r\n").into_bytes();
    if let Some(login) = login {
        head.extend_from_slice(b"Proxy-Authorization: ");
        head.extend_from_slice(login.as_bytes());
        head.extend_from_slice(b"\r\n");
    }
    head.extend_from_slice(b"\r\n");
    stream.write_all(&head).await?;
    let mut answer = Vec::with_capacity(256);
    while !answer.ends_with(b"\r\n\r\n") {
        // Byte by byte, so that nothing of what follows is swallowed; it is a few dozen bytes, once.
        answer.push(stream.read_u8().await?);
        if answer.len() > 8192 {
            return Err(io::Error::other("the proxy's answer has no end"));
        }
    }
    let line = answer.split(|&b| b == b'\r').next().unwrap_or_default();
    let line = String::from_utf8_lossy(line);
    let accepted = line.split(' ').nth(1).is_some_and(|status| status.starts_with('2'));
    if accepted { Ok(()) } else { Err(io::Error::other(format!("the proxy says: {line}"))) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a09_proxy_variables_are_read_as_curl_reads_them() {
        let env = |name: &str| match name {
            "https_proxy" => Some("http://lower:1".to_owned()),
            "HTTPS_PROXY" => Some("http://upper:1".to_owned()),
            "ALL_PROXY" => Some("http://all:1".to_owned()),
            "NO_PROXY" => Some("a,b".to_owned()),
            _ => None,
        };
        let read = ProxyVariables::read(env);
        assert_eq!(
            (&*read.https, &*read.http, &*read.no),
            ("http://lower:1", "", "a,b"),
            "ALL_PROXY doesn't count"
        );
    }

    #[test]
    fn a09_an_ipv6_address_is_asked_for_in_brackets() {
        assert_eq!(authority("2001:db8::1", 443), "[2001:db8::1]:443");
        assert_eq!(authority("h.example", 8443), "h.example:8443");
    }

    #[test]
    fn loopback_is_known_by_name_and_address() {
        for host in ["localhost", "LocalHost", "127.0.0.1", "127.1.2.3", "::1"] {
            assert!(is_loopback(host), "{host}");
        }
        assert!(!is_loopback("127.0.0.1.example"));
    }
}
