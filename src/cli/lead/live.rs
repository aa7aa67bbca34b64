//! The loop of `divvy lead`: it carries what happens to [`Standing`] and does what that wants. It decides nothing.

use std::pin::Pin;
use std::time::Duration;

use anyhow::Result;
use serde_json::Value;
use tokio::time::{MissedTickBehavior, interval};

use super::events::Ended;
use super::module::Watch;
use super::plan_only::{modules, no_module, settings_refused};
use super::waits::{blocking, finished, next};
use super::{Lead, Task, events, look};
use crate::cli::clock;
use crate::cli::failure::{Failure, Kind};
use crate::cli::member::{Said, not_joined};
use crate::cli::output::{Output, plain};
use crate::cli::signals::Stop;
use crate::client::{Duty, Ending, Leading, Member, Modules, Note, Rebalance, Role, Rollout, Rules};
use crate::lead::standing::{Join, Joined};
use crate::lead::{Action, Described, Event, Saying, Standing};

mod changes;

/// Who elects the active one of several leads, and its module.
const ELECTION: (&str, &str) = ("single-writer", "active-standby");

/// The name of the group in which they do.
const ELECTION_SUFFIX: &str = ".lead";

/// Kafka's brokers take no shorter session (`group.min.session.timeout.ms`): so soon a standby knows.
const ELECTION_SESSION: Duration = Duration::from_secs(6);

/// A session has room for two lost heartbeats.
const BEATS_PER_SESSION: u32 = 3;

/// Every rebalance waits for this member to notice it: sooner than Kafka's clients, which beat every 3 s.
const HEARTBEAT_INTERVAL: Duration = Duration::from_secs(1);

/// A rebalance never waits for one that has nothing to finish; it is the time that a broker waits for it at all.
const REBALANCE_TIMEOUT: Duration = Duration::from_secs(60);

/// A new module serves that soon: a file that is copied is complete by then.
const ROLLOUT: Rollout = Rollout::Eager { within: Duration::from_secs(1) };

/// How often the file of settings is looked at, and what became of the module's.
const LOOKS_AT_FILES: Duration = Duration::from_secs(1);

/// What takes a while, and never keeps the loop from hearing its members and the wish to end.
type Work = Pin<Box<dyn Future<Output = Done>>>;

/// What came of it.
enum Done {
    Looked(Result<Described>),
    Joined(Result<Member>),
    Reviewed(Result<bool>),
    /// Whether the strategy takes these settings.
    Tried(Rules, Result<bool>),
}

/// All that the loop has.
struct Live<'a> {
    task: Task,
    flags: Lead,
    output: &'a Output,
    modules: Modules,
    rules: Rules,
    standing: Standing,
    /// What it waits for beside its members, one thing at a time: what is begun after it makes it meaningless.
    work: Option<Work>,
    /// The member of the group, while this one is active.
    target: Option<Member>,
    /// What it offers, for settings that change.
    leading: Option<Leading>,
    /// The generation whose plan this one made last.
    planned: Option<i32>,
    /// What the settings' file said last that was wrong with it.
    trouble: Option<String>,
    /// The settings that the strategy refused last.
    refused: Option<Rules>,
    /// What became of the strategy's file.
    module: Watch,
    /// Whether it was looked at whom `--fact` speaks of.
    facts_are_told: bool,
}

/// Leads until told to end.
pub async fn lead(task: Task, flags: Lead, config: Value, output: &Output) -> Result<()> {
    let mut stop = Stop::listen()?;
    let begun = tokio::select! {
        begun = begin(&task, &flags, &config, output) => begun?,
        () = stop.wished() => return tell(output, events::ended(Ended::default(), flags.session())),
    };
    let (modules, mut election) = begun;
    let standing = Standing::new(flags.wishes(election.is_some()), clock::now());
    let rules = rules(&task.assignor, config);
    let (work, target, leading, planned, trouble, refused) = (None, None, None, None, None, None);
    let module = Watch::default();
    let mut live = Live {
        task,
        flags,
        output,
        modules,
        rules,
        standing,
        work,
        target,
        leading,
        planned,
        trouble,
        refused,
        module,
        facts_are_told: false,
    };
    let done = live.run(&mut election, &mut stop).await;
    let ended = tokio::select! {
        ended = live.end(election) => ended,
        // Whoever asks twice does not want to wait.
        () = stop.wished() => Ok(()),
    };
    done.and(ended)
}

