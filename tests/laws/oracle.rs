//! Our codec and an independent one (the crate kafka-protocol) agree on every message in every version served.

use std::fmt::Debug;

use bytes::{Bytes, BytesMut};
use divvy::wire::api::{SERVED, served};
use divvy::wire::header::{RequestHeader, ResponseHeader};
use divvy::wire::{Message, Reader, Text, Writer, messages};
use kafka_protocol::messages as theirs;
use kafka_protocol::protocol::{Decodable, Encodable};
use proptest::prelude::*;
use proptest::test_runner::{Config, TestRunner};

use crate::schema::{self, Described, MADE_UP_TAG_MIN, Type, Version};

/// Longer messages are not printed to compare names: shorter ones have them all.
const PRINTED_MAX: usize = 4000;

macro_rules! oracle {
    ($($module:ident: $($message:ident)*;)*) => {
        $(#[test]
        fn $module() {
            $(agree::<messages::$module::$message, theirs::$message>(
                &<schema::$module::$message as Described>::described(),
            );)*
        })*
    };
}

every_message!(oracle);

/// The versions of a message that are served.
pub fn versions<M: Message>() -> impl Iterator<Item = Version> {
    let served = served(M::KEY);
    (served.versions.min..=served.versions.max)
        .map(move |number| Version { number, flexible: number >= served.flexible_from })
}

fn agree<Ours, Theirs>(kind: &Type)
where
    Ours: Message + Default + PartialEq + Debug,
    Theirs: Encodable + Decodable + Default + Debug,
{
    for version in versions::<Ours>() {
        let number = version.number;
        assert_defaults_agree::<Ours, Theirs>(number);
        let mut runner = TestRunner::new(Config { cases: 48, failure_persistence: None, ..Config::default() });
        let law = |bytes: Vec<u8>| {
            let bytes = Bytes::from(bytes);
            let ours: Ours = decode(bytes.clone(), number);
            prop_assert_eq!(&encode(&ours, number), &bytes, "we read and write it");
            let read = Theirs::decode(&mut bytes.clone(), number).expect("they read what we write");
            let written = their_encode(&read, number).expect("they write it");
            prop_assert_eq!(&written, &bytes, "they read it as we do");
            if bytes.len() < PRINTED_MAX {
                let printed = format!("{read:?}");
                assert_names_agree(kind, &printed);
                assert_tags_known(&printed);
            }
            prop_assert_eq!(decode::<Ours>(written, number), ours, "we read what they write");
            Ok(())
        };
        if let Err(error) = runner.run(&schema::body(kind, version), law) {
            panic!("{:?} version {number}: {error}", Ours::KEY);
        }
    }
}

/// What they leave out when nothing is set is what we leave out.
fn assert_defaults_agree<Ours, Theirs>(version: i16)
where
    Ours: Message + Default + PartialEq + Debug,
    Theirs: Encodable + Default,
{
    let theirs = their_encode(&Theirs::default(), version).expect("a default has a form in every version");
    assert_eq!(encode(&Ours::default(), version), theirs, "{:?} version {version}: defaults", Ours::KEY);
    assert_eq!(decode::<Ours>(theirs, version), Ours::default(), "{:?} version {version}: defaults", Ours::KEY);
}

/// Equal bytes do not tell two neighbours of one type apart: their names must stand in the same order. What they print
/// has every field of every version; ours has those of the versions served.
fn assert_names_agree(kind: &Type, printed: &str) {
    match kind {
        Type::Array(kind) | Type::Nullable(kind) => assert_names_agree(kind, printed),
        Type::Struct(table) => {
            let Some((_, body)) = printed.split_once(&format!("{} {{ ", table.name)) else { return };
            let theirs = field_names(body);
            let ours: Vec<_> = table.fields.iter().map(|field| field.name).collect();
            let shared: Vec<_> = theirs.iter().copied().filter(|name| ours.contains(name)).collect();
            assert_eq!(ours, shared, "{}", table.name);
            table.fields.iter().for_each(|field| assert_names_agree(&field.kind, printed));
        }
        _ => {}
    }
}

/// A tagged field under a wrong number would come back as one that they do not know: only those may that were made up.
fn assert_tags_known(printed: &str) {
    for rest in printed.split("unknown_tagged_fields: {").skip(1) {
        let digits = rest.chars().take_while(char::is_ascii_digit).collect::<String>();
        let is_made_up = digits.parse::<u32>().is_ok_and(|tag| tag >= MADE_UP_TAG_MIN);
        assert!(digits.is_empty() || is_made_up, "they do not know the tag {digits}: {printed}");
    }
}

/// The names before a colon in the printed body of a struct, without those inside its values.
fn field_names(body: &str) -> Vec<&str> {
    let (mut names, mut depth, mut start, mut quoted) = (Vec::new(), 0, 0, false);
    let mut characters = body.char_indices();
    while let Some((at, character)) = characters.next() {
        match character {
            '"' => quoted = !quoted,
            '\\' if quoted => drop(characters.next()),
            _ if quoted => {}
            '{' | '[' | '(' => depth += 1,
            '}' | ']' | ')' if depth == 0 => break,
            '}' | ']' | ')' => depth -= 1,
            ',' if depth == 0 => start = at + 1,
            ':' if depth == 0 => names.push(body[start..at].trim()),
            _ => {}
        }
    }
    names
}

pub fn decode<M: Message>(bytes: Bytes, version: i16) -> M {
    let mut reader = Reader::new(bytes);
    let message = M::decode(&mut reader, version).expect("valid bytes are read");
    reader.finish().expect("nothing is left over");
    message
}

fn encode<M: Message>(message: &M, version: i16) -> Bytes {
    let mut out = BytesMut::new();
    message.encode(version, &mut Writer::new(&mut out)).expect("what was read can be written");
    out.freeze()
}

fn their_encode<M: Encodable>(message: &M, version: i16) -> Result<Bytes, impl Debug> {
    let mut out = BytesMut::new();
    message.encode(&mut out, version).map(|()| out.freeze())
}

/// Both sides also agree on which header stands before which version.
#[test]
fn headers() {
    for served in SERVED {
        let key = theirs::ApiKey::try_from(served.key.code()).expect("they know all that we serve");
        for version in served.versions.min..=served.versions.max {
            let header = RequestHeader {
                api_key: served.key.code(),
                api_version: version,
                correlation_id: 7,
                client_id: Some(Text::from("c")),
                ..RequestHeader::default()
            };
            let mut out = BytesMut::new();
            header.encode(&mut Writer::new(&mut out)).expect("a header has a form");
            let mut bytes = out.freeze();
            let mut reader = Reader::new(bytes.clone());
            assert_eq!(RequestHeader::decode(&mut reader).expect("we read it"), header);
            reader.finish().expect("to its end");
            let read = theirs::RequestHeader::decode(&mut bytes, key.request_header_version(version));
            assert_eq!(read.expect("they read it").correlation_id, 7);
            assert!(bytes.is_empty(), "{key:?} version {version}: the request's header");

            let mut out = BytesMut::new();
            let header = ResponseHeader { correlation_id: 7, ..ResponseHeader::default() };
            header.encode(&mut Writer::new(&mut out), served.key, version).expect("a header has a form");
            let mut bytes = out.freeze();
            let read = theirs::ResponseHeader::decode(&mut bytes, key.response_header_version(version));
            assert_eq!(read.expect("they read it").correlation_id, 7);
            assert!(bytes.is_empty(), "{key:?} version {version}: the answer's header");
        }
    }
}
