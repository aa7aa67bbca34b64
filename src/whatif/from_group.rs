//! A group that runs, as the start of a life: its members with what they read, say and have, under the names that people know
//! them by. They go on as divvy's members would, whatever client they are.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use super::life::{Reads, Spec, Start};
use crate::assignor::Spoken;
use crate::embedded::consumer::{Assignment, Subscription, Tail};
use crate::embedded::note::Note;
use crate::embedded::user_data::{Facts, RACK, UserData};
use crate::ids::TopicName;
use crate::lead::{Described, DescribedMember};
use crate::topics::TopicTable;

/// The start; `spoken` is what the operator says for members that cannot. Who reads nothing (`divvy lead` itself) is left out.
pub fn start(group: &Described, topics: TopicTable, spoken: &Spoken) -> Start {
    let mut names = BTreeMap::<String, usize>::new();
    group.members.iter().for_each(|member| *names.entry(word(member.name())).or_default() += 1);
    let member = |member: &DescribedMember| {
        let said = Subscription::decode(&member.metadata).ok().filter(|said| !said.topics.is_empty())?;
        let own = Some(word(member.name())).filter(|name| names.get(name) == Some(&1));
        // What does not exist is not read.
        let reads = said.topics.iter().map(|topic| TopicName::from(*topic)).filter(|name| topics.0.contains_key(name));
        let mut facts = spoken.facts(&member.input());
        facts.extend(facts_of(&said.tail));
        Some(Spec {
            name: own.unwrap_or_else(|| word(member.id.as_str())),
            is_static: member.instance.is_some(),
            reads: Reads::These(reads.collect::<BTreeSet<_>>().into_iter().collect()),
            facts,
            has: has(member, &topics),
        })
    };
    let members = group.members.iter().filter_map(member).collect();
    Start { topics, members }
}

/// Scripts name members, so that a name is one word, with nothing in it that scripts read as something else.
fn word(name: &str) -> String {
    name.replace(|c: char| c.is_whitespace() || [';', '#', '='].contains(&c), "_")
}

/// What a member says of itself, wherever its client has a place for it.
fn facts_of(tail: &Tail<'_>) -> Facts {
    let map = tail.user_data.and_then(|data| UserData::decode(data).ok()).map(|map| map.facts);
    let mut facts = map.unwrap_or_else(|| tail.note.map(|note| Note::decode(note).facts).unwrap_or_default());
    if let Some(rack) = tail.rack.filter(|rack| !rack.is_empty()) {
        facts.insert(RACK.to_owned(), Value::from(rack));
    }
    facts
}

fn has(member: &DescribedMember, topics: &TopicTable) -> Vec<(TopicName, Vec<i32>)> {
    let Ok(assignment) = Assignment::decode_state(&member.state) else { return Vec::new() };
    let exists = |topic: &str, number: &i32| topics.has_partition(topic, *number);
    let of_topic = |it: &crate::embedded::consumer::TopicPartitions<'_>| {
        let numbers = it.partitions.iter().filter(|number| exists(it.topic, number)).collect::<Vec<_>>();
        (TopicName::from(it.topic), numbers)
    };
    assignment.topics.iter().map(of_topic).filter(|(_, numbers)| !numbers.is_empty()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::embedded::consumer::TopicPartitions;
    use crate::topics::Topic;

    #[test]
    fn members_come_with_what_they_say_read_and_have() {
        let tail = Tail { rack: Some("x"), ..Tail::default() };
        let metadata = Subscription { version: 3, topics: vec!["t", "gone"], tail }.encode().into();
        let partitions = TopicPartitions { topic: "t", partitions: [1, 9].into_iter().collect() };
        let state = Assignment { topics: vec![partitions], user_data: None }.encode().into();
        let member =
            DescribedMember { id: "c-1".into(), client_id: "my client".into(), metadata, state, instance: None };
        let nobody = Subscription { version: 0, topics: vec![], tail: Tail::default() }.encode().into();
        let lead = DescribedMember { metadata: nobody, ..DescribedMember::default() };
        let group = Described { members: vec![member.clone(), lead], ..Described::default() };
        let table = TopicTable([("t".into(), Topic { partitions: 4, racks: vec![] })].into());
        let mut spoken = Spoken::default();
        spoken.add("c*", "weight", Value::from(3));
        let start = start(&group, table.clone(), &spoken);
        let spec = Spec {
            reads: Reads::These(vec!["t".into()]),
            has: vec![("t".into(), vec![1])],
            ..Spec::new("my_client").with("rack", "x").with("weight", 3)
        };
        assert_eq!(start.members, [spec]);
        // Of two with one name each has its id.
        let twice =
            Described { members: vec![member.clone(), DescribedMember { id: "c-2".into(), ..member }], ..group };
        let names: Vec<String> = super::start(&twice, table, &spoken).members.into_iter().map(|it| it.name).collect();
        assert_eq!(names, ["c-1", "c-2"]);
    }
}
