//! The user data of each assignment: `[1, epoch, primaries]`, which of its partitions a member is the primary of.

use divvy_guest::Level;
use divvy_guest::abi::msgpack::Writer;
use divvy_guest::prelude::*;

use crate::copies::Copies;

const VERSION: u64 = 1;

/// Room in a reply beside its owner maps that user data may use.
const SLACK_BYTES: usize = 48 * 1024;

/// Tells every member. In an eager group a member gets exactly what is planned, so one bit for each of its partitions says it. In a
/// cooperative one the host may hold some back, so they are named.
pub fn tell(group: &Group<'_>, held: &Copies, owners: &mut Owners) {
    let bodies = match group.mode() {
        Mode::Eager => bits(group, held),
        Mode::Cooperative => names(group, held),
    };
    // A reply has room for eight owner maps, of which the plan takes as many as it has copies.
    let width = if group.members().len() <= 65_534 { 2 } else { 4 };
    let room = SLACK_BYTES + (8 - held.most()) * width * group.partitions().len();
    let is_too_long = bodies.iter().map(|body| body.len() + 16).sum::<usize>() > room;
    if is_too_long {
        owners.note(Level::Warn, "there are too many partitions to tell members of which they are the primary");
    }
    for (member, body) in group.members().zip(bodies) {
        let mut data = Vec::new();
        let mut to = Writer::new(&mut data);
        to.array(3);
        to.unsigned(VERSION);
        to.signed(i64::from(group.generation()));
        match is_too_long {
            true => to.nil(),
            false => to.raw(&body),
        }
        owners.user_data(member, data);
    }
}

fn bits(group: &Group<'_>, held: &Copies) -> Vec<Vec<u8>> {
    let mut marks: Vec<Vec<u8>> = held.loads.iter().map(|&load| vec![0; (load as usize).div_ceil(8)]).collect();
    let mut seen = vec![0_usize; marks.len()];
    for partition in 0..group.partitions().len() {
        for (copy, &holder) in held.holders(partition).iter().enumerate() {
            let (marks, at) = (&mut marks[holder as usize], &mut seen[holder as usize]);
            if copy == 0
                && let Some(byte) = marks.get_mut(*at / 8)
            {
                *byte |= 1 << (*at % 8);
            }
            *at += 1;
        }
    }
    let mut body = Vec::new();
    for marks in &mut marks {
        body.clear();
        Writer::new(&mut body).binary(marks);
        marks.clear();
        marks.extend_from_slice(&body);
    }
    marks
}

fn names(group: &Group<'_>, held: &Copies) -> Vec<Vec<u8>> {
    let mut of: Vec<Vec<(usize, u32)>> = vec![Vec::new(); group.members().len()];
    for topic in group.topics() {
        for (number, partition) in (0..).zip(topic.partitions()) {
            if let Some(&primary) = held.holders(partition.index()).first() {
                of[primary as usize].push((topic.index(), number));
            }
        }
    }
    let names: Vec<&str> = group.topics().map(|topic| topic.name()).collect();
    let body = |of: Vec<(usize, u32)>| {
        let mut body = Vec::new();
        let mut to = Writer::new(&mut body);
        to.map(of.chunk_by(|one, next| one.0 == next.0).count());
        for topic in of.chunk_by(|one, next| one.0 == next.0) {
            to.text(names[topic[0].0]);
            to.array(topic.len());
            topic.iter().for_each(|&(_, number)| to.unsigned(u64::from(number)));
        }
        body
    };
    of.into_iter().map(body).collect()
}
