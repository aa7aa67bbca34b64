//! Certificates that are good, and each way in which one is not.

use std::fs;
use std::path::PathBuf;
use std::sync::Arc;

use rcgen::{BasicConstraints, CertificateParams, DnType, IsCa, Issuer, KeyPair, date_time_ymd};
use tempfile::TempDir;
use tokio_rustls::TlsAcceptor;
use tokio_rustls::rustls::pki_types::PrivateKeyDer;
use tokio_rustls::rustls::server::WebPkiClientVerifier;
use tokio_rustls::rustls::{RootCertStore, ServerConfig, crypto};

use super::double::{Double, Server, question};
use super::{open, refused};
use crate::peer::{Dial, REQUEST_TIMEOUT, Security, Tls, TlsFiles};

/// An authority, and the files of what it signs.
struct Authority {
    folder: TempDir,
    issuer: Issuer<'static, KeyPair>,
    certificate: rcgen::Certificate,
}

/// A certificate for a name, with its key.
struct Signed {
    certificate: rcgen::Certificate,
    key: KeyPair,
}

impl Authority {
    fn new(name: &str) -> Self {
        let mut params = CertificateParams::new(Vec::new()).unwrap();
        params.distinguished_name.push(DnType::CommonName, name);
        params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        let key = KeyPair::generate().unwrap();
        let certificate = params.self_signed(&key).unwrap();
        let made = Self { folder: TempDir::new().unwrap(), issuer: Issuer::new(params, key), certificate };
        made.write("ca.pem", &made.certificate.pem());
        made
    }

    fn sign(&self, name: &str, until_year: i32) -> Signed {
        let mut params = CertificateParams::new(vec![name.to_owned()]).unwrap();
        params.not_before = date_time_ymd(2000, 1, 1);
        params.not_after = date_time_ymd(until_year, 1, 1);
        let key = KeyPair::generate().unwrap();
        Signed { certificate: params.signed_by(&key, &self.issuer).unwrap(), key }
    }

    fn write(&self, name: &str, text: &str) -> PathBuf {
        let path = self.folder.path().join(name);
        fs::write(&path, text).unwrap();
        path
    }

    fn files(&self) -> TlsFiles {
        TlsFiles { ca: Some(self.folder.path().join("ca.pem")), ..TlsFiles::default() }
    }

    fn trusted(&self) -> Security {
        Security::default().tls(Tls::open(&self.files()).unwrap())
    }

    /// A server with that certificate, which wants one of its clients too if there is an authority for them.
    async fn serve(&self, shown: Signed, clients: Option<&Authority>) -> Server {
        let provider = Arc::new(crypto::ring::default_provider());
        let builder = ServerConfig::builder_with_provider(Arc::clone(&provider)).with_safe_default_protocol_versions();
        let builder = match clients {
            None => builder.unwrap().with_no_client_auth(),
            Some(of) => {
                let mut roots = RootCertStore::empty();
                roots.add(of.certificate.der().clone()).unwrap();
                let verifier = WebPkiClientVerifier::builder_with_provider(Arc::new(roots), provider);
                builder.unwrap().with_client_cert_verifier(verifier.build().unwrap())
            }
        };
        let key = PrivateKeyDer::try_from(shown.key.serialize_der()).unwrap();
        let config = builder.with_single_cert(vec![shown.certificate.der().clone()], key).unwrap();
        Double { tls: Some(TlsAcceptor::from(Arc::new(config))), ..Double::default() }.start().await
    }
}

/// Encryption that nobody has been talked to with.
pub fn trusting() -> Security {
    Authority::new("one").trusted()
}

#[tokio::test]
async fn a_good_certificate_is_talked_to() {
    let authority = Authority::new("one");
    let server = authority.serve(authority.sign("localhost", 4096), None).await;
    let connection = open(&server, authority.trusted()).await.unwrap();
    connection.call(&question(), REQUEST_TIMEOUT).await.unwrap();
}

#[tokio::test]
async fn an_authority_that_is_not_trusted_is_told() {
    let (authority, other) = (Authority::new("one"), Authority::new("another"));
    let server = authority.serve(authority.sign("localhost", 4096), None).await;
    let reason = refused(&server, other.trusted()).await;
    assert!(reason.contains("not trusted here") && reason.contains("--tls-ca"), "{reason}");
    let reason = refused(&server, Authority::new("one").trusted()).await;
    assert!(reason.contains("another one of that name") && reason.contains("--tls-ca"), "{reason}");
}

