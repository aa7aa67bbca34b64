//! `kafka.*`: a cluster that the topics come from. The names are Kafka's own, or librdkafka's where the files are PEM.

use std::path::PathBuf;
use std::time::Duration;

use super::document::Section;
use super::values::HostPort;
use crate::peer::{LoginSource, Mechanism, PROTOCOLS, PasswordSource, Protocol, SecuritySource, TlsFiles};

/// How often the cluster is looked at, unless it takes long.
const DEFAULT_MAX_AGE: Duration = Duration::from_secs(5);

/// A day: longer, and nobody would call it watching.
const MAX_AGE_MS: u64 = 24 * 60 * 60 * 1000;

const SERVERS: &str = r#"HOST:PORT, or several with commas, such as "kafka-1:9092,kafka-2:9092""#;
const FILE: &str = "the path of a file, in quotes";
const MECHANISM: &str = r#""PLAIN", "SCRAM-SHA-256" or "SCRAM-SHA-512""#;

/// A cluster that the topics come from.
#[derive(Clone, PartialEq, Debug)]
pub struct KafkaCluster {
    /// `kafka.bootstrap.servers`: any of its brokers; never none in a configuration that was checked.
    pub servers: Vec<String>,
    /// `kafka.metadata.max.age.ms`: how often it is looked at.
    pub max_age: Duration,
    /// `kafka.security.protocol` and what goes with it.
    pub security: SecuritySource,
}

impl KafkaCluster {
    /// A cluster at these addresses.
    pub fn at(servers: Vec<String>) -> Self {
        Self { servers, max_age: DEFAULT_MAX_AGE, security: SecuritySource::default() }
    }
}

/// Reads addresses with commas between them.
pub fn servers(text: &str) -> Option<Vec<String>> {
    let one = |text: &str| text.trim().parse::<HostPort>().ok().map(|address| address.to_string());
    text.split(',').map(one).collect()
}

/// The cluster, if any key is about one; the command line may be what names its addresses.
pub(super) fn read(top: &mut Section<'_>) -> Option<KafkaCluster> {
    let named = top.text("kafka.bootstrap.servers", SERVERS, servers);
    let max_age = top.milliseconds("kafka.metadata.max.age.ms", 100..=MAX_AGE_MS).unwrap_or(DEFAULT_MAX_AGE);
    let security = read_security(top);
    let cluster = KafkaCluster { servers: named.unwrap_or_default(), max_age, security };
    (cluster != KafkaCluster::at(Vec::new())).then_some(cluster)
}

fn read_security(top: &mut Section<'_>) -> SecuritySource {
    let Protocol { has_tls, has_login } = top.choice("kafka.security.protocol", &PROTOCOLS).unwrap_or_default();
    let path = |text: &str| (!text.is_empty()).then(|| PathBuf::from(text));
    let files = TlsFiles {
        ca: top.text("kafka.ssl.ca.location", FILE, path),
        certificate: top.text("kafka.ssl.certificate.location", FILE, path),
        key: top.text("kafka.ssl.key.location", FILE, path),
    };
    let mechanism = top.text("kafka.sasl.mechanism", MECHANISM, Mechanism::of);
    let user = top.text("kafka.sasl.username", "a name in quotes", |text| Some(text.to_owned()));
    let password = top.text("kafka.sasl.password.file", FILE, path);
    if !has_tls && files != TlsFiles::default() {
        top.wrong(r#"kafka.ssl.… says how to encrypt, and nothing is encrypted: write kafka.security.protocol = "SSL" or "SASL_SSL""#);
    }
    let login = mechanism.zip(user).map(|(mechanism, user)| LoginSource {
        mechanism,
        user,
        password: password.map_or(PasswordSource::Environment, PasswordSource::File),
    });
    if has_login != login.is_some() {
        top.wrong(
            r#"a login is kafka.security.protocol = "SASL_SSL" (or "SASL_PLAINTEXT") with kafka.sasl.mechanism and kafka.sasl.username: write all three, or none"#,
        );
    }
    SecuritySource { tls: has_tls.then_some(files), login }
}
