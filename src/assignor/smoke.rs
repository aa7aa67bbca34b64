//! Small made-up groups that a module must get through before it serves a real one.

use std::time::Duration;

use bytes::Bytes;
use serde_json::Value;

use super::manifest::Shape;
use super::{Call, LeaderInput, Manifest, MemberInput};
use crate::embedded::consumer::{Subscription, Tail};
use crate::embedded::single_writer::Candidate;
use crate::ids::{Generation, GroupId, MemberId, TopicName};
use crate::topics::{Topic, TopicTable};

/// Members and topics of each group; every topic has some partitions.
const GROUPS: [(usize, usize); 5] = [(0, 3), (1, 3), (3, 3), (3, 0), (1000, 100)];

/// Partitions of each topic: not a multiple of the members of any group.
const PARTITIONS: u32 = 10;

/// The requests: nobody, one, a few, nothing to do, and many members with many topics.
pub fn smoke_requests(manifest: &Manifest) -> Vec<Vec<u8>> {
    GROUPS.into_iter().map(|(members, topics)| request(manifest, members, topics)).collect()
}

fn request(manifest: &Manifest, members: usize, topics: usize) -> Vec<u8> {
    let racks: Vec<_> = (0..PARTITIONS).map(|partition| vec![format!("rack-{}", partition % 3)]).collect();
    let table = TopicTable(
        (0..topics)
            .map(|topic| {
                let racks = racks.clone();
                (TopicName::from(format!("topic-{topic}")), Topic { partitions: PARTITIONS, racks })
            })
            .collect(),
    );
    let names: Vec<&str> = table.0.keys().map(TopicName::as_str).collect();
    let members: Vec<_> = (0..members)
        .map(|member| MemberInput {
            id: MemberId::from(format!("member-{member}")),
            instance: None,
            metadata: metadata(manifest, &names, &format!("rack-{}", member % 3)),
        })
        .collect();
    let input = LeaderInput {
        group: &GroupId::from("smoke-test"),
        generation: Generation(1),
        protocol: &manifest.protocol(),
        mode: manifest.mode_under(&manifest.protocol(), None),
        protocol_type: &manifest.protocol_type(),
        members: &members,
        topics: &table,
        columns: &[],
        config: &Value::Null,
        context: None,
        memo: None,
        now_ms: 0,
        budget_ms: Duration::from_secs(1),
    };
    let call = Call::prepare(manifest, &input);
    call.map(|call| call.request().to_vec()).expect("the groups are within every limit")
}

/// What a member of the manifest's type says of itself; a type that is not known here gets no bytes.
fn metadata(manifest: &Manifest, topics: &[&str], rack: &str) -> Bytes {
    match (manifest.shape, manifest.protocol_type.as_str()) {
        (Shape::Partitions, _) | (_, "consumer") => {
            let tail = Tail { rack: Some(rack), ..Tail::default() };
            Subscription { version: 3, topics: topics.to_vec(), tail }.encode().into()
        }
        (_, "single-writer") => Candidate::default().encode().into(),
        _ => Bytes::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::assignor::{Budget, Export, native_range};

    #[test]
    fn the_host_s_own_strategy_gets_through() {
        let range = native_range();
        let budget = Budget { deadline: Duration::from_secs(1), max_output: usize::MAX };
        let requests = smoke_requests(range.manifest());
        assert_eq!(requests.len(), GROUPS.len());
        for request in requests {
            range.call(Export::Assign, &request, budget).unwrap();
        }
    }
}
