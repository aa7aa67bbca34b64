//! Range, the one strategy that the host has built in: the last resort of a generation whose module failed.
//!
//! For each topic its readers, in order, get consecutive partitions: n / m each, and the first n % m one more. The order is
//! Kafka's: static members by instance id, then dynamic ones by member id. It answers requests as the module `range` does.

use std::sync::LazyLock;

use divvy_guest::abi::Width;
use divvy_guest::abi::msgpack::Malformed;
use divvy_guest::abi::reply::{plan_head, plan_tail};
use divvy_guest::abi::request::Partitions;

use super::manifest::{Copies, Mode, Offer, Shape};
use super::{Assignor, Budget, CallError, Export, FaultKind, Manifest};
use crate::ids::Digest;

#[cfg(test)]
mod tests;

/// Its name: Kafka's.
pub const NATIVE: &str = "range";

/// The built-in strategy.
struct NativeRange {
    manifest: Manifest,
}

/// The host's own range.
pub fn native_range() -> &'static dyn Assignor {
    static RANGE: LazyLock<NativeRange> = LazyLock::new(|| NativeRange {
        manifest: Manifest {
            abi: "1.0".to_owned(),
            name: NATIVE.to_owned(),
            version: 1,
            protocol_type: "consumer".to_owned(),
            shape: Shape::Partitions,
            mode: Mode::Eager,
            copies: Copies::One,
            complete: true,
            offer: Offer::Default,
            rank: 10,
            needs: Vec::new(),
            limits: Default::default(),
            config_schema: None,
            license: None,
            source: None,
            description: Some("Consecutive partitions of each topic, the host's own.".to_owned()),
            sdk: None,
        },
    });
    &*RANGE
}

impl Assignor for NativeRange {
    fn manifest(&self) -> &Manifest {
        &self.manifest
    }

    fn digest(&self) -> Option<Digest> {
        None
    }

    fn call(&self, export: Export, request: &[u8], _budget: Budget) -> Result<Vec<u8>, CallError> {
        match export {
            Export::Assign => {
                assign(request).map_err(|malformed| CallError::new(FaultKind::Input, malformed.to_string()))
            }
            Export::UserData | Export::Check => Ok(Vec::new()),
        }
    }
}

fn assign(request: &[u8]) -> Result<Vec<u8>, Malformed> {
    let group = Partitions::read(request)?;
    let mut order: Vec<u32> = (0..group.members.len() as u32).collect();
    // Stable: dynamic members are in the order of their ids already.
    order.sort_by_key(|&member| {
        let instance = group.members[member as usize].instance_id;
        (instance.is_none(), instance)
    });

    let width = Width::of(group.members.len());
    let len = group.partitions as usize * width.bytes();
    let mut reply = plan_head(1, len as u32).to_vec();
    let head = reply.len();
    reply.resize(head + len, 0xff);
    let owners = &mut reply[head..];
    let mut readers = Vec::new();
    for (index, topic) in group.topics.iter().enumerate() {
        let reads: Vec<bool> = group.subscriptions.iter().map(|set| set.contains(index as u32)).collect();
        readers.clear();
        readers.extend(order.iter().filter(|&&member| reads[group.members[member as usize].subscription as usize]));
        let shares = Shares::new(topic.partitions, readers.len() as u32);
        let mut next = topic.base as usize;
        for (place, &member) in readers.iter().enumerate() {
            for _ in 0..shares.of(place as u32) {
                width.set(owners, next, Some(member));
                next += 1;
            }
        }
    }
    plan_tail(&mut reply, None, None, None, &[]);
    Ok(reply)
}

/// How many partitions the reader at each place gets.
struct Shares {
    base: u32,
    extra: u32,
}

impl Shares {
    fn new(partitions: u32, readers: u32) -> Self {
        match readers {
            0 => Self { base: 0, extra: 0 },
            _ => Self { base: partitions / readers, extra: partitions % readers },
        }
    }

    fn of(&self, place: u32) -> u32 {
        self.base + u32::from(place < self.extra)
    }
}
