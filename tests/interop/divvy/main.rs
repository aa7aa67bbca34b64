//! One member of a group, made of divvy's own library (see ../README.md); and a coordinator that shows nothing of divvy.
//!
//! ```text
//! interop-divvy divvy SERVER GROUP TOPIC NAME STRATEGY [INSTANCE]
//! interop-divvy worker TYPE SERVER GROUP NAME CONTEXT     one whose work is not partitions of topics
//! interop-divvy serve …      as `divvy serve`, but as if it were any broker: no member is preferred as a leader
//! interop-divvy …            everything else as `divvy` does it
//! ```
//!
//! Its modules are those of `$DIVVY_ASSIGNORS`, watched. Beside what every member here can do it obeys `fact NAME VALUE`, answered by
//! `{"event": "told"}`, `drain`, answered by `{"event": "drained"}` when everything is handed over, and `resume`.

use std::collections::BTreeSet;
use std::io::BufRead;
use std::process::ExitCode;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use divvy::client::{JoinError, Member, Offset, Rebalance, Rollout, Share};
use divvy::ids::TopicName;
use divvy::server::Server;
use divvy::server::config::{Config, DataPlace};
use serde_json::json;
use tokio::sync::mpsc::{UnboundedReceiver, unbounded_channel};

mod worker;

type Failure = Box<dyn std::error::Error>;

fn main() -> ExitCode {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let done = match words[..] {
        ["divvy", server, group, topic, name, strategy, ref more @ ..] => {
            run(member(server, group, topic, name, strategy, more.first().copied()))
        }
        ["worker", kind, server, group, name, context] => run(worker::run(kind, server, group, name, context)),
        ["serve", ref settings @ ..] => run(serve(settings)),
        _ => return divvy::cli::main(),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}

fn run(what: impl Future<Output = Result<(), Failure>>) -> Result<(), Failure> {
    tokio::runtime::Builder::new_current_thread().enable_all().build()?.block_on(what)
}

async fn member(
    server: &str,
    group: &str,
    topic: &str,
    name: &str,
    strategy: &str,
    instance: Option<&str>,
) -> Result<(), Failure> {
    let mut commands = listen();
    let mut member = join(server, group, topic, name, strategy, instance).await?;
    let (mut owns, mut assignments) = (BTreeSet::new(), 0);
    loop {
        let news = tokio::select! {
            news = member.next() => news.ok_or("the member is over")?,
            command = commands.recv() => match command.as_deref() {
                None | Some("leave") => break,
                // Answered when it is done.
                Some("drain") => {
                    member.drain();
                    continue;
                }
                Some(command) => {
                    say(obey(&member, topic, command).await);
                    continue;
                }
            },
        };
        match news {
            Rebalance::Assigned(work) => {
                owns = partitions(&work.share);
                assignments += 1;
                tell(&owns, assignments);
            }
            // Told before it is given up: dropping the work gives it up.
            Rebalance::Revoked(work) => {
                let revoked = partitions(work.share());
                owns.retain(|it| !revoked.contains(it));
                tell(&owns, assignments);
            }
            Rebalance::Lost { share, reason } => {
                eprintln!("lost {share:?}: {reason}");
                let lost = partitions(&share);
                owns.retain(|it| !lost.contains(it));
                tell(&owns, assignments);
            }
            Rebalance::Failed { reason } => return Err(reason.into()),
            Rebalance::Drained => say(json!({ "event": "drained" })),
            Rebalance::Note(note) => eprintln!("{note}"),
        }
    }
    tell(&BTreeSet::new(), assignments);
    member.leave().await;
    say(json!({ "event": "left" }));
    Ok(())
}

/// `commit 0 7`, `fetch 0`, `fact weight 2` and `resume`.
async fn obey(member: &Member, topic: &str, command: &str) -> serde_json::Value {
    match answer(member, TopicName::from(topic), command).await {
        Ok(answer) => answer,
        Err(error) => json!({ "event": "failed", "reason": format!("{command}: {error}") }),
    }
}

async fn answer(member: &Member, topic: TopicName, command: &str) -> Result<serde_json::Value, Failure> {
    match command.split(' ').collect::<Vec<_>>()[..] {
        ["commit", partition, offset] => {
            let (partition, offset) = (partition.parse()?, offset.parse()?);
            member.commit(vec![Offset { topic, partition, offset }]).await?;
            Ok(json!({ "event": "committed", "partition": partition, "offset": offset }))
        }
        ["fetch", partition] => {
            let partition = partition.parse()?;
            let committed = member.committed(&[(topic, vec![partition])]).await?;
            let offset = committed.first().map_or(-1, |it| it.offset);
            Ok(json!({ "event": "fetched", "partition": partition, "offset": offset }))
        }
        ["fact", name, value] => {
            member.set_fact(name, serde_json::from_str::<serde_json::Value>(value)?);
            Ok(json!({ "event": "told" }))
        }
        ["resume"] => {
            member.resume();
            Ok(json!({ "event": "told" }))
        }
        _ => Err("there is no such command".into()),
    }
}

async fn join(
    server: &str,
    group: &str,
    topic: &str,
    name: &str,
    strategy: &str,
    instance: Option<&str>,
) -> Result<Member, JoinError> {
    let mut member = Member::builder(server, group)
        .subscribe([topic])
        .client_id(name)
        .fact("kind", "divvy")
        // Where the coordinator is not divvy, a file that was dropped is offered by a rejoin, each member's at another moment.
        .rollout(Rollout::Eager { within: Duration::from_secs(1) })
        .session_timeout(Duration::from_secs(30))
        .heartbeat_interval(Duration::from_millis(500));
    if let Some(folder) = std::env::var_os("DIVVY_ASSIGNORS") {
        member = member.assignors(folder);
    }
    if strategy != "default" {
        member = member.assignor_names([strategy]);
    }
    if let Some(instance) = instance {
        member = member.instance_id(instance);
    }
    member.join().await
}

async fn serve(settings: &[&str]) -> Result<(), Failure> {
    let after = |name: &str| settings.iter().position(|it| *it == name).and_then(|at| settings.get(at + 1)).copied();
    let needed = |name: &'static str| after(name).ok_or(format!("{name} is missing"));
    let mut config = Config::load(Some(needed("--config")?.as_ref()))?;
    config.listen = needed("--listen")?.parse()?;
    config.admin = Some(needed("--admin")?.parse()?);
    config.data = DataPlace::Folder(needed("--data")?.into());
    let server = Server::builder(config).admin(divvy::admin::routes).present_as_kafka().start().await?;
    say(json!({ "event": "serving" }));
    server.run().await;
    Ok(())
}

/// The commands as they come in; the end of the input is the end of them.
fn listen() -> UnboundedReceiver<String> {
    let (tell, commands) = unbounded_channel();
    std::thread::spawn(move || {
        for line in std::io::stdin().lock().lines().map_while(Result::ok) {
            if tell.send(line).is_err() {
                return;
            }
        }
    });
    commands
}

fn partitions(share: &Share) -> BTreeSet<i32> {
    match share {
        Share::Partitions(topics) => topics.iter().flat_map(|(_, numbers)| numbers).copied().collect(),
        Share::State(_) => BTreeSet::new(),
    }
}

fn tell(owns: &BTreeSet<i32>, assignments: u64) {
    say(json!({ "event": "owns", "partitions": owns, "assignments": assignments }));
}

fn say(mut event: serde_json::Value) {
    #[allow(clippy::disallowed_methods, reason = "a program of the tests': every client tells the wall clock")]
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    event["at"] = json!(now.as_secs_f64());
    println!("{event}");
}
