//! divvy's note: what its members say of themselves under Kafka's sticky names, where the user data has Kafka's form and
//! some leaders (sarama's) give up at a byte too many.
//!
//! It is written where every client reads a name and takes no notice of it: before the owned partitions, as a topic without
//! partitions whose name no topic can have, `divvy:` and a JSON map `{facts, x}`, `x` in hexadecimal digits. A note also says
//! that its member is divvy's.

use serde::{Deserialize, Serialize};

use super::user_data::Facts;

/// What begins a note. A colon is in no topic's name.
pub const PREFIX: &str = "divvy:";

/// The longest note: a name's length is a 16-bit number with a sign. What is said beyond that is not said.
const MAX_BYTES: usize = i16::MAX as usize;

/// What a member says of itself.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct Note {
    /// The same facts as in divvy's own user data.
    #[serde(default, skip_serializing_if = "Facts::is_empty")]
    pub facts: Facts,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    x: Option<String>,
    /// How often its member asked for another plan than the one that it found: nobody's business but a coordinator's that
    /// compares bytes.
    #[serde(default, skip_serializing_if = "is_none")]
    again: u32,
}

fn is_none(number: &u32) -> bool {
    *number == 0
}

impl Note {
    /// With what the strategy's own `divvy_user_data` returned.
    pub fn new(facts: Facts, x: Option<&[u8]>) -> Self {
        let x = x.map(|bytes| bytes.iter().map(|byte| format!("{byte:02x}")).collect());
        Self { facts, x, again: 0 }
    }

    /// The same of a member that asked so often for another plan.
    pub fn again(self, again: u32) -> Self {
        Self { again, ..self }
    }

    /// What the strategy's own `divvy_user_data` returned.
    pub fn x(&self) -> Option<Vec<u8>> {
        let digits = self.x.as_ref()?.as_bytes();
        let digit = |digit: u8| char::from(digit).to_digit(16);
        let byte = |pair: &[u8; 2]| u8::try_from(digit(pair[0])? << 4 | digit(pair[1])?).ok();
        let (pairs, rest) = digits.as_chunks();
        if rest.is_empty() { pairs.iter().map(byte).collect() } else { None }
    }

    /// Reads what follows [`PREFIX`]; a note that cannot be read says nothing.
    pub fn decode(text: &str) -> Self {
        serde_json::from_str(text).unwrap_or_default()
    }

    /// Writes it, with [`PREFIX`].
    pub fn encode(&self) -> String {
        let json = serde_json::to_string(self).unwrap_or_default();
        if PREFIX.len() + json.len() > MAX_BYTES { format!("{PREFIX}{{}}") } else { format!("{PREFIX}{json}") }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;

    #[test]
    fn what_is_written_is_read_back() {
        let note = Note::new(Facts::from([("zone".into(), json!("a"))]), Some(b"\0own\xff"));
        let text = note.encode();
        let read = Note::decode(text.strip_prefix(PREFIX).unwrap());
        assert_eq!((read.x(), &read), (Some(b"\0own\xff".to_vec()), &note));
        assert_eq!(Note::default().encode(), "divvy:{}");
    }

    #[test]
    fn what_is_too_long_for_a_name_is_left_out() {
        let note = Note::new(Facts::from([("essay".into(), json!("x".repeat(40_000)))]), None);
        assert_eq!(note.encode(), "divvy:{}");
    }

    proptest! {
        #[test]
        fn never_panics(text in ".{0,60}") {
            let _ = Note::decode(&text).x();
            let _ = Note::decode(&format!("{{\"x\":{}}}", json!(text))).x();
        }
    }
}
