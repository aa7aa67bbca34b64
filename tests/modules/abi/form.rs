//! MessagePack as people read it, and in forms that no writer of divvy's chooses.

use divvy_guest::abi::msgpack::Reader;
use serde_json::{Value, json};

/// A value's kind, its own bytes, and the values in it.
struct Node<'a> {
    first: u8,
    /// The bytes of a text, of binary data or of a number, behind its head.
    data: &'a [u8],
    inner: Vec<Node<'a>>,
}

impl<'a> Node<'a> {
    fn read(from: &mut Reader<'a>) -> Self {
        let mut whole = from.clone();
        let raw = whole.raw().expect("a value");
        let first = raw[0];
        let (count, data) = match first {
            0x80..=0x8f | 0xde | 0xdf => (2 * from.map("a map").expect("a map"), &raw[..0]),
            0x90..=0x9f | 0xdc | 0xdd => (from.array("an array").expect("an array"), &raw[..0]),
            // A text may be none: there are settings that say so.
            0xa0..=0xbf | 0xd9..=0xdb => {
                from.skip().expect("a value");
                (0, &raw[if first < 0xc0 { 1 } else { 1 + (1 << (first - 0xd9)) }..])
            }
            0xc4..=0xc6 => (0, from.binary("data").expect("data")),
            _ => {
                from.skip().expect("a value");
                (0, raw)
            }
        };
        let inner = (0..count).map(|_| Node::read(from)).collect();
        Node { first, data, inner }
    }

    fn json(&self) -> Value {
        let mut from = Reader::new(self.data);
        match self.first {
            0x80..=0x8f | 0xde | 0xdf => {
                let pairs = self.inner.chunks_exact(2);
                let key = |node: &Node<'_>| node.json().as_str().map_or_else(|| node.json().to_string(), str::to_owned);
                Value::Object(pairs.map(|pair| (key(&pair[0]), pair[1].json())).collect())
            }
            0x90..=0x9f | 0xdc | 0xdd => self.inner.iter().map(Node::json).collect(),
            0xa0..=0xbf | 0xd9..=0xdb => json!(String::from_utf8_lossy(self.data)),
            0xc4..=0xc6 => json!({ "bin": hex(self.data) }),
            0xc0 => Value::Null,
            0xc2 | 0xc3 => json!(self.first == 0xc3),
            0xca | 0xcb => json!(from.number("a number").expect("a number")),
            0xc7..=0xc9 | 0xd4..=0xd8 => json!({ "ext": hex(self.data) }),
            _ => match from.clone().unsigned("a number") {
                Ok(number) => json!(number),
                Err(_) => json!(from.signed("a number").expect("a number")),
            },
        }
    }

    fn widen(&self, to: &mut Vec<u8>) {
        let mut head = |first: u8, length: usize| {
            to.push(first);
            to.extend((length as u32).to_be_bytes());
        };
        match self.first {
            0x80..=0x8f | 0xde | 0xdf => head(0xdf, self.inner.len() / 2),
            0x90..=0x9f | 0xdc | 0xdd => head(0xdd, self.inner.len()),
            0xa0..=0xbf | 0xd9..=0xdb => head(0xdb, self.data.len()),
            0xc4..=0xc6 => head(0xc6, self.data.len()),
            _ => {
                let mut from = Reader::new(self.data);
                if self.first < 0x80 || (0xcc..=0xcf).contains(&self.first) {
                    to.push(0xcf);
                    to.extend(from.unsigned("a number").expect("a number").to_be_bytes());
                    return;
                }
            }
        }
        to.extend(self.data);
        self.inner.iter().for_each(|node| node.widen(to));
    }
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// A value for people: binary data as hexadecimal digits.
pub fn shown(bytes: &[u8]) -> Value {
    Node::read(&mut Reader::new(bytes)).json()
}

/// The same value, each part in its longest form.
pub fn widened(bytes: &[u8]) -> Vec<u8> {
    let mut to = Vec::new();
    Node::read(&mut Reader::new(bytes)).widen(&mut to);
    to
}
