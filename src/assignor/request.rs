//! Writes what a strategy is asked: the view of a group as a request of ABI 1.

use std::borrow::Cow;
use std::collections::BTreeSet;

use divvy_guest::abi::host::{Head, Member, PartitionsRequest, StateMember, StatesRequest, Topic};
use divvy_guest::abi::{self, NO_RACK, names};
use serde_json::Value;

use super::claims::{self, Claim, Holds};
use super::limits::{MAX_RACK_COLUMN, MAX_RACKS};
use super::manifest::{Copies, Manifest, Mode};
use super::view::{View, ViewMember};
use super::{CallError, Column, FaultKind, LeaderInput, MemberInput};
use crate::embedded::note::Note;
use crate::embedded::sticky::{COOPERATIVE_STICKY, STICKY, StickyData};
use crate::embedded::user_data::{Facts, UserData, rack_of};
use crate::ids::{Protocol, TopicName};
use crate::topics::TopicTable;

/// An empty MessagePack map.
const EMPTY_MAP: &[u8] = &[0x80];

/// The names of Kafka's under which user data has the form of KIP-54.
const STICKY_NAMES: [&str; 2] = [STICKY, COOPERATIVE_STICKY];

/// What of a member's user data a strategy gets to see.
struct Said<'a> {
    facts: Vec<u8>,
    rack: Option<String>,
    user_data: Option<Cow<'a, [u8]>>,
    claim: Claim<'a>,
}

/// A request of shape `partitions`; and who holds what, where that was found on the way.
pub(super) fn partitions(
    manifest: &Manifest,
    input: &LeaderInput<'_>,
    view: &View<'_>,
) -> Result<(Vec<u8>, Option<Holds>), CallError> {
    let mut said: Vec<Said<'_>> = view.members.iter().map(|member| said_by(member, input.protocol)).collect();
    let claims: Vec<Claim<'_>> = said.iter_mut().map(|member| std::mem::take(&mut member.claim)).collect();
    let (claims, holds) = match (manifest.copies, input.mode) {
        (Copies::One, Mode::Eager) => (claims::of_one(view, &claims), None),
        (Copies::One, Mode::Cooperative) => {
            let (map, holds) = claims::with_holds(view, &claims);
            (map, Some(holds))
        }
        (Copies::Many, _) => (claims::of_many(view, &claims), None),
    };

    let needs_racks = manifest.needs.iter().any(|need| need == names::REPLICA_RACKS);
    let racks = racks(view, &said, input.topics.0.iter().filter(|_| needs_racks).map(|(_, topic)| &topic.racks))?;
    let rack_index = |rack: &str| racks.binary_search(&rack).ok().map(|index| index as u32);

    let mut columns: Vec<(&str, Vec<u8>)> = Vec::new();
    if needs_racks && let Some(column) = replica_racks(view, input.topics, &racks) {
        columns.push((names::REPLICA_RACKS, column));
    }
    let needed = input.columns.iter().filter(|column| manifest.needs.contains(&column.name));
    columns.extend(needed.map(|column| (column.name.as_str(), numbers(view, column))));

    let topics: Vec<_> =
        view.topics.iter().map(|topic| Topic { name: topic.name, partitions: topic.partitions }).collect();
    let sets: Vec<Vec<u32>> = view.sets.iter().map(|set| set.iter().collect()).collect();
    let members: Vec<_> = view
        .members
        .iter()
        .zip(&said)
        .map(|(member, said)| Member {
            id: member.id.as_str(),
            instance_id: member.instance.map(|instance| instance.as_str()),
            client_id: "",
            rack: said.rack.as_deref().and_then(rack_index),
            subscription: member.set,
            user_data: said.user_data.as_deref(),
            facts: &said.facts,
        })
        .collect();

    let config = config(input.config);
    // What there is one of for each partition, and what a member and a topic take at least.
    let large = claims.len() + columns.iter().map(|(_, column)| column.len()).sum::<usize>();
    let mut to = Vec::with_capacity(large + 64 * (members.len() + topics.len()) + 1024);
    PartitionsRequest {
        head: head(input, &config),
        topics: &topics,
        subscriptions: &sets.iter().map(Vec::as_slice).collect::<Vec<_>>(),
        members: &members,
        racks: &racks,
        claims: &claims,
        columns: &columns.iter().map(|(name, column)| (*name, column.as_slice())).collect::<Vec<_>>(),
        now_ms: input.now_ms,
        memo: input.memo,
    }
    .write(&mut to);
    Ok((to, holds))
}

/// A request of shape `states`; members are sorted by id.
pub(super) fn states(input: &LeaderInput<'_>, members: &[&MemberInput]) -> Vec<u8> {
    let members: Vec<_> = members
        .iter()
        .map(|member| StateMember {
            id: member.id.as_str(),
            instance_id: member.instance.as_ref().map(|instance| instance.as_str()),
            metadata: &member.metadata,
        })
        .collect();
    let config = config(input.config);
    let mut to = Vec::new();
    let head = head(input, &config);
    StatesRequest { head, context: input.context, members: &members, now_ms: input.now_ms, memo: input.memo }
        .write(&mut to);
    to
}

