//! What a member does when its coordinator answers with an error, or not at all: what it asks next, as whom, how soon, and
//! what its application hears of it. In the end it is always in again, or says why it cannot be.

use std::time::Duration;

use divvy::client::{Note, Rebalance};
use divvy::wire::{ApiKey, ErrorCode};
use tokio::sync::watch;

use crate::member_double::{Double, Fault, Line};
use crate::member_ground::{builder, start};
use crate::support::within;
use ApiKey::{FindCoordinator, Heartbeat, JoinGroup, SyncGroup};
use Fault::{Closed, Cut, Misnumbered, Silence};

/// How much longer than it should a member takes at most, on the slowest machine.
const SLACK: Duration = Duration::from_secs(5);

/// A line of the table.
struct Case {
    /// What goes wrong, one after the other.
    orders: Vec<(ApiKey, Fault)>,
    /// What the member asks from the first of these on, but for heartbeats that are answered as they should be; the last
    /// one of these ends the story.
    asks: Vec<String>,
    /// How long it waits at least after each of the first of these, in milliseconds.
    waits_ms: &'static [u64],
    /// What its application hears, from the beginning.
    hears: &'static [&'static str],
}

fn asks(texts: &[&str]) -> Vec<String> {
    texts.iter().map(|it| (*it).to_owned()).collect()
}

fn errors(key: ApiKey, codes: &[ErrorCode]) -> Vec<(ApiKey, Fault)> {
    codes.iter().map(|code| (key, Fault::Error(*code))).collect()
}

/// A member in a task of its own that gives up at once what it is asked to, and what it hears.
async fn member(double: &Double, session: Duration) -> watch::Receiver<Vec<String>> {
    let member = builder(double.address, "indexers").subscribe(["clicks"]).session_timeout(session);
    let mut member = member.join().await.unwrap();
    let (heard, hears) = watch::channel(Vec::new());
    start(async move {
        while let Some(news) = member.next().await {
            let text = match news {
                Rebalance::Assigned(work) => format!("assigned in {}", work.generation),
                Rebalance::Revoked(_) => "revoked".to_owned(),
                Rebalance::Lost { .. } => "lost".to_owned(),
                Rebalance::Drained => "drained".to_owned(),
                Rebalance::Failed { reason } => format!("failed: {reason}"),
                Rebalance::Note(Note::CoordinatorLost { .. }) => "coordinator lost".to_owned(),
                Rebalance::Note(Note::CoordinatorFound) => "coordinator found".to_owned(),
                Rebalance::Note(Note::NoPlan { .. }) => "no plan".to_owned(),
                Rebalance::Note(Note::OffersChanged(_)) => continue,
                Rebalance::Note(note) => note.to_string(),
            };
            heard.send_modify(|all: &mut Vec<String>| all.push(text));
        }
    });
    hears
}

/// From the first fault on, without the heartbeats of every day: all that was asked, and how it went wrong.
fn story(lines: &[Line]) -> Vec<(&Line, String)> {
    let from = lines.iter().position(|line| line.fault.is_some()).unwrap();
    let end = lines.iter().rposition(|line| line.fault.is_some()).unwrap();
    let last = lines[end..].iter().position(|line| line.is_steady).map_or(lines.len(), |it| end + it);
    let told = (from..lines.len().min(last + 1)).filter(|at| {
        let line = &lines[*at];
        line.key != Heartbeat || line.fault.is_some() || *at == last
    });
    told.map(|at| {
        let line = &lines[at];
        let how = match line.fault {
            None => String::new(),
            Some(Fault::Error(error)) => format!(": {}", error.code()),
            Some(fault) => format!(": {fault:?}").to_lowercase(),
        };
        (line, format!("{}{how}", line.text))
    })
    .collect()
}

impl Case {
    async fn plays(self, session: Duration) {
        let double = Double::with(self.orders.iter().copied()).await;
        let mut hears = member(&double, session).await;
        let lines = match self.hears.last() {
            Some(last) if last.starts_with("failed") => {
                within(hears.wait_for(|all| all.last().is_some_and(|it| it.starts_with("failed")))).await.unwrap();
                double.deserted().await
            }
            _ => double.stable().await,
        };
        let heard = within(hears.wait_for(|all| all.len() >= self.hears.len())).await.map(|it| it.clone());
        let (heard, name) = (heard.unwrap_or_else(|_| hears.borrow().clone()), &self.asks[0]);
        let story = story(&lines);
        let asked: Vec<&str> = story.iter().map(|(_, text)| text.as_str()).collect();
        assert_eq!(asked, self.asks, "{name}; it hears {heard:?}");
        assert_eq!(heard.len(), self.hears.len(), "{name}: it hears {heard:?}");
        for (heard, wanted) in heard.iter().zip(self.hears) {
            assert!(heard.starts_with(wanted), "{name}: it hears {heard:?}, not {wanted:?}");
        }
        for (pair, wait) in story.windows(2).zip(self.waits_ms) {
            let waited = pair[1].0.at - pair[0].0.at;
            let least = Duration::from_millis(*wait);
            assert!(waited >= least && waited < least + SLACK, "{name}: it waits {waited:?}, not {least:?}");
        }
    }
}

async fn play(cases: Vec<Case>) {
    for case in cases {
        case.plays(Duration::from_secs(10)).await;
    }
}

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
        Case {
            orders: errors(Heartbeat, &[FencedInstanceId]),
            asks: asks(&["Heartbeat m1 in 1: 82"]),
            waits_ms: &[],
            hears: &["assigned in 1", "lost", "failed: another process of group indexers has this instance id"],
        },
    ])
    .await;
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
