//! What a strategy would decide for a group as it is now: everybody with what it has, as if all joined again this moment.

use std::collections::HashMap;
use std::time::Duration;

use bytes::Bytes;
use serde_json::Value;

use super::Described;
use crate::assignor::{Assignor, CallError, Column, Had, LeaderInput, MemberInput, Plan, Spoken, lead};
use crate::embedded::consumer::{Subscription, Tail};
use crate::embedded::sticky::{COOPERATIVE_STICKY, STICKY};
use crate::embedded::user_data::UserData;
use crate::ids::{Generation, GroupId, MemberId, Mode, Protocol, ProtocolType};
use crate::topics::TopicTable;

/// The generation of what everybody has, since Kafka does not tell it; the plan is for the next.
const NOW: i32 = 1;

/// The question.
pub struct WhatIf<'a> {
    /// The group's id.
    pub id: &'a GroupId,
    /// The group.
    pub group: &'a Described,
    /// The name that it runs under, or would.
    pub protocol: &'a Protocol,
    /// Its topics.
    pub topics: &'a TopicTable,
    /// Numbers for each partition, for strategies that want them.
    pub columns: &'a [Column],
    /// The strategy's configuration.
    pub config: &'a Value,
    /// What is said for members that cannot say it themselves.
    pub spoken: &'a Spoken,
    /// The wall clock.
    pub now_ms: i64,
    /// How long the strategy may take.
    pub budget: Duration,
}

impl WhatIf<'_> {
    /// The plan that the group would come to. Under cooperative names it takes a second rebalance to get there: what moves
    /// is given up in the first.
    pub fn ask(&self, strategy: &dyn Assignor) -> Result<Plan, CallError> {
        let members = self.members();
        lead(
            strategy,
            &LeaderInput {
                group: self.id,
                generation: Generation(NOW + 1),
                protocol: self.protocol,
                mode: Mode::Eager,
                protocol_type: &ProtocolType::from("consumer"),
                members: &members,
                topics: self.topics,
                columns: self.columns,
                config: self.config,
                context: None,
                memo: None,
                now_ms: self.now_ms,
                budget_ms: self.budget,
            },
        )
    }

    fn members(&self) -> Vec<MemberInput> {
        let states: HashMap<MemberId, Bytes> = self.group.states().into_iter().collect();
        let each = |member: MemberInput| {
            let member = forgetful(member, self.protocol);
            let had = states.get(&member.id).map(|state| Had { generation: NOW, state });
            self.spoken.speak(&member, self.protocol, had).unwrap_or(member)
        };
        self.group.inputs().into_iter().map(each).collect()
    }
}

/// A member without what it said that it had: that was before it got what it has now.
fn forgetful(member: MemberInput, protocol: &Protocol) -> MemberInput {
    let Ok(said) = Subscription::decode(&member.metadata) else { return member };
    let is_sticky = [STICKY, COOPERATIVE_STICKY].contains(&protocol.as_str());
    let map = said.tail.user_data.and_then(|it| UserData::decode(it).ok());
    let own = map.map(|map| UserData { last: None, ..map }.encode());
    let user_data = own.as_deref().or(said.tail.user_data.filter(|_| !is_sticky));
    let tail = Tail { user_data, owned: Default::default(), generation: -1, ..said.tail.clone() };
    let metadata = Bytes::from(Subscription { tail, ..said }.encode());
    MemberInput { metadata, ..member }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::assignor::native_range;
    use crate::embedded::consumer::{Assignment, TopicPartitions};
    use crate::lead::DescribedMember;
    use crate::topics::Topic;

    fn member(id: &str, tail: Tail<'_>, has: &[i32]) -> DescribedMember {
        let metadata = Subscription { version: 3, topics: vec!["t"], tail }.encode().into();
        let topics = vec![TopicPartitions { topic: "t", partitions: has.iter().copied().collect() }];
        let state = Assignment { topics, user_data: None }.encode().into();
        DescribedMember { id: id.into(), metadata, state, ..DescribedMember::default() }
    }

    fn question<'a>(
        group: &'a Described,
        topics: &'a TopicTable,
        protocol: &'a Protocol,
        id: &'a GroupId,
    ) -> WhatIf<'a> {
        let (columns, config, budget) = (&[][..], &Value::Null, Duration::from_secs(1));
        static NOTHING: std::sync::LazyLock<Spoken> = std::sync::LazyLock::new(Spoken::default);
        WhatIf { id, group, protocol, topics, columns, config, spoken: &NOTHING, now_ms: 0, budget }
    }

    #[test]
    fn everybody_has_what_it_has_now_and_not_what_it_said_when_it_joined() {
        let stale = vec![TopicPartitions { topic: "t", partitions: [3].into_iter().collect() }];
        let tail = Tail { owned: stale.into(), generation: 9, ..Tail::default() };
        let members = vec![member("a", tail, &[0, 1]), member("b", Tail::default(), &[2, 3])];
        let group = Described { members, ..Described::default() };
        let topics = TopicTable([("t".into(), Topic { partitions: 4, racks: Vec::new() })].into());
        let (id, protocol) = (GroupId::from("g"), Protocol::from("range"));
        let seen = question(&group, &topics, &protocol, &id).members();
        let said = Subscription::decode(&seen[0].metadata).unwrap();
        assert!(said.tail.owned.is_empty());
        let last = UserData::decode(said.tail.user_data.unwrap()).unwrap().last.unwrap();
        assert_eq!(last.owned, Assignment::decode(&group.members[0].state).unwrap().topics.into());
        let plan = question(&group, &topics, &protocol, &id).ask(native_range()).unwrap();
        assert_eq!(plan.states, group.states(), "range has nothing to change here");
    }
}
