//! Plans of the groups that the coordinator leads: made beside the shards by the coordinator's own modules, so many at a
//! time, so that a module that does not end keeps nobody else from working.

mod choice;
#[cfg(test)]
mod tests;

use std::path::Path;
use std::sync::Arc;
use std::sync::mpsc::{Sender, channel};

use divvy_guest::abi::names;

use choice::{chosen, fallback, name, passed_over};

use super::limits::STOP_GRACE;
use super::messages::ToShard;
use super::places::Places;
use super::quiet::Quiet;
use super::spawn::{self, Loss};
use super::{Handle, lag};
use crate::assignor::capture::LedBy;
use crate::assignor::{
    Assignor, Column, FaultKind, Ground, LeaderInput, MemberInput, Named, Otherwise, Plan, ServedBy, Service,
    fingerprint, subscribed,
};
use crate::group::effects::PlanToMake;
use crate::group::event::{Fault, MadePlan, PlanOrigin};
use crate::group::{WorkId, WorkOutcome};
use crate::ids::{GroupId, Mode, Protocol};
use crate::sandbox::Captures;
use crate::text::Shown;
use crate::topics::TopicTable;

/// The one type of groups that can be served without a module.
const CONSUMER: &str = "consumer";

/// Who makes them.
pub(crate) struct PlanMaker {
    places: Arc<Places>,
    reviews: Sender<Review>,
    captures: Option<Captures>,
}

/// The strategies at hand.
pub(crate) type Strategies = Vec<Arc<dyn Assignor>>;

impl PlanMaker {
    /// With nothing to do. Reviews have a thread of their own: a change of the topics asks for one of every led group, and
    /// plan checks, which members wait for, must not wait behind them.
    pub(crate) fn start(loss: Loss, captures: Option<Captures>) -> std::io::Result<Self> {
        let (reviews, asked) = channel::<Review>();
        spawn::thread("plan review", loss, move || asked.into_iter().for_each(Review::run))?;
        Ok(Self { places: Arc::new(Places::new()), reviews, captures })
    }

    /// Waits until what was recorded is written, for a while.
    pub(crate) async fn finish(&self) {
        let Some(captures) = self.captures.clone() else { return };
        let (done, written) = tokio::sync::oneshot::channel();
        spawn::blocking("captures", Loss::One, move || {
            captures.flush(STOP_GRACE);
            let _ = done.send(());
        });
        let _ = written.await;
    }

    /// Begins a plan. Whatever happens, the group is told.
    pub(crate) fn begin(&self, handle: &Handle, shard: usize, group: GroupId, id: WorkId, plan: PlanToMake) {
        let (places, captures) = (Arc::clone(&self.places), self.captures.clone());
        let promise =
            Promise { handle: handle.clone(), shard, group, id, protocol: plan.protocol.clone(), kept: false };
        spawn::task("plan", Loss::One, async move {
            let Some(place) = places.enter(name(&plan)).await else { return };
            let (mut strategies, table) = promise.ground();
            let columns = columns(&promise.handle, &plan, &strategies, &table).await;
            let work = move || {
                // A file may have been deleted meanwhile: that is how an operator stops a module.
                let now = promise.handle.modules().strategies();
                strategies.retain(|it| now.iter().any(|still| still.digest() == it.digest()));
                let _place = place;
                let (folder, quiet) = (promise.handle.modules().folder(), promise.handle.quiet());
                let leaves_out = promise.handle.modules().leaves_out();
                let at_hand = AtHand { strategies: &strategies, folder, leaves_out, captures: captures.as_ref() };
                let began = promise.handle.clock().mono();
                let made = make(&plan, &at_hand, &table, &columns, quiet);
                let digest = made.as_ref().ok().and_then(|made| made.origin.digest);
                if let Some(module) = strategies.iter().find(|it| digest.is_some() && it.digest() == digest) {
                    module.planned(promise.handle.clock().mono() - began);
                }
                promise.keep(made);
            };
            if let Err(error) = spawn::thread("plan", Loss::One, work) {
                tracing::error!(%error, "the system gives no thread for a plan: raise `ulimit -u`");
            }
        });
    }

    /// Begins a look at what a plan would be made from now.
    pub(crate) fn review(&self, review: Review) {
        // The thread outlives everybody who can send.
        let _ = self.reviews.send(review);
    }
}

/// A look at what a plan would be made from now. It runs no module.
pub(crate) struct Review {
    pub(crate) handle: Handle,
    pub(crate) shard: usize,
    pub(crate) group: GroupId,
    pub(crate) id: WorkId,
    pub(crate) plan: PlanToMake,
}

