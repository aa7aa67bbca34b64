//! What a member does when its coordinator answers with an error, or not at all. In the end it is always in again, or says why
//! it cannot be.

use std::time::Duration;

use divvy::client::Rebalance;
use divvy::wire::{ApiKey, ErrorCode};

use crate::member_cases::{BEAT, Case, asks, errors, play, story};
use crate::member_double::{Double, Fault};
use crate::member_ground::builder;
use crate::support::within;
use ApiKey::{FindCoordinator, Heartbeat, JoinGroup, SaslAuthenticate, SyncGroup};
use Fault::{Closed, Cut, Misnumbered, Silence};

#[tokio::test]
async fn a_join_that_is_refused() {
    use ErrorCode::*;
    let again = |code, texts: &[&str], waits_ms| Case {
        orders: errors(JoinGroup, &[code]),
        asks: asks(texts),
        waits_ms,
        hears: match code {
            CoordinatorNotAvailable | NotCoordinator => &["coordinator lost", "coordinator found", "assigned in 1"],
            _ => &["assigned in 1"],
        },
    };
    play(vec![
        // The group is still being read: the same again, after a moment.
        again(
            CoordinatorLoadInProgress,
            &["JoinGroup m1: 14", "JoinGroup m1", "SyncGroup m1 in 1", "Heartbeat m1 in 1"],
            &[80],
        ),
        // Somebody else coordinates, perhaps at the same place: the same id again.
        again(
            CoordinatorNotAvailable,
            &["JoinGroup m1: 15", "FindCoordinator", "JoinGroup m1", "SyncGroup m1 in 1", "Heartbeat m1 in 1"],
            &[80],
        ),
        again(
            NotCoordinator,
            &["JoinGroup m1: 16", "FindCoordinator", "JoinGroup m1", "SyncGroup m1 in 1", "Heartbeat m1 in 1"],
            &[80],
        ),
        // The id is gone, and nothing else is.
        again(
            UnknownMemberId,
            &["JoinGroup m1: 25", "JoinGroup as a newcomer", "JoinGroup m2", "SyncGroup m2 in 1", "Heartbeat m2 in 1"],
            &[80],
        ),
        // A group that rebalances says so to other requests; whoever says it here is asked again.
        again(
            RebalanceInProgress,
            &["JoinGroup m1: 27", "JoinGroup m1", "SyncGroup m1 in 1", "Heartbeat m1 in 1"],
            &[80],
        ),
        // The waits double while it goes on.
        Case {
            orders: errors(JoinGroup, &[CoordinatorLoadInProgress; 4]),
            asks: asks(&[
                "JoinGroup m1: 14",
                "JoinGroup m1: 14",
                "JoinGroup m1: 14",
                "JoinGroup m1: 14",
                "JoinGroup m1",
                "SyncGroup m1 in 1",
                "Heartbeat m1 in 1",
            ]),
            waits_ms: &[80, 160, 320, 640],
            hears: &["assigned in 1"],
        },
    ])
    .await;
}

#[tokio::test]
async fn a_join_that_is_refused_for_good_is_told_with_a_remedy_and_not_repeated() {
    use ErrorCode::*;
    let ends =
        |code, text, hears| Case { orders: errors(JoinGroup, &[code]), asks: asks(&[text]), waits_ms: &[], hears };
    play(vec![
        ends(
            InconsistentGroupProtocol,
            "JoinGroup m1: 23",
            &["failed: group indexers has no protocol in common with this member"],
        ),
        ends(InvalidGroupId, "JoinGroup m1: 24", &["failed: the coordinator refuses the group id"]),
        ends(
            InvalidSessionTimeout,
            "JoinGroup m1: 26",
            &["failed: the coordinator refuses a session timeout of 10000 ms"],
        ),
        ends(
            GroupAuthorizationFailed,
            "JoinGroup m1: 30",
            &["failed: this client is not allowed to use group indexers: ask for READ on it"],
        ),
        ends(
            GroupMaxSizeReached,
            "JoinGroup m1: 81",
            &["failed: group indexers has as many members as it may: raise `group.max.size`"],
        ),
        ends(
            FencedInstanceId,
            "JoinGroup m1: 82",
            &["failed: another process of group indexers has this instance id: give each process its own"],
        ),
    ])
    .await;
}

