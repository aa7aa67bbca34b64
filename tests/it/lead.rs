//! `divvy lead` against a coordinator that shows nothing of divvy: members that know nothing of its strategy are assigned by it.

use std::collections::BTreeSet;
use std::time::Duration;

use divvy::client::{Assigned, Builder};
use divvy::server::Server;
use serde_json::{Value, json};
use tokio::task::block_in_place;

use crate::cli_ground::{Running, divvy, fails, stdout};
use crate::member_ground::{Folder, Worker, builder, built, partitions, together};
use crate::support::config;

/// Longer than a busy machine keeps a process waiting.
const SESSION_MS: &str = "20000";

/// Short enough that its end is waited for.
const SHORT_SESSION_MS: &str = "6000";

/// A cluster, and the folder of the lead's modules.
pub struct Ground {
    server: Server,
    pub folder: Folder,
}

impl Ground {
    pub async fn new() -> Self {
        // Kafka collects who comes to an empty group: here half a second of Kafka's three.
        Self::that_collects_for(Duration::from_millis(500)).await
    }

    async fn that_collects_for(delay: Duration) -> Self {
        let mut config = config();
        config.limits.initial_rebalance_delay = delay;
        Self::at(Server::builder(config).present_as_kafka().start().await.unwrap())
    }

    pub fn at(server: Server) -> Self {
        let modules = ["weighted", "active-standby"].map(|name| (name, built(name)));
        Self { server, folder: Folder::with(&modules) }
    }

    /// `divvy lead` with the strategy `weighted`, by which a member called big bears three times as much.
    fn arguments(&self, more: &[&str]) -> Vec<String> {
        let (addr, folder) = (self.server.addr().to_string(), self.folder.path().display().to_string());
        let fixed = ["lead", "--brokers", &addr, "--group", "g", "--assignors", &folder, "--assignor", "weighted"];
        let facts = ["--fact", "big:weight=3"];
        fixed.iter().chain(&facts).chain(more).map(|it| (*it).to_owned()).collect()
    }

    pub fn lead(&self, more: &[&str]) -> Running {
        let session =
            if more.contains(&"--session-timeout-ms") { &[][..] } else { &["--session-timeout-ms", SESSION_MS] };
        let arguments = self.arguments(&[session, more].concat());
        Running::start(&arguments.iter().map(String::as_str).collect::<Vec<_>>())
    }

    /// A command that ends by itself.
    pub fn command(&self, more: &[&str]) -> std::process::Output {
        let arguments = self.arguments(more);
        block_in_place(|| divvy(&arguments.iter().map(String::as_str).collect::<Vec<_>>()))
    }

    /// A member that offers `range` and knows no module.
    pub fn member(&self, name: &str) -> Builder {
        builder(self.server.addr(), "g").subscribe(["clicks"]).client_id(name)
    }
}

pub fn event(lead: &mut Running, name: &str) -> Value {
    block_in_place(|| lead.event(name))
}

fn has(count: usize) -> impl Fn(&Assigned) -> bool {
    move |it| partitions(it).len() == count
}

/// What big and small have when `weighted` decides.
pub async fn by_weight(big: &mut Worker, small: &mut Worker) -> (Assigned, Assigned) {
    let (one, other) = (big.assigned_with(has(3)).await, small.assigned_with(has(1)).await);
    let owned: BTreeSet<String> = [&one, &other].into_iter().flat_map(partitions).collect();
    assert_eq!((owned.len(), one.protocol.as_str()), (4, "range"));
    (one, other)
}