impl Review {
    fn run(self) {
        let Self { handle, shard, group, id, plan } = self;
        let (strategies, table) = (handle.modules().strategies(), handle.topics().view());
        let (members, topics) = read(&plan, table.table());
        let outcome = WorkOutcome::PlanReviewed(of(&plan, &strategies, &topics, &members));
        handle.tell(shard, ToShard::WorkDone(group, id, outcome));
    }
}

/// A group that waits for its plan. Dropped without one, it says so: the group is told in any case.
struct Promise {
    handle: Handle,
    shard: usize,
    group: GroupId,
    id: WorkId,
    protocol: Protocol,
    kept: bool,
}

impl Promise {
    fn ground(&self) -> (Strategies, Arc<TopicTable>) {
        (self.handle.modules().strategies(), Arc::clone(self.handle.topics().view().table()))
    }

    fn keep(mut self, made: Result<MadePlan, Fault>) {
        self.kept = true;
        self.tell(made);
    }

    fn tell(&self, made: Result<MadePlan, Fault>) {
        let done = ToShard::WorkDone(self.group.clone(), self.id, WorkOutcome::PlanMade(made));
        self.handle.tell(self.shard, done);
    }
}

impl Drop for Promise {
    fn drop(&mut self) {
        if !self.kept {
            self.tell(Err(Fault {
                protocol: self.protocol.clone(),
                digest: None,
                kind: FaultKind::Busy.name().to_owned(),
                message: "the coordinator could not begin the plan".to_owned(),
            }));
        }
    }
}

/// What the strategies that may make a plan read of each partition.
async fn columns(handle: &Handle, plan: &PlanToMake, strategies: &Strategies, table: &TopicTable) -> Vec<Column> {
    let wish = plan.settings.fallback.as_deref().map(Protocol::from);
    let chosen = chosen(plan, strategies);
    let fallback = wish.as_ref().and_then(|wish| fallback(wish, chosen, plan, strategies)?.strategy);
    let reads = |it: &dyn Assignor| it.manifest().needs.iter().any(|need| need == names::LAG);
    if ![chosen, fallback].into_iter().flatten().any(reads) {
        return Vec::new();
    }
    let (_, topics) = read(plan, table);
    vec![lag::column(handle, &plan.group, &topics).await]
}

/// What plans are made with.
#[derive(Clone, Copy)]
pub(crate) struct AtHand<'a> {
    strategies: &'a Strategies,
    /// Where they come from.
    folder: Option<&'a Path>,
    /// Whether there are more files than are read.
    leaves_out: bool,
    /// Where calls are recorded, if they are.
    captures: Option<&'a Captures>,
}

/// Makes a plan, by whatever serves it. Blocks for as long as the strategies run.
pub(crate) fn make(
    plan: &PlanToMake,
    at_hand: &AtHand<'_>,
    table: &TopicTable,
    columns: &[Column],
    quiet: &Quiet,
) -> Result<MadePlan, Fault> {
    let AtHand { strategies, folder, leaves_out, captures } = *at_hand;
    let tape = captures.map(Captures::tape);
    let (members, topics) = read(plan, table);
    let chosen = Named { protocol: &plan.protocol, strategy: chosen(plan, strategies) };
    let wish = plan.settings.fallback.as_deref().map(Protocol::from);
    let fallback = wish.as_ref().and_then(|wish| fallback(wish, chosen.strategy, plan, strategies));
    let is_consumer = plan.protocol_type == CONSUMER;
    // States cannot be made up: what makes them is asked although it failed.
    let rests = chosen.strategy.filter(|_| is_consumer).and_then(|it| passed_over(it, plan));
    let led = Service {
        input: input(plan, mode(plan, chosen.strategy), &members, &topics, columns),
        chosen,
        rests,
        fallback,
        configs: &plan.settings.config,
        last_plan: Some(plan.last_states.as_slice()).filter(|last| !last.is_empty()),
        lacks: &|protocol| lacks(protocol, plan, folder) + if leaves_out { LEFT_OUT } else { "" },
        otherwise: if is_consumer { Otherwise::WholePlan } else { Otherwise::Error },
        tape: tape.as_ref(),
    }
    .run();
    let captured = captures.zip(tape).and_then(|(captures, tape)| captures.keep(tape, LedBy::Coordinator, &led));
    let fault = led.fault.map(|it| Fault {
        protocol: it.protocol,
        digest: it.digest,
        kind: it.kind.name().to_owned(),
        message: it.message,
    });
    let Some(made) = led.plan else { return Err(fault.unwrap_or_default()) };
    log(plan, &led.served_by, &made, quiet);
    Ok(MadePlan {
        served_by: in_words(&led.served_by),
        states: made.states,
        origin: Box::new(PlanOrigin {
            digest: led.digest,
            settings_hash: plan.settings.hash(),
            topics: made.topics,
            copies: made.copies,
            mode: made.mode,
            asked_ms: made.asked_ms,
            complete: made.complete,
            memo: made.memo,
            fault,
        }),
        fingerprint: of(plan, strategies, &topics, &members),
        call_again: made.call_again,
        captured,
    })
}

