//! Heartbeats that wait, over sockets: a hand-over needs no heartbeat interval.

use std::time::Duration;

use divvy::wire::ErrorCode;
use divvy::wire::divvy::HeartbeatRequestTag;
use divvy::wire::messages::leave_group::MemberIdentity;
use divvy::wire::messages::{HeartbeatRequest, HeartbeatResponse, LeaveGroupRequest};

use crate::member_ground::{Worker, builder, partitions, together};
use crate::support::{Client, Member, config, join, serve};

const BEAT: i16 = 4;

/// Longer than any test: an answer that comes had a reason.
fn waiting(member: &Member) -> HeartbeatRequest {
    let mut request = member.heartbeat();
    HeartbeatRequestTag { wait_ms: Some(3_600_000), ..Default::default() }.put(&mut request.tags);
    request
}

async fn answer(to: &mut Client) -> ErrorCode {
    to.receive::<HeartbeatResponse>(BEAT).await.1.error_code
}

#[tokio::test]
async fn a_held_heartbeat_is_answered_when_somebody_joins_and_when_its_member_is_gone() {
    let server = serve(config()).await;
    let mut client = Client::connect(server.addr()).await;
    let member = client.become_leader("g", b"all").await;
    let mut ear = Client::connect(server.addr()).await;
    ear.send(BEAT, &waiting(&member)).await;
    // Ordinary heartbeats go on meanwhile, and leave the other one where it is.
    assert_eq!(client.ask(BEAT, &member.heartbeat()).await.error_code, ErrorCode::None);
    let mut newcomer = Client::connect(server.addr()).await;
    let id = newcomer.ask(5, &join("g", "")).await.member_id;
    newcomer.send(5, &join("g", &id)).await;
    assert_eq!(answer(&mut ear).await, ErrorCode::RebalanceInProgress);

    // While the group rebalances nothing is held.
    assert_eq!(ear.ask(BEAT, &waiting(&member)).await.error_code, ErrorCode::RebalanceInProgress);
    let rejoined = client.ask(5, &join("g", &member.id)).await;
    let member = Member::of("g", &rejoined);
    ear.send(BEAT, &waiting(&member)).await;
    let identity = MemberIdentity { member_id: member.id.as_str().into(), ..Default::default() };
    let leave = LeaveGroupRequest { group_id: "g".into(), members: vec![identity], ..Default::default() };
    client.ask(4, &leave).await;
    assert_eq!(answer(&mut ear).await, ErrorCode::UnknownMemberId);
    server.stop().await;
}

#[tokio::test]
async fn a_closed_connection_leaves_room_for_the_next_and_the_next_takes_the_place_of_the_last() {
    let server = serve(config()).await;
    let mut client = Client::connect(server.addr()).await;
    let member = client.become_leader("g", b"all").await;
    let mut first = Client::connect(server.addr()).await;
    first.send(BEAT, &waiting(&member)).await;
    let mut second = Client::connect(server.addr()).await;
    second.send(BEAT, &waiting(&member)).await;
    assert_eq!(answer(&mut first).await, ErrorCode::None);
    drop(second);
    let mut third = Client::connect(server.addr()).await;
    third.send(BEAT, &waiting(&member)).await;
    let mut short = waiting(&member);
    HeartbeatRequestTag { wait_ms: Some(1), ..Default::default() }.put(&mut short.tags);
    assert_eq!(first.ask(BEAT, &short).await.error_code, ErrorCode::None, "its time is over");
    assert_eq!(answer(&mut third).await, ErrorCode::None);
    server.stop().await;
}

/// With ten minutes between two heartbeats, members share and hand over all the same.
#[tokio::test]
async fn members_hand_over_without_waiting_for_a_heartbeat() {
    let server = serve(config()).await;
    let member = || {
        builder(server.addr(), "indexers")
            .heartbeat_interval(Duration::from_secs(600))
            .session_timeout(Duration::from_secs(1800))
            .subscribe(["clicks"])
    };
    let mut first = Worker::join(member()).await;
    assert_eq!(partitions(&first.assigned().await).len(), 4);
    let mut second = Worker::join(member()).await;
    together(&mut [&mut first, &mut second], |it| partitions(it).len() == 2).await;
    first.leave().await;
    let alone = second.assigned_with(|it| partitions(it).len() == 4).await;
    assert!(alone.generation.0 > 2);
    assert_eq!(second.lost, 0, "everything was handed over in order");
}
