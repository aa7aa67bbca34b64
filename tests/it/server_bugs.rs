//! Bugs that other coordinators had, tried here. The names are those of the collection of reports.

use bytes::Bytes;
use divvy::server::Server;
use divvy::wire::frame::{decode_response, encode_request};
use divvy::wire::messages::join_group::JoinGroupRequestProtocol;
use divvy::wire::messages::{
    ApiVersionsRequest, ApiVersionsResponse, DescribeGroupsRequest, HeartbeatResponse, JoinGroupResponse,
    MetadataResponse, OffsetFetchRequest,
};
use divvy::wire::{ApiKey, ErrorCode};

use crate::support::{Client, Member, config, join, metric, serve};

/// A request's first numbers, and then whatever.
fn frame(key: i16, version: i16, id: i32, rest: &[u8]) -> Vec<u8> {
    let mut frame = Vec::new();
    frame.extend(i32::try_from(8 + rest.len()).unwrap().to_be_bytes());
    frame.extend(key.to_be_bytes());
    frame.extend(version.to_be_bytes());
    frame.extend(id.to_be_bytes());
    frame.extend(rest);
    frame
}

/// B20, B60: an ApiVersions that is too new is answered in the form of v0 with error 35 and the whole table, and the
/// connection goes on.
#[tokio::test]
async fn b20_b60_a_newer_api_versions_gets_a_readable_answer() {
    let server = serve(config()).await;
    let mut client = Client::connect(server.addr()).await;
    // A client id, tagged fields that nobody knows, and a body that nobody can read.
    let rest = b"\x00\x02it\x01\x7f\x03abc\x0anonsense!\x00";
    for (id, version) in [(1, 5), (2, 127), (3, i16::MAX)] {
        client.send_bytes(&frame(ApiKey::ApiVersions.code(), version, id, rest)).await;
        let (answered, told): (i32, ApiVersionsResponse) = decode_response(client.frame().await.unwrap(), 0).unwrap();
        assert_eq!((answered, told.error_code), (id, ErrorCode::UnsupportedVersion));
        let own = told.api_keys.iter().find(|row| row.api_key == ApiKey::ApiVersions.code()).unwrap();
        assert_eq!((own.min_version, own.max_version), (0, 4));
        let advertised = divvy::wire::api::SERVED.iter().filter(|served| served.advertised.is_some());
        assert_eq!(told.api_keys.len(), advertised.count());
    }
    // The fall-back of every client, on the same connection.
    let told = client.ask(0, &ApiVersionsRequest::default()).await;
    assert_eq!(told.error_code, ErrorCode::None);
    server.stop().await;
}

/// B20: v4 with tagged fields is served.
#[tokio::test]
async fn b20_api_versions_4_with_unknown_tagged_fields_is_answered() {
    let server = serve(config()).await;
    let mut client = Client::connect(server.addr()).await;
    let mut request = ApiVersionsRequest {
        client_software_name: "it".into(),
        client_software_version: "1".into(),
        ..Default::default()
    };
    request.tags.set(99, Bytes::from_static(b"?"));
    assert_eq!(client.ask(4, &request).await.error_code, ErrorCode::None);
    request.client_software_name = "-it-".into();
    assert_eq!(client.ask(4, &request).await.error_code, ErrorCode::InvalidRequest);
    server.stop().await;
}

/// B32: what a member says of itself is opaque: it joins, gets its state, and is described.
#[tokio::test]
async fn b32_metadata_of_any_shape_joins() {
    let server = serve(config()).await;
    let mut client = Client::connect(server.addr()).await;
    let v0 = b"\x00\x00\x00\x00\x00\x01\x00\x01t\xff\xff\xff\xff";
    let v1 = b"\x00\x01\x00\x00\x00\x01\x00\x01t\x00\x00\x00\x00\x00\x00\x00\x00";
    let v3 = b"\x00\x03\x00\x00\x00\x01\x00\x01t\x00\x00\x00\x00\x00\x00\x00\x00\xff\xff\xff\xff\x00\x01r";
    let v99 = b"\x00\x63\x00\x00\x00\x01\x00\x01t\x00\x00\x00\x00trailing bytes";
    let shapes: [&[u8]; 7] = [b"", &v0[..9], v0, v1, v3, v99, b"\xde\xad\xbe\xef"];
    for (number, metadata) in shapes.into_iter().enumerate() {
        for protocol_type in ["consumer", "connect", "x"] {
            let mut request = join(&format!("{protocol_type}-{number}"), "");
            request.protocol_type = protocol_type.into();
            request.protocols[0].metadata = Bytes::from_static(metadata);
            let joined = client.ask(0, &request).await;
            assert_eq!(joined.error_code, ErrorCode::None, "{protocol_type} {number}");
            assert_eq!(joined.members[0].metadata, metadata, "{protocol_type} {number}");
            let member = Member::of(&request.group_id, &joined);
            let synced = client.ask(0, &member.sync(&[(&member.id, b"state")])).await;
            assert_eq!((synced.error_code, &synced.assignment[..]), (ErrorCode::None, &b"state"[..]));
            let groups = vec![request.group_id.clone()];
            let told = client.ask(0, &DescribeGroupsRequest { groups, ..Default::default() }).await;
            assert_eq!(told.groups[0].members[0].member_metadata, metadata, "{protocol_type} {number}");
            let shown = server.handle().describe(&(&*request.group_id).into()).await.unwrap().unwrap();
            assert_eq!(shown.members[0].metadata, metadata, "{protocol_type} {number}");
        }
    }
    server.stop().await;
}

