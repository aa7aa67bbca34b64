//! A join of two topics: partition *n* of `orders` and of `payments` is with the same process, because the strategy
//! `copartition` says so. What they have in common is written as soon as both are there.
//!
//! ```text
//! join SERVER GROUP FOLDER ASSIGNORS
//! ```
//!
//! The topics lie in files, `FOLDER/orders/N` and `FOLDER/payments/N`, that others append lines `KEY VALUE` to. A pair
//! becomes a line `KEY ORDER PAYMENT` of `FOLDER/paid/N`. How far both have been read is committed with the group's offsets, in
//! lines, after the pairs are written. Who takes a partition over reads it from the start, to have what has no partner yet. A
//! pair is looked for and written under one lock, so one that was replaced and does not know it yet writes none twice.

use std::collections::{BTreeSet, HashMap};
use std::fs::{self, File};
use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use std::time::Duration;

use divvy::Member;
use divvy::client::{Offset, Rebalance, Share};

type Failure = Box<dyn std::error::Error>;

/// The two sides.
const TOPICS: [&str; 2] = ["orders", "payments"];

/// One partition of the join.
struct Pairing {
    number: i32,
    paths: [PathBuf; 2],
    paid: PathBuf,
    /// Bytes and lines that were read of each side, and its values by key.
    read: [(usize, i64); 2],
    values: [HashMap<String, String>; 2],
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Failure> {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let [server, group, folder, assignors] = &words[..] else {
        return Err("give SERVER GROUP FOLDER ASSIGNORS".into());
    };
    let folder = Path::new(folder);
    fs::create_dir_all(folder.join("paid"))?;

    let mut member = Member::builder(server, group)
        .assignors(assignors)
        .assignor_names(["copartition"])
        .subscribe(TOPICS)
        .client_id("join")
        .session_timeout(Duration::from_secs(6))
        .heartbeat_interval(Duration::from_secs(1))
        .join()
        .await?;
    let mut mine: Vec<Pairing> = Vec::new();
    let mut look = tokio::time::interval(Duration::from_millis(100));
    loop {
        tokio::select! {
            news = member.next() => match news {
                Some(Rebalance::Assigned(work)) => {
                    let numbers = both(&work.share)?;
                    println!("joins {numbers:?}");
                    mine.retain(|it| numbers.contains(&it.number));
                    for number in numbers {
                        if mine.iter().all(|it| it.number != number) {
                            mine.push(Pairing::of(folder, number));
                        }
                    }
                }
                // Nothing is ever half written: it can be given up at any time.
                Some(Rebalance::Revoked(work)) => {
                    let gone = both(work.share())?;
                    mine.retain(|it| !gone.contains(&it.number));
                    work.done();
                }
                Some(Rebalance::Lost { .. }) => mine.clear(),
                Some(Rebalance::Failed { reason }) => return Err(reason.into()),
                Some(Rebalance::Note(note)) => eprintln!("{note}"),
                Some(Rebalance::Drained) => {}
                None => return Ok(()),
            },
            _ = tokio::signal::ctrl_c() => break,
            _ = look.tick() => for pairing in &mut mine {
                if pairing.advance()? {
                    // Refused if the partition is another's by now, who will commit it.
                    if let Err(error) = member.commit(pairing.offsets()).await {
                        eprintln!("{error}");
                    }
                }
            },
        }
    }
    member.leave().await;
    Ok(())
}

/// The numbers of a share, which are the same for both topics.
fn both(share: &Share) -> Result<Vec<i32>, Failure> {
    let Share::Partitions(topics) = share else { return Err("a share of another type".into()) };
    match &topics[..] {
        [] => Ok(Vec::new()),
        [(_, orders), (_, payments)] if orders == payments => Ok(orders.clone()),
        torn => Err(format!("the two sides are apart: {torn:?}").into()),
    }
}

impl Pairing {
    fn of(folder: &Path, number: i32) -> Self {
        Self {
            number,
            paths: TOPICS.map(|topic| folder.join(topic).join(number.to_string())),
            paid: folder.join("paid").join(number.to_string()),
            read: [(0, 0); 2],
            values: Default::default(),
        }
    }

    /// Reads what is new, and writes the pairs that it makes. Whether there was anything new.
    fn advance(&mut self) -> Result<bool, Failure> {
        let mut keys = BTreeSet::new();
        for side in 0..TOPICS.len() {
            let text = fs::read_to_string(&self.paths[side]).unwrap_or_default();
            let (bytes, lines) = &mut self.read[side];
            // A line that has no end yet is read when it has.
            let whole = text.rfind('\n').map_or(0, |end| end + 1);
            for line in text.get(*bytes..whole).unwrap_or_default().lines() {
                let (key, value) = line.split_once(' ').ok_or("a line is KEY VALUE")?;
                self.values[side].insert(key.to_owned(), value.to_owned());
                keys.insert(key.to_owned());
                *lines += 1;
            }
            *bytes = whole.max(*bytes);
        }
        if !keys.is_empty() {
            self.write(&keys)?;
        }
        Ok(!keys.is_empty())
    }

    /// Writes those of these keys that have both sides and are not there yet.
    fn write(&self, keys: &BTreeSet<String>) -> Result<(), Failure> {
        let mut paid = File::options().create(true).read(true).append(true).open(&self.paid)?;
        paid.lock()?;
        let mut written = String::new();
        paid.read_to_string(&mut written)?;
        let written: BTreeSet<&str> = written.lines().filter_map(|line| line.split(' ').next()).collect();
        let mut pairs = String::new();
        for key in keys.iter().filter(|key| !written.contains(key.as_str())) {
            if let [Some(order), Some(payment)] = [&self.values[0], &self.values[1]].map(|side| side.get(key)) {
                pairs.push_str(&format!("{key} {order} {payment}\n"));
            }
        }
        Ok(paid.write_all(pairs.as_bytes())?)
    }

    fn offsets(&self) -> Vec<Offset> {
        let offset = |(topic, (_, lines)): (&str, (usize, i64))| Offset {
            topic: topic.into(),
            partition: self.number,
            offset: lines,
        };
        TOPICS.into_iter().zip(self.read).map(offset).collect()
    }
}
