//! Where certificates and passwords come from: a configuration names files, and they are read when they are needed.

use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};

use super::properties::Properties;
use super::security::{Login, Mechanism, Password, Security, SecurityError};
use super::tls::{Tls, TlsFiles};

/// The variable of the environment that has the password where no file is named.
pub const PASSWORD_VARIABLE: &str = "DIVVY_SASL_PASSWORD";

/// A password is a line.
const PASSWORD_BYTES: u64 = 4096;

/// Settings of a client are a page.
const PROPERTIES_BYTES: u64 = 64 * 1024;

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
    let mut text = String::new();
    let read = File::open(path).and_then(|file| file.take(PROPERTIES_BYTES + 1).read_to_string(&mut text));
    read.map_err(|error| SecurityError::file(path, format!("it cannot be read: {error}")))?;
    if text.len() as u64 > PROPERTIES_BYTES {
        return Err(SecurityError::file(path, format!("it has more than {PROPERTIES_BYTES} bytes: name another file")));
    }
    Properties::parse(path, &text)
}

impl PasswordSource {
    fn read(&self) -> Result<Password, SecurityError> {
        match self {
            PasswordSource::Given(password) => Ok(password.clone()),
            PasswordSource::File(path) => password_of(path),
            PasswordSource::Environment => match std::env::var(PASSWORD_VARIABLE) {
                Ok(text) => Ok(Password::new(&text)),
                Err(_) => Err(SecurityError(format!(
                    "the login has no password: name the file that has it, or set {PASSWORD_VARIABLE}"
                ))),
            },
        }
    }
}

fn password_of(path: &Path) -> Result<Password, SecurityError> {
    let mut text = String::new();
    let read = File::open(path).and_then(|file| file.take(PASSWORD_BYTES + 1).read_to_string(&mut text));
    read.map_err(|error| SecurityError::file(path, format!("the password cannot be read: {error}")))?;
    let line = text.strip_suffix('\n').unwrap_or(&text);
    let line = line.strip_suffix('\r').unwrap_or(line);
    if text.len() as u64 > PASSWORD_BYTES || line.contains('\n') {
        return Err(SecurityError::file(path, "it has more than one line: write the password as its only one"));
    }
    Ok(Password::new(line))
}
