//! `server.properties`: one node, small, with a listener for each way in which a client may come.

use std::fmt::Write;
use std::path::Path;
use std::time::Duration;

/// Who may log in, and with what.
pub const USERS: [&str; 2] = ["alice", "bob"];
pub const PASSWORD: &str = "interop-secret";

/// How long a login with SCRAM-SHA-512 lasts.
pub const REPEAT_LOGIN: Duration = Duration::from_secs(10);

/// Where the broker stands.
pub const RACK: &str = "west";

/// A way in.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Listener {
    /// Neither TLS nor a login.
    Plain,
    /// TLS; a client certificate is not asked for.
    Tls,
    /// TLS with a client certificate.
    MutualTls,
    /// TLS and a login: PLAIN, SCRAM-SHA-256, SCRAM-SHA-512; with the last one it has to be repeated every 10 s.
    SaslTls,
    /// A login in the clear.
    Sasl,
    /// TLS with a certificate that is over.
    Expired,
    /// TLS with a certificate for another name.
    Misnamed,
}

/// Every way in.
pub const LISTENERS: [Listener; 7] = [
    Listener::Plain,
    Listener::Tls,
    Listener::MutualTls,
    Listener::SaslTls,
    Listener::Sasl,
    Listener::Expired,
    Listener::Misnamed,
];

/// A port for each listener, and one for the controller.
pub type Ports = [u16; LISTENERS.len() + 1];

impl Listener {
    /// What the broker calls it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Plain => "PLAIN",
            Self::Tls => "TLS",
            Self::MutualTls => "MTLS",
            Self::SaslTls => "SASL_TLS",
            Self::Sasl => "SASL",
            Self::Expired => "EXPIRED",
            Self::Misnamed => "MISNAMED",
        }
    }

    /// What it speaks.
    pub fn protocol(self) -> &'static str {
        match self {
            Self::Plain => "PLAINTEXT",
            Self::Tls | Self::MutualTls | Self::Expired | Self::Misnamed => "SSL",
            Self::SaslTls => "SASL_SSL",
            Self::Sasl => "SASL_PLAINTEXT",
        }
    }

    /// How it is called by those who connect: a certificate is for a name.
    pub fn host(self) -> &'static str {
        match self.protocol() {
            "SSL" | "SASL_SSL" => "localhost",
            _ => "127.0.0.1",
        }
    }

    /// The certificate that it shows.
    fn shows(self) -> &'static str {
        match self {
            Self::Expired => "expired",
            Self::Misnamed => "misnamed",
            _ => "broker",
        }
    }
}

/// What differs between runs.
#[derive(Clone, Default)]
pub struct Settings {
    /// Lines of `server.properties` that go before ours.
    pub more: Vec<(String, String)>,
    /// Where the controller is, for a broker that is none itself.
    pub controller: Option<u16>,
}

impl Settings {
    /// One setting more.
    #[must_use]
    pub fn with(mut self, key: &str, value: impl ToString) -> Self {
        self.more.push((key.to_owned(), value.to_string()));
        self
    }
}

/// What the broker is told unless it is told otherwise.
const USUAL: [(&str, &str); 17] = [
    ("process.roles", "broker,controller"),
    ("node.id", "1"),
    ("broker.rack", RACK),
    ("controller.listener.names", "CONTROLLER"),
    ("inter.broker.listener.name", "PLAIN"),
    // Newcomers are waited for as long as in divvy's cases.
    ("group.initial.rebalance.delay.ms", "200"),
    ("auto.create.topics.enable", "false"),
    ("num.partitions", "12"),
    // One node keeps everything, and few partitions of it: they are all opened before the first answer.
    ("offsets.topic.replication.factor", "1"),
    ("offsets.topic.num.partitions", "2"),
    ("transaction.state.log.replication.factor", "1"),
    ("transaction.state.log.min.isr", "1"),
    ("share.coordinator.state.topic.replication.factor", "1"),
    ("share.coordinator.state.topic.min.isr", "1"),
    // After `kill -9` its controller would take it for alive for 9 s, and refuse its second self.
    ("broker.session.timeout.ms", "3000"),
    ("broker.heartbeat.interval.ms", "500"),
    ("sasl.enabled.mechanisms", "PLAIN,SCRAM-SHA-256,SCRAM-SHA-512"),
];

/// The file's text.
pub fn text(folder: &Path, ports: &Ports, settings: &Settings) -> String {
    let mut text = String::from("# written by cargo xtask\n");
    let mut set = |key: &str, value: &str| {
        if !settings.more.iter().any(|(mine, _)| mine == key) {
            // Writing to a text cannot fail.
            let _ = writeln!(text, "{key}={value}");
        }
    };
    let controller = settings.controller.unwrap_or(ports[LISTENERS.len()]);
    if settings.controller.is_some() {
        set("process.roles", "broker");
    }
    for (key, value) in USUAL.iter().skip(usize::from(settings.controller.is_some())) {
        set(key, value);
    }
    set("log.dirs", &folder.join("data").display().to_string());
    set("controller.quorum.bootstrap.servers", &format!("127.0.0.1:{controller}"));
    let all = |host: fn(Listener) -> &'static str| {
        let one =
            |listener: &Listener| format!("{}://{}:{}", listener.name(), host(*listener), ports[*listener as usize]);
        LISTENERS.iter().map(one).collect::<Vec<_>>().join(",")
    };
    let ours = match settings.controller {
        Some(_) => String::new(),
        None => format!(",CONTROLLER://127.0.0.1:{controller}"),
    };
    set("listeners", &format!("{}{ours}", all(|_| "127.0.0.1")));
    set("advertised.listeners", &format!("{}{ours}", all(Listener::host)));
    let protocols = LISTENERS.map(|listener| format!("{}:{}", listener.name(), listener.protocol()));
    set("listener.security.protocol.map", &format!("{},CONTROLLER:PLAINTEXT", protocols.join(",")));
    for listener in LISTENERS {
        let name = listener.name().to_lowercase();
        let mut set = |key: &str, value: &str| set(&format!("listener.name.{name}.{key}"), value);
        if listener.protocol().ends_with("SSL") {
            let file = |name: &str| folder.join("certificates").join(name).display().to_string();
            set("ssl.keystore.type", "PEM");
            set("ssl.keystore.location", &file(&format!("{}-key-and-certificate.pem", listener.shows())));
            set("ssl.truststore.type", "PEM");
            set("ssl.truststore.location", &file("ca.pem"));
            set("ssl.client.auth", if listener == Listener::MutualTls { "required" } else { "none" });
        }
        if listener.protocol().starts_with("SASL") {
            let logins = USERS.map(|user| format!("user_{user}=\"{PASSWORD}\"")).join(" ");
            let module = "org.apache.kafka.common.security";
            set("plain.sasl.jaas.config", &format!("{module}.plain.PlainLoginModule required {logins};"));
            for mechanism in ["scram-sha-256", "scram-sha-512"] {
                let login = format!("{module}.scram.ScramLoginModule required;");
                set(&format!("{mechanism}.sasl.jaas.config"), &login);
            }
        }
        if listener == Listener::SaslTls {
            set("scram-sha-512.connections.max.reauth.ms", &REPEAT_LOGIN.as_millis().to_string());
        }
    }
    for (key, value) in &settings.more {
        let _ = writeln!(text, "{key}={value}");
    }
    text
}
