//! What a plan is made from, as a number: two plans of one group whose fingerprints differ may differ.

use xxhash_rust::xxh3::{Xxh3Default, xxh3_64};

use super::{Assignor, MemberInput};
use crate::embedded::wants;
use crate::ids::{Mode, Protocol};
use crate::topics::TopicTable;

/// What counts of it. Of the members it is what they want: whoever joins or leaves has a rebalance anyway, but a static
/// member may come back with another subscription, and no generation begins with that.
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
    /// The members.
    pub members: &'a [MemberInput],
    /// Whether what members say of themselves is a subscription; else all of it counts.
    pub subscribe: bool,
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
    let mut members: Vec<(&str, u64)> = ground.members.iter().map(|it| (lasting_name(it), wants(it, ground))).collect();
    members.sort_unstable();
    for (name, wants) in members {
        part(name.as_bytes());
        part(&wants.to_le_bytes());
    }
    hash.digest()
}

/// A static member keeps its instance id when it comes back, but not its id.
fn lasting_name(member: &MemberInput) -> &str {
    member.instance.as_ref().map_or(member.id.as_str(), |instance| instance.as_str())
}

/// What a member wants; of what cannot be read, all counts.
fn wants(member: &MemberInput, ground: &Ground<'_>) -> u64 {
    let known = ground.subscribe.then(|| wants::wants(&member.metadata)).flatten();
    known.unwrap_or_else(|| xxh3_64(&member.metadata))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::assignor::native_range;
    use crate::embedded::consumer::TopicPartitions;
    use crate::embedded::consumer::{Subscription, Tail};
    use crate::embedded::user_data::UserData;
    use crate::topics::Topic;

    fn of(topics: &[(&str, u32, &[&str])], strategy: Option<&dyn Assignor>, config: &serde_json::Value) -> u64 {
        let topic = |(name, partitions, racks): &(&str, u32, &[&str])| {
            let racks = racks.iter().map(|rack| vec![(*rack).to_owned()]).collect();
            ((*name).into(), Topic { partitions: *partitions, racks })
        };
        let topics = TopicTable(topics.iter().map(topic).collect());
        let (protocol, mode) = (&"range".into(), Mode::Eager);
        fingerprint(&Ground { protocol, mode, strategy, config, topics: &topics, members: &[], subscribe: true })
    }

    fn of_members(members: &[(&str, Option<&str>, &Subscription<'_>)], subscribe: bool) -> u64 {
        let member = |(id, instance, said): &(&str, Option<&str>, &Subscription<'_>)| MemberInput {
            id: (*id).into(),
            instance: instance.map(Into::into),
            metadata: said.encode().into(),
        };
        let members: Vec<MemberInput> = members.iter().map(member).collect();
        let (protocol, mode, config) = (&"range".into(), Mode::Eager, &serde_json::Value::Null);
        let topics = &TopicTable::default();
        fingerprint(&Ground { protocol, mode, strategy: None, config, topics, members: &members, subscribe })
    }

    #[test]
    fn of_the_members_it_is_what_they_want() {
        let plain = Subscription { version: 3, topics: vec!["a", "b"], tail: Tail::default() };
        let base = of_members(&[("m-1", Some("m"), &plain)], true);
        let owned = vec![TopicPartitions { topic: "a", partitions: [0].into_iter().collect() }].into();
        let back = Subscription {
            topics: vec!["b", "a"],
            tail: Tail { user_data: Some(b"sticky"), owned, generation: 7, rack: None, note: None },
            ..plain.clone()
        };
        assert_eq!(base, of_members(&[("m-2", Some("m"), &back)], true), "a restart");
        assert_ne!(base, of_members(&[("m-2", Some("m"), &back)], false), "of what cannot be read, all counts");
        let racked = Subscription { tail: Tail { rack: Some("eu-1a"), ..Tail::default() }, ..plain.clone() };
        let facts = UserData { facts: [("weight".to_owned(), 2.into())].into(), ..UserData::default() }.encode();
        let weighty = Subscription { tail: Tail { user_data: Some(&facts), ..Tail::default() }, ..plain.clone() };
        let fewer = Subscription { topics: vec!["a"], ..plain.clone() };
        for other in [&racked, &weighty, &fewer] {
            assert_ne!(base, of_members(&[("m-2", Some("m"), other)], true), "{other:?}");
        }
        let (one, other) = ([("x", None, &plain), ("y", None, &fewer)], [("y", None, &fewer), ("x", None, &plain)]);
        assert_eq!(of_members(&one, true), of_members(&other, true), "in whatever order they are");
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
