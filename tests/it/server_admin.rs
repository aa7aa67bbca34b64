//! The admin port, over HTTP made by hand.

use std::net::SocketAddr;

use divvy::ids::Digest;
use divvy::server::Server;
use divvy::store::MemoryStore;
use divvy::wire::ErrorCode;
use divvy::wire::divvy::JoinRequestTag;
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

use crate::support::{Client, config, join, metric, serve, within};
use crate::support_store::failing::{FailingStore, Faults};

/// Status and body.
pub async fn get(addr: SocketAddr, path: &str) -> (u16, String) {
    let mut stream = TcpStream::connect(addr).await.unwrap();
    let request = format!("GET {path} HTTP/1.1\r\nHost: {addr}\r\nConnection: close\r\n\r\n");
    stream.write_all(request.as_bytes()).await.unwrap();
    let mut answer = String::new();
    within(stream.read_to_string(&mut answer)).await.unwrap();
    let (head, body) = answer.split_once("\r\n\r\n").unwrap();
    (head.split(' ').nth(1).unwrap().parse().unwrap(), body.to_owned())
}

pub async fn get_json(addr: SocketAddr, path: &str) -> Value {
    let (status, body) = get(addr, path).await;
    assert_eq!(status, 200, "{path}: {body}");
    serde_json::from_str(&body).unwrap()
}

#[tokio::test]
async fn groups_modules_topics_metrics_and_health_are_shown() {
    let server = serve(config()).await;
    let admin = server.admin_addr().unwrap();
    let mut client = Client::connect(server.addr()).await;
    client.become_leader("plain", b"\x01\x02").await;
    let mut divvy = join("with-modules", "");
    JoinRequestTag { modules: vec![("own".into(), Digest([0xab; 32]))] }.put(&mut divvy.tags);
    let handed_out = client.ask(7, &divvy).await;
    assert_eq!(handed_out.error_code, ErrorCode::MemberIdRequired);
    divvy.member_id = handed_out.member_id.clone();
    let joined = client.ask(7, &divvy).await;
    assert!(divvy::wire::divvy::JoinResponseTag::take(&joined.tags).unwrap().is_some(), "who shows itself is answered");

    let groups = get_json(admin, "/groups").await;
    let ids: Vec<&str> = groups["groups"].as_array().unwrap().iter().map(|it| it["id"].as_str().unwrap()).collect();
    assert_eq!(ids, ["plain", "with-modules"]);
    let plain = get_json(admin, "/groups/plain").await;
    assert_eq!(
        (&plain["state"], &plain["generation"], &plain["protocol"]),
        (&json!("Stable"), &json!(1), &json!("own"))
    );
    assert_eq!(plain["members"][0]["state"], json!({ "hex": "0102", "bytes": 2 }));
    assert_eq!(plain["members"][0]["offers"], json!(["own"]));
    let modules = get_json(admin, "/modules").await;
    assert_eq!(modules["modules"][0]["digest"], json!("ab".repeat(32)));
    assert_eq!(modules["modules"][0]["groups"], json!({ "with-modules": [&*handed_out.member_id] }));
    assert_eq!(get_json(admin, "/topics").await["brokers"], json!([{ "node": 0, "rack": null }]));
    assert_eq!(get_json(admin, "/health").await, json!({ "status": "ok" }));

    let (_, metrics) = get(admin, "/metrics").await;
    assert_eq!(metric(&metrics, "divvy_groups{state=\"Stable\"}"), 1);
    assert_eq!(metric(&metrics, "divvy_requests_total{api=\"JoinGroup\"}"), 4);
    assert_eq!(metric(&metrics, "divvy_errors_total{api=\"JoinGroup\",code=\"79\"}"), 2);
    assert_eq!(metric(&metrics, "divvy_rebalances_total{trigger=\"member_joined\"}"), 2);
    server.stop().await;
}

#[tokio::test]
async fn what_is_not_there_is_a_sentence() {
    let server = serve(config()).await;
    for (path, names) in [("/groups/none", "\"none\""), ("/nowhere", "/groups")] {
        let (status, body) = get(server.admin_addr().unwrap(), path).await;
        let sentence: Value = serde_json::from_str(&body).unwrap();
        assert_eq!(status, 404);
        assert!(sentence["error"].as_str().unwrap().contains(names), "{body}");
    }
    server.stop().await;
}

/// A server that passes for something else neither shows nor answers divvy's own fields.
#[tokio::test]
async fn divvys_own_fields_can_be_hidden() {
    let server = divvy::server::Server::builder(config()).present_as_kafka().start().await.unwrap();
    let mut client = Client::connect(server.addr()).await;
    let versions = divvy::wire::messages::ApiVersionsRequest {
        client_software_name: "it".into(),
        client_software_version: "1".into(),
        ..Default::default()
    };
    assert!(client.ask(3, &versions).await.tags.is_empty());
    let mut request = join("g", "");
    JoinRequestTag { modules: vec![("own".into(), Digest([1; 32]))] }.put(&mut request.tags);
    request.member_id = client.ask(7, &request).await.member_id;
    assert!(client.ask(7, &request).await.tags.is_empty());
    server.stop().await;
    let open = serve(config()).await;
    let mut client = Client::connect(open.addr()).await;
    assert!(!client.ask(3, &versions).await.tags.is_empty());
    open.stop().await;
}

/// Whoever sends clients here learns that nothing new can be kept, and when it can again, although nobody writes meanwhile.
#[tokio::test]
async fn a_store_that_refuses_writes_is_no_good_health() {
    let faults = Faults::default();
    let store = FailingStore::new(MemoryStore::new(), faults.clone());
    let builder = Server::builder(config()).admin(divvy::admin::routes).store(Box::new(store));
    let server = builder.start().await.unwrap();
    let admin = server.admin_addr().unwrap();
    within(async {
        while get(admin, "/health").await.0 != 200 {
            tokio::task::yield_now().await;
        }
    })
    .await;
    // The topic, and each look whether it is over.
    faults.refuse(true);
    assert_ne!(Client::connect(server.addr()).await.create("t", 2).await.0, ErrorCode::None);
    let (status, body) = get(admin, "/health").await;
    let told: Value = serde_json::from_str(&body).unwrap();
    assert_eq!((status, &told["status"]), (503, &json!("degraded")));
    assert!(told["reason"].as_str().unwrap().contains("told to fail"), "{told}");
    faults.refuse(false);
    assert_eq!(get_json(admin, "/health").await, json!({ "status": "ok" }));
    server.stop().await;
}
