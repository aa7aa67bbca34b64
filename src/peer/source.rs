//! Where certificates and passwords come from: a configuration names files, and they are read when they are needed.

use std::path::{Path, PathBuf};

use super::files;
use super::properties::Properties;
use super::security::{Login, Mechanism, Password, Security, SecurityError};
use super::tls::{Tls, TlsFiles};

/// The variable of the environment that has the password where no file is named.
pub const PASSWORD_VARIABLE: &str = "DIVVY_SASL_PASSWORD";

/// A password is a line.
const PASSWORD_BYTES: u64 = 4096;

/// Settings of a client are a page.
const PROPERTIES_BYTES: u64 = 64 * 1024;

/// What `security.protocol` means.
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug)]
pub struct Protocol {
    /// Connections are encrypted.
    pub has_tls: bool,
    /// And begin with a login.
    pub has_login: bool,
}

/// Kafka's words for it.
pub const PROTOCOLS: [(&str, Protocol); 4] = [
    ("PLAINTEXT", Protocol { has_tls: false, has_login: false }),
    ("SSL", Protocol { has_tls: true, has_login: false }),
    ("SASL_PLAINTEXT", Protocol { has_tls: false, has_login: true }),
    ("SASL_SSL", Protocol { has_tls: true, has_login: true }),
];

/// What a [`Security`] is made from.
#[derive(Clone, Default, PartialEq, Eq, Debug)]
pub struct SecuritySource {
    /// Encryption.
    pub tls: Option<TlsFiles>,
    /// Login.
    pub login: Option<LoginSource>,
}

/// What a [`Login`] is made from.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct LoginSource {
    /// How.
    pub mechanism: Mechanism,
    /// As whom.
    pub user: String,
    /// With what.
    pub password: PasswordSource,
}

/// Where the password is.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum PasswordSource {
    /// The only line of this file.
    File(PathBuf),
    /// In [`PASSWORD_VARIABLE`].
    Environment,
    /// Here.
    Given(Password),
}

impl SecuritySource {
    /// Reads the files.
    pub fn read(&self) -> Result<Security, SecurityError> {
        let mut security = Security::default();
        if let Some(files) = &self.tls {
            security = security.tls(Tls::open(files)?);
        }
        if let Some(login) = &self.login {
            security = security.login(Login::new(login.mechanism, &login.user, login.password.read()?)?);
        }
        Ok(security)
    }
}

/// Reads a file in the form of Kafka's own tools.
pub fn read_properties(path: &Path) -> Result<Properties, SecurityError> {
    Properties::parse(path, &files::read_text(path, PROPERTIES_BYTES, "name another file")?)
}

impl PasswordSource {
    fn read(&self) -> Result<Password, SecurityError> {
        match self {
            PasswordSource::Given(password) => Ok(password.clone()),
            PasswordSource::File(path) => password_of(path),
            PasswordSource::Environment => match std::env::var(PASSWORD_VARIABLE) {
                Ok(text) => Ok(Password::new(&text)),
                Err(_) => Err(SecurityError::new(format!(
                    "the login has no password: name the file that has it, or set {PASSWORD_VARIABLE}"
                ))),
            },
        }
    }
}

fn password_of(path: &Path) -> Result<Password, SecurityError> {
    const ONE_LINE: &str = "write the password as its only line";
    let text = files::read_text(path, PASSWORD_BYTES, ONE_LINE)?;
    let line = text.strip_suffix('\n').unwrap_or(&text);
    let line = line.strip_suffix('\r').unwrap_or(line);
    if line.contains('\n') {
        return Err(SecurityError::file(path, format!("it has more than one line: {ONE_LINE}")));
    }
    Ok(Password::new(line))
}
