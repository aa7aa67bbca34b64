//! Encryption and login on the command line: the same flags wherever a command is a client. A password is never an
//! argument: those are in everybody's list of processes.

use std::path::PathBuf;

use anyhow::Result;
use clap::Args;

use super::failure::{Failure, Kind};
use crate::peer::{LoginSource, Mechanism, PasswordSource, Security, SecuritySource, TlsFiles};

/// Where they stand in the help.
const HEADING: &str = "Encryption and login";

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
        self.source().read().map_err(|error| Failure::of(Kind::Usage, error.to_string()))
    }

    fn source(&self) -> SecuritySource {
        let files = TlsFiles { ca: self.tls_ca.clone(), certificate: self.tls_cert.clone(), key: self.tls_key.clone() };
        let password = match &self.sasl_password_file {
            Some(path) => PasswordSource::File(path.clone()),
            None => PasswordSource::Environment,
        };
        let login = |(mechanism, user): (Mechanism, &String)| LoginSource { mechanism, user: user.clone(), password };
        SecuritySource {
            tls: (self.tls || files != TlsFiles::default()).then_some(files),
            login: self.sasl.zip(self.sasl_user.as_ref()).map(login),
        }
    }
}
