//! What a group's life would cost under a strategy (`divvy simulate`): a scripted or random life is played against one or
//! several strategies, in virtual time, and adds up what moved, how even it was, how long nobody had what, and what the calls
//! used. Pure: it has no clock and no dice but those that it is given, so the same life is the same report.
//!
//! Members say what real ones say (`membership/played.rs`), the leader goes the way of every leader (`membership/lead.rs`:
//! claims, checks, what is held back, fall-back), and what a cooperative member loses somebody else gets a round later. What
//! is modelled is the protocol's time (`times.rs`).

mod cast;
mod effort;
pub mod from_group;
mod leader;
mod ledger;
pub mod life;
pub mod limits;
mod measure;
pub mod page;
mod play;
mod random;
pub mod report;
mod round;
pub mod script;
mod stage;
mod subject;
#[cfg(test)]
mod tests;
mod times;
mod work;

pub use life::{Happening, Reads, Spec, Start, Step};
pub use random::random_life;
pub use report::Report;
pub use subject::{Gauge, Subject, Used, native};
pub use times::Times;

use report::Size;

/// What the model does not have.
const LEFT_OUT: [&str; 6] = [
    "lost and late messages, slow members, coordinators that restart: every request is answered in one round trip",
    "suspension of a strategy that failed (each member offers this one alone): it is asked again at the next rebalance, and while it \
     fails the last plan serves only as long as it leaves nobody without work, else range",
    "a process that hangs and goes on behind its coordinator's back: who crashes is gone at once",
    "lag that grows and shrinks by itself: a strategy is told what a step says, and otherwise that it is unknown",
    "rebalance timeouts: sessions are taken to end before them",
    "types of an application's own, and what a worker of type connect needs to start a task",
];

/// Plays a life with each of the strategies. `progress` is told which one lives,
/// through which step, and how many generations of it.
pub fn simulate(
    start: &Start,
    steps: &[Step],
    times: Times,
    subjects: &[Subject],
    progress: &dyn Fn(&str, usize, usize),
) -> Result<Report, String> {
    effort::check(start, steps, subjects.len())?;
    let mut modules = Vec::new();
    for subject in subjects {
        modules.push(play::play(start, steps, times, subject, &|step, count| progress(&subject.name, step, count))?);
    }
    let topics = &start.topics.0;
    let partitions = topics.values().map(|topic| u64::from(topic.partitions)).sum();
    Ok(Report {
        seed: None,
        from_group: None,
        times,
        start: Size { members: start.members.len(), topics: topics.len(), partitions },
        modules,
        left_out: LEFT_OUT.map(str::to_owned).to_vec(),
    })
}
