//! A single writer with fencing: of all processes one appends to a ledger, and the ledger itself refuses a writer whose
//! epoch is older than the newest it has seen. Without that a writer that was stopped for a while, and replaced, would go on
//! where it was.
//!
//! ```text
//! writer SERVER GROUP LEDGER ASSIGNORS
//! ```

use std::fs::File;
use std::io::{Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::time::Duration;

use divvy::Member;
use divvy::client::{Duty, Rebalance, Writer};

type Failure = Box<dyn std::error::Error>;

/// A file of lines `EPOCH NUMBER PROCESS`: epochs never fall, numbers are counted up by one. (A process that is frozen while
/// it has the lock holds up its successors, but never lets two epochs mix. Stores with conditional writes have no such lock.)
struct Ledger(PathBuf);

/// Whether a line was taken.
enum Taken {
    As(u64),
    /// The ledger has a line of this epoch.
    Refused {
        newest: i32,
    },
}

impl Ledger {
    /// Appends a line unless a writer of a later epoch has: looked at and appended under one lock.
    fn append(&self, writer: Writer) -> Result<Taken, Failure> {
        let mut file = File::options().read(true).append(true).create(true).open(&self.0)?;
        file.lock()?;
        let mut text = String::new();
        file.read_to_string(&mut text)?;
        // Whoever died in the middle of a line has not written it.
        let whole = text.rfind('\n').map_or(0, |end| end + 1);
        file.set_len(u64::try_from(whole)?)?;
        let last = text[..whole].lines().next_back().unwrap_or("0 0");
        let mut words = last.split(' ');
        let (newest, number) = (words.next().unwrap_or("0").parse()?, words.next().unwrap_or("0").parse::<u64>()? + 1);
        if writer.epoch < newest {
            return Ok(Taken::Refused { newest });
        }
        file.seek(SeekFrom::End(0))?;
        file.write_all(format!("{} {number} {}\n", writer.epoch, std::process::id()).as_bytes())?;
        file.sync_data()?;
        Ok(Taken::As(number))
    }
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Failure> {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let [server, group, ledger, assignors] = &words[..] else {
        return Err("give SERVER GROUP LEDGER ASSIGNORS".into());
    };
    let ledger = Ledger(Path::new(ledger).to_owned());

    let mut member = Member::builder(server, group)
        .assignors(assignors)
        .single_writer()
        .client_id("writer")
        .session_timeout(Duration::from_secs(6))
        .heartbeat_interval(Duration::from_secs(1))
        .join()
        .await?;
    let mut right: Option<Writer> = None;
    let mut write = tokio::time::interval(Duration::from_millis(50));
    loop {
        tokio::select! {
            // Writing first: a process that wakes up late does not know yet that it was replaced, and the ledger does.
            biased;
            _ = write.tick(), if right.is_some() => if let Some(writer) = right {
                match ledger.append(writer)? {
                    Taken::As(number) if number % 20 == 1 => println!("wrote {number} in epoch {}", writer.epoch),
                    Taken::As(_) => {}
                    Taken::Refused { newest } => {
                        println!("refused: epoch {} is over, {newest} writes", writer.epoch);
                        right = None;
                    }
                }
            },
            news = member.next() => match news {
                Some(Rebalance::Assigned(work)) => {
                    right = match work.duty() {
                        Some(Duty::Active(writer)) => Some(writer),
                        _ => None,
                    };
                    println!("{}", if right.is_some() { "writes" } else { "stands by" });
                }
                Some(Rebalance::Revoked(work)) => {
                    right = None;
                    work.done();
                }
                Some(Rebalance::Lost { .. }) => right = None,
                Some(Rebalance::Failed { reason }) => return Err(reason.into()),
                Some(Rebalance::Drained | Rebalance::Note(_)) => {}
                None => return Ok(()),
            },
            _ = tokio::signal::ctrl_c() => break,
        }
    }
    member.leave().await;
    Ok(())
}
