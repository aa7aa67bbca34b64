//! A pool that shares work: every process does the jobs of its partitions, and when one dies the others take them over.
//!
//! ```text
//! pool SERVER GROUP FOLDER
//! ```
//!
//! A job is a file `FOLDER/jobs/NAME`, moved there when it is whole; it belongs to the partition that its name hashes to. Doing it is counting its
//! words. The result `FOLDER/done/NAME` is there before the job is gone, so a job that was begun when its worker died is done
//! again, and none is lost.

use std::fs;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::{Path, PathBuf};
use std::time::Duration;

use divvy::Member;
use divvy::client::{Rebalance, Share};

type Failure = Box<dyn std::error::Error>;

/// The topic is no more than a name with this many partitions, as `divvy serve` makes it for whoever asks first.
const TOPIC: &str = "jobs";
const PARTITIONS: u64 = 12;

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Failure> {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let [server, group, folder] = &words[..] else { return Err("give SERVER GROUP FOLDER".into()) };
    let (jobs, done) = (Path::new(folder).join("jobs"), Path::new(folder).join("done"));
    fs::create_dir_all(&jobs)?;
    fs::create_dir_all(&done)?;

    let mut member = Member::builder(server, group)
        .subscribe([TOPIC])
        .client_id("pool")
        .session_timeout(Duration::from_secs(6))
        .heartbeat_interval(Duration::from_secs(1))
        .join()
        .await?;
    let mut mine: Vec<i32> = Vec::new();
    loop {
        let next = jobs_of(&jobs, &mine)?.into_iter().next();
        let rest = if next.is_some() { Duration::ZERO } else { Duration::from_millis(100) };
        tokio::select! {
            biased;
            news = member.next() => match news {
                Some(Rebalance::Assigned(work)) => {
                    mine = partitions(&work.share);
                    println!("has {mine:?}");
                }
                // Between two jobs: what was begun is finished.
                Some(Rebalance::Revoked(work)) => {
                    let gone = partitions(work.share());
                    mine.retain(|it| !gone.contains(it));
                    work.done();
                }
                Some(Rebalance::Lost { .. }) => mine.clear(),
                Some(Rebalance::Failed { reason }) => return Err(reason.into()),
                Some(Rebalance::Drained | Rebalance::Note(_)) => {}
                None => return Ok(()),
            },
            _ = tokio::signal::ctrl_c() => break,
            () = tokio::time::sleep(rest) => if let Some(job) = next {
                finish(&job, &done)?;
            },
        }
    }
    member.leave().await;
    Ok(())
}

/// The jobs of these partitions, oldest name first.
fn jobs_of(folder: &Path, partitions: &[i32]) -> Result<Vec<PathBuf>, Failure> {
    let mut jobs: Vec<PathBuf> =
        fs::read_dir(folder)?.map(|entry| entry.map(|it| it.path())).collect::<Result<_, _>>()?;
    jobs.retain(|job| partitions.contains(&partition_of(job)));
    jobs.sort();
    Ok(jobs)
}

fn partition_of(job: &Path) -> i32 {
    let mut hasher = DefaultHasher::new();
    job.file_name().hash(&mut hasher);
    i32::try_from(hasher.finish() % PARTITIONS).unwrap_or(0)
}

fn finish(job: &Path, done: &Path) -> Result<(), Failure> {
    let Some(name) = job.file_name() else { return Ok(()) };
    let count = match fs::read_to_string(job) {
        Ok(text) => text.split_whitespace().count(),
        // The one that had the partition before finished it.
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(()),
        Err(error) => return Err(error.into()),
    };
    let written = done.join(format!(".{}.{}", name.display(), std::process::id()));
    fs::write(&written, count.to_string())?;
    fs::rename(&written, done.join(name))?;
    match fs::remove_file(job) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => Err(error.into()),
        _ => Ok(()),
    }
}

fn partitions(share: &Share) -> Vec<i32> {
    let Share::Partitions(topics) = share else { return Vec::new() };
    topics.iter().flat_map(|(_, numbers)| numbers).copied().collect()
}
