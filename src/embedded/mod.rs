//! What member metadata and member states mean to each protocol type: `consumer` first.
//!
//! The group never looks inside; the leader, the check and whoever shows a group to people do. To add a type: a file here
//! and a line in the registry.

use serde_json::{Value, json};

mod classic;
pub mod connect;
pub mod consumer;
pub mod note;
mod owned;
mod raw;
pub mod single_writer;
pub mod sticky;
pub mod told;
pub mod user_data;
#[cfg(test)]
mod vectors;
pub mod wants;

/// As much of undecodable bytes is shown to people.
const MAX_SHOWN_BYTES: usize = 128;

/// A protocol type whose bytes can be shown.
pub trait EmbeddedProtocol: Sync {
    /// The type.
    fn protocol_type(&self) -> &'static str;

    /// A member's metadata as a short value; none if it is not decodable.
    fn metadata(&self, bytes: &[u8]) -> Option<Value>;

    /// A member's state as a short value; none if it is not decodable.
    fn state(&self, bytes: &[u8]) -> Option<Value>;
}

static REGISTRY: [&dyn EmbeddedProtocol; 3] = [&consumer::Consumer, &single_writer::SingleWriter, &connect::Connect];

/// What is known of a protocol type.
pub fn find(protocol_type: &str) -> Option<&'static dyn EmbeddedProtocol> {
    REGISTRY.into_iter().find(|protocol| protocol.protocol_type() == protocol_type)
}

/// A member's metadata, for people.
pub fn show_metadata(protocol_type: &str, bytes: &[u8]) -> Value {
    show(find(protocol_type).map(|protocol| protocol.metadata(bytes)), bytes)
}

/// A member's state, for people.
pub fn show_state(protocol_type: &str, bytes: &[u8]) -> Value {
    show(find(protocol_type).map(|protocol| protocol.state(bytes)), bytes)
}

/// A type that nobody knows is opaque by right, and shown as text if it is one; bytes that a known type cannot read are a mistake
/// worth a word.
fn show(known: Option<Option<Value>>, bytes: &[u8]) -> Value {
    match (known, printable(bytes)) {
        (Some(Some(value)), _) => value,
        (Some(None), _) => json!({ "hex": hex(bytes), "bytes": bytes.len(), "note": "not decodable" }),
        (None, Some(text)) if bytes.len() <= MAX_SHOWN_BYTES => json!({ "text": text }),
        (None, Some(text)) => {
            let end = (0..=MAX_SHOWN_BYTES).rev().find(|end| text.is_char_boundary(*end)).unwrap_or_default();
            json!({ "text": text.get(..end), "bytes": bytes.len() })
        }
        (None, None) => show_hex(bytes),
    }
}

/// Bytes that are shown as such.
pub fn show_hex(bytes: &[u8]) -> Value {
    json!({ "hex": hex(bytes), "bytes": bytes.len() })
}

/// The text that people can read of bytes.
pub fn printable(bytes: &[u8]) -> Option<&str> {
    std::str::from_utf8(bytes).ok().filter(|text| !text.contains(char::is_control))
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().take(MAX_SHOWN_BYTES).map(|byte| format!("{byte:02x}")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn known_types_are_shown_in_words() {
        let bytes =
            consumer::Subscription { version: 3, topics: vec!["b", "a", "b"], tail: Default::default() }.encode();
        assert_eq!(show_metadata("consumer", &bytes), json!({ "topics": ["a", "b"] }));
        assert_eq!(show_state("consumer", &consumer::empty_assignment()), json!({}));
        assert_eq!(show_state("consumer", &[]), json!({}));
    }

    #[test]
    fn what_cannot_be_read_is_shown_as_it_is() {
        assert_eq!(show_state("consumer", &[1]), json!({ "hex": "01", "bytes": 1, "note": "not decodable" }));
        assert_eq!(show_state("own", &[1, 255]), json!({ "hex": "01ff", "bytes": 2 }));
        assert_eq!(show_state("own", b"a\n"), json!({ "hex": "610a", "bytes": 2 }));
    }

    #[test]
    fn bytes_of_a_type_that_nobody_knows_are_text_if_people_can_read_them() {
        assert_eq!(show_state("own", b"1/2"), json!({ "text": "1/2" }));
        assert_eq!(show_metadata("own", b""), json!({ "text": "" }));
        let long = "é".repeat(100);
        assert_eq!(show_state("own", long.as_bytes()), json!({ "text": "é".repeat(64), "bytes": 200 }));
        let odd = format!("a{long}");
        assert_eq!(show_state("own", odd.as_bytes()), json!({ "text": format!("a{}", "é".repeat(63)), "bytes": 201 }));
    }
}
