//! What a plan is made from, as a number: two plans of one group whose fingerprints differ may differ.

use xxhash_rust::xxh3::Xxh3Default;

use super::Assignor;
use crate::ids::{Mode, Protocol};
use crate::topics::TopicTable;

/// What counts of it. The members do not: whoever joins, leaves or wants something else has a rebalance anyway.
#[derive(Clone, Copy)]
pub struct Ground<'a> {
    /// The protocol that the group agreed on.
    pub protocol: &'a Protocol,
    /// How members hand over.
    pub mode: Mode,
    /// What serves the protocol; none if nothing does.
    pub strategy: Option<&'a dyn Assignor>,
    /// Its configuration.
    pub config: &'a serde_json::Value,
    /// The topics that the members subscribe to.
    pub topics: &'a TopicTable,
}

/// The number. It is the same in every process.
pub fn fingerprint(ground: &Ground<'_>) -> u64 {
    let mut hash = Xxh3Default::new();
    // Each part ends with its length, so that no two lists of parts are the same bytes.
    let mut part = |bytes: &[u8]| {
        hash.update(bytes);
        hash.update(&(bytes.len() as u64).to_le_bytes());
    };
    part(ground.protocol.as_str().as_bytes());
    part(&[u8::from(ground.mode == Mode::Cooperative), u8::from(ground.strategy.is_some())]);
    part(&ground.strategy.and_then(|strategy| strategy.digest()).map_or([0; 32], |digest| digest.0));
    part(ground.config.to_string().as_bytes());
    // A broker that goes and comes back takes the name of its rack along: that concerns only who reads racks.
    let racks = ground.strategy.is_some_and(|strategy| strategy.manifest().needs_racks());
    for (name, topic) in &ground.topics.0 {
        part(name.as_str().as_bytes());
        part(&topic.partitions.to_le_bytes());
        for of_partition in topic.racks.iter().filter(|_| racks) {
            of_partition.iter().for_each(|rack| part(rack.as_bytes()));
            part(b"/");
        }
    }
    hash.digest()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::assignor::native_range;
    use crate::topics::Topic;

    fn of(topics: &[(&str, u32, &[&str])], strategy: Option<&dyn Assignor>, config: &serde_json::Value) -> u64 {
        let topic = |(name, partitions, racks): &(&str, u32, &[&str])| {
            let racks = racks.iter().map(|rack| vec![(*rack).to_owned()]).collect();
            ((*name).into(), Topic { partitions: *partitions, racks })
        };
        let topics = TopicTable(topics.iter().map(topic).collect());
        fingerprint(&Ground { protocol: &"range".into(), mode: Mode::Eager, strategy, config, topics: &topics })
    }

    #[test]
    fn it_differs_with_all_that_a_plan_is_made_from_and_with_nothing_else() {
        let null = &serde_json::Value::Null;
        let range = Some(native_range());
        let plain = of(&[("a", 2, &[])], range, null);
        assert_eq!(plain, of(&[("a", 2, &[])], range, null));
        assert_eq!(plain, of(&[("a", 2, &["x", "y"])], range, null), "range reads no racks");
        let others = [
            of(&[("a", 3, &[])], range, null),
            of(&[("b", 2, &[])], range, null),
            of(&[("a", 2, &[]), ("b", 2, &[])], range, null),
            of(&[], range, null),
            of(&[("a", 2, &[])], None, null),
            of(&[("a", 2, &[])], range, &serde_json::json!({ "spread": 2 })),
        ];
        assert!(others.iter().all(|other| *other != plain), "{plain} {others:?}");
    }
}
