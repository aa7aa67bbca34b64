//! Encryption and login on the command line: the same flags wherever a command is a client. A password is never an
//! argument: those are in everybody's list of processes.

use std::path::{Path, PathBuf};

use anyhow::Result;
use clap::Args;

use super::failure::{Failure, Kind};
use super::output::{aside, plain};
use crate::peer::{
    LoginSource, Mechanism, PasswordSource, Security, SecurityError, SecuritySource, TlsFiles, read_properties,
};

/// Where they stand in the help.
const HEADING: &str = "Encryption and login";

/// How the server is to be connected to.
#[derive(Args, Clone, Default, Debug)]
pub struct SecurityArgs {
    /// A file of settings for Kafka's own tools, with security.protocol, sasl.jaas.config, ssl.truststore.location (in PEM
    /// form) and so on; what is said beside it holds
    #[arg(long, value_name = "FILE", help_heading = HEADING)]
    command_config: Option<PathBuf>,
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
        let mut source = SecuritySource::default();
        if let Some(path) = &self.command_config {
            source = from_file(path)?;
        }
        source.tls = self.tls_files().or(source.tls);
        source.login = self.login().or(source.login);
        source.read().map_err(usage)
    }

    fn tls_files(&self) -> Option<TlsFiles> {
        let files = TlsFiles { ca: self.tls_ca.clone(), certificate: self.tls_cert.clone(), key: self.tls_key.clone() };
        (self.tls || files != TlsFiles::default()).then_some(files)
    }

    fn login(&self) -> Option<LoginSource> {
        let password = match &self.sasl_password_file {
            Some(path) => PasswordSource::File(path.clone()),
            None => PasswordSource::Environment,
        };
        Some(LoginSource { mechanism: self.sasl?, user: self.sasl_user.clone()?, password })
    }
}

/// Reads such a file; what is passed over is told beside the answer.
pub fn from_file(path: &Path) -> Result<SecuritySource> {
    let read = read_properties(path).map_err(usage)?;
    read.notes.iter().for_each(|note| aside(&plain(&format!("note: {note}"))));
    Ok(read.security)
}

fn usage(error: SecurityError) -> anyhow::Error {
    Failure::of(Kind::Usage, error.to_string())
}
