//! Modules written by hand, small enough to read: a good one, and its parts to make bad ones from.

use std::borrow::Cow;

use divvy::sandbox::{Sandbox, SandboxLimits};

/// A module in parts; each bad one differs from the good one in the part that makes it bad.
#[derive(Clone)]
pub struct Parts {
    manifest: Cow<'static, str>,
    memory: Cow<'static, str>,
    marker: Cow<'static, str>,
    alloc: Cow<'static, str>,
    assign: Cow<'static, str>,
    more: Cow<'static, str>,
}

/// Room for the request behind the first page, however long it is.
pub const ALLOC: &str = r#"(func (export "divvy_alloc") (param i32) (result i32)
    (drop (memory.grow (i32.add (i32.shr_u (local.get 0) (i32.const 16)) (i32.const 1))))
    (i32.const 65536))"#;

/// Answers the 10 bytes at 16.
pub const ASSIGN: &str = r#"(func (export "divvy_assign") (param i32 i32) (result i64) (i64.const 0x10_0000_000a))
    (data (i32.const 16) "\93\01\94\a2v1\a0\c2\c0\90")"#;

/// What the good module answers to everything: a refusal with the code `v1`, a whole reply to any request.
pub const GOOD_REPLY: &[u8] = b"\x93\x01\x94\xa2v1\xa0\xc2\xc0\x90";

pub const GOOD: Parts = Parts {
    manifest: Cow::Borrowed(r#"{"abi": "1.0", "name": "good"}"#),
    memory: Cow::Borrowed(r#"(memory (export "memory") 1)"#),
    marker: Cow::Borrowed(r#"(func (export "divvy_abi_v1"))"#),
    alloc: Cow::Borrowed(ALLOC),
    assign: Cow::Borrowed(ASSIGN),
    more: Cow::Borrowed(""),
};

macro_rules! parts {
    ($($part:ident)*) => {
        impl Parts {
            $(pub fn $part(self, $part: impl Into<Cow<'static, str>>) -> Self {
                Self { $part: $part.into(), ..self }
            })*
        }
    };
}

parts! { manifest memory marker alloc assign more }

impl Parts {
    pub fn bytes(&self) -> Vec<u8> {
        let Parts { manifest, memory, marker, alloc, assign, more } = self;
        let manifest = match manifest.is_empty() {
            true => String::new(),
            false => format!(r#"(@custom "divvy.manifest" "{}")"#, manifest.replace('"', "\\\"")),
        };
        let text = format!("(module {more} {memory} {marker} {alloc} {assign} {manifest})");
        wat::parse_str(&text).unwrap_or_else(|error| panic!("{error}\n{text}"))
    }
}

/// A good module of that name and version whose reply has the code `code`, two letters.
pub fn named(name: &str, version: u32, code: &str) -> Vec<u8> {
    let manifest = format!(r#"{{"abi": "1.0", "name": "{name}", "version": {version}}}"#);
    GOOD.manifest(manifest).assign(ASSIGN.replace("v1", code)).bytes()
}

/// A `divvy_assign` with that body.
pub fn assign(body: &str) -> String {
    format!(r#"(func $assign (export "divvy_assign") (param i32 i32) (result i64) {body})"#)
}

pub fn sandbox() -> Sandbox {
    Sandbox::new(SandboxLimits::default()).expect("a sandbox")
}
