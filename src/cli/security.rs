//! Encryption and login on the command line: the same flags wherever a command is a client. A password is never an
//! argument: those are in everybody's list of processes.

use std::path::{Path, PathBuf};

use anyhow::Result;
use clap::Args;

use super::failure::{Failure, Kind};
use super::output::{aside, plain};
use crate::peer::{
    LoginSource, Mechanism, PasswordSource, Properties, Security, SecurityError, SecuritySource, TlsFiles,
    read_properties,
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
        self.source()?.read().map_err(usage)
    }

    fn source(&self) -> Result<SecuritySource> {
        let file = self.command_config.as_deref().map(properties).transpose()?.unwrap_or_default();
        let tls = self.tls_files(file.tls).or(file.security.tls);
        Ok(SecuritySource { tls, login: self.login().or(file.security.login) })
    }

    /// What is said here, and what the file says beside it: each of the three for itself, but for a certificate and its key,
    /// which belong together.
    fn tls_files(&self, file: TlsFiles) -> Option<TlsFiles> {
        let is_said = self.tls || self.tls_ca.is_some() || self.tls_cert.is_some();
        is_said.then(|| {
            let ca = self.tls_ca.clone().or(file.ca);
            match &self.tls_cert {
                None => TlsFiles { ca, ..file },
                certificate => TlsFiles { ca, certificate: certificate.clone(), key: self.tls_key.clone() },
            }
        })
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
    Ok(properties(path)?.security)
}

fn properties(path: &Path) -> Result<Properties> {
    let read = read_properties(path).map_err(usage)?;
    read.notes.iter().for_each(|note| aside(&plain(&format!("note: {note}"))));
    Ok(read)
}

fn usage(error: SecurityError) -> anyhow::Error {
    Failure::of(Kind::of_file(error.is_missing()), error.to_string())
}

#[cfg(test)]
mod tests {
    use clap::Parser;

    use super::*;

    #[derive(Parser)]
    struct Line {
        #[command(flatten)]
        security: SecurityArgs,
    }

    /// The files that a line of flags is for, beside a file of settings.
    fn files(settings: &str, flags: &str) -> Option<TlsFiles> {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("client.properties");
        std::fs::write(&path, settings).unwrap();
        let line = ["divvy", "--command-config", path.to_str().unwrap()].into_iter().chain(flags.split_whitespace());
        Line::try_parse_from(line).unwrap().security.source().unwrap().tls
    }

    #[test]
    fn what_is_said_beside_a_file_holds_and_the_rest_of_the_file_too() {
        let file = "ssl.truststore.location=their-ca\nssl.keystore.location=their-pem\n";
        let all = |ca: &str, certificate: &str, key: &str| TlsFiles {
            ca: Some(ca.into()),
            certificate: Some(certificate.into()),
            key: Some(key.into()),
        };
        let theirs = all("their-ca", "their-pem", "their-pem");
        for protocol in ["SSL", "PLAINTEXT"] {
            let settings = format!("security.protocol={protocol}\n{file}");
            assert_eq!(files(&settings, ""), (protocol == "SSL").then(|| theirs.clone()));
            assert_eq!(files(&settings, "--tls"), Some(theirs.clone()));
            assert_eq!(files(&settings, "--tls-ca ca"), Some(all("ca", "their-pem", "their-pem")));
            assert_eq!(files(&settings, "--tls-cert c --tls-key k"), Some(all("their-ca", "c", "k")));
        }
    }
}
