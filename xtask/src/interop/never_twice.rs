//! The law of every group: at no moment has a partition two owners, by what the members said and when.

use anyhow::{Result, bail};

use super::bench::PARTITIONS;
use super::member::Member;

/// Members that have left: each has said of everything that it gave it up, and nothing was another's meanwhile.
pub fn never_twice(members: &[Member]) -> Result<()> {
    for partition in 0..PARTITIONS as i64 {
        let mut spans: Vec<(f64, f64, &str)> = Vec::new();
        for member in members {
            let mut since = None;
            for (at, owned) in &member.history {
                match (since, owned.contains(&partition)) {
                    (None, true) => since = Some(*at),
                    (Some(from), false) => {
                        spans.push((from, *at, &member.name));
                        since = None;
                    }
                    _ => {}
                }
            }
            if since.is_some() {
                bail!("{} left, and never said that it gave partition {partition} up", member.name);
            }
        }
        spans.sort_by(|a, b| a.0.total_cmp(&b.0));
        for pair in spans.windows(2) {
            let ((_, until, one), (from, _, other)) = (pair[0], pair[1]);
            if from < until {
                bail!("{one} and {other} both had partition {partition} for {:.6} s", until - from);
            }
        }
    }
    println!("    at no moment had a partition two owners");
    Ok(())
}
