//! The reference of ABI 1 says what this host does: its limits, its faults, its keys of a manifest. (The bytes are held against it where
//! they are written, in the guest SDK.)

use divvy::assignor::{FaultKind, Manifest, limits as plans};
use divvy::sandbox::{LoadErrorKind, SandboxLimits, limits};
use serde_json::json;

const REFERENCE: &str = include_str!("../../guest-sdk/docs/abi-1.md");

fn says(sentence: &str) {
    assert!(REFERENCE.contains(sentence), "the reference does not say {sentence:?}");
}

fn thousands(number: usize) -> String {
    match number {
        0..1_000 => number.to_string(),
        _ => format!("{},{:03}", thousands(number / 1_000), number % 1_000),
    }
}

#[test]
fn limits() {
    let usual = SandboxLimits::default();
    let (mib, kib) = (|bytes: usize| bytes >> 20, |bytes: usize| bytes >> 10);
    says(&format!(
        "| module | {} MiB; a function's body {} KiB; {} locals of a function; {} items of a section, {} data segments |",
        mib(usual.module_bytes),
        kib(usual.body_bytes),
        thousands(limits::MAX_LOCALS as usize),
        thousands(limits::MAX_ITEMS as usize),
        thousands(limits::MAX_DATA_SEGMENTS as usize),
    ));
    let (least, most, ever) = (mib(usual.memory_bytes), mib(usual.max_memory_bytes), limits::MAX_MEMORY_BYTES >> 30);
    says(&format!(
        "| memory | {least} MiB, with `limits.memory_mib` up to {most} MiB, and up to {ever} GiB where the operator lets it |"
    ));
    says(&format!("| stack of WebAssembly code | {} KiB;", kib(limits::WASM_STACK_BYTES)));
    says(&format!("| table | one, {} elements |", thousands(limits::MAX_TABLE_ELEMENTS as usize)));
    let (least, most) = (usual.call_time.as_secs(), usual.max_call_time.as_secs());
    says(&format!("| time of a call | {least} s, with `limits.ms` up to {most} s;"));
    says(&format!("| request | {} MiB |", mib(usual.input_bytes)));
    says(&format!(
        "(with `copies: many` of {} copies), or {} KiB for each member's state and {} MiB in all; {} KiB more.",
        plans::MAX_COPIES,
        kib(plans::STATE_BYTES_PER_MEMBER),
        mib(plans::MAX_STATES_REPLY_BYTES),
        kib(plans::REPLY_SLACK_BYTES),
    ));
    says(&format!("a JSON object of at most {} bytes", thousands(limits::MAX_MANIFEST_BYTES)));
}

#[test]
fn faults() {
    use FaultKind::*;
    for kind in [GuestError, Trap, Deadline, Memory, Stack, Table, Input, Output, InvalidReply, InvalidAssignment] {
        says(&format!("`{}`", kind.name()));
    }
    for kind in [
        LoadErrorKind::Unreadable,
        LoadErrorKind::TooLarge,
        LoadErrorKind::HalfWritten,
        LoadErrorKind::NotWasm,
        LoadErrorKind::Precompiled,
        LoadErrorKind::Invalid,
        LoadErrorKind::Limit,
        LoadErrorKind::Imports,
        LoadErrorKind::Exports,
        LoadErrorKind::Manifest,
        LoadErrorKind::Abi,
        LoadErrorKind::Compile,
        LoadErrorKind::Clash,
        LoadErrorKind::Untrusted,
    ] {
        says(&format!("`{}`", kind.name()));
    }
}

#[test]
fn keys_of_a_manifest_and_their_defaults() {
    let least: Manifest = serde_json::from_value(json!({ "abi": "1.0", "name": "x" })).unwrap();
    let value = serde_json::to_value(&least).unwrap();
    for (key, default) in value.as_object().unwrap() {
        says(&format!("`{key}`"));
        let shown = match default {
            serde_json::Value::Null | serde_json::Value::Object(_) => continue,
            text @ serde_json::Value::String(_) => format!("| `{key}` | `{text}` |"),
            list @ serde_json::Value::Array(_) => format!("| `{key}` | `{list}` |"),
            flag @ serde_json::Value::Bool(_) => format!("| `{key}` | `{flag}` |"),
            number => format!("| `{key}` | {number} |"),
        };
        if key != "abi" && key != "name" {
            says(&shown);
        }
    }
}