/// The modules, and the election if there is to be one. The modules are looked at before anything is joined.
async fn begin(task: &Task, flags: &Lead, config: &Value, output: &Output) -> Result<(Modules, Option<Member>)> {
    // That takes a while where there are many.
    tell(output, events::begins(&task.assignor, &super::shown(&task.folder)))?;
    let (folder, trust) = (task.folder.clone(), flags.modules.trust());
    let (leading, config) = (leading_by(task, flags, Vec::new()), config.clone());
    let modules = blocking(move || {
        let modules = modules(&folder, &[&leading.assignor, ELECTION.1], trust)?;
        match leading.strategy(&modules.strategies()).map(|it| settings_refused(it, &leading.assignor, &config)) {
            None => Err(no_module(&leading.assignor, &folder)),
            Some(Some(refused)) => Err(refused),
            Some(None) => Ok(modules),
        }
    })
    .await?;
    let strategies = modules.strategies();
    if flags.alone {
        return Ok((modules, None));
    }
    if strategies.called(ELECTION.1, ELECTION.0).is_none() {
        tell(output, events::no_election(ELECTION.1, &super::shown(&task.folder)))?;
        return Ok((modules, None));
    }
    let group = format!("{}{ELECTION_SUFFIX}", task.group);
    let builder = Member::builder(&task.cluster.brokers, &group)
        .modules(&modules)
        .client_id("divvy-lead")
        .security(task.cluster.security.clone())
        .single_writer()
        .session_timeout(ELECTION_SESSION)
        .heartbeat_interval(ELECTION_SESSION / BEATS_PER_SESSION);
    let election = builder.join().await.map_err(|error| not_joined(&error))?;
    Ok((modules, Some(election)))
}

fn tell(output: &Output, said: Said) -> Result<()> {
    output.print(&said.event, || plain(&said.text))
}

fn leading_by(task: &Task, flags: &Lead, names: Vec<(crate::ids::Protocol, crate::ids::Mode)>) -> Leading {
    Leading { assignor: task.assignor.clone(), names, spoken: flags.settings.spoken(), last_plan: None }
}

fn rules(assignor: &str, config: Value) -> Rules {
    let name = assignor.split('@').next().unwrap_or(assignor).to_owned();
    Rules { config: [(name, config)].into(), ..Rules::default() }
}

