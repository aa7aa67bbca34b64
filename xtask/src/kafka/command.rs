//! `cargo xtask broker [KEY=VALUE …]`: an Apache Kafka broker to try things with, until Ctrl-C.

use std::time::Duration;

use anyhow::{Result, bail};

use super::properties::{LISTENERS, RACK};
use super::{Broker, Listener, PASSWORD, Settings, USERS};
use crate::shell::seconds;

/// Between two looks whether it still runs.
const LOOK: Duration = Duration::from_millis(500);

/// Says how it is used.
const HELP: &str = "cargo xtask broker [KEY=VALUE …]: runs an Apache Kafka broker until Ctrl-C, with these settings of server.properties

  cargo xtask broker group.initial.rebalance.delay.ms=0 offsets.retention.check.interval.ms=5000

It says where it listens, plain, with TLS and with logins, and where its certificates and its log are. Its files go with it.

  DIVVY_KEEP  set in the environment, they stay";

/// Runs it in the foreground.
pub fn run(arguments: &[String]) -> Result<()> {
    if let Some("--help" | "-h") = arguments.first().map(String::as_str) {
        println!("{HELP}");
        return Ok(());
    }
    let mut settings = Settings::default();
    for argument in arguments {
        let Some((key, value)) = argument.split_once('=') else {
            bail!("{argument}: settings are KEY=VALUE, as in group.initial.rebalance.delay.ms=0");
        };
        settings = settings.with(key, value);
    }
    let mut broker = Broker::start(&settings)?;
    println!("Apache Kafka answered after {}; rack {RACK}; it ends with Ctrl-C\n", seconds(broker.started_in));
    for listener in LISTENERS {
        println!("  {:<18} {:<15} {}", broker.at(listener), listener.protocol(), about(listener));
    }
    let Broker { certificates, .. } = &broker;
    println!("\n  users              {} with the password {PASSWORD}", USERS.join(", "));
    println!("  CA                 {}", certificates.ca().display());
    println!("  another CA         {}", certificates.other_ca().display());
    println!("  client certificate {}", certificates.client().display());
    println!("  its key            {}", certificates.client_key().display());
    println!("  log                {}", broker.folder().join("broker.log").display());
    println!("  tools              java -cp '{}' CLASS --bootstrap-server {}", broker.classpath, broker.address());
    println!("                     CLASS: org.apache.kafka.tools.TopicCommand --create --topic T --partitions 12,");
    println!("                     org.apache.kafka.tools.consumer.group.ConsumerGroupCommand --describe --group G");
    loop {
        std::thread::sleep(LOOK);
        while broker.process.line_at_hand()?.is_some() {}
    }
}

fn about(listener: Listener) -> &'static str {
    match listener {
        Listener::Plain => "",
        Listener::Tls => "TLS",
        Listener::MutualTls => "TLS with a client certificate",
        Listener::SaslTls => "TLS; PLAIN, SCRAM-SHA-256, SCRAM-SHA-512 (to be repeated every 10 s)",
        Listener::Sasl => "PLAIN, SCRAM-SHA-256, SCRAM-SHA-512",
        Listener::Expired => "TLS with a certificate that is over",
        Listener::Misnamed => "TLS with a certificate for elsewhere.example",
    }
}