#[tokio::test]
async fn a_sync_that_is_refused() {
    use ErrorCode::*;
    play(vec![
        // The generation is over: into the next one at once, under the same id.
        Case {
            orders: errors(SyncGroup, &[RebalanceInProgress]),
            asks: asks(&["SyncGroup m1 in 1: 27", "JoinGroup m1", "SyncGroup m1 in 2", "Heartbeat m1 in 2"]),
            waits_ms: &[0],
            hears: &["no plan", "assigned in 2"],
        },
        Case {
            orders: errors(SyncGroup, &[IllegalGeneration]),
            asks: asks(&["SyncGroup m1 in 1: 22", "JoinGroup m1", "SyncGroup m1 in 2", "Heartbeat m1 in 2"]),
            waits_ms: &[0],
            hears: &["no plan", "assigned in 2"],
        },
        Case {
            orders: errors(SyncGroup, &[UnknownMemberId]),
            asks: asks(&[
                "SyncGroup m1 in 1: 25",
                "JoinGroup as a newcomer",
                "JoinGroup m2",
                "SyncGroup m2 in 2",
                "Heartbeat m2 in 2",
            ]),
            waits_ms: &[0],
            hears: &["assigned in 2"],
        },
        // The same plan is asked for again, and no generation is spent on it.
        Case {
            orders: errors(SyncGroup, &[CoordinatorLoadInProgress]),
            asks: asks(&["SyncGroup m1 in 1: 14", "SyncGroup m1 in 1", "Heartbeat m1 in 1"]),
            waits_ms: &[80],
            hears: &["assigned in 1"],
        },
        Case {
            orders: errors(SyncGroup, &[NotCoordinator]),
            asks: asks(&["SyncGroup m1 in 1: 16", "FindCoordinator", "SyncGroup m1 in 1", "Heartbeat m1 in 1"]),
            waits_ms: &[80, 0],
            hears: &["coordinator lost", "coordinator found", "assigned in 1"],
        },
        // A group that never comes to rest is not asked in a loop: only the first time is at once.
        Case {
            orders: errors(SyncGroup, &[RebalanceInProgress; 3]),
            asks: asks(&[
                "SyncGroup m1 in 1: 27",
                "JoinGroup m1",
                "SyncGroup m1 in 2: 27",
                "JoinGroup m1",
                "SyncGroup m1 in 3: 27",
                "JoinGroup m1",
                "SyncGroup m1 in 4",
                "Heartbeat m1 in 4",
            ]),
            waits_ms: &[0, 0, 160, 0, 320],
            hears: &["no plan", "no plan", "no plan", "assigned in 4"],
        },
    ])
    .await;
}

