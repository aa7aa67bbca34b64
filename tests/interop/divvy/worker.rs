//! A member whose work is not partitions of topics: a worker of Kafka Connect's kind, or one of an application's own type.
//!
//! On standard input `context TEXT`, `metadata TEXT` and `leave`; on standard output `{"event": "has", "work": [TEXT …],
//! "generation": N}` when it is given work, and when it gives some up.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use divvy::client::{Builder, Member, Rebalance, Share, connectors};
use serde_json::json;

use super::{Failure, listen, say};

/// Joins, works, and leaves when it is told to. `context` is what there is to do: `jdbc=3 sink=1`, connectors with their number
/// of tasks, for type `connect`; else what the application's strategy makes of it.
pub async fn run(kind: &str, server: &str, group: &str, name: &str, context: &str) -> Result<(), Failure> {
    let mut commands = listen();
    let mut member = builder(kind, server, group, name, context)?.join().await?;
    let (mut has, mut generation) = (BTreeSet::new(), -1);
    loop {
        let news = tokio::select! {
            news = member.next() => news.ok_or("the member is over")?,
            command = commands.recv() => match command.as_deref().map(|it| it.split_once(' ').unwrap_or((it, ""))) {
                None | Some(("leave", _)) => break,
                Some(("context", text)) => {
                    member.set_context(bytes(kind, text)?);
                    continue;
                }
                Some(("metadata", text)) => {
                    member.set_metadata(text.to_owned());
                    continue;
                }
                Some((other, _)) => return Err(format!("there is no command {other}").into()),
            },
        };
        match news {
            Rebalance::Assigned(work) => (has, generation) = (pieces(&work.share), work.generation.0),
            // Told before it is given up: dropping it gives it up.
            Rebalance::Revoked(work) => {
                let revoked = pieces(work.share());
                has.retain(|it| !revoked.contains(it));
                tell(&has, generation);
                continue;
            }
            Rebalance::Lost { share, reason } => {
                eprintln!("lost {share:?}: {reason}");
                has.clear();
            }
            Rebalance::Failed { reason } => return Err(reason.into()),
            Rebalance::Drained => return Err("drained, and nobody asked for it".into()),
            Rebalance::Note(note) => {
                eprintln!("{note}");
                continue;
            }
        }
        tell(&has, generation);
    }
    tell(&BTreeSet::new(), generation);
    member.leave().await;
    say(json!({ "event": "left" }));
    Ok(())
}

fn builder(kind: &str, server: &str, group: &str, name: &str, context: &str) -> Result<Builder, Failure> {
    let builder = Member::builder(server, group)
        .client_id(name)
        .assignors(std::env::var_os("DIVVY_ASSIGNORS").ok_or("DIVVY_ASSIGNORS names a folder")?)
        .context(bytes(kind, context)?)
        .session_timeout(Duration::from_secs(30))
        .heartbeat_interval(Duration::from_millis(500));
    Ok(match kind {
        "connect" => builder.connect(format!("http://{name}:8083/")),
        other => builder.protocol_type(other),
    })
}

fn bytes(kind: &str, context: &str) -> Result<Vec<u8>, Failure> {
    if kind != "connect" {
        return Ok(context.as_bytes().to_vec());
    }
    let mut all = BTreeMap::new();
    for word in context.split_whitespace() {
        let (name, tasks) = word.split_once('=').ok_or("a connector is NAME=TASKS")?;
        all.insert(name.to_owned(), tasks.parse()?);
    }
    Ok(connectors(None, &all))
}

fn pieces(share: &Share) -> BTreeSet<String> {
    match share {
        Share::Partitions(all) => {
            all.iter().flat_map(|(name, tasks)| tasks.iter().map(move |task| format!("{name} {task}"))).collect()
        }
        Share::State(bytes) => String::from_utf8_lossy(bytes).split_whitespace().map(str::to_owned).collect(),
    }
}

fn tell(has: &BTreeSet<String>, generation: i32) {
    say(json!({ "event": "has", "work": has, "generation": generation }));
}
