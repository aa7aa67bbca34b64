//! Rack-aware range (KIP-881): range, but partitions go to members in a rack of one of their replicas where sizes allow it.

mod passes;
mod racks;

use divvy_guest::prelude::*;

use passes::Share;
use racks::Racks;

assignor! {
    name: "rack-aware",
    rank: 20,
    needs: [replica_racks],
    description: "Range that prefers members in a rack of the partition's replicas (KIP-881).",
    license: "Apache-2.0",
    assign: assign,
}

/// Topics are decided one by one, but those that the same members read and that have the same number of partitions are decided as
/// one, so that racks never tear a partition number apart.
pub fn assign(group: &Group<'_>, owners: &mut Owners) -> Result<(), Refusal> {
    let racks = Racks::of(group);
    let bundles = bundles(group);
    let any_aware =
        bundles.iter().any(|bundle| bundle.topics.iter().any(|&topic| racks.matter(topic, &bundle.members)));
    for Bundle { topics, members } in &bundles {
        let mut share = Share::new(topics[0].len(), members.len());
        match topics[..] {
            _ if !any_aware => {}
            [topic] if racks.matter(topic, members) => share.match_one(&racks, topic, members),
            [_] => {}
            // Racks that matter to another topic make this pass run here too (Java and librdkafka agree).
            _ if members.iter().any(|member| member.rack().is_some()) => share.match_all(&racks, topics, members),
            _ => {}
        }
        share.fill(members.len());
        topics.iter().for_each(|topic| share.write(topic.partitions(), members, owners));
    }
    Ok(())
}

/// Topics with the same readers and the same number of partitions.
struct Bundle<'g> {
    topics: Vec<Topic<'g>>,
    members: Vec<Member<'g>>,
}

fn bundles<'g>(group: &'g Group<'_>) -> Vec<Bundle<'g>> {
    let mut by_readers: DetMap<(Vec<u64>, usize), Vec<Topic<'g>>> = DetMap::new();
    for topic in group.topics().filter(|topic| topic.len() > 0) {
        by_readers.entry((topic.subscriber_bits(), topic.len())).or_default().push(topic);
    }
    let bundles = by_readers.into_values().map(|topics| Bundle { members: topics[0].subscribers(), topics });
    bundles.filter(|bundle| !bundle.members.is_empty()).collect()
}