#[tokio::test]
async fn a_heartbeat_that_is_refused() {
    use ErrorCode::*;
    play(vec![
        // Work is given up in order, then the member comes.
        Case {
            orders: errors(Heartbeat, &[RebalanceInProgress]),
            asks: asks(&["Heartbeat m1 in 1: 27", "JoinGroup m1", "SyncGroup m1 in 2", "Heartbeat m1 in 2"]),
            waits_ms: &[0],
            hears: &["assigned in 1", "revoked", "assigned in 2"],
        },
        // The group went on without it: what it had is lost, its id is not.
        Case {
            orders: errors(Heartbeat, &[IllegalGeneration]),
            asks: asks(&["Heartbeat m1 in 1: 22", "JoinGroup m1", "SyncGroup m1 in 2", "Heartbeat m1 in 2"]),
            waits_ms: &[0],
            hears: &["assigned in 1", "lost", "assigned in 2"],
        },
        Case {
            orders: errors(Heartbeat, &[UnknownMemberId]),
            asks: asks(&[
                "Heartbeat m1 in 1: 25",
                "JoinGroup as a newcomer",
                "JoinGroup m2",
                "SyncGroup m2 in 2",
                "Heartbeat m2 in 2",
            ]),
            waits_ms: &[0],
            hears: &["assigned in 1", "lost", "assigned in 2"],
        },
        // Nobody rebalances because a coordinator moved.
        Case {
            orders: errors(Heartbeat, &[NotCoordinator]),
            asks: asks(&["Heartbeat m1 in 1: 16", "FindCoordinator", "Heartbeat m1 in 1"]),
            waits_ms: &[80, 0],
            hears: &["assigned in 1", "coordinator lost", "coordinator found"],
        },
        Case {
            orders: errors(Heartbeat, &[CoordinatorNotAvailable]),
            asks: asks(&["Heartbeat m1 in 1: 15", "FindCoordinator", "Heartbeat m1 in 1"]),
            waits_ms: &[80, 0],
            hears: &["assigned in 1", "coordinator lost", "coordinator found"],
        },
        Case {
            orders: errors(Heartbeat, &[CoordinatorLoadInProgress]),
            asks: asks(&["Heartbeat m1 in 1: 14", "Heartbeat m1 in 1"]),
            waits_ms: &[40],
            hears: &["assigned in 1"],
        },
        // The same twice: each time as after the first.
        Case {
            orders: errors(Heartbeat, &[IllegalGeneration; 2]),
            asks: asks(&[
                "Heartbeat m1 in 1: 22",
                "JoinGroup m1",
                "SyncGroup m1 in 2",
                "Heartbeat m1 in 2: 22",
                "JoinGroup m1",
                "SyncGroup m1 in 3",
                "Heartbeat m1 in 3",
            ]),
            waits_ms: &[0],
            hears: &["assigned in 1", "lost", "assigned in 2", "lost", "assigned in 3"],
        },
        Case {
            orders: errors(Heartbeat, &[UnknownMemberId; 2]),
            asks: asks(&[
                "Heartbeat m1 in 1: 25",
                "JoinGroup as a newcomer",
                "JoinGroup m2",
                "SyncGroup m2 in 2",
                "Heartbeat m2 in 2: 25",
                "JoinGroup as a newcomer",
                "JoinGroup m3",
                "SyncGroup m3 in 3",
                "Heartbeat m3 in 3",
            ]),
            waits_ms: &[0],
            hears: &["assigned in 1", "lost", "assigned in 2", "lost", "assigned in 3"],
        },
        Case {
            orders: errors(Heartbeat, &[NotCoordinator; 3]),
            asks: asks(&[
                "Heartbeat m1 in 1: 16",
                "FindCoordinator",
                "Heartbeat m1 in 1: 16",
                "FindCoordinator",
                "Heartbeat m1 in 1: 16",
                "FindCoordinator",
                "Heartbeat m1 in 1",
            ]),
            waits_ms: &[80, 0, 160, 0, 320],
            hears: &[
                "assigned in 1",
                "coordinator lost",
                "coordinator found",
                "coordinator lost",
                "coordinator found",
                "coordinator lost",
                "coordinator found",
            ],
        },
        Case {
            orders: errors(Heartbeat, &[FencedInstanceId]),
            asks: asks(&["Heartbeat m1 in 1: 82"]),
            waits_ms: &[],
            hears: &["assigned in 1", "lost", "failed: another process of group indexers has this instance id"],
        },
    ])
    .await;
}

/// While the application finishes, the group may say as often as it likes that it rebalances.
#[tokio::test]
async fn a_heartbeat_that_is_refused_again_and_again_while_work_is_finished() {
    let double = Double::with(errors(Heartbeat, &[ErrorCode::RebalanceInProgress; 4])).await;
    let member = builder(double.address, "indexers").subscribe(["clicks"]).heartbeat_interval(BEAT);
    let mut member = member.join().await.unwrap();
    let mut next = async || loop {
        match within(member.next()).await.unwrap() {
            Rebalance::Note(_) => {}
            news => return news,
        }
    };
    assert!(matches!(next().await, Rebalance::Assigned(_)));
    let Rebalance::Revoked(work) = next().await else { panic!("it is asked to give its work up") };
    let asked: Vec<String> = story(&double.spent().await).into_iter().map(|(_, text)| text).collect();
    assert_eq!(asked, ["Heartbeat m1 in 1: 27"; 4], "it goes on beating, and does not join");
    work.done();
    let Rebalance::Assigned(work) = next().await else { panic!("it was asked once") };
    assert_eq!(work.generation.to_string(), "2");
}

