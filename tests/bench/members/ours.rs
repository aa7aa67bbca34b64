//! Members of divvy's: tasks of one runtime, with modules that they share.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::mpsc::{Sender, channel};
use std::time::Duration;

use anyhow::{Context, Result};
use divvy::client::{Builder, Member, Modules, Rebalance, Role, Share};
use tokio::runtime::Runtime;
use tokio::sync::oneshot;

use crate::crew::{Crew, HEARTBEAT, Kind, SESSION};
use crate::ledger::{News, now};

/// The modules of all of them.
pub fn modules() -> Result<Modules> {
    Modules::open([Path::new(env!("CARGO_MANIFEST_DIR")).join("assignors")]).context("run `cargo xtask guests`")
}

/// What a member does beside its work.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Fate {
    /// Nothing.
    Lives,
    /// When it is asked for its work it dies without a word.
    DiesAsked,
    /// It gives its work up, and dies so long after.
    DiesAfter(Duration),
}

/// How they are.
#[derive(Clone)]
pub struct Manner {
    /// Where the coordinator is.
    pub address: String,
    /// The group.
    pub group: String,
    /// The topic.
    pub topic: String,
    /// The strategy.
    pub strategy: &'static str,
    /// The session.
    pub session: Duration,
    /// Between two heartbeats.
    pub heartbeat: Duration,
}

impl Manner {
    /// With the usual times.
    pub fn new(address: &str, group: &str, topic: &str, strategy: &'static str) -> Self {
        let [address, group, topic] = [address, group, topic].map(str::to_owned);
        Self { address, group, topic, strategy, session: SESSION, heartbeat: HEARTBEAT }
    }

    /// A member that is this way.
    pub fn builder(&self, name: &str, modules: &Modules) -> Builder {
        Member::builder(&self.address, &self.group)
            .modules(modules)
            .assignor_names([self.strategy])
            .subscribe([&self.topic])
            .client_id(name)
            .session_timeout(self.session)
            .heartbeat_interval(self.heartbeat)
    }
}

/// divvy's members.
pub struct Ours {
    runtime: Runtime,
    modules: Modules,
    manner: Manner,
    tell: Sender<News>,
    orders: BTreeMap<String, (oneshot::Sender<()>, tokio::sync::watch::Sender<Fate>)>,
}

/// A crew of them.
pub fn crew(manner: Manner) -> Result<Crew<Ours>> {
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build()?;
    let (tell, news) = channel();
    Ok(Crew::new(Ours { runtime, modules: modules()?, manner, tell, orders: BTreeMap::new() }, news))
}

impl Ours {
    /// Decides how one ends.
    pub fn doom(&mut self, name: &str, fate: Fate) -> Result<()> {
        let (_, doom) = self.orders.get(name).with_context(|| format!("there is no {name}"))?;
        doom.send_replace(fate);
        Ok(())
    }
}

impl Kind for Ours {
    fn start(&mut self, name: &str, instance: Option<&str>) -> Result<()> {
        let mut builder = self.manner.builder(name, &self.modules);
        if let Some(instance) = instance {
            builder = builder.instance_id(instance);
        }
        let (stop, stopped) = oneshot::channel();
        let (doom, fate) = tokio::sync::watch::channel(Fate::Lives);
        let member = self.runtime.block_on(builder.join())?;
        let voice = Voice { name: instance.unwrap_or(name).to_owned(), tell: self.tell.clone() };
        self.runtime.spawn(live(member, voice, stopped, fate));
        self.orders.insert(name.to_owned(), (stop, doom));
        Ok(())
    }

    fn stop(&mut self, name: &str) -> Result<()> {
        let (stop, _) = self.orders.remove(name).with_context(|| format!("there is no {name}"))?;
        // One that is over has told so.
        let _ = stop.send(());
        Ok(())
    }
}

/// How a member is heard.
struct Voice {
    name: String,
    tell: Sender<News>,
}

impl Voice {
    fn say(&self, owns: &BTreeSet<i32>, leads: bool, is_over: bool) {
        let news = News { at: now(), member: self.name.clone(), owns: owns.clone(), leads, is_over };
        // Nobody listens any more when the scenario is over.
        let _ = self.tell.send(news);
    }
}

async fn live(
    mut member: Member,
    voice: Voice,
    mut stop: oneshot::Receiver<()>,
    fate: tokio::sync::watch::Receiver<Fate>,
) {
    let mut owns = BTreeSet::new();
    loop {
        let news = tokio::select! {
            news = member.next() => news,
            _ = &mut stop => break,
        };
        match news {
            Some(Rebalance::Assigned(work)) => {
                owns = partitions(&work.share);
                voice.say(&owns, work.role == Role::Leader, false);
            }
            Some(Rebalance::Revoked(work)) => {
                let fate = *fate.borrow();
                if fate == Fate::DiesAsked {
                    // Forgotten, since dropping it gives the work up.
                    std::mem::forget(work);
                    return voice.say(&BTreeSet::new(), false, true);
                }
                let revoked = partitions(work.share());
                owns.retain(|it| !revoked.contains(it));
                // Told before it is given up.
                voice.say(&owns, false, false);
                work.done();
                if let Fate::DiesAfter(time) = fate {
                    tokio::time::sleep(time).await;
                    return voice.say(&BTreeSet::new(), false, true);
                }
            }
            Some(Rebalance::Lost { share, .. }) => {
                let lost = partitions(&share);
                owns.retain(|it| !lost.contains(it));
                voice.say(&owns, false, false);
            }
            Some(Rebalance::Note(_) | Rebalance::Drained) => {}
            Some(Rebalance::Failed { reason }) => eprintln!("{}: {reason}", voice.name),
            None => break,
        }
    }
    owns.clear();
    voice.say(&owns, false, false);
    member.leave().await;
    voice.say(&owns, false, true);
}

/// The numbers of a share of the one topic.
pub fn partitions(share: &Share) -> BTreeSet<i32> {
    match share {
        Share::Partitions(topics) => topics.iter().flat_map(|(_, numbers)| numbers).copied().collect(),
        Share::State(_) => BTreeSet::new(),
    }
}