impl Live<'_> {
    async fn run(&mut self, election: &mut Option<Member>, stop: &mut Stop) -> Result<()> {
        let mut looks = interval(LOOKS_AT_FILES);
        looks.set_missed_tick_behavior(MissedTickBehavior::Delay);
        self.look_at_module()?;
        if election.is_none() {
            self.give(Event::Elected)?;
        }
        loop {
            let due = self.standing.next_deadline();
            tokio::select! {
                () = stop.wished() => return Ok(()),
                event = next(election) => self.elects(event)?,
                event = next(&mut self.target) => self.hears(event)?,
                done = finished(&mut self.work) => self.done(done)?,
                () = clock::until(due) => self.give(Event::Tick)?,
                _ = looks.tick() => {
                    self.look_at_module()?;
                    if self.flags.settings.may_change() {
                        self.look_at_settings()?;
                    }
                }
            }
        }
    }

    fn give(&mut self, event: Event) -> Result<()> {
        self.standing.handle(event, clock::now()).into_iter().try_for_each(|action| self.perform(action))
    }

    fn perform(&mut self, action: Action) -> Result<()> {
        match action {
            Action::Say(saying) => self.say(&saying)?,
            Action::Look => {
                let (cluster, group) = (self.task.cluster.clone(), self.task.group.clone());
                self.start(async move { Done::Looked(blocking(move || cluster.group(&group)).await) });
            }
            Action::Join(join) => self.join(join),
            Action::TakeOver => self.target.iter().for_each(Member::take_over),
            Action::Review => self.review(),
            Action::PlanAnew(reason) => self.target.iter().for_each(|member| member.plan_anew(reason)),
            Action::Abandon => self.abandon(),
            Action::Stop(reason) => return Err(Failure::of(Kind::Failed, reason)),
        }
        Ok(())
    }

    fn start(&mut self, work: impl Future<Output = Done> + 'static) {
        self.work = Some(Box::pin(work));
    }

    fn done(&mut self, done: Done) -> Result<()> {
        self.work = None;
        match done {
            // What cannot be led is no passing trouble.
            Done::Looked(Err(error)) if look::is_for_good(&error) => Err(error),
            Done::Looked(looked) => self.give(Event::Looked(looked.map_err(|error| format!("{error:#}")))),
            Done::Joined(member) => {
                let member = member?;
                if let Some(leading) = &self.leading {
                    // The settings may have changed meanwhile; if they have not, this changes nothing.
                    member.lead_by(leading.clone(), self.rules.clone());
                }
                self.target = Some(member);
                Ok(())
            }
            Done::Tried(rules, Ok(_)) => self.settle(rules),
            Done::Tried(rules, Err(error)) if Failure::is_of_strategy(&error) => {
                self.refused = Some(rules);
                tell(self.output, events::settings_refused(&format!("{error:#}")))
            }
            // The group rebalances or cannot be looked at: the settings are looked at again, too.
            Done::Tried(..) => Ok(()),
            Done::Reviewed(answer) => self.give(Event::Reviewed(answer.map_err(|error| format!("{error:#}")))),
        }
    }

    fn say(&self, saying: &Saying) -> Result<()> {
        tell(self.output, events::saying(saying, &self.task.group, &self.task.assignor, self.flags.session()))
    }

    fn join(&mut self, join: Join) {
        let mut leading = leading_by(&self.task, &self.flags, join.names);
        leading.last_plan = join.last_plan;
        let session = self.flags.session();
        let mut builder = Member::builder(&self.task.cluster.brokers, &self.task.group)
            .modules(&self.modules)
            .client_id("divvy-lead")
            .security(self.task.cluster.security.clone())
            .instance_id(&self.flags.instance_id)
            .session_timeout(session)
            .rebalance_timeout(REBALANCE_TIMEOUT)
            .heartbeat_interval(HEARTBEAT_INTERVAL.min(session / BEATS_PER_SESSION))
            .rollout(ROLLOUT)
            .lead(leading.clone(), self.rules.clone());
        builder = self.flags.capture.of(builder);
        if join.take_over {
            builder = builder.take_over();
        }
        (self.target, self.leading, self.planned) = (None, Some(leading), None);
        self.start(async move { Done::Joined(builder.join().await.map_err(|error| not_joined(&error))) });
    }

    /// Its place stays its own until its session ends: a member that is dropped says nothing.
    fn abandon(&mut self) {
        (self.work, self.target, self.leading) = (None, None, None);
    }

    /// What the election says.
    fn elects(&mut self, event: Option<Rebalance>) -> Result<()> {
        match event {
            None => Err(Failure::of(Kind::Failed, "this lead is out of the election: the member was ended")),
            Some(Rebalance::Failed { reason }) => {
                Err(Failure::of(Kind::Failed, format!("this lead is out of the election: {reason}")))
            }
            Some(Rebalance::Assigned(assigned)) => match assigned.duty() {
                Some(Duty::Active(_)) => self.give(Event::Elected),
                Some(Duty::Standby { active }) => self.give(Event::StoodDown(active)),
                None => Ok(()),
            },
            Some(Rebalance::Lost { .. }) => self.give(Event::StoodDown(String::new())),
            Some(Rebalance::Note(Note::CoordinatorLost { reason })) => {
                tell(self.output, events::election_away(&self.task.group, &reason))
            }
            Some(Rebalance::Note(note @ (Note::Fault { .. } | Note::NoPlan { .. }))) => {
                tracing::warn!(%note, "election");
                Ok(())
            }
            // Whoever was active stays so while the others join: the shared place in the group is what fences.
            Some(_) => Ok(()),
        }
    }

    /// What the group says.
    fn hears(&mut self, event: Option<Rebalance>) -> Result<()> {
        let Some(event) = event else {
            self.abandon();
            return self.give(Event::Out("the member was ended".to_owned()));
        };
        match event {
            Rebalance::Assigned(assigned) => {
                let joined = Joined {
                    generation: assigned.generation.0,
                    protocol: assigned.protocol,
                    leads: assigned.role == Role::Leader,
                    leader: assigned.leader.to_string(),
                    planned: self.planned == Some(assigned.generation.0),
                };
                self.give(Event::Joined(joined))
            }
            Rebalance::Failed { reason } => {
                self.abandon();
                match self.flags.alone {
                    true => Err(Failure::of(
                        Kind::Failed,
                        format!("this lead is out of group {}: {reason}", self.task.group),
                    )),
                    false => self.give(Event::Out(reason)),
                }
            }
            Rebalance::Note(note) => {
                if let Note::Planned(plan) = &note {
                    self.planned = Some(plan.generation.0);
                    self.tell_of_facts(&plan.members)?;
                }
                match &note {
                    // It looks at the file itself, also while it is no member.
                    Note::OffersChanged(_) | Note::OffersLeftOut(_) => Ok(()),
                    note => tell(self.output, events::note(note, self.leading.as_ref())),
                }
            }
            // It owns nothing that it could give up or lose.
            Rebalance::Revoked(_) | Rebalance::Lost { .. } | Rebalance::Drained => Ok(()),
        }
    }

    /// Ends in good order: a standby is elected at once, and finds the place kept, or the group is handed back.
    async fn end(&mut self, election: Option<Member>) -> Result<()> {
        let was_in = match self.target.take() {
            // It has a lasting name: it is asked nothing, and only says whether there is a place that is kept.
            Some(member) => matches!(member.leave().await, Ending::PlaceKept | Ending::Joining),
            None => false,
        };
        self.abandon();
        if was_in && self.flags.hand_back {
            let (cluster, group) = (self.task.cluster.clone(), self.task.group.clone());
            let instance = self.flags.instance_id.clone();
            blocking(move || cluster.remove(&group, &instance)).await?;
        }
        let has_election = election.is_some();
        if let Some(member) = election {
            member.leave().await;
        }
        let how = Ended { was_in, led: self.standing.leads(), handed_back: self.flags.hand_back, has_election };
        tell(self.output, events::ended(how, self.flags.session()))
    }
}
