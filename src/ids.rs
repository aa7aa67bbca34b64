//! The names and numbers that cross floors, each a type of its own, so that a group id can never stand
//! where a member id is asked for.

use std::fmt;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

macro_rules! text_id {
    ($($(#[$doc:meta])* $name:ident;)*) => {$(
        $(#[$doc])*
        #[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
        #[serde(transparent)]
        pub struct $name(Arc<str>);

        impl $name {
            /// The text as it stands on the wire.
            pub fn as_str(&self) -> &str {
                &self.0
            }
        }
        impl Default for $name {
            fn default() -> Self {
                Self(Arc::from(""))
            }
        }
        impl From<&str> for $name {
            fn from(text: &str) -> Self {
                Self(Arc::from(text))
            }
        }
        impl From<String> for $name {
            fn from(text: String) -> Self {
                Self(Arc::from(text))
            }
        }
        impl AsRef<str> for $name {
            fn as_ref(&self) -> &str {
                &self.0
            }
        }
        impl std::borrow::Borrow<str> for $name {
            fn borrow(&self) -> &str {
                &self.0
            }
        }
        impl PartialEq<str> for $name {
            fn eq(&self, other: &str) -> bool {
                &*self.0 == other
            }
        }
        impl PartialEq<&str> for $name {
            fn eq(&self, other: &&str) -> bool {
                &*self.0 == *other
            }
        }
        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.pad(&self.0)
            }
        }
        impl fmt::Debug for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                write!(f, "{:?}", &*self.0)
            }
        }
    )*};
}

text_id! {
    /// A group of processes that share work.
    GroupId;
    /// One member, as the coordinator names it. Empty on the wire means "I have none yet".
    MemberId;
    /// The name that a process keeps over restarts (KIP-345).
    InstanceId;
    /// What kind of group: `consumer`, `connect`, `single-writer`, or the application's own.
    ProtocolType;
    /// One entry of GroupProtocols: `range`, `rack-aware@1`.
    Protocol;
    /// A named set of partitions.
    TopicName;
}

/// Counts the completed join phases of a group. The first one is 1; none is -1 on the wire.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Generation(pub i32);

impl Generation {
    /// "No generation", as requests and error answers say it.
    pub const NONE: Generation = Generation(-1);

    /// The generation after this one.
    #[must_use]
    pub fn next(self) -> Self {
        Self(self.0.saturating_add(1))
    }
}

impl fmt::Display for Generation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// The SHA-256 of a module's file: what a strategy *is*, whatever it calls itself.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Digest(#[serde(with = "digest_bytes")] pub [u8; 32]);

impl Digest {
    /// The first 12 hexadecimal digits, for people.
    pub fn short(&self) -> String {
        self.to_string()[..12].to_owned()
    }
}

impl fmt::Display for Digest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

impl fmt::Debug for Digest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "sha256:{}", self.short())
    }
}

/// A digest travels and is stored as 32 bytes, not as a list of 32 numbers.
mod digest_bytes {
    use serde::de::{Error, SeqAccess, Visitor};
    use serde::{Deserializer, Serializer};

    pub fn serialize<S: Serializer>(bytes: &[u8; 32], to: S) -> Result<S::Ok, S::Error> {
        to.serialize_bytes(bytes)
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<[u8; 32], D::Error> {
        struct Bytes32;
        impl<'de> Visitor<'de> for Bytes32 {
            type Value = [u8; 32];
            fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str("32 bytes")
            }
            fn visit_bytes<E: Error>(self, bytes: &[u8]) -> Result<[u8; 32], E> {
                bytes.try_into().map_err(|_| E::invalid_length(bytes.len(), &self))
            }
            fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<[u8; 32], A::Error> {
                let mut out = [0; 32];
                for (i, byte) in out.iter_mut().enumerate() {
                    *byte = seq.next_element()?.ok_or_else(|| A::Error::invalid_length(i, &"32 bytes"))?;
                }
                Ok(out)
            }
        }
        from.deserialize_bytes(Bytes32)
    }
}
/// How members hand partitions over.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Mode {
    /// Everything is given up before each rebalance.
    #[default]
    Eager,
    /// Only what moves is given up (KIP-429).
    Cooperative,
}

impl Mode {
    /// How members hand over under one of Kafka's own names; nothing for other names.
    pub fn of_kafkas(protocol: &Protocol) -> Option<Self> {
        match protocol.as_str() {
            "range" | "roundrobin" | "sticky" => Some(Mode::Eager),
            "cooperative-sticky" => Some(Mode::Cooperative),
            _ => None,
        }
    }
}

/// Whether `text` has the parts of `pattern` between its `*`s, in order and anchored at both ends.
pub fn matches(pattern: &str, text: &str) -> bool {
    let Some((head, rest)) = pattern.split_once('*') else { return pattern == text };
    let Some(mut left) = text.strip_prefix(head) else { return false };
    let mut parts: Vec<&str> = rest.split('*').collect();
    let tail = parts.pop().unwrap_or_default();
    for part in parts {
        let Some(at) = left.find(part) else { return false };
        left = &left[at + part.len()..];
    }
    left.ends_with(tail)
}

#[cfg(test)]
mod tests {
    use super::matches;

    #[test]
    fn a_star_stands_for_any_run() {
        for (pattern, text, fits) in [
            ("search-*", "search-eu", true),
            ("search-*", "research-eu", false),
            ("*", "", true),
            ("*-eu", "search-eu", true),
            ("*-eu", "search-eu-1", false),
            ("a*b*c", "a-b-b-c", true),
            ("a*b*c", "a-c-b", false),
            ("ab*ba", "aba", false),
            ("plain", "plain", true),
            ("plain", "plainer", false),
        ] {
            assert_eq!(matches(pattern, text), fits, "{pattern} on {text}");
        }
    }
}
