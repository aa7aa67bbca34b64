//! A runtime of connectors: each connector has some tasks, and connectors and tasks are spread over all processes as Kafka
//! Connect does it, step by step (type `connect`). When a process dies the others run its tasks.
//!
//! ```text
//! connectors SERVER GROUP FOLDER ASSIGNORS
//! ```
//!
//! What there is to run stands in `FOLDER/connectors.json`, `{"NAME": TASKS}`, which may change while it runs. Task *n* of a
//! connector copies the lines of `FOLDER/NAME/n.in` to `FOLDER/NAME/n.out`, and goes on where it ends; the connector itself, task
//! -1, keeps `FOLDER/NAME/running`, with the process that it runs in. The tasks of a process that is gone wait for it for five
//! minutes, as with Connect, unless the group's settings say otherwise: `config.connect = { max_delay_ms = 1000 }`.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::Duration;

use divvy::Member;
use divvy::client::{Rebalance, Share};
use tokio::task::AbortHandle;

type Failure = Box<dyn std::error::Error>;

/// The number of tasks of each connector.
type Connectors = BTreeMap<String, u32>;

/// A connector's name and the number of a task; -1 is the connector itself.
type Piece = (String, i32);

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Failure> {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let [server, group, folder, assignors] = &words[..] else {
        return Err("give SERVER GROUP FOLDER ASSIGNORS".into());
    };
    let folder = Path::new(folder);
    let mut configured = read(folder)?;

    let mut member = Member::builder(server, group)
        .assignors(assignors)
        .connect(format!("process {}", std::process::id()))
        .context(context(&configured)?)
        .client_id("connectors")
        .session_timeout(Duration::from_secs(6))
        .heartbeat_interval(Duration::from_secs(1))
        .join()
        .await?;
    let mut running: BTreeMap<Piece, Task> = BTreeMap::new();
    let mut look = tokio::time::interval(Duration::from_millis(200));
    loop {
        tokio::select! {
            news = member.next() => match news {
                Some(Rebalance::Assigned(work)) => {
                    let wanted = pieces(&work.share);
                    println!("runs {wanted:?}");
                    running.retain(|piece, _| wanted.contains(piece));
                    for piece in wanted {
                        running.entry(piece.clone()).or_insert_with(|| start(folder, piece));
                    }
                }
                // What is stopped here is started elsewhere when this has been said.
                Some(Rebalance::Revoked(work)) => {
                    pieces(work.share()).iter().for_each(|piece| drop(running.remove(piece)));
                    work.done();
                }
                Some(Rebalance::Lost { .. }) => running.clear(),
                Some(Rebalance::Failed { reason }) => return Err(reason.into()),
                Some(Rebalance::Note(note)) => eprintln!("{note}"),
                Some(Rebalance::Drained) => {}
                None => return Ok(()),
            },
            // Whoever leads tells the strategy what there is to run.
            _ = look.tick() => match read(folder) {
                Ok(now) if now != configured => {
                    member.set_context(context(&now)?);
                    configured = now;
                }
                _ => {}
            },
            _ = tokio::signal::ctrl_c() => break,
        }
    }
    running.clear();
    member.leave().await;
    Ok(())
}

fn read(folder: &Path) -> Result<Connectors, Failure> {
    Ok(serde_json::from_slice(&fs::read(folder.join("connectors.json"))?)?)
}

/// As the strategy reads it: a version, how far the configuration has been read (here: nobody counts), what there is to run.
fn context(connectors: &Connectors) -> Result<Vec<u8>, Failure> {
    Ok(rmp_serde::to_vec(&(1, None::<i64>, connectors))?)
}

fn pieces(share: &Share) -> Vec<Piece> {
    let Share::Partitions(connectors) = share else { return Vec::new() };
    connectors.iter().flat_map(|(name, tasks)| tasks.iter().map(move |task| (name.to_string(), *task))).collect()
}

/// A task that ends when this is dropped.
struct Task(AbortHandle);

impl Drop for Task {
    fn drop(&mut self) {
        self.0.abort();
    }
}

#[allow(clippy::disallowed_methods, reason = "the tasks of this runtime")]
fn start(folder: &Path, (connector, task): Piece) -> Task {
    let folder = folder.join(&connector);
    let life = async move {
        loop {
            // Nothing is awaited in a step, so a task that is stopped never leaves half of one.
            if let Err(error) = step(&folder, task) {
                eprintln!("{connector} {task}: {error}");
            }
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
    };
    Task(tokio::spawn(life).abort_handle())
}

fn step(folder: &Path, task: i32) -> std::io::Result<()> {
    fs::create_dir_all(folder)?;
    let place = |end: &str| -> PathBuf { folder.join(format!("{task}.{end}")) };
    if task < 0 {
        return fs::write(folder.join("running"), std::process::id().to_string());
    }
    let from = fs::read_to_string(place("in")).unwrap_or_default();
    // Looked at and appended under one lock: a task that another process runs by now copies nothing twice.
    let mut to = File::options().create(true).append(true).open(place("out"))?;
    to.lock()?;
    let copied = usize::try_from(to.metadata()?.len()).unwrap_or(usize::MAX);
    let whole = from.rfind('\n').map_or(0, |end| end + 1);
    to.write_all(from.get(copied..whole).unwrap_or_default().as_bytes())
}