#[tokio::test]
async fn a_certificate_for_another_host_is_told_with_its_names() {
    let authority = Authority::new("one");
    let server = authority.serve(authority.sign("localhost", 4096), None).await;
    let dial = Dial::new("story", authority.trusted());
    let reason = dial.open(&server.other_address()).await.err().unwrap().to_string();
    assert!(reason.contains("is for localhost and") && reason.contains("not for 127.0.0.1"), "{reason}");
}

#[tokio::test]
async fn a_certificate_that_is_over_is_told() {
    let authority = Authority::new("one");
    let server = authority.serve(authority.sign("localhost", 2001), None).await;
    let reason = refused(&server, authority.trusted()).await;
    assert!(reason.contains("out of date"), "{reason}");
}

#[tokio::test]
async fn a_server_that_wants_a_certificate_gets_ours_or_says_so() {
    let authority = Authority::new("one");
    let server = authority.serve(authority.sign("localhost", 4096), Some(&authority)).await;
    let ours = authority.sign("client", 4096);
    let files = TlsFiles {
        certificate: Some(authority.write("client.pem", &ours.certificate.pem())),
        key: Some(authority.write("client.key", &ours.key.serialize_pem())),
        ..authority.files()
    };
    open(&server, Security::default().tls(Tls::open(&files).unwrap())).await.unwrap();
    let reason = refused(&server, authority.trusted()).await;
    assert!(reason.contains("wants a certificate of this client that it trusts"), "{reason}");

    let strict = authority.serve(authority.sign("localhost", 4096), Some(&Authority::new("another"))).await;
    let reason = refused(&strict, Security::default().tls(Tls::open(&files).unwrap())).await;
    assert!(reason.contains("wants a certificate of this client that it trusts"), "{reason}");
}

#[tokio::test]
async fn tls_and_no_tls_tell_each_other_apart() {
    let authority = Authority::new("one");
    let plain = Double::default().start().await;
    let reason = refused(&plain, authority.trusted()).await;
    assert!(reason.contains("without TLS"), "{reason}");
    let encrypted = authority.serve(authority.sign("localhost", 4096), None).await;
    let reason = refused(&encrypted, Security::default()).await;
    assert!(reason.contains("it speaks TLS there"), "{reason}");
}

#[test]
fn files_that_are_not_what_they_should_be_are_named_with_a_remedy() {
    let authority = Authority::new("one");
    let ours = authority.sign("client", 4096);
    let certificate = authority.write("client.pem", &ours.certificate.pem());
    let key = authority.write("client.key", &ours.key.serialize_pem());
    let others = authority.write("other.key", &KeyPair::generate().unwrap().serialize_pem());
    let locked = "-----BEGIN ENCRYPTED PRIVATE KEY-----\nAAAA\n-----END ENCRYPTED PRIVATE KEY-----\n";
    let locked = authority.write("locked.key", locked);
    let store = authority.write("store.jks", "\u{7}\u{3}not PEM");
    let files = |ca: Option<&PathBuf>, certificate: Option<&PathBuf>, key: Option<&PathBuf>| TlsFiles {
        ca: ca.or(authority.files().ca.as_ref()).cloned(),
        certificate: certificate.cloned(),
        key: key.cloned(),
    };
    let missing = PathBuf::from("no/such/file");
    let cases = [
        (files(Some(&missing), None, None), "cannot be read"),
        (files(Some(&store), None, None), "keytool -exportcert"),
        (files(None, Some(&certificate), None), "needs its private key"),
        (files(None, None, Some(&key)), "needs its certificate"),
        (files(None, Some(&certificate), Some(&certificate)), "holds no private key"),
        (files(None, Some(&certificate), Some(&locked)), "openssl pkey"),
        (files(None, Some(&certificate), Some(&others)), "not for the private key"),
    ];
    for (files, expected) in cases {
        let error = Tls::open(&files).unwrap_err().to_string();
        assert!(error.contains(expected), "{error}");
    }
}