/// What strategies are told.
fn input<'a>(
    plan: &'a PlanToMake,
    mode: Mode,
    members: &'a [MemberInput],
    topics: &'a TopicTable,
    columns: &'a [Column],
) -> LeaderInput<'a> {
    LeaderInput {
        group: &plan.group,
        generation: plan.generation,
        protocol: &plan.protocol,
        mode,
        protocol_type: &plan.protocol_type,
        members,
        topics,
        columns,
        config: &serde_json::Value::Null,
        context: None,
        memo: plan.memo.as_deref(),
        now_ms: plan.now.0,
        budget_ms: plan.budget,
    }
}

/// What an operator should know of a plan.
fn log(plan: &PlanToMake, served_by: &ServedBy, made: &Plan, quiet: &Quiet) {
    let (group, generation) = (Shown(&plan.group), plan.generation.0);
    if *served_by != ServedBy::Chosen {
        tracing::info!(%group, generation, %served_by, "the coordinator's plan is a fall-back");
    }
    for text in made.warnings().map(Shown) {
        if let Some(left_out) = quiet.allows("plan warning") {
            tracing::warn!(%group, generation, %text, left_out, "the plan's strategy warns");
        }
    }
}

/// What may be the reason.
const LEFT_OUT: &str =
    "; it holds more files than are read, and what was left out is not known (see /modules): remove some";

/// That nothing serves a protocol.
fn lacks(protocol: &Protocol, plan: &PlanToMake, folder: Option<&Path>) -> String {
    let place = folder.map_or_else(|| "the coordinator's folder".to_owned(), |it| it.display().to_string());
    match plan.settings.alias(protocol) {
        Some(alias) => format!("no module {} (alias of {protocol}) in {place}", alias.assignor),
        None => format!("no module {protocol} in {place}"),
    }
}

/// What made a plan in place of the chosen strategy, as the end of `led by the coordinator with`.
fn in_words(served_by: &ServedBy) -> Option<String> {
    match served_by {
        ServedBy::Chosen => None,
        ServedBy::Fallback(protocol) => Some(format!("its fall-back {protocol}")),
        ServedBy::LastPlan => Some("its last plan, cut to what exists".to_owned()),
        ServedBy::NativeRange => Some("its own range".to_owned()),
        ServedBy::Nothing => Some("nothing for anybody".to_owned()),
    }
}

/// The members and the topics that they subscribe to, as far as they exist.
fn read(plan: &PlanToMake, table: &TopicTable) -> (Vec<MemberInput>, TopicTable) {
    let member = |it: &crate::group::effects::JoinedMember| MemberInput {
        id: it.id.clone(),
        instance: it.instance.clone(),
        metadata: it.metadata.clone(),
    };
    let members: Vec<MemberInput> = plan.members.iter().map(member).collect();
    let names = if plan.protocol_type == CONSUMER { subscribed(&members) } else { Vec::new() };
    let topics = names.into_iter().filter_map(|name| Some((name.clone(), table.get(name.as_str())?.clone())));
    let topics = TopicTable(topics.collect());
    (members, topics)
}

/// From what the plan is made, as a number.
fn of(plan: &PlanToMake, strategies: &Strategies, topics: &TopicTable, members: &[MemberInput]) -> u64 {
    let strategy = chosen(plan, strategies);
    let name = strategy.map_or(plan.protocol.as_str(), |it| it.manifest().name.as_str());
    fingerprint(&Ground {
        protocol: &plan.protocol,
        mode: mode(plan, strategy),
        strategy,
        config: plan.settings.config_of(name),
        topics,
        members,
        subscribe: plan.protocol_type == CONSUMER,
    })
}

/// How members hand over: as the protocol's name says, else the module.
fn mode(plan: &PlanToMake, strategy: Option<&dyn Assignor>) -> Mode {
    plan.mode.or(strategy.map(|it| it.manifest().mode)).unwrap_or_default()
}