#[tokio::test(flavor = "multi_thread")]
async fn who_is_there_first_leads_and_members_are_assigned_by_its_module() {
    let ground = Ground::new().await;
    let mut lead = ground.lead(&[]);
    event(&mut lead, "active");
    assert_eq!(event(&mut lead, "joins")["members"], 0);
    let leads = event(&mut lead, "leads");
    assert_eq!(leads["kept"], false);
    let (mut big, mut small) = (Worker::join(ground.member("big")).await, Worker::join(ground.member("small")).await);
    by_weight(&mut big, &mut small).await;
    let planned = loop {
        let planned = event(&mut lead, "planned");
        if planned["members"].as_array().unwrap().len() == 2 {
            break planned;
        }
    };
    assert_eq!((&planned["partitions"], &planned["unowned"]), (&json!(4), &json!(0)), "{planned}");
    assert_eq!(block_in_place(|| lead.interrupt()), 0);
}

/// A take-over that nobody has confirmed is not begun: it says what it would do.
fn asks_for_yes(ground: &Ground, what: &str) {
    let asked = ground.command(&["--take-over"]);
    let said = String::from_utf8(asked.stderr).unwrap();
    assert_eq!(asked.status.code(), Some(2), "{said}");
    assert!(said.contains(what) && said.contains("say --yes"), "{said}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_running_group_is_taken_over_only_if_that_is_said() {
    // Kafka has the first of those that it collects lead; this coordinator draws one of them. Alone, the first is drawn.
    let ground = Ground::that_collects_for(Duration::ZERO).await;
    let (mut big, mut small) = (Worker::join(ground.member("big")).await, Worker::join(ground.member("small")).await);
    together(&mut [&mut big, &mut small], |it| partitions(it).len() == 2).await;

    asks_for_yes(&ground, "would remove all 2 members of group g (");

    let mut lead = ground.lead(&["--alone"]);
    let follows = event(&mut lead, "follows");
    assert_eq!(follows["protocol"], "range", "{follows}");
    block_in_place(|| lead.kill());

    let mut lead = ground.lead(&["--alone", "--take-over", "--yes"]);
    event(&mut lead, "leads");
    by_weight(&mut big, &mut small).await;
    assert!(big.lost > 0 && small.lost > 0, "what they had was taken from them, and they know");
}

#[tokio::test(flavor = "multi_thread")]
async fn at_a_coordinator_of_divvys_it_leads_as_soon_as_it_is_in() {
    // There who has a module leads before those that have none: nobody has to be removed for that, and nothing is lost.
    let ground = Ground::at(Server::builder(config()).start().await.unwrap());
    let (mut big, mut small) = (Worker::join(ground.member("big")).await, Worker::join(ground.member("small")).await);
    together(&mut [&mut big, &mut small], |it| partitions(it).len() == 2).await;
    asks_for_yes(&ground, "`lead = \"coordinator\"`");

    let mut lead = ground.lead(&["--alone", "--take-over", "--yes"]);
    let joins = event(&mut lead, "joins");
    assert_eq!((&joins["takes_over"], &joins["members"]), (&json!(false), &json!(2)));
    event(&mut lead, "leads");
    by_weight(&mut big, &mut small).await;
    assert_eq!((big.lost, small.lost), (0, 0));
}

#[tokio::test(flavor = "multi_thread")]
async fn who_comes_back_keeps_the_lead_and_the_plan() {
    let ground = Ground::new().await;
    let mut lead = ground.lead(&["--alone"]);
    event(&mut lead, "leads");
    let (mut big, mut small) = (Worker::join(ground.member("big")).await, Worker::join(ground.member("small")).await);
    let (before, _) = by_weight(&mut big, &mut small).await;
    block_in_place(|| lead.kill());

    let mut lead = ground.lead(&["--alone"]);
    let joins = event(&mut lead, "joins");
    assert_eq!((&joins["comes_back"], &joins["members"]), (&json!(true), &json!(3)));
    let leads = event(&mut lead, "leads");
    assert_eq!((&leads["generation"], &leads["kept"]), (&json!(before.generation), &json!(true)));
    event(&mut lead, "plan_confirmed");

    // It still decides: another member, and the weights still count.
    let mut third = Worker::join(ground.member("big")).await;
    let share = third.assigned_with(|it| !partitions(it).is_empty()).await;
    assert!(share.generation > before.generation && share.leader.as_str().starts_with("divvy-lead"), "{share:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_standby_takes_the_place_of_the_active_one_and_nobody_rebalances() {
    let ground = Ground::new().await;
    let mut first = ground.lead(&[]);
    event(&mut first, "leads");
    let (mut big, mut small) = (Worker::join(ground.member("big")).await, Worker::join(ground.member("small")).await);
    let (before, _) = by_weight(&mut big, &mut small).await;
    let mut second = ground.lead(&[]);
    event(&mut second, "standby");
    // In good order, so that nobody waits for the session of the election; its place in the group is kept.
    assert_eq!(block_in_place(|| first.interrupt()), 0);
    event(&mut second, "active");
    let leads = event(&mut second, "leads");
    assert_eq!((&leads["generation"], &leads["kept"]), (&json!(before.generation), &json!(true)));
}

#[tokio::test(flavor = "multi_thread")]
async fn without_its_lead_the_group_goes_on_under_its_own_strategy() {
    let ground = Ground::new().await;
    let mut lead = ground.lead(&["--alone", "--session-timeout-ms", SHORT_SESSION_MS]);
    event(&mut lead, "leads");
    let (mut big, mut small) = (Worker::join(ground.member("big")).await, Worker::join(ground.member("small")).await);
    by_weight(&mut big, &mut small).await;
    block_in_place(|| lead.kill());
    together(&mut [&mut big, &mut small], |it| partitions(it).len() == 2 && !is_led(it)).await;

    let mut late = ground.lead(&["--alone"]);
    event(&mut late, "follows");
    assert_eq!(block_in_place(|| late.interrupt()), 0);
}

fn is_led(assigned: &Assigned) -> bool {
    assigned.leader.as_str().starts_with("divvy-lead")
}

#[tokio::test(flavor = "multi_thread")]
async fn handed_back_the_group_goes_on_at_once() {
    let ground = Ground::new().await;
    let mut lead = ground.lead(&["--alone", "--hand-back", "--session-timeout-ms", "60000"]);
    event(&mut lead, "leads");
    let (mut big, mut small) = (Worker::join(ground.member("big")).await, Worker::join(ground.member("small")).await);
    by_weight(&mut big, &mut small).await;
    assert_eq!(block_in_place(|| lead.interrupt()), 0);
    together(&mut [&mut big, &mut small], |it| partitions(it).len() == 2 && !is_led(it)).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn settings_that_its_strategy_refuses_leave_the_plan_as_it_is() {
    let ground = Ground::new().await;
    let file = ground.folder.path().join("weighted.json");
    let settings = |text: &str| {
        let aside = file.with_extension("part");
        std::fs::write(&aside, text).unwrap();
        std::fs::rename(&aside, &file).unwrap();
    };
    settings("{}");
    let mut lead = ground.lead(&["--alone", "--config", &file.display().to_string()]);
    event(&mut lead, "leads");
    let (mut big, mut small) = (Worker::join(ground.member("big")).await, Worker::join(ground.member("small")).await);
    let (before, _) = by_weight(&mut big, &mut small).await;
    settings(r#"{ "wieght": 1 }"#);
    let refused = event(&mut lead, "settings_refused");
    assert!(refused["reason"].as_str().unwrap().contains("weighted"), "{refused}");
    settings(r#"{ "min_gain": 0.5 }"#);
    assert_eq!(event(&mut lead, "settings")["config"], json!({ "min_gain": 0.5 }));
    assert_eq!(event(&mut lead, "planned")["generation"], before.generation.0 + 1, "only what it takes is a new plan");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_dry_run_joins_nothing_and_shows_what_would_change() {
    let ground = Ground::new().await;
    let nobody = ground.command(&["--plan-only"]);
    assert_eq!(nobody.status.code(), Some(4), "{}", String::from_utf8_lossy(&nobody.stderr));

    let (mut big, mut small) = (Worker::join(ground.member("big")).await, Worker::join(ground.member("small")).await);
    let both = together(&mut [&mut big, &mut small], |it| partitions(it).len() == 2).await;
    let drawn = ground.folder.path().join("plan.svg");
    let picture = drawn.display().to_string();
    let shown = ground.command(&["--plan-only", "--json", "--picture", &picture]);
    let plan: Value = serde_json::from_slice(&shown.stdout).unwrap();
    assert_eq!((&plan["moved"], &plan["new"], &plan["partitions"]), (&json!(1), &json!(0), &json!(4)), "{plan}");
    let balance = json!({
        "before": { "least": 2, "most": 2, "deviation": 0.0 },
        "after": { "least": 1, "most": 3, "deviation": 1.0 },
    });
    assert_eq!((&plan["balance"], &plan["topics"][0]["balance"]), (&balance, &balance));
    assert_eq!((&plan["assignor"], &plan["protocol"]), (&json!("weighted@1"), &json!("range")));
    assert!(std::fs::read_to_string(&drawn).unwrap().contains("2 → 3"));

    let text = stdout(&ground.command(&["--plan-only"]));
    assert!(text.contains("of 4 partitions 1 move; a member has 2 to 2, and would have 1 to 3"), "{text}");
    let refused = ground.command(&["--plan-only", "--set", "wieght=1"]);
    assert_eq!(refused.status.code(), Some(2), "{}", String::from_utf8_lossy(&refused.stderr));
    let nobodys = ground.command(&["--plan-only", "--json", "--fact", "bgi:weight=3"]);
    let nobodys: Value = serde_json::from_slice(&nobodys.stdout).unwrap();
    assert_eq!(nobodys["facts_of_nobody"], json!(["bgi"]));
    let still = ground.command(&["--plan-only", "--json"]);
    let again: Value = serde_json::from_slice(&still.stdout).unwrap();
    assert_eq!(again["members"].as_array().unwrap().len(), 2);
    // Whoever had joined, for however short a time, would have been a generation.
    let mut late = Worker::join(ground.member("late")).await;
    let share = late.assigned_with(|it| !partitions(it).is_empty()).await;
    assert_eq!(share.generation.0, both[0].generation.0 + 1, "only the late one was a reason to rebalance");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_broker_that_does_not_answer_does_not_keep_it_from_ending() {
    let silent = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let addr = silent.local_addr().unwrap().to_string();
    let folder = Folder::with(&[("weighted", built("weighted"))]);
    let folder = folder.path().display().to_string();
    let task =
        ["lead", "--brokers", &addr, "--group", "g", "--assignors", &folder, "--assignor", "weighted", "--alone"];
    let mut lead = Running::start(&task);
    // It waits for an answer to its first question.
    let _held = block_in_place(|| silent.accept().unwrap());
    assert_eq!(block_in_place(|| lead.interrupt()), 0);
    event(&mut lead, "module");
    let next = block_in_place(|| lead.next("ended"));
    assert_eq!(next["event"], "ended", "it should not have waited for the end of its question: {next}");
}

#[test]
fn it_teaches_and_refuses_in_sentences() {
    let taught = divvy(&["lead"]);
    assert!(taught.status.success() && stdout(&taught).contains("--plan-only"));
    fails(&["lead", "--group", "g", "--assignor", "weighted"], 2, &["--brokers"]);
    let to = ["lead", "--brokers", "127.0.0.1:1", "--group", "g"];
    fails(&[&to[..], &["--assignor", "weighted", "--as", "ours"]].concat(), 2, &["ours=eager"]);
    fails(&[&to[..], &["--assignor", "weighted", "--yes"]].concat(), 2, &["--take-over"]);
    let folder = Folder::with(&[]);
    let folder = folder.path().display().to_string();
    fails(
        &[&to[..], &["--assignor", "weighted", "--assignors", &folder]].concat(),
        4,
        &["weighted", "there is no module"],
    );
    fails(&[&to[..], &["--assignor", "range", "--assignors", &folder, "--plan-only"]].concat(), 3, &["127.0.0.1:1"]);
}
