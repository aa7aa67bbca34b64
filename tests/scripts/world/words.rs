//! How a story writes what is sent: offers, modules, faults, offsets.

use std::time::Duration;

use bytes::Bytes;
use divvy::embedded::consumer::Subscription;
use divvy::group::event::*;
use divvy::group::{Alias, CommitCheck};
use divvy::ids::{Digest, Mode, Protocol};

use crate::command::Command;

/// Randomness that a story can show: it counts.
pub(super) fn counter(drawn: &mut u64) -> impl FnMut() -> u64 {
    || {
        *drawn += 1;
        *drawn
    }
}

pub(super) fn millis(ms: i64) -> Duration {
    Duration::from_millis(u64::try_from(ms).unwrap_or(0))
}

/// `range` or `range:bytes`; without bytes the metadata is the member's name.
pub(super) fn offered(text: &str, name: &str) -> OfferedProtocol {
    let (protocol, metadata) = text.split_once(':').unwrap_or((text, name));
    OfferedProtocol { name: Protocol::from(protocol), metadata: Bytes::from(metadata.to_owned()) }
}

/// The same subscription under each protocol.
pub(super) fn subscribed(offers: &[&str], topics: Vec<&str>) -> Vec<OfferedProtocol> {
    let metadata = Bytes::from(Subscription { version: 1, topics, tail: Default::default() }.encode());
    offers.iter().map(|offer| OfferedProtocol { name: Protocol::from(*offer), metadata: metadata.clone() }).collect()
}

pub(super) fn commit_check(word: &str) -> Result<CommitCheck, String> {
    match word {
        "off" => Ok(CommitCheck::Off),
        "warn" => Ok(CommitCheck::Warn),
        "enforce" => Ok(CommitCheck::Enforce),
        other => Err(format!("no check {other:?}")),
    }
}

/// `rack-aware@1:aa`: the protocol, and a digest that begins so.
pub(super) fn modules(texts: Vec<&str>) -> Vec<ModuleOffer> {
    let module = |text: &str| {
        let (protocol, digest) = text.split_once(':').unwrap_or((text, "00"));
        ModuleOffer { protocol: Protocol::from(protocol), digest: digest_of(digest) }
    };
    texts.into_iter().map(module).collect()
}

/// `range:rack-aware@1`, and how members hand over if the name does not say: `:cooperative`.
pub(super) fn alias(text: &str) -> Alias {
    let mut parts = text.split(':');
    let mut part = || parts.next().unwrap_or_default().to_owned();
    let (protocol, assignor, mode) = (part(), part(), part());
    let mode = match mode.as_str() {
        "cooperative" => Some(Mode::Cooperative),
        "eager" => Some(Mode::Eager),
        _ => None,
    };
    Alias { protocol, assignor, mode }
}

pub(super) fn digest_of(text: &str) -> Digest {
    Digest([u8::from_str_radix(text, 16).unwrap_or(0); 32])
}

pub(super) fn fault(command: &Command, kind: &str) -> Fault {
    Fault {
        protocol: Protocol::from(command.text("of", "range")),
        digest: command.options.get("digest").map(|it| digest_of(it)),
        kind: kind.to_owned(),
        message: command.text("message", "boom").to_owned(),
    }
}

/// Why somebody joins: `call-again` stands for the words of a divvy leader.
pub(super) fn said(reason: &str) -> String {
    if reason == "call-again" { CALL_AGAIN.to_owned() } else { reason.to_owned() }
}

/// `t-0:5`, or `t-0:5:100` with a note of its own length.
pub(super) fn offset(text: &str, note: usize) -> Result<CommittedOffset, String> {
    let parts = text.split_once(':').and_then(|(tp, rest)| {
        let (offset, note) = match rest.split_once(':') {
            Some((offset, note)) => (offset, note.parse().ok()?),
            None => (rest, note),
        };
        Some((tp.rsplit_once('-')?, offset.parse().ok()?, note))
    });
    let ((topic, partition), offset, note) = parts.ok_or_else(|| format!("{text:?} is not topic-partition:offset"))?;
    let partition = partition.parse().map_err(|_| format!("{partition:?} is no partition"))?;
    Ok(CommittedOffset { topic: topic.into(), partition, offset, leader_epoch: -1, metadata: "n".repeat(note) })
}
