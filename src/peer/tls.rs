//! TLS: whom to trust, who we are, and what a handshake that failed means for whoever set it up.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use tokio::net::TcpStream;
use tokio_rustls::TlsConnector;
use tokio_rustls::client::TlsStream;
use tokio_rustls::rustls::pki_types::pem::PemObject;
use tokio_rustls::rustls::pki_types::{CertificateDer, PrivateKeyDer, ServerName};
use tokio_rustls::rustls::{self, AlertDescription, CertificateError, ClientConfig, RootCertStore};

use super::files;
use super::limits::PEM_FILE_BYTES;
use super::remedy::CA;
use super::security::SecurityError;

const SECONDS_PER_DAY: u64 = 24 * 60 * 60;

/// The files that TLS is set up from, all in PEM form.
#[derive(Clone, Default, PartialEq, Eq, Debug)]
pub struct TlsFiles {
    /// The authorities that are trusted; none trusts those of the system.
    pub ca: Option<PathBuf>,
    /// Our own certificate, and those between it and its authority, if the peer asks for one.
    pub certificate: Option<PathBuf>,
    /// Its private key.
    pub key: Option<PathBuf>,
}

/// Encryption, with the peer's certificate checked against its name and an authority that is trusted.
#[derive(Clone, Debug)]
pub struct Tls(Arc<ClientConfig>);

impl Tls {
    /// Reads the files.
    pub fn open(files: &TlsFiles) -> Result<Self, SecurityError> {
        let roots = match &files.ca {
            Some(path) => roots_of(path)?,
            None => system_roots()?,
        };
        let provider = Arc::new(rustls::crypto::ring::default_provider());
        let builder = ClientConfig::builder_with_provider(provider).with_safe_default_protocol_versions();
        let builder = builder.map_err(|error| SecurityError::new(format!("TLS cannot be set up: {error}")))?;
        let builder = builder.with_root_certificates(roots);
        let config = match (&files.certificate, &files.key) {
            (None, None) => builder.with_no_client_auth(),
            (Some(certificate), Some(key)) => {
                let (chain, secret) = (certificates(certificate)?, private_key(key)?);
                let config = builder.with_client_auth_cert(chain, secret);
                config.map_err(|error| misfit(certificate, key, &error))?
            }
            (Some(path), None) => {
                return Err(SecurityError::file(path, "a certificate needs its private key beside it"));
            }
            (None, Some(path)) => {
                return Err(SecurityError::file(path, "a private key needs its certificate beside it"));
            }
        };
        Ok(Self(Arc::new(config)))
    }

    /// Shakes hands.
    pub(super) async fn connect(&self, host: &str, stream: TcpStream) -> Result<TlsStream<TcpStream>, Shake> {
        let name = ServerName::try_from(host.to_owned()).map_err(|_| {
            Shake::Refused(format!("{host:?} is no name that a certificate can be for: give the peer's host name"))
        })?;
        let connector = TlsConnector::from(Arc::clone(&self.0));
        connector.connect(name, stream).await.map_err(|error| match rustls_of(&error) {
            Some(_) => Shake::Refused(explain(&error)),
            None => Shake::BrokeOff(explain(&error)),
        })
    }
}

/// How a handshake failed.
pub(super) enum Shake {
    /// One of the two does not want the other.
    Refused(String),
    /// The connection ended in the middle of it.
    BrokeOff(String),
}

fn read(path: &Path) -> Result<Vec<u8>, SecurityError> {
    files::read(path, PEM_FILE_BYTES, "name a file in PEM form")
}

fn certificates(path: &Path) -> Result<Vec<CertificateDer<'static>>, SecurityError> {
    let found: Result<Vec<_>, _> = CertificateDer::pem_slice_iter(&read(path)?).collect();
    match found {
        Ok(found) if !found.is_empty() => Ok(found),
        _ => {
            let what = "it holds no certificate in PEM form (`-----BEGIN CERTIFICATE-----`): convert it with \
                        `openssl pkcs12 -in STORE -nokeys` or `keytool -exportcert -rfc`";
            Err(SecurityError::file(path, what))
        }
    }
}

fn private_key(path: &Path) -> Result<PrivateKeyDer<'static>, SecurityError> {
    let bytes = read(path)?;
    PrivateKeyDer::from_pem_slice(&bytes).map_err(|_| {
        let is_locked = String::from_utf8_lossy(&bytes).contains("ENCRYPTED");
        let what = match is_locked {
            true => "the private key is locked with a password: unlock it with `openssl pkey -in FILE -out FILE`",
            false => "it holds no private key in PEM form (`-----BEGIN PRIVATE KEY-----`)",
        };
        SecurityError::file(path, what)
    })
}

fn roots_of(path: &Path) -> Result<RootCertStore, SecurityError> {
    let mut roots = RootCertStore::empty();
    for certificate in certificates(path)? {
        roots.add(certificate).map_err(|error| {
            SecurityError::file(path, format!("a certificate in it cannot be an authority's: {error}"))
        })?;
    }
    Ok(roots)
}

