//! A static member that takes the place of an earlier process (KIP-345): with the same wishes it costs nothing, with others
//! one rejoin, before anything is begun.

use bytes::Bytes;

use super::story::{RACK_AWARE_1, Story, assignment, config, fake, joined, subscription, synced};
use crate::assignor::MemberInput;
use crate::embedded::consumer::{Subscription, Tail};
use crate::embedded::user_data::UserData;
use crate::embedded::wants::{stamped, unstamped, wants};
use crate::ids::MemberId;
use crate::membership::config::Config;
use crate::membership::event::{Event, JoinAnswer, Peer};
use crate::membership::notice::{Assigned, Notice};

const COOPERATIVE_STICKY: &str = r#"{"abi":"1.0","name":"cooperative-sticky","mode":"cooperative"}"#;

/// A member of these facts that joins under no id and is answered with generation 5, which it follows. Gives back what it said.
fn returns(manifest: &str, protocol: &str, weight: i32) -> (Story, Bytes) {
    let facts = [("weight".to_owned(), weight.into())].into();
    let assignors = vec![protocol.to_owned()];
    let mut story = Story::new(Config { is_static: true, facts, assignors, ..config() });
    story.strategies(vec![fake(manifest)]).give(Event::Tick).find_coordinator(Peer::Other);
    story.topics_are(&[("clicks", 4)]);
    let (sent, call) = story.join();
    let said = call.offers.iter().find(|(offer, _)| offer.protocol == protocol).unwrap().1.clone();
    story.give(Event::Joined(sent, JoinAnswer { leader: MemberId::from("other"), ..joined(5, protocol) }));
    (story, said)
}

fn gets(story: &mut Story, state: Bytes) {
    let (sent, _) = story.sync();
    story.give(Event::Synced(sent, synced(state)));
}

fn has_begun(story: &Story) -> bool {
    story.told.iter().any(|it| matches!(it, Notice::Assigned(Assigned { .. })))
}

#[test]
fn the_same_wishes_cost_nothing() {
    for planned_for in [true, false] {
        let (mut story, said) = returns(RACK_AWARE_1, "rack-aware@1", 2);
        let state = assignment(&[0, 1]);
        gets(&mut story, if planned_for { stamped(&state, wants(&said).unwrap()) } else { state });
        story.assigned();
        story.wants_nothing();
    }
}

#[test]
fn other_wishes_are_told_at_once_and_once_in_other_bytes() {
    for (manifest, protocol) in [(RACK_AWARE_1, "rack-aware@1"), (COOPERATIVE_STICKY, "cooperative-sticky")] {
        let (_, before) = returns(manifest, protocol, 1);
        let (mut story, said) = returns(manifest, protocol, 0);
        gets(&mut story, stamped(&assignment(&[0, 1]), wants(&before).unwrap()));
        assert!(!has_begun(&story), "nothing of another's work is begun");
        let (sent, call) = story.join();
        assert_eq!(sent.member, MemberId::from("me"), "it keeps its place");
        let again = &call.offers.iter().find(|(offer, _)| offer.protocol == protocol).unwrap().1;
        assert_ne!(*again, said, "a broker plans anew for other bytes alone ({protocol})");
        assert_eq!(wants(again), wants(&said));
        // Whatever comes then is taken: a leader that plans so again would be asked for ever.
        story.give(Event::Joined(sent, JoinAnswer { leader: MemberId::from("other"), ..joined(6, protocol) }));
        gets(&mut story, stamped(&assignment(&[0]), wants(&before).unwrap()));
        story.assigned();
        story.wants_nothing();
    }
}

#[test]
fn a_topic_that_it_does_not_read_tells_without_a_stamp() {
    let (mut story, _) = returns(RACK_AWARE_1, "rack-aware@1", 1);
    story.member.config.purpose = crate::membership::Purpose::Topics(vec!["views".into()]);
    gets(&mut story, assignment(&[0, 1]));
    assert!(!has_begun(&story));
    assert!(story.join().1.reason.contains("an earlier process"));
}

#[test]
fn a_leader_stamps_the_states_of_those_who_read_stamps_on_other_coordinators_alone() {
    let facts = UserData { facts: [("weight".to_owned(), 2.into())].into(), ..UserData::default() }.encode();
    let tail = Tail { user_data: Some(&facts), ..Tail::default() };
    let divvys: Bytes = Subscription { version: 1, topics: vec!["clicks"], tail }.encode().into();
    for (peer, number) in [(Peer::Other, wants(&divvys)), (Peer::Divvy, None)] {
        let mut story = Story::new(config());
        story.strategies(vec![fake(RACK_AWARE_1)]).start(peer);
        let (sent, _) = story.join();
        let one = |id: &str, instance: Option<&str>, metadata: &Bytes| MemberInput {
            id: id.into(),
            instance: instance.map(Into::into),
            metadata: metadata.clone(),
        };
        let foreign = subscription(&["clicks"]);
        let members =
            vec![one("me", None, &divvys), one("other", Some("o"), &divvys), one("java", Some("j"), &foreign)];
        story.give(Event::Joined(sent, JoinAnswer { members, ..joined(1, "rack-aware@1") }));
        story.topics_are(&[("clicks", 4)]).strategy_runs();
        let (_, call) = story.sync();
        let stamp = |id: &str| {
            let (_, state) = call.states.iter().find(|(it, _)| it.as_str() == id).unwrap();
            unstamped(state).1
        };
        assert_eq!((stamp("me"), stamp("other"), stamp("java")), (None, number, None));
    }
}