fn head<'a>(input: &'a LeaderInput<'_>, config: &'a [u8]) -> Head<'a> {
    let mut seed = xxhash_rust::xxh3::Xxh3Default::new();
    seed.update(input.group.as_str().as_bytes());
    seed.update(&input.generation.0.to_le_bytes());
    Head {
        seed: seed.digest(),
        group: input.group.as_str(),
        generation: input.generation.0,
        protocol: input.protocol.as_str(),
        mode: match input.mode {
            Mode::Eager => abi::Mode::Eager,
            Mode::Cooperative => abi::Mode::Cooperative,
        },
        config,
    }
}

fn config(config: &Value) -> Vec<u8> {
    match config {
        Value::Object(map) => rmp_serde::to_vec(map).unwrap_or_else(|_| EMPTY_MAP.to_vec()),
        _ => EMPTY_MAP.to_vec(),
    }
}

/// What a member says it had last.
pub(super) fn claim_of<'v>(member: &'v ViewMember<'_>, protocol: &Protocol) -> Claim<'v> {
    said_by(member, protocol).claim
}

/// Divvy's map is taken apart; anybody else's bytes are the strategy's to read. Under Kafka's sticky names they say what
/// the member had, and divvy's members say the rest in a note.
fn said_by<'v>(member: &'v ViewMember<'_>, protocol: &Protocol) -> Said<'v> {
    let tail = &member.tail;
    let rack = tail.rack.map(str::to_owned);
    let owned = claims::owned_by(tail);
    let Some(data) = tail.user_data.and_then(|bytes| UserData::decode(bytes).ok()) else {
        let is_sticky = STICKY_NAMES.contains(&protocol.as_str()) && owned.owned.is_empty();
        let last = tail.user_data.filter(|_| is_sticky).and_then(|bytes| StickyData::decode(bytes).ok());
        let claim = last.map_or(owned, |last| Claim { generation: last.generation, owned: last.owned });
        let note = tail.note.map(Note::decode).unwrap_or_default();
        let rack = rack.or_else(|| rack_of(&note.facts).map(str::to_owned));
        let user_data = note.x().map(Cow::Owned).or(tail.user_data.map(Cow::Borrowed));
        return Said { facts: encode_facts(&note.facts), rack, user_data, claim };
    };
    let claim = match data.last {
        Some(last) if owned.owned.is_empty() => Claim { generation: last.generation, owned: last.owned },
        _ => owned,
    };
    let rack = rack.or_else(|| rack_of(&data.facts).map(str::to_owned));
    Said { facts: encode_facts(&data.facts), rack, user_data: data.x.map(Cow::Borrowed), claim }
}

fn encode_facts(facts: &Facts) -> Vec<u8> {
    if facts.is_empty() {
        return EMPTY_MAP.to_vec();
    }
    rmp_serde::to_vec(facts).unwrap_or_else(|_| EMPTY_MAP.to_vec())
}

/// The names of all racks that members or replicas are in, sorted.
fn racks<'a>(
    view: &View<'_>,
    said: &'a [Said<'_>],
    replicas: impl Iterator<Item = &'a Vec<Vec<String>>>,
) -> Result<Vec<&'a str>, CallError> {
    let mut racks: BTreeSet<&str> = said.iter().filter_map(|member| member.rack.as_deref()).collect();
    racks.extend(replicas.flatten().flatten().map(String::as_str));
    if racks.len() > MAX_RACKS {
        let text = format!("{} members and their topics name more than {MAX_RACKS} racks", view.members.len());
        return Err(CallError::new(FaultKind::Input, text));
    }
    Ok(racks.into_iter().collect())
}

/// The racks of each partition's replicas, so many for each as the widest has; none when nobody said any.
fn replica_racks(view: &View<'_>, topics: &TopicTable, racks: &[&str]) -> Option<Vec<u8>> {
    let of_topics =
        || view.topics.iter().map(|topic| (topic, topics.get(topic.name).map_or(&[][..], |t| &t.racks[..])));
    let width = of_topics().flat_map(|(_, racks)| racks).map(Vec::len).max().unwrap_or(0).min(MAX_RACK_COLUMN);
    if width == 0 {
        return None;
    }
    let mut column = vec![0xff; view.partitions * width * 2];
    for (topic, replicas) in of_topics() {
        let rows = column[topic.base as usize * width * 2..].chunks_exact_mut(width * 2);
        for (row, replicas) in rows.take(topic.partitions as usize).zip(replicas) {
            for (cell, rack) in row.chunks_exact_mut(2).zip(replicas) {
                let index = racks.binary_search(&rack.as_str()).map_or(NO_RACK, |index| index as u16);
                cell.copy_from_slice(&index.to_le_bytes());
            }
        }
    }
    Some(column)
}

/// A number for each partition, eight bytes each.
fn numbers(view: &View<'_>, column: &Column) -> Vec<u8> {
    let mut bytes = column.unknown.to_le_bytes().repeat(view.partitions);
    for topic in &view.topics {
        let values = column.values.get(&TopicName::from(topic.name)).map_or(&[][..], |values| values);
        let cells = bytes[topic.base as usize * 8..].chunks_exact_mut(8).take(topic.partitions as usize);
        cells.zip(values).for_each(|(cell, value)| cell.copy_from_slice(&value.to_le_bytes()));
    }
    bytes
}
