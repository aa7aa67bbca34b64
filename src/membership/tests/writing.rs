//! A single writer: its generation is its fencing token, and it never believes in an old one when another may write.

use std::time::Duration;

use bytes::Bytes;

use super::story::{Story, config, failing, fake, joined, member, synced};
use crate::embedded::single_writer::Role;
use crate::ids::{Generation, MemberId};
use crate::membership::Action;
use crate::membership::config::{Config, Purpose};
use crate::membership::event::{Event, JoinAnswer, Peer};
use crate::membership::notice::Notice;
use crate::wire::ErrorCode;

const INTERVAL: Duration = Duration::from_secs(3);
const SECOND: Duration = Duration::from_secs(1);

fn active(epoch: i32) -> Bytes {
    Role { active: true, epoch, active_member: "me".into() }.encode().into()
}

fn joins() -> Story {
    let purpose = Purpose::States { protocol_type: "single-writer".into(), metadata: None, context: None };
    let mut story = Story::new(Config { purpose, ..config() });
    let manifest = r#"{"abi":"1.0","name":"active-standby","protocol_type":"single-writer","shape":"states"}"#;
    story.strategies(vec![fake(manifest)]).start(Peer::Other);
    let (sent, _) = story.join();
    story.give(Event::Joined(sent, JoinAnswer { leader: "other".into(), ..joined(5, "active-standby@1") }));
    story.told.clear();
    story
}

fn writer() -> Story {
    let mut story = joins();
    let (sent, _) = story.sync();
    story.give(Event::Synced(sent, synced(active(5))));
    assert_eq!(story.assigned().writer().map(|it| it.epoch), Some(5));
    story.told.clear();
    story
}

#[test]
fn it_stops_to_write_before_its_session_can_be_over() {
    let mut story = writer();
    let (beat, _) = story.pass(INTERVAL).heartbeat();
    let sent_at = story.now.mono;
    // The answer is slow, and the last one.
    story.pass(SECOND * 5).give(Event::Beaten(beat, ErrorCode::None));
    while story.told.is_empty() {
        story.pass_until_due().wanted.clear();
    }
    assert!(matches!(story.told[..], [Notice::Lost { .. }]), "{:?}", story.told);
    assert!(story.now.mono <= sent_at + config().session_timeout, "another may write from then on");
}

#[test]
fn a_grant_that_lay_about_for_a_session_is_confirmed_before_it_is_believed() {
    let mut story = joins();
    let (sent, _) = story.sync();
    // The process is frozen while the answer comes in.
    story.now.mono = story.now.mono + SECOND * 60;
    story.give(Event::Synced(sent.clone(), synced(active(5))));
    assert!(story.told.is_empty(), "{:?}", story.told);
    story.beats(ErrorCode::UnknownMemberId);
    assert!(!story.told.iter().any(|it| matches!(it, Notice::Assigned(_))), "{:?}", story.told);
    assert_eq!(story.join().0.member, MemberId::default());

    let mut story = joins();
    let (sent, _) = story.sync();
    story.now.mono = story.now.mono + SECOND * 60;
    story.give(Event::Synced(sent, synced(active(5)))).beats(ErrorCode::None);
    assert!(story.told.is_empty(), "{:?}", story.told);
    let (sent, _) = story.sync();
    story.give(Event::Synced(sent, synced(active(5))));
    assert_eq!(story.assigned().writer().map(|it| it.epoch), Some(5), "nobody else was granted anything");
}

#[test]
fn an_answer_that_was_waited_for_beside_heartbeats_is_believed_at_once() {
    let mut story = joins();
    let (sent, _) = story.sync();
    for _ in 0..10 {
        story.pass(INTERVAL).beats(ErrorCode::None);
    }
    story.give(Event::Synced(sent, synced(active(5))));
    assert_eq!(story.assigned().writer().map(|it| it.epoch), Some(5));
}

