//! Certificates that nobody has signed, and the server's side of TLS.

use std::path::PathBuf;
use std::sync::Arc;

use rustls::ServerConfig;
use rustls::crypto::ring;
use rustls::pki_types::PrivateKeyDer;
use tempfile::TempDir;
use tokio::net::TcpStream;
use tokio_rustls::TlsAcceptor;
use tokio_rustls::server::TlsStream;

use super::wire::{Wire, soon};

/// A certificate for `127.0.0.1`, `localhost` and `provider.example`, signed by itself.
pub(crate) struct SelfSigned {
    acceptor: TlsAcceptor,
    pem: String,
    folder: TempDir,
}

impl SelfSigned {
    /// `protocols` as in ALPN.
    pub(crate) fn new(protocols: &[&str]) -> Self {
        let names = ["127.0.0.1", "localhost", "provider.example"].map(str::to_owned);
        let made = rcgen::generate_simple_self_signed(names).expect("a certificate");
        let key = PrivateKeyDer::try_from(made.signing_key.serialize_der()).expect("a key");
        let mut config = ServerConfig::builder_with_provider(Arc::new(ring::default_provider()))
            .with_safe_default_protocol_versions()
            .expect("versions")
            .with_no_client_auth()
            .with_single_cert(vec![made.cert.der().clone()], key)
            .expect("a certificate and its key");
        config.alpn_protocols = protocols.iter().map(|name| name.as_bytes().to_vec()).collect();
        let acceptor = TlsAcceptor::from(Arc::new(config));
        Self { acceptor, pem: made.cert.pem(), folder: tempfile::tempdir().expect("a folder") }
    }

    pub(crate) async fn accept(&self, wire: Wire) -> Wire<TlsStream<TcpStream>> {
        let accepted = self.acceptor.accept(wire.into_stream());
        Wire::new(soon("a handshake", accepted).await.expect("a handshake"))
    }

    pub(crate) fn acceptor(&self) -> TlsAcceptor {
        self.acceptor.clone()
    }

    /// The certificate as a file, for `ca_file`.
    pub(crate) fn ca_file(&self) -> PathBuf {
        let file = self.folder.path().join("ca.pem");
        std::fs::write(&file, &self.pem).expect("a file");
        file
    }
}
