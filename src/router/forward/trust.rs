//! Whom a TLS connection trusts.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

use rustls::client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier};
use rustls::crypto::{CryptoProvider, ring};
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, ServerName, UnixTime};
use rustls::{ClientConfig, DigitallySignedStruct, RootCertStore, SignatureScheme};

/// How an upstream's certificate is checked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Trust {
    System,
    /// The system's roots and those of this PEM file; where it can't be read, the system's alone.
    SystemAnd(PathBuf),
    CaFile(PathBuf),
    /// Anything goes, for this upstream only.
    Unverified,
}

/// An upstream's TLS settings, and the configuration that is made of them at the first need.
#[derive(Debug)]
pub struct Tls {
    trust: Trust,
    /// Offer HTTP/2.
    http2: bool,
    config: OnceLock<Arc<ClientConfig>>,
}

impl Tls {
    pub fn new(trust: Trust, http2: bool) -> Self {
        Self { trust, http2, config: OnceLock::new() }
    }

    /// The same with another trust.
    pub(super) fn trusting(self, trust: Trust) -> Self {
        Self::new(trust, self.http2)
    }

    /// `system` is asked for only where it is needed: reading the roots takes a while.
    ///
    /// # Errors
    /// The CA file can't be read, or holds no certificate.
    pub(super) fn config(
        &self,
        system: impl FnOnce() -> Arc<RootCertStore>,
    ) -> io::Result<Arc<ClientConfig>> {
        if let Some(config) = self.config.get() {
            return Ok(Arc::clone(config));
        }
        let mut config = build(&self.trust, system)?;
        if self.http2 {
            config.alpn_protocols.push(b"h2".to_vec());
        }
        config.alpn_protocols.push(b"http/1.1".to_vec());
        Ok(Arc::clone(self.config.get_or_init(|| Arc::new(config))))
    }
}

fn build(trust: &Trust, system: impl FnOnce() -> Arc<RootCertStore>) -> io::Result<ClientConfig> {
    let provider = Arc::new(ring::default_provider());
    let builder = ClientConfig::builder_with_provider(Arc::clone(&provider))
        .with_safe_default_protocol_versions()
        .map_err(io::Error::other)?;
    Ok(match trust {
        Trust::System => builder.with_root_certificates(system()).with_no_client_auth(),
        Trust::SystemAnd(file) => {
            builder.with_root_certificates(with_more(system(), file)).with_no_client_auth()
        }
        Trust::CaFile(file) => {
            let named = |reason| io::Error::other(format!("ca_file {}: {reason}", file.display()));
            builder.with_root_certificates(read_roots(file).map_err(named)?).with_no_client_auth()
        }
        Trust::Unverified => builder
            .dangerous()
            .with_custom_certificate_verifier(Arc::new(Anything(provider)))
            .with_no_client_auth(),
    })
}

/// The system's root certificates; the unreadable ones are passed over.
pub(super) fn system_roots() -> Arc<RootCertStore> {
    let mut store = RootCertStore::empty();
    store.add_parsable_certificates(rustls_native_certs::load_native_certs().certs);
    Arc::new(store)
}

/// Claude Code goes on without a file that it can't read, and so does the router.
fn with_more(system: Arc<RootCertStore>, file: &Path) -> Arc<RootCertStore> {
    match read_roots(file) {
        Ok(more) => {
            let mut store = Arc::unwrap_or_clone(system);
            store.extend(more.roots);
            Arc::new(store)
        }
        Err(reason) => {
            tracing::warn!(file = %file.display(), reason, "more root certificates can't be read");
            system
        }
    }
}

/// The file's certificates, or why there are none.
fn read_roots(file: &Path) -> Result<RootCertStore, String> {
    let mut store = RootCertStore::empty();
    for certificate in CertificateDer::pem_file_iter(file).map_err(|error| error.to_string())? {
        let certificate = certificate.map_err(|error| error.to_string())?;
        store.add(certificate).map_err(|error| error.to_string())?;
    }
    if store.is_empty() { Err("no certificate in it".to_owned()) } else { Ok(store) }
}

/// `verify_tls = false`: any certificate for any name. Signatures of the handshake itself are still checked.
#[derive(Debug)]
struct Anything(Arc<CryptoProvider>);

impl ServerCertVerifier for Anything {
    fn verify_server_cert(
        &self,
        _: &CertificateDer<'_>,
        _: &[CertificateDer<'_>],
        _: &ServerName<'_>,
        _: &[u8],
        _: UnixTime,
    ) -> Result<ServerCertVerified, rustls::Error> {
        Ok(ServerCertVerified::assertion())
    }

    fn verify_tls12_signature(
        &self,
        message: &[u8],
        cert: &CertificateDer<'_>,
        dss: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, rustls::Error> {
        let algorithms = &self.0.signature_verification_algorithms;
        rustls::crypto::verify_tls12_signature(message, cert, dss, algorithms)
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        cert: &CertificateDer<'_>,
        dss: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, rustls::Error> {
        let algorithms = &self.0.signature_verification_algorithms;
        rustls::crypto::verify_tls13_signature(message, cert, dss, algorithms)
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.0.signature_verification_algorithms.supported_schemes()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn roots(file: &Path) -> usize {
        with_more(Arc::new(RootCertStore::empty()), file).len()
    }

    #[test]
    fn a09_more_roots_are_trusted_and_an_unreadable_file_is_passed_over() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("ca.pem");
        assert_eq!(roots(&file), 0, "not there");
        std::fs::write(&file, "no certificate").unwrap();
        assert_eq!(roots(&file), 0, "nothing in it");
        let certificate = || rcgen::generate_simple_self_signed(["h".to_owned()]).unwrap().cert.pem();
        std::fs::write(&file, certificate() + &certificate()).unwrap();
        assert_eq!(roots(&file), 2);
    }
}