#[tokio::test]
async fn a_coordinator_that_cannot_be_found_is_asked_for_ever_more_slowly() {
    play(vec![Case {
        orders: errors(FindCoordinator, &[ErrorCode::CoordinatorNotAvailable; 3]),
        asks: asks(&[
            "FindCoordinator: 15",
            "FindCoordinator: 15",
            "FindCoordinator: 15",
            "FindCoordinator",
            "JoinGroup as a newcomer",
            "JoinGroup m1",
            "SyncGroup m1 in 1",
            "Heartbeat m1 in 1",
        ]),
        waits_ms: &[80, 160, 320],
        hears: &["coordinator lost", "coordinator found", "assigned in 1"],
    }])
    .await;
}

/// Whoever is not let in ends, and says why; whoever was in before goes on trying, with its work.
#[tokio::test]
async fn a_login_that_is_refused() {
    use ErrorCode::*;
    play(vec![
        Case {
            orders: errors(SaslAuthenticate, &[SaslAuthenticationFailed]),
            asks: asks(&["SaslAuthenticate: 58"]),
            waits_ms: &[],
            hears: &["failed: 127."],
        },
        Case {
            orders: [errors(Heartbeat, &[NotCoordinator]), errors(SaslAuthenticate, &[SaslAuthenticationFailed; 2])]
                .concat(),
            asks: asks(&[
                "Heartbeat m1 in 1: 16",
                "SaslAuthenticate: 58",
                "SaslAuthenticate: 58",
                "SaslAuthenticate",
                "FindCoordinator",
                "Heartbeat m1 in 1",
            ]),
            waits_ms: &[80, 160, 320],
            hears: &["assigned in 1", "coordinator lost", "coordinator lost", "coordinator found"],
        },
    ])
    .await;
}

/// However an answer fails to come, its request is sent again: as the same member, in the same generation.
#[tokio::test]
async fn an_answer_that_does_not_come() {
    let mut cases = Vec::new();
    for (fault, word) in [(Closed, "closed"), (Cut, "cut"), (Misnumbered, "misnumbered")] {
        let mut again = |key, first: &str, then: &[&str], hears| {
            let asks = std::iter::once(format!("{first}: {word}")).chain(then.iter().map(|it| (*it).to_owned()));
            cases.push(Case { orders: vec![(key, fault)], asks: asks.collect(), waits_ms: &[80], hears });
        };
        let begins = &["coordinator lost", "coordinator found", "assigned in 1"];
        let goes_on = &["assigned in 1", "coordinator lost", "coordinator found"];
        let joins =
            ["FindCoordinator", "JoinGroup as a newcomer", "JoinGroup m1", "SyncGroup m1 in 1", "Heartbeat m1 in 1"];
        again(FindCoordinator, "FindCoordinator", &joins, begins);
        again(
            JoinGroup,
            "JoinGroup m1",
            &["FindCoordinator", "JoinGroup m1", "SyncGroup m1 in 1", "Heartbeat m1 in 1"],
            begins,
        );
        again(SyncGroup, "SyncGroup m1 in 1", &["FindCoordinator", "SyncGroup m1 in 1", "Heartbeat m1 in 1"], begins);
        again(Heartbeat, "Heartbeat m1 in 1", &["FindCoordinator", "Heartbeat m1 in 1"], goes_on);
    }
    play(cases).await;
}

/// A heartbeat is waited for as long as a session. By then another member may have the work, so it is told as lost; when the
/// coordinator hands it out again after all, it is this member's without a rebalance.
#[tokio::test]
async fn a_heartbeat_that_vanishes() {
    let case = Case {
        orders: vec![(Heartbeat, Silence)],
        asks: asks(&["Heartbeat m1 in 1: silence", "FindCoordinator", "SyncGroup m1 in 1", "Heartbeat m1 in 1"]),
        waits_ms: &[2_000, 0],
        hears: &["assigned in 1", "lost", "coordinator lost", "coordinator found", "assigned in 1"],
    };
    case.plays(Duration::from_secs(2)).await;
}