/// B43: a member that parks its JoinGroup and drops the socket, again and again, leaves no trace.
#[tokio::test]
async fn b43_a_group_survives_members_that_vanish_while_joining() {
    let server = serve(config()).await;
    let mut stable = Client::connect(server.addr()).await;
    let held = stable.become_leader("g", b"all").await;
    let mut patient = join("g", "");
    patient.session_timeout_ms = 300;
    let id = stable.ask(5, &patient).await.member_id;
    patient.member_id = id;
    for _ in 0..20 {
        let mut vanishing = Client::connect(server.addr()).await;
        vanishing.send(5, &patient).await;
        while stable.ask(3, &held.heartbeat()).await.error_code != ErrorCode::RebalanceInProgress {}
    }
    let leave = divvy::wire::messages::LeaveGroupRequest {
        group_id: "g".into(),
        member_id: held.id.as_str().into(),
        ..Default::default()
    };
    assert_eq!(stable.ask(1, &leave).await.error_code, ErrorCode::None);
    stable.until_state("g", "Empty").await;
    stable.become_leader("g", b"again").await;
    server.stop().await;
}

/// B74: an API key that nobody serves ends the connection after the answers to what was asked before, and the log and
/// the metric name the reason.
#[tokio::test]
async fn b74_an_unknown_key_ends_a_connection_after_the_answers_before_it() {
    let server = serve(config()).await;
    let mut watcher = Client::connect(server.addr()).await;
    let member = watcher.become_leader("g", b"all").await;
    for key in [61, 71, 75, 999] {
        let mut client = Client::connect(server.addr()).await;
        let beaten = client.send(3, &member.heartbeat()).await;
        let fetch = OffsetFetchRequest { group_id: "g".into(), topics: None, ..Default::default() };
        let fetched = client.send(5, &fetch).await;
        client.send_bytes(&frame(key, 0, 77, b"\xff\xff")).await;
        client.send(3, &member.heartbeat()).await;
        assert_eq!(client.receive::<HeartbeatResponse>(3).await.0, beaten);
        assert_eq!(client.receive::<divvy::wire::messages::OffsetFetchResponse>(5).await.0, fetched);
        assert_eq!(client.frame().await, None, "key {key}");
    }
    assert_eq!(closed(&server, "unknown_key").await, 4);
    let told = watcher.ask(0, &ApiVersionsRequest::default()).await;
    assert!(told.api_keys.iter().all(|row| ApiKey::from_code(row.api_key).is_some()));
    server.stop().await;
}

/// As Kafka does: only of ApiVersions may a client not know the versions.
#[tokio::test]
async fn an_unknown_version_of_a_known_key_ends_a_connection() {
    let server = serve(config()).await;
    let mut client = Client::connect(server.addr()).await;
    client.send_bytes(&frame(ApiKey::Heartbeat.code(), 99, 1, b"")).await;
    assert_eq!(client.frame().await, None);
    assert_eq!(closed(&server, "unknown_version").await, 1);
    server.stop().await;
}

/// A client that gave up waiting joins again on another connection with the same id: it is one member, and the older
/// request is answered as superseded (27), not left for ever.
#[tokio::test]
async fn a_join_repeated_on_another_connection_replaces_the_first() {
    let server = serve(config()).await;
    let mut stable = Client::connect(server.addr()).await;
    let held = stable.become_leader("g", b"all").await;
    let id = stable.ask(5, &join("g", "")).await.member_id;
    let (mut first, mut second) = (Client::connect(server.addr()).await, Client::connect(server.addr()).await);
    first.send(5, &join("g", &id)).await;
    while stable.ask(3, &held.heartbeat()).await.error_code != ErrorCode::RebalanceInProgress {}
    second.send(5, &join("g", &id)).await;
    assert_eq!(first.receive::<JoinGroupResponse>(5).await.1.error_code, ErrorCode::RebalanceInProgress);
    let led = stable.ask(5, &join("g", &held.id)).await;
    assert_eq!(led.members.len(), 2);
    assert_eq!(second.receive::<JoinGroupResponse>(5).await.1.generation_id, led.generation_id);
    server.stop().await;
}

async fn closed(server: &Server, kind: &str) -> u64 {
    metric(&server.handle().metrics_text().await, &format!("divvy_connections_closed_total{{kind=\"{kind}\"}}"))
}

/// librdkafka 2.16 asks for all topics with three bytes too many: what follows a request is ignored.
#[tokio::test]
async fn a_request_with_bytes_left_over_is_answered() {
    let server = serve(config()).await;
    let mut client = Client::connect(server.addr()).await;
    let body = b"\x00\x07rdkafka\x00\x00\x00\x00\x00\x01\x00\x00";
    client.send_bytes(&frame(ApiKey::Metadata.code(), 13, 3, body)).await;
    let (id, told): (i32, MetadataResponse) = client.receive(13).await;
    assert_eq!((id, told.brokers.len()), (3, 1));
    server.stop().await;
}

/// The protocol's lists are as long as their members say.
#[tokio::test]
async fn a_join_with_many_protocols_is_taken() {
    let server = serve(config()).await;
    let mut client = Client::connect(server.addr()).await;
    let mut request = join("g", "");
    let protocol = |number: usize| JoinGroupRequestProtocol {
        name: format!("p{number}").into(),
        metadata: Bytes::from(vec![7; 100_000]),
    };
    // 5 MB: more than any other request may have.
    request.protocols = (0..50).map(protocol).collect();
    assert_eq!(client.ask(0, &request).await.protocol_name.as_deref(), Some("p0"));
    // The same length under another key is refused before it is read.
    let mut other = encode_request(0, 9, None, &request).unwrap().to_vec();
    other[4..6].copy_from_slice(&ApiKey::Heartbeat.code().to_be_bytes());
    client.send_bytes(&other[..64]).await;
    assert_eq!(client.frame().await, None);
    assert_eq!(closed(&server, "frame").await, 1);
    server.stop().await;
}
