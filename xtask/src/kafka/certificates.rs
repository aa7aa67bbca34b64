//! The broker's certificates, made anew with it: good ones, and those that a client must refuse.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use rcgen::{
    BasicConstraints, CertificateParams, DnType, ExtendedKeyUsagePurpose, IsCa, Issuer, KeyPair, KeyUsagePurpose,
    date_time_ymd,
};

/// Where they lie.
#[derive(Clone)]
pub struct Certificates {
    folder: PathBuf,
}

impl Certificates {
    /// The authority that signed the broker's.
    pub fn ca(&self) -> PathBuf {
        self.folder.join("ca.pem")
    }

    /// An authority that signed nothing.
    pub fn other_ca(&self) -> PathBuf {
        self.folder.join("other-ca.pem")
    }

    /// A client's certificate.
    pub fn client(&self) -> PathBuf {
        self.folder.join("client.pem")
    }

    /// Its key.
    pub fn client_key(&self) -> PathBuf {
        self.folder.join("client.key")
    }

    /// Writes them all.
    pub fn make(folder: &Path) -> Result<Self> {
        let folder = folder.join("certificates");
        fs::create_dir_all(&folder).with_context(|| format!("{} cannot be made", folder.display()))?;
        let made = Self { folder };
        let ca = made.authority("ca")?;
        made.authority("other-ca")?;
        let names = ["localhost", "127.0.0.1"];
        made.signed(&ca, "broker", &names, 4096)?;
        made.signed(&ca, "expired", &names, 2001)?;
        made.signed(&ca, "misnamed", &["elsewhere.example"], 4096)?;
        made.signed(&ca, "client", &["client.example"], 4096)?;
        Ok(made)
    }

    fn authority(&self, name: &str) -> Result<Issuer<'static, KeyPair>> {
        let mut params = named(name, &[], 4096)?;
        params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        params.key_usages = vec![KeyUsagePurpose::KeyCertSign, KeyUsagePurpose::DigitalSignature];
        let key = KeyPair::generate()?;
        self.write(&format!("{name}.pem"), &params.self_signed(&key)?.pem())?;
        Ok(Issuer::new(params, key))
    }

    fn signed(&self, ca: &Issuer<'_, KeyPair>, name: &str, names: &[&str], until_year: i32) -> Result<()> {
        let mut params = named(name, names, until_year)?;
        params.extended_key_usages = vec![ExtendedKeyUsagePurpose::ServerAuth, ExtendedKeyUsagePurpose::ClientAuth];
        let key = KeyPair::generate()?;
        let certificate = params.signed_by(&key, ca)?.pem();
        self.write(&format!("{name}.pem"), &certificate)?;
        self.write(&format!("{name}.key"), &key.serialize_pem())?;
        // Kafka wants both in one file.
        self.write(&format!("{name}-key-and-certificate.pem"), &format!("{}{certificate}", key.serialize_pem()))
    }

    fn write(&self, name: &str, text: &str) -> Result<()> {
        let file = self.folder.join(name);
        fs::write(&file, text).with_context(|| format!("{} cannot be written", file.display()))
    }
}

fn named(name: &str, names: &[&str], until_year: i32) -> Result<CertificateParams> {
    let names: Vec<String> = names.iter().map(|name| (*name).to_owned()).collect();
    let mut params = CertificateParams::new(names)?;
    params.distinguished_name.push(DnType::CommonName, name);
    params.not_before = date_time_ymd(2000, 1, 1);
    params.not_after = date_time_ymd(until_year, 1, 1);
    Ok(params)
}