/// As the machine's other programs trust them. What of them cannot be read is passed over, as everywhere.
fn system_roots() -> Result<RootCertStore, SecurityError> {
    let found = rustls_native_certs::load_native_certs();
    let mut roots = RootCertStore::empty();
    roots.add_parsable_certificates(found.certs);
    if roots.is_empty() {
        let why = found.errors.first().map(|error| format!(" ({error})")).unwrap_or_default();
        return Err(SecurityError::new(format!(
            "this machine trusts no authority at all{why}: install `ca-certificates`, or give the one of the cluster {CA}"
        )));
    }
    Ok(roots)
}

fn misfit(certificate: &Path, key: &Path, error: &rustls::Error) -> SecurityError {
    let what = match error {
        rustls::Error::InconsistentKeys(_) => format!("it is not for the private key in {}", key.display()),
        other => format!("it cannot be used with the private key in {}: {other}", key.display()),
    };
    SecurityError::file(certificate, what)
}

/// What ended an encrypted connection, in words that say what to do.
pub(super) fn explain(error: &io::Error) -> String {
    match rustls_of(error) {
        Some(rustls::Error::InvalidCertificate(problem)) => bad_certificate(problem),
        Some(rustls::Error::AlertReceived(alert)) => alert_received(*alert),
        Some(rustls::Error::InvalidMessage(_)) => {
            "what answers there is no TLS: leave TLS out, or name the port that has it".to_owned()
        }
        Some(rustls::Error::PeerIncompatible(what)) => {
            format!("the two have no way in common ({what:?}): it has to offer TLS 1.2 or 1.3 with a modern cipher")
        }
        Some(other) => other.to_string(),
        None if error.kind() == io::ErrorKind::UnexpectedEof || error.kind() == io::ErrorKind::ConnectionReset => {
            "it closed the connection in the middle of the handshake: the port may be one without TLS".to_owned()
        }
        None => error.to_string(),
    }
}

/// What ended it after its handshake, if that was encryption's doing.
pub(super) fn explain_later(error: &io::Error) -> Option<String> {
    rustls_of(error).map(|_| explain(error))
}

/// What encryption says, if it is that.
fn rustls_of(error: &io::Error) -> Option<&rustls::Error> {
    error.get_ref()?.downcast_ref()
}

fn bad_certificate(problem: &CertificateError) -> String {
    match problem {
        CertificateError::UnknownIssuer => {
            format!(
                "its certificate is from an authority that is not trusted here: give that authority's certificate {CA}"
            )
        }
        CertificateError::BadSignature => {
            format!(
                "its certificate names an authority that is trusted here, and was signed by another one of that name: give \
                 the present certificate of that authority {CA}"
            )
        }
        CertificateError::NotValidForName => {
            "its certificate is for another host: connect by the name that it is for".to_owned()
        }
        CertificateError::NotValidForNameContext { expected, presented } => {
            let names: Vec<&str> = presented.iter().map(|name| bare(name)).collect();
            let names = if names.is_empty() { "no host at all".to_owned() } else { names.join(", ") };
            format!(
                "its certificate is for {names} and not for {}: connect by a name that it is for, or give the broker a \
                 certificate for the one that it advertises",
                expected.to_str()
            )
        }
        CertificateError::Expired => "its certificate is out of date: renew it there".to_owned(),
        CertificateError::ExpiredContext { time, not_after } => {
            let days = time.as_secs().saturating_sub(not_after.as_secs()) / SECONDS_PER_DAY;
            format!("its certificate is out of date for {days} days: renew it there, or check this machine's clock")
        }
        CertificateError::NotValidYet | CertificateError::NotValidYetContext { .. } => {
            format!("its certificate does not hold yet: check the clocks of both machines ({problem})")
        }
        CertificateError::InvalidPurpose | CertificateError::InvalidPurposeContext { .. } => {
            format!("its certificate is not one for servers: give it one with the purpose serverAuth ({problem})")
        }
        other => format!("its certificate is not good: {other}"),
    }
}

/// A name as rustls shows it: `DnsName("kafka.example.org")`.
fn bare(shown: &str) -> &str {
    shown.split_once("(\"").and_then(|(_, rest)| rest.strip_suffix("\")")).unwrap_or(shown)
}

fn alert_received(alert: AlertDescription) -> String {
    match alert {
        // Java's servers say "bad certificate" to a client that shows none.
        AlertDescription::CertificateRequired
        | AlertDescription::UnknownCA
        | AlertDescription::BadCertificate
        | AlertDescription::CertificateUnknown
        | AlertDescription::DecryptError => {
            format!(
                "it wants a certificate of this client that it trusts ({alert:?}): give one with its key (--tls-cert, --tls-key)"
            )
        }
        AlertDescription::CertificateExpired => {
            "the certificate of this client is out of date: give a newer one (--tls-cert, --tls-key)".to_owned()
        }
        AlertDescription::ProtocolVersion | AlertDescription::HandshakeFailure => {
            format!("the two have no way in common ({alert:?}): it has to offer TLS 1.2 or 1.3 with a modern cipher")
        }
        other => format!("it says {other:?}"),
    }
}
