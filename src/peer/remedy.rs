//! How encryption and login are named to whoever has to say them: commands that are clients have flags, `divvy serve`, which
//! is one of a Kafka cluster, has keys of its configuration.

/// The authority that is to be trusted.
pub(super) const CA: &str = "(--tls-ca FILE)";

/// That connections are encrypted.
pub(super) const TLS: &str = "(--tls)";

/// A login.
pub(super) const LOGIN: &str = "(--sasl)";

/// The keys for the flags.
const KEYS: [(&str, &str); 3] = [
    (CA, "(kafka.ssl.ca.location in divvy.toml)"),
    (TLS, "(kafka.security.protocol = \"SSL\" in divvy.toml)"),
    (LOGIN, "(kafka.security.protocol = \"SASL_SSL\" and kafka.sasl.mechanism in divvy.toml)"),
];

/// A sentence of this module's with keys in place of flags.
pub(crate) fn in_keys(sentence: &str) -> String {
    KEYS.iter().fold(sentence.to_owned(), |sentence, (flag, key)| sentence.replace(flag, key))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_server_is_told_of_its_keys() {
        let said = in_keys(&format!("trust it {CA}, encrypt {TLS}, log in {LOGIN}"));
        assert!(!said.contains("--"), "{said}");
        for key in ["kafka.ssl.ca.location", "kafka.security.protocol", "kafka.sasl.mechanism"] {
            assert!(said.contains(key) && include_str!("../server/config/sample.toml").contains(key), "{key}");
        }
    }
}