/// A heartbeat of before a doubt is answered at last: it confirms nothing that was sent since.
#[test]
fn a_late_heartbeat_does_not_vouch_for_a_newer_one() {
    let mut story = joins();
    let (older, _) = story.pass(INTERVAL).heartbeat();
    let (sent, _) = story.sync();
    // Frozen for a session: the grant is in doubt, and the member asks at once.
    story.now.mono = story.now.mono + SECOND * 60;
    story.give(Event::Synced(sent, synced(active(5))));
    let (newer, _) = story.heartbeat();
    story.give(Event::Beaten(older, ErrorCode::None)).wants_nothing();
    story.give(Event::Beaten(newer, ErrorCode::None)).sync();
    assert!(story.told.is_empty(), "{:?}", story.told);
}

/// Frozen once, and again while it asks what it still has: the answers tell of sessions that are over.
#[test]
fn a_writer_that_is_frozen_again_and_again_is_not_told_to_write() {
    let mut story = writer();
    let (beat, _) = story.pass(INTERVAL).heartbeat();
    story.now.mono = story.now.mono + SECOND * 60;
    story.give(Event::Beaten(beat, ErrorCode::None));
    assert!(matches!(story.told[..], [Notice::Lost { .. }]), "{:?}", story.told);
    let (sent, _) = story.sync();
    story.wanted.clear();
    story.now.mono = story.now.mono + SECOND * 60;
    story.give(Event::Synced(sent, synced(active(5))));
    assert_eq!(story.told.len(), 1, "{:?}", story.told);
    let (beat, _) = story.heartbeat();
    story.now.mono = story.now.mono + SECOND * 60;
    story.give(Event::Beaten(beat, ErrorCode::UnknownMemberId));
    assert_eq!(story.told.len(), 1, "another writes by now: {:?}", story.told);
    assert_eq!(story.pass_until_wanted().join().0.member, MemberId::default());
}

#[test]
fn a_thawed_writer_has_lost_its_right_before_it_takes_in_anything() {
    let mut story = writer();
    let (beat, _) = story.pass(INTERVAL).heartbeat();
    story.now.mono = story.now.mono + SECOND * 60;
    story.give(Event::Beaten(beat, ErrorCode::RebalanceInProgress));
    assert!(matches!(story.told[..], [Notice::Lost { .. }]), "no hand-over of what is another's: {:?}", story.told);
    assert_eq!(story.join().0.generation, Generation::NONE);
}

const STANDBY: &str = r#"{"abi":"1.0","name":"active-standby","protocol_type":"single-writer","shape":"states"}"#;

/// Its strategy fails while it leads others of a coordinator that knows no leader's error: nobody is told to write.
fn leads_without_a_strategy(generation: i32, story: &mut Story) {
    let (sent, _) = story.pass_until_wanted().join();
    let members = vec![member("me", Bytes::new()), member("other", Bytes::new())];
    story.give(Event::Joined(sent, JoinAnswer { members, ..joined(generation, "active-standby@1") })).strategy_runs();
    let (sent, call) = story.sync();
    assert!(call.states.iter().all(|(_, state)| state.is_empty()), "{:?}", call.states);
    story.give(Event::Synced(sent, synced(Bytes::new())));
}

fn writers_whose_module_fails() -> Story {
    let purpose = Purpose::States { protocol_type: "single-writer".into(), metadata: None, context: None };
    let mut story = Story::new(Config { purpose, ..config() });
    story.strategies(vec![failing(STANDBY)]).start(Peer::Other);
    story
}

#[test]
fn a_group_that_a_failed_module_left_without_a_writer_is_led_again_ever_more_slowly() {
    let mut story = writers_whose_module_fails();
    let mut rests = Vec::new();
    for generation in 1..9 {
        leads_without_a_strategy(generation, &mut story);
        let since = story.now.mono;
        while !story.wanted.iter().any(|it| matches!(it, Action::Join(..))) {
            story.pass_until_due();
            if matches!(story.wanted.last(), Some(Action::Heartbeat(..))) {
                story.beats(ErrorCode::None);
            }
        }
        rests.push((story.now.mono - since).as_secs());
    }
    assert_eq!(rests, [1, 2, 4, 8, 16, 32, 60, 60], "each try is a rebalance");
}

#[test]
fn another_module_is_tried_at_once_where_the_last_one_left_the_group_without_a_writer() {
    let mut story = writers_whose_module_fails();
    leads_without_a_strategy(1, &mut story);
    story.strategies(vec![fake(STANDBY)]).join();
}
