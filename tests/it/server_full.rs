//! A full disk: running groups keep what they have, newcomers are told to come back, and nobody has to tell the server that
//! there is room again.

use divvy::server::Server;
use divvy::store::MemoryStore;
use divvy::wire::ErrorCode;

use crate::support::{Client, config, join, within};
use crate::support_store::failing::{FailingStore, Faults};

#[tokio::test]
async fn a_newcomer_takes_nobody_through_a_rebalance_that_cannot_end() {
    let faults = Faults::default();
    let store = FailingStore::new(MemoryStore::new(), faults.clone());
    let server = Server::builder(config()).store(Box::new(store)).start().await.unwrap();
    let mut client = Client::connect(server.addr()).await;
    let member = client.become_leader("g", b"all").await;
    faults.refuse(true);
    assert_ne!(client.create("t", 1).await.0, ErrorCode::None, "now it is known");

    let mut newcomer = Client::connect(server.addr()).await;
    for group in ["g", "new"] {
        let refused = newcomer.ask(5, &join(group, "")).await;
        assert_eq!(refused.error_code, ErrorCode::CoordinatorNotAvailable, "{group}");
    }
    assert_eq!(client.ask(3, &member.heartbeat()).await.error_code, ErrorCode::None);
    let again = client.ask(5, &join("g", &member.id)).await;
    assert_eq!((again.error_code, again.generation_id), (ErrorCode::None, member.generation));
    assert_eq!(client.ask(3, &member.sync(&[])).await.assignment, &b"all"[..]);
    assert_eq!(client.state_of("g").await, "Stable");

    // Nobody writes meanwhile.
    faults.refuse(false);
    let joined = within(async {
        loop {
            let joined = newcomer.ask(5, &join("g", "")).await;
            if joined.error_code != ErrorCode::CoordinatorNotAvailable {
                return joined;
            }
            tokio::task::yield_now().await;
        }
    })
    .await;
    assert_eq!(joined.error_code, ErrorCode::MemberIdRequired);
    assert_eq!(
        client.ask(3, &member.heartbeat()).await.error_code,
        ErrorCode::RebalanceInProgress,
        "its leader's word"
    );
    server.stop().await;
}
