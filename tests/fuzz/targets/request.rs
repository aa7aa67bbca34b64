//! The body of any request and of any answer, in any version served: what is read can be written, and what was written
//! is read as the same again. The list of messages is that of the laws, which lacks none that is served.

use std::fmt::Debug;

use bytes::{Bytes, BytesMut};
use divvy::wire::api::served;
use divvy::wire::{Message, Reader, Writer, messages};

/// Which way a message goes.
const WAYS: u8 = 2;

/// The first byte chooses between request and answer, the second and third are the key, the fourth the version.
pub fn run(data: &[u8]) {
    let [way, key @ .., version, _] = *data.first_chunk::<5>().unwrap_or(&[0; 5]);
    let Some(body) = data.get(4..) else { return };
    let (key, is_request) = (i16::from_be_bytes(key), way % WAYS == 0);
    let body = Bytes::copy_from_slice(body);
    macro_rules! dispatch {
        ($($module:ident: $request:ident $response:ident;)*) => {
            $(match is_request {
                true => round::<messages::$request>(key, version, &body),
                false => round::<messages::$response>(key, version, &body),
            })*
        };
    }
    every_message!(dispatch);
}

fn round<M: Message + PartialEq + Debug>(key: i16, version: u8, body: &Bytes) {
    let version = i16::from(version);
    if key != M::KEY.code() || !served(M::KEY).versions.contains(version) {
        return;
    }
    let mut reader = Reader::new(body.clone());
    let first = match M::decode(&mut reader, version) {
        Ok(message) => message,
        Err(error) => {
            assert!(error.offset <= body.len() && !error.field.is_empty(), "{error}");
            return;
        }
    };
    let written = encode(&first, version);
    let mut reader = Reader::new(written.clone());
    let second = M::decode(&mut reader, version).expect("what was written is read");
    reader.finish().expect("to its end");
    assert_eq!(first, second, "it is read as the same");
    assert_eq!(encode(&second, version), written, "and written as the same");
}

fn encode<M: Message>(message: &M, version: i16) -> Bytes {
    let mut out = BytesMut::new();
    message.encode(version, &mut Writer::new(&mut out)).expect("what was read can be written");
    out.freeze()
}
