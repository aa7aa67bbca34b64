//! What `divvy lead` is given beside the group: the strategy's settings and its file, and what becomes of them while it runs.

use divvy::server::Server;
use serde_json::json;
use tokio::task::block_in_place;

use crate::lead::{Ground, by_weight, event};
use crate::member_ground::{Worker, built, stamped};
use crate::support::config;

#[tokio::test(flavor = "multi_thread")]
async fn settings_that_its_strategy_refuses_are_refused_at_the_start() {
    let ground = Ground::new().await;
    for set in ["wieght=1", "min_gain=\"much\""] {
        let refused = ground.command(&["--alone", "--set", set]);
        let said = String::from_utf8(refused.stderr).unwrap();
        assert_eq!(refused.status.code(), Some(2), "{said}");
        let key = set.split_once('=').unwrap().0;
        assert!(said.contains("weighted takes no such settings: config: ") && said.contains(key), "{said}");
    }
    let mut lead = ground.lead(&["--alone", "--set", "min_gain=0.5"]);
    event(&mut lead, "leads");
}

#[tokio::test(flavor = "multi_thread")]
async fn its_own_settings_count_at_a_coordinator_of_divvys_too() {
    let ground = Ground::at(Server::builder(config()).start().await.unwrap());
    // Of the two facts that are said of it, the strategy is told to read the one by which it bears less.
    let mut lead = ground.lead(&["--alone", "--set", "fact=\"size\"", "--fact", "small:size=3"]);
    event(&mut lead, "leads");
    let (mut big, mut small) = (Worker::join(ground.member("big")).await, Worker::join(ground.member("small")).await);
    by_weight(&mut small, &mut big).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_module_that_is_replaced_or_gone_is_told_once_with_what_goes_on() {
    let ground = Ground::new().await;
    let put = |name: &str, bytes: &[u8]| {
        let (aside, file) = (ground.folder.path().join("aside"), ground.folder.path().join(name));
        std::fs::write(&aside, bytes).unwrap();
        std::fs::rename(&aside, &file).unwrap();
    };
    let mut lead = ground.lead(&["--alone"]);
    assert_eq!(event(&mut lead, "module")["assignor"], "weighted@1");
    event(&mut lead, "leads");
    let (mut big, mut small) = (Worker::join(ground.member("big")).await, Worker::join(ground.member("small")).await);
    let (before, _) = by_weight(&mut big, &mut small).await;

    put("weighted.wasm", &stamped(&built("weighted"), r#"{"abi":"1.0","name":"weighted","version":2}"#));
    let module = event(&mut lead, "module");
    assert_eq!(module["assignor"], "weighted@2");
    put("weighted.wasm", &built("range"));
    let other = event(&mut lead, "module_gone");
    assert_eq!((&other["assignor"], &other["holds"]), (&json!("weighted@2"), &json!("range@1")));
    std::fs::remove_file(ground.folder.path().join("weighted.wasm")).unwrap();
    assert_eq!(event(&mut lead, "module_gone")["digest"], module["digest"]);

    // It goes on with what it has.
    small.leave().await;
    let all =
        big.assigned_with(|it| it.generation > before.generation && crate::member_ground::partitions(it).len() == 4);
    assert!(all.await.leader.as_str().starts_with("divvy-lead"));
    loop {
        let planned = event(&mut lead, "planned");
        if planned["members"].as_array().unwrap().len() == 1 {
            assert_eq!((&planned["digest"], &planned["served_by"]), (&module["digest"], &json!("the chosen strategy")));
            break;
        }
    }
    put("weighted.wasm", &stamped(&built("weighted"), r#"{"abi":"1.0","name":"weighted","version":2}"#));
    assert_eq!(event(&mut lead, "module")["digest"], module["digest"], "it is back");
    assert_eq!(block_in_place(|| lead.interrupt()), 0);
}
