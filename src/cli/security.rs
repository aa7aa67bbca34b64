//! Encryption and login on the command line: the same flags wherever a command is a client. A password is never an
//! argument: those are in everybody's list of processes.

use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};

use anyhow::Result;
use clap::Args;

use super::failure::{Failure, Kind};
use crate::peer::{Login, Mechanism, Password, Security, SecurityError, Tls, TlsFiles};

/// Where they stand in the help.
const HEADING: &str = "Encryption and login";

/// The password, where no file is named.
const PASSWORD: &str = "DIVVY_SASL_PASSWORD";

/// A password is a line.
const PASSWORD_BYTES: u64 = 4096;

/// How the server is to be connected to.
#[derive(Args, Clone, Default, Debug)]
pub struct SecurityArgs {
    /// Encrypt, and talk only to a server whose certificate is good
    #[arg(long, help_heading = HEADING)]
    tls: bool,
    /// The authorities that are trusted, in PEM form, instead of the system's; implies --tls
    #[arg(long, value_name = "FILE", help_heading = HEADING)]
    tls_ca: Option<PathBuf>,
    /// This client's own certificate, in PEM form, where the server wants one; implies --tls
    #[arg(long, value_name = "FILE", requires = "tls_key", help_heading = HEADING)]
    tls_cert: Option<PathBuf>,
    /// Its private key
    #[arg(long, value_name = "FILE", requires = "tls_cert", help_heading = HEADING)]
    tls_key: Option<PathBuf>,
    /// Log in: plain, scram-sha-256 or scram-sha-512. The password is the line in --sasl-password-file, or in
    /// $DIVVY_SASL_PASSWORD
    #[arg(long, value_name = "MECHANISM", requires = "sasl_user", value_parser = mechanism, help_heading = HEADING)]
    sasl: Option<Mechanism>,
    /// As whom
    #[arg(long, value_name = "NAME", requires = "sasl", help_heading = HEADING)]
    sasl_user: Option<String>,
    /// The file whose only line is the password
    #[arg(long, value_name = "FILE", requires = "sasl", help_heading = HEADING)]
    sasl_password_file: Option<PathBuf>,
}

fn mechanism(text: &str) -> Result<Mechanism, &'static str> {
    Mechanism::of(text).ok_or("write plain, scram-sha-256 or scram-sha-512")
}

impl SecurityArgs {
    /// Reads the files, before anybody is connected to.
    pub fn read(&self) -> Result<Security> {
        let mut security = Security::default();
        let files = TlsFiles { ca: self.tls_ca.clone(), certificate: self.tls_cert.clone(), key: self.tls_key.clone() };
        if self.tls || files != TlsFiles::default() {
            security = security.tls(Tls::open(&files).map_err(usage)?);
        }
        if let (Some(mechanism), Some(user)) = (self.sasl, &self.sasl_user) {
            let password = self.password()?;
            security = security.login(Login::new(mechanism, user, password).map_err(usage)?);
        }
        Ok(security)
    }

    fn password(&self) -> Result<Password> {
        if let Some(path) = &self.sasl_password_file {
            return password_of(path);
        }
        std::env::var(PASSWORD).map(|text| Password::new(&text)).map_err(|_| {
            let remedy = format!("name a file with --sasl-password-file, or set {PASSWORD}");
            Failure::of(Kind::Usage, format!("--sasl needs a password, which is no argument: {remedy}"))
        })
    }
}

fn password_of(path: &Path) -> Result<Password> {
    let mut text = String::new();
    let read = File::open(path).and_then(|file| file.take(PASSWORD_BYTES + 1).read_to_string(&mut text));
    let wrong = |what: String| Failure::of(Kind::Usage, format!("--sasl-password-file {}: {what}", path.display()));
    read.map_err(|error| wrong(format!("it cannot be read: {error}")))?;
    let line = text.strip_suffix('\n').unwrap_or(&text);
    let line = line.strip_suffix('\r').unwrap_or(line);
    if text.len() as u64 > PASSWORD_BYTES || line.contains('\n') {
        return Err(wrong("it has more than one line: write the password as its only one".to_owned()));
    }
    Ok(Password::new(line))
}

fn usage(error: SecurityError) -> anyhow::Error {
    Failure::of(Kind::Usage, error.to_string())
}
