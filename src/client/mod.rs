//! A member of a group, in any process: it joins, is told its work, gives it up when asked, leads when chosen.
//!
//! It works against divvy and against any broker that speaks Kafka's group protocol. What to do when is decided by
//! [`crate::membership`]; here are the sockets, the task and the clock around it.
//!
//! ```no_run
//! # async fn example() -> Result<(), divvy::client::JoinError> {
//! use divvy::client::{Member, Rebalance};
//!
//! let mut member = Member::builder("127.0.0.1:9092", "search-indexers")
//!     .assignors("assignors") // a folder, watched
//!     .subscribe(["clicks", "queries"])
//!     .fact("rack", "eu-1a")
//!     .join()
//!     .await?;
//! while let Some(rebalance) = member.next().await {
//!     match rebalance {
//!         Rebalance::Assigned(work) => println!("generation {}: {:?}", work.generation, work.share),
//!         Rebalance::Revoked(work) => work.done(), // after finishing it
//!         Rebalance::Lost { reason, .. } => println!("stop at once: {reason}"),
//!         Rebalance::Drained => println!("handed over"), // after `member.drain()`, until `member.resume()`
//!         Rebalance::Failed { reason } => println!("out of the group: {reason}"),
//!         Rebalance::Note(note) => println!("{note}"),
//!     }
//! }
//! # Ok(())
//! # }
//! ```

mod builder;
mod calls;
pub(crate) mod clock;
mod commit;
mod coordinator;
mod data;
mod error;
mod inbox;
mod journal;
mod lag;
mod limits;
mod metrics;
mod news;
mod retry;
mod runtime;
mod shelf;
mod spawn;
mod take_over;
mod told;
mod topics;

use tokio::sync::mpsc;

pub use builder::Builder;
use bytes::Bytes;
pub use commit::Offset;
pub use error::{CommitError, FetchError, JoinError, Unreachable};
use inbox::Inbox;
pub use metrics::Metrics;
pub use news::{Note, Rebalance, Revoked};
use runtime::News;
pub use shelf::Modules;
use spawn::Task;
pub use told::{Duty, Writer};
pub(crate) use topics::table as topic_table;

pub use crate::embedded::connect::context as connectors;
use crate::ids::TopicName;
use crate::membership::change::Change;
pub use crate::membership::lead::Rules;
pub use crate::membership::leading::{Leading, Planned};
pub use crate::membership::{Assigned, Cause, Ending, Role, Rollout, Share, StandIn};
use crate::membership::{Event, Notice};
pub use crate::sandbox::{CaptureBounds, Captures, CapturesError};

/// A running member. Dropping it ends it without a word, and its work stays its own until its session ends:
/// [`Member::leave`] hands over at once.
#[derive(Debug)]
pub struct Member {
    inbox: Inbox,
    news: mpsc::Receiver<News>,
    metrics: Metrics,
    task: Task,
    /// What became of its place, once that is known.
    ending: Option<Ending>,
}

impl Member {
    /// Describes a member of a group. `bootstrap` is one `HOST:PORT` or several, separated by commas.
    pub fn builder(bootstrap: &str, group: &str) -> Builder {
        Builder::new(bootstrap, group)
    }

    /// The next thing that happened to the member; none when it has left or failed. A member whose application does
    /// not ask for so long that 256 of them lie here is ended.
    pub async fn next(&mut self) -> Option<Rebalance> {
        match self.news.recv().await? {
            News::Notice(notice) => {
                self.note_ending(&notice);
                news::rebalance(notice, &self.inbox)
            }
            News::Note(note) => Some(Rebalance::Note(note)),
        }
    }

    fn note_ending(&mut self, notice: &Notice) {
        if let Notice::Failed { ending, .. } | Notice::Ended(ending) = notice {
            self.ending = Some(ending.clone());
        }
    }

    /// Commits how far the work has come, in the name of the present generation: a member that lost its work is refused.
    /// What is being given up can be committed until it is [`Revoked::done`].
    pub async fn commit(&self, offsets: Vec<Offset>) -> Result<(), CommitError> {
        retry::commit(&self.inbox, offsets).await
    }

    /// Takes the lead of the running group, for a member that is in it to lead ([`Builder::lead`]): everybody else is removed,
    /// and joins again behind this one. What they had is lost to them once.
    pub fn take_over(&self) {
        self.inbox.event(Event::TakeOver);
    }

    /// Makes a new plan soon, if this member leads.
    pub fn plan_anew(&self, reason: impl Into<String>) {
        self.inbox.event(Event::PlanAnew(reason.into()));
    }

    /// Leads in another way from now on, for a member that is in the group to lead ([`Builder::lead`]).
    pub fn lead_by(&self, leading: Leading, rules: Rules) {
        self.inbox.event(Event::LeadBy(Box::new(leading), rules));
    }

    /// How far the group has come with these partitions, its own or any others: those of which nothing is committed are
    /// left out.
    pub async fn committed(&self, partitions: &[(TopicName, Vec<i32>)]) -> Result<Vec<Offset>, FetchError> {
        retry::committed(&self.inbox, partitions).await
    }

    /// A fact of this member has that value from now on. The group learns of it, and of all that changes within a second,
    /// in one rebalance; what is what it was costs none.
    pub fn set_fact(&self, name: impl Into<String>, value: impl Into<serde_json::Value>) {
        self.change(Change::Fact(name.into(), Some(value.into())));
    }

    /// It is no fact any more; told likewise.
    pub fn remove_fact(&self, name: impl Into<String>) {
        self.change(Change::Fact(name.into(), None));
    }

    /// What the member says of itself, for protocol types of the application's own; told likewise. Types `consumer` and
    /// `connect` have a form of their own, and pass it over.
    pub fn set_metadata(&self, metadata: impl Into<Bytes>) {
        self.change(Change::Metadata(metadata.into()));
    }

    /// What the application gives the strategy when this member leads, for types other than `consumer`. If it leads now, the
    /// group gets a new plan, likewise.
    pub fn set_context(&self, context: impl Into<Bytes>) {
        self.change(Change::Context(context.into()));
    }

    /// How far this worker has read the configuration of connectors, for type `connect`; told likewise.
    pub fn set_config_offset(&self, offset: i64) {
        self.change(Change::ConfigOffset(offset));
    }

    fn change(&self, change: Change) {
        self.inbox.event(Event::Change(change));
    }

    /// Hands everything over, and stays out of the group until [`Member::resume`]: the application is told to give up all
    /// that it has, and [`Rebalance::Drained`] when the others have it. A member with an instance id leaves as well.
    pub fn drain(&self) {
        self.inbox.event(Event::Drain);
    }

    /// Joins the group again, or does not leave it after all.
    pub fn resume(&self) {
        self.inbox.event(Event::Resume);
    }

    /// What this member counts.
    pub fn metrics(&self) -> &Metrics {
        &self.metrics
    }

    /// Leaves the group: the others get the work now, not after a session timeout. A coordinator that cannot be reached is
    /// tried for three seconds. A member with an instance id only ends: it is expected back. Says what became of its place.
    pub async fn leave(mut self) -> Ending {
        self.inbox.event(Event::Leave);
        while let Some(news) = self.news.recv().await {
            if let News::Notice(notice) = news {
                self.note_ending(&notice);
            }
        }
        drop(self.task);
        // One that ends for want of somebody who takes its news says nothing more.
        let reason = "its application did not take its news, which ended it".to_owned();
        let unheard = || Ending::NotLeft { reason, is_silent: false };
        self.ending.unwrap_or_else(unheard)
    }
}
