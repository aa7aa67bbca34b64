//! What a leader remembers for members that say nothing of what they had. Kafka's `sticky` lives on what members say, and
//! franz-go's eager members say nothing: they forget before they join. Whoever led the generation before knows it all the
//! same, from its own plan.

use std::borrow::Cow;
use std::collections::HashMap;

use bytes::Bytes;

use super::{LeaderInput, MemberInput};
use crate::embedded::consumer::{Assignment, Subscription, Tail};
use crate::embedded::sticky::{STICKY, StickyData};
use crate::ids::MemberId;

/// The members, those that say nothing with what the last plan gave them in their user data.
pub(super) fn remembered<'a>(input: &LeaderInput<'a>, last: Option<&[(MemberId, Bytes)]>) -> Cow<'a, [MemberInput]> {
    let Some(last) = last.filter(|_| *input.protocol == STICKY) else { return Cow::Borrowed(input.members) };
    let last: HashMap<&MemberId, &Bytes> = last.iter().map(|(id, state)| (id, state)).collect();
    let told = |member: &MemberInput| {
        let state = last.get(&member.id)?;
        // No claim is of a later generation, and none of this one is for the same partitions.
        let metadata = with_history(&member.metadata, state, input.generation.0 - 1)?;
        Some(MemberInput { metadata, ..member.clone() })
    };
    let members: Vec<Option<MemberInput>> = input.members.iter().map(told).collect();
    if members.iter().all(Option::is_none) {
        return Cow::Borrowed(input.members);
    }
    let either = |(told, member): (Option<MemberInput>, &MemberInput)| told.unwrap_or_else(|| member.clone());
    Cow::Owned(members.into_iter().zip(input.members).map(either).collect())
}

/// A subscription that says what the state gave; none if it says something itself, or there is nothing to say.
fn with_history(metadata: &[u8], state: &[u8], generation: i32) -> Option<Bytes> {
    let subscription = Subscription::decode(metadata).ok()?;
    let said = subscription.tail.user_data.unwrap_or_default();
    let says_nothing = said.is_empty() || StickyData::decode(said).is_ok_and(|data| data.owned.is_empty());
    if !says_nothing || subscription.tail.note.is_some() {
        return None;
    }
    let owned = Assignment::decode_state(state).ok()?.topics;
    if owned.is_empty() {
        return None;
    }
    let data = StickyData { generation, owned: owned.into() }.encode();
    let tail = Tail { user_data: Some(&data), ..subscription.tail };
    Some(Subscription { tail, ..subscription }.encode().into())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::assignor::testing::Group;
    use crate::embedded::consumer::TopicPartitions;
    use crate::ids::Protocol;

    fn state(partitions: &[i32]) -> Bytes {
        let topics = vec![TopicPartitions { topic: "t", partitions: partitions.iter().copied().collect() }];
        Assignment { topics, user_data: None }.encode().into()
    }

    fn says(member: &MemberInput) -> Option<StickyData<'_>> {
        let subscription = Subscription::decode(&member.metadata).unwrap();
        subscription.tail.user_data.map(|data| StickyData::decode(data).unwrap())
    }

    #[test]
    fn who_says_nothing_had_what_the_last_plan_gave_it() {
        let own = StickyData { generation: 5, owned: Assignment::decode(&state(&[3])).unwrap().topics.into() }.encode();
        let forgot = StickyData { generation: 7, owned: Vec::new().into() }.encode();
        let with = |data: &[u8]| {
            let tail = Tail { user_data: Some(data), ..Tail::default() };
            Subscription { version: 3, topics: vec!["t"], tail }.encode()
        };
        let group = Group::new(&[("t", 4)])
            .raw("forgets", with(&forgot))
            .raw("newcomer", with(&forgot))
            .raw("remembers", with(&own))
            .raw("unreadable", Bytes::from_static(b"?"));
        let last =
            [("forgets".into(), state(&[0, 1])), ("remembers".into(), state(&[2])), ("gone".into(), state(&[3]))];
        let sticky = Protocol::from("sticky");
        let input = LeaderInput { protocol: &sticky, ..group.input() };
        let members = remembered(&input, Some(&last));
        let history = says(&members[0]).unwrap();
        assert_eq!(
            (history.generation, history.owned),
            (7, Assignment::decode(&state(&[0, 1])).unwrap().topics.into())
        );
        assert_eq!(members[1..], group.members[1..], "and nobody else is spoken for");
        assert!(matches!(remembered(&input, None), Cow::Borrowed(_)));
        assert!(matches!(remembered(&group.input(), Some(&last)), Cow::Borrowed(_)), "under other names");
    }
}
