//! The world of a story: one coordinator, members by name, a clock that only moves when told, and a store that does what
//! it is told.

use std::collections::BTreeMap;
use std::time::Duration;

use bytes::Bytes;
use divvy::coordinator::{Coordinator, CoordinatorConfig, HeartbeatWhileLoading, SettingsBook};
use divvy::embedded::consumer::{Assignment, TopicPartitions};
use divvy::group::effects::{Author, JoinReply, PlanToCheck, PlanToMake};
use divvy::group::event::*;
use divvy::group::{
    Effects, ForeignPlanCheck, GroupLimits, GroupSettings, Lead, Record, RecordKey, Reply, Work, count_moves,
};
use divvy::ids::{Generation, GroupId, InstanceId, MemberId, Protocol, ProtocolType, TopicName};
use divvy::time::{Now, Timestamp, WallTime};
use divvy::wire::ErrorCode;

use crate::command::Command;
use crate::print;
use words::*;

mod led;
mod words;

/// Everything that a story can touch.
pub struct World {
    coordinator: Coordinator,
    settings: GroupSettings,
    limits: GroupLimits,
    heartbeat: HeartbeatWhileLoading,
    group: GroupId,
    now_ms: u64,
    drawn: u64,
    names: BTreeMap<String, Known>,
    tickets: BTreeMap<Ticket, String>,
    /// What is durable.
    stored: BTreeMap<RecordKey, Record>,
    /// What was handed to the store and is not durable yet.
    unstored: Vec<Record>,
    upto: Seq,
    store_holds: bool,
    checks: Vec<(WorkId, PlanToCheck)>,
    /// The plans that the coordinator has to make.
    plans: Vec<(WorkId, PlanToMake)>,
    /// The coordinator's own modules.
    modules: Vec<ModuleOffer>,
    /// Stands for the topics and racks of a moment.
    ground: u64,
    checks_hold: bool,
    out: Vec<String>,
}

/// What a member knows of itself.
#[derive(Default)]
struct Known {
    id: MemberId,
    instance: Option<InstanceId>,
    generation: Generation,
    ticket: Option<Ticket>,
}

impl Default for World {
    fn default() -> Self {
        let limits = GroupLimits::default();
        Self {
            coordinator: coordinator(&limits, &GroupSettings::default(), HeartbeatWhileLoading::Ok, true),
            settings: GroupSettings::default(),
            limits,
            heartbeat: HeartbeatWhileLoading::Ok,
            group: GroupId::from("g"),
            now_ms: 0,
            drawn: 0,
            names: BTreeMap::new(),
            tickets: BTreeMap::new(),
            stored: BTreeMap::new(),
            unstored: Vec::new(),
            upto: Seq(0),
            store_holds: false,
            checks: Vec::new(),
            plans: Vec::new(),
            modules: Vec::new(),
            ground: 0,
            checks_hold: false,
            out: Vec::new(),
        }
    }
}

fn coordinator(
    limits: &GroupLimits,
    settings: &GroupSettings,
    heartbeat: HeartbeatWhileLoading,
    loaded: bool,
) -> Coordinator {
    let mut coordinator = Coordinator::new(CoordinatorConfig {
        limits: limits.clone(),
        load_wait: Duration::from_secs(5),
        heartbeat_while_loading: heartbeat,
        settings: SettingsBook::new([("*".to_owned(), settings.clone())]),
    });
    if loaded {
        coordinator.loaded(Vec::new(), Now::default(), || 0);
    }
    coordinator
}

impl World {
    /// Runs one line and gives back the machine's answers.
    pub fn run(&mut self, command: Command) -> Result<Vec<String>, String> {
        match command.verb.as_str() {
            "set" => self.set(&command)?,
            "limit" => self.limit(&command)?,
            "join" => self.join(&command)?,
            "sync" => self.sync(&command)?,
            "heartbeat" => self.heartbeat(&command)?,
            "leave" => self.leave(&command)?,
            "commit" => self.commit(&command)?,
            "fetch" => self.fetch(&command)?,
            "delete" => self.ask("admin", Event::DeleteGroup),
            "delete-offsets" => self.delete_offsets(&command)?,
            "topics-removed" => self.topics_removed(&command),
            "close" => self.close(command.word(0)?)?,
            "wait" => self.wait(command.word(0)?.parse().map_err(|_| "wait wants milliseconds")?),
            "store" => self.store(command.word(0)?)?,
            "plans" => self.plans(command.word(0)?)?,
            "make" => self.make(&command)?,
            "ground" => self.ground_changes(&command)?,
            "settings" => self.settings_change(&command)?,
            "crash" => self.crash(),
            "loaded" => self.loaded(),
            "describe" => self.describe(),
            "history" => self.history(),
            other => return Err(format!("no verb {other:?}")),
        }
        Ok(std::mem::take(&mut self.out))
    }

    /// Limits of the coordinator that comes after a crash.
    fn limit(&mut self, command: &Command) -> Result<(), String> {
        self.limits.max_size = usize::try_from(command.number("max-size", 0)?).unwrap_or(0);
        Ok(())
    }

    /// Settings and limits hold for the coordinator that the next line meets first.
    fn set(&mut self, command: &Command) -> Result<(), String> {
        for (key, value) in &command.options {
            let number = || value.parse::<u64>().map_err(|_| format!("{key}={value} is no number"));
            match key.as_str() {
                "lead" | "alias" | "fallback" => self.setting(key, value)?,
                "delay" => self.limits.initial_rebalance_delay = Duration::from_millis(number()?),
                "max-size" => self.limits.max_size = usize::try_from(number()?).unwrap_or(0),
                "commit-timeout" => self.limits.offsets_commit_timeout = Duration::from_millis(number()?),
                "retention" => self.limits.offsets_retention = Duration::from_millis(number()?),
                "check" => self.limits.offsets_check_interval = Duration::from_millis(number()?),
                "commit-check" => self.settings.commit_check = commit_check(value)?,
                "foreign" => {
                    self.settings.plan_check_foreign = match value.as_str() {
                        "off" => ForeignPlanCheck::Off,
                        "warn" => ForeignPlanCheck::Warn,
                        _ => ForeignPlanCheck::Enforce,
                    }
                }
                "assignors" => self.settings.assignors = value.split(',').map(str::to_owned).collect(),
                "load-heartbeat" => self.heartbeat = HeartbeatWhileLoading::NotReady,
                "group" => self.group = GroupId::from(value.trim_matches('"')),
                other => return Err(format!("no setting {other:?}")),
            }
        }
        self.coordinator = coordinator(&self.limits, &self.settings, self.heartbeat, true);
        self.coordinator.set_modules(self.modules.as_slice().into());
        Ok(())
    }

    fn setting(&mut self, key: &str, value: &str) -> Result<(), String> {
        match key {
            "lead" if value == "coordinator" => self.settings.lead = Lead::Coordinator,
            "lead" => self.settings.lead = Lead::Members,
            "alias" => self.settings.aliases = value.split(',').map(alias).collect(),
            "fallback" => self.settings.fallback = Some(value.to_owned()),
            "assignors" => self.settings.assignors = value.split(',').map(str::to_owned).collect(),
            other => return Err(format!("no setting {other:?}")),
        }
        Ok(())
    }

    fn join(&mut self, command: &Command) -> Result<(), String> {
        let name = command.word(0)?.to_owned();
        let known = self.names.entry(name.clone()).or_default();
        known.instance = command.options.get("instance").map(|it| it.as_str().into()).or(known.instance.take());
        let (known, instance) = (known.id.clone(), known.instance.clone());
        let version = command.number("v", 5)?;
        let offers = command.list("offers").unwrap_or_else(|| vec!["range"]);
        let session = command.number("session", 10_000)?;
        let rebalance = if version == 0 { session } else { command.number("rebalance", 60_000)? };
        let request = JoinRequest {
            member: command.options.get("as").map_or(known, |id| MemberId::from(id.trim_matches('"'))),
            instance,
            client_id: name.as_str().into(),
            client_host: "/127.0.0.1".into(),
            session_timeout: millis(session),
            rebalance_timeout: millis(rebalance),
            protocol_type: ProtocolType::from(command.text("type", "consumer").trim_matches('"')),
            protocols: match command.list("topics") {
                Some(topics) => subscribed(&offers, topics).into(),
                None => offers.iter().map(|offer| offered(offer, &name)).collect(),
            },
            skip_assignment: if version >= 9 { SkipAssignment::Understood } else { SkipAssignment::Unknown },
            handshake: if version >= 4 { IdHandshake::Required } else { IdHandshake::None },
            modules: command.list("modules").map(modules),
            reason: command.options.get("reason").map(|it| said(it)),
        };
        self.ask(&name, |ticket| Event::Join(ticket, request));
        Ok(())
    }

    fn sync(&mut self, command: &Command) -> Result<(), String> {
        let name = command.word(0)?.to_owned();
        let result = match command.options.get("error") {
            Some(kind) => LeaderResult::Error(fault(command, kind)),
            None => {
                let opaque = command.list("plan").unwrap_or_default().into_iter().map(|it| self.state(it));
                let assigned = command.list("assign").unwrap_or_default().into_iter().map(|it| self.assignment(it));
                let states = opaque.chain(assigned).collect();
                let origin = command.options.get("module").map(|digest| PlanOrigin {
                    digest: Some(digest_of(digest)),
                    settings_hash: if command.text("settings", "") == "old" { 0 } else { self.settings.hash() },
                    copies: 1,
                    complete: true,
                    memo: command.options.get("memo").map(|memo| Bytes::from(memo.clone())),
                    fault: command.options.get("fault").map(|kind| fault(command, kind)),
                    ..PlanOrigin::default()
                });
                LeaderResult::Plan { states, origin }
            }
        };
        let (member, generation) = self.identity(&name, command)?;
        let protocol = command.options.get("protocol").map(|it| Protocol::from(it.as_str()));
        let protocol_type = command.options.get("type").map(|it| ProtocolType::from(it.as_str()));
        let request = SyncRequest {
            member,
            instance: self.instance(&name, command),
            generation,
            protocol_type,
            protocol,
            result,
        };
        self.ask(&name, |ticket| Event::Sync(ticket, request));
        Ok(())
    }

    fn heartbeat(&mut self, command: &Command) -> Result<(), String> {
        let name = command.word(0)?.to_owned();
        let (member, generation) = self.identity(&name, command)?;
        let modules = command.list("modules").map(modules);
        let wait = command.options.get("wait").and_then(|ms| ms.parse().ok()).map(Duration::from_millis);
        let request = HeartbeatRequest { member, instance: self.instance(&name, command), generation, modules, wait };
        self.ask(&name, |ticket| Event::Heartbeat(ticket, request));
        Ok(())
    }

    fn leave(&mut self, command: &Command) -> Result<(), String> {
        let leaver = |name: &String| match (name.strip_prefix('@'), self.names.get(name)) {
            // An administrator's: by instance id alone.
            (Some(instance), _) => (MemberId::default(), Some(InstanceId::from(instance))),
            (None, Some(known)) => (known.id.clone(), known.instance.clone()),
            (None, None) => (MemberId::from(name.as_str()), None),
        };
        let leaver = |name| {
            let (member, instance) = leaver(name);
            Leaver { member, instance, reason: None }
        };
        let request = LeaveRequest { members: command.words.iter().map(leaver).collect() };
        self.ask(&command.words.join("+"), |ticket| Event::Leave(ticket, request));
        Ok(())
    }

    fn commit(&mut self, command: &Command) -> Result<(), String> {
        let name = command.word(0)?.to_owned();
        let (member, generation) = self.identity(&name, command)?;
        let note = usize::try_from(command.number("note", 0)?).unwrap_or(0);
        let offsets = command.list("offsets").unwrap_or_default().into_iter();
        let offsets = offsets.map(|text| offset(text, note)).collect::<Result<_, _>>()?;
        let retention = command.options.contains_key("keep").then_some(millis(command.number("keep", 0)?));
        let instance = self.instance(&name, command);
        let request = CommitRequest { member, instance, generation, retention, offsets };
        self.ask(&name, |ticket| Event::Commit(ticket, request));
        Ok(())
    }

    fn fetch(&mut self, command: &Command) -> Result<(), String> {
        let asked = |topic: &&str| topic.rsplit_once('-').and_then(|(t, p)| Some((t.into(), vec![p.parse().ok()?])));
        let partitions = command.list("of").map(|topics| topics.iter().filter_map(asked).collect());
        self.ask("reader", |ticket| Event::Fetch(ticket, FetchRequest { partitions }));
        Ok(())
    }

    fn delete_offsets(&mut self, command: &Command) -> Result<(), String> {
        let of = |text: &str| {
            let parts =
                text.rsplit_once('-').and_then(|(topic, partition)| Some((topic.into(), partition.parse().ok()?)));
            parts.ok_or_else(|| format!("{text:?} is not topic-partition"))
        };
        let partitions = command.list("of").unwrap_or_default().into_iter().map(of).collect::<Result<_, _>>()?;
        self.ask("admin", |ticket| Event::DeleteOffsets(ticket, DeleteOffsetsRequest { partitions }));
        Ok(())
    }

    fn topics_removed(&mut self, command: &Command) {
        let topics: Vec<TopicName> = command.words.iter().map(|it| it.as_str().into()).collect();
        for (_, effects) in self.coordinator.topics_removed(&topics, None, self.now()) {
            self.took_effect(effects);
        }
    }

    fn close(&mut self, name: &str) -> Result<(), String> {
        let ticket = self.names.get(name).and_then(|known| known.ticket).ok_or("nothing of it waits")?;
        self.give(Event::Closed(ticket));
        Ok(())
    }

    /// Lets time pass, from deadline to deadline.
    fn wait(&mut self, ms: u64) {
        let end = self.now_ms + ms;
        while let Some(Timestamp(at)) = self.coordinator.next_deadline().filter(|at| at.0 <= end) {
            self.now_ms = self.now_ms.max(at);
            for (_, effects) in self.coordinator.tick(self.now(), counter(&mut self.drawn)) {
                self.took_effect(effects);
            }
        }
        self.now_ms = end;
    }

    fn store(&mut self, what: &str) -> Result<(), String> {
        match what {
            "holds" => self.store_holds = true,
            "goes-on" => {
                self.store_holds = false;
                self.write();
            }
            "fails" => {
                self.store("breaks")?;
                self.store("reads")?;
            }
            "breaks" => {
                self.store_holds = false;
                self.unstored.clear();
                self.give(Event::StoreFailed);
            }
            "reads" => {
                let records = self.stored.values().cloned().collect();
                let (now, group) = (self.now(), self.group.clone());
                let effects = self.coordinator.reloaded(&group, records, now, counter(&mut self.drawn));
                self.took_effect(effects);
            }
            "refuses" => self.coordinator.set_store_refuses(true),
            "takes" => self.coordinator.set_store_refuses(false),
            other => return Err(format!("a store that {other}?")),
        }
        Ok(())
    }

    fn plans(&mut self, what: &str) -> Result<(), String> {
        match what {
            "hold" => self.checks_hold = true,
            "fine" | "bad" | "outdated" => {
                self.checks_hold = false;
                let verdict = match what {
                    "fine" => Ok(Checked::default()),
                    "outdated" => Ok(Checked { outdated: Some("t".into()), ..Checked::default() }),
                    _ => Err("t-0 has two owners".to_owned()),
                };
                for (id, _) in std::mem::take(&mut self.checks) {
                    self.give(Event::WorkDone(id, WorkOutcome::PlanChecked(verdict.clone())));
                }
            }
            other => return Err(format!("plans {other}?")),
        }
        Ok(())
    }

    /// The coordinator dies with all that was not durable; another one begins.
    fn crash(&mut self) {
        self.unstored.clear();
        self.checks.clear();
        self.plans.clear();
        self.coordinator = coordinator(&self.limits, &self.settings, self.heartbeat, false);
        self.coordinator.set_modules(self.modules.as_slice().into());
    }

    /// The store was read.
    fn loaded(&mut self) {
        let records: Vec<Record> = self.stored.values().cloned().collect();
        let (now, groups) = (self.now(), vec![(self.group.clone(), records)]);
        for (_, effects) in self.coordinator.loaded(groups, now, counter(&mut self.drawn)) {
            self.took_effect(effects);
        }
    }

    fn describe(&mut self) {
        let described = self.coordinator.describe(&self.group, self.now().wall);
        self.out.extend(print::description(described.as_ref()));
    }

    fn history(&mut self) {
        let generations = self.coordinator.history(&self.group).unwrap_or_default();
        self.out.extend(generations.iter().map(print::generation));
    }

    fn ask(&mut self, name: &str, event: impl FnOnce(Ticket) -> Event) {
        let ticket = Ticket(self.draw());
        self.tickets.insert(ticket, name.to_owned());
        if let Some(known) = self.names.get_mut(name) {
            known.ticket = Some(ticket);
        }
        self.give(event(ticket));
    }

    fn give(&mut self, event: Event) {
        let (now, entropy, group) = (self.now(), self.draw(), self.group.clone());
        let effects = self.coordinator.handle(&group, event, now, entropy);
        self.took_effect(effects);
    }

    fn took_effect(&mut self, effects: Effects) {
        self.out.extend(effects.facts.iter().filter_map(print::fact));
        for (ticket, reply) in effects.replies {
            let name = self.tickets.remove(&ticket).unwrap_or_else(|| "nobody".to_owned());
            if let Reply::Join(reply) = &reply {
                self.learn(&name, reply);
            }
            self.out.push(format!("{name} < {}", print::reply(&reply)));
        }
        self.unstored.extend(effects.records);
        self.upto = self.upto.max(effects.upto);
        let (mut reviews, mut compared) = (Vec::new(), Vec::new());
        for work in effects.work {
            match work {
                Work::CheckPlan(id, plan) => {
                    // A foreign plan that is only looked at has no news for its group if nothing is wrong.
                    let only_looked_at =
                        plan.author == Author::Foreign && self.settings.plan_check_foreign != ForeignPlanCheck::Enforce;
                    if self.checks_hold || !only_looked_at {
                        self.checks.push((id, plan));
                    }
                }
                Work::MakePlan(id, plan) => {
                    self.out.push(print::plan_to_make(&plan));
                    self.plans.push((id, plan));
                }
                Work::ReviewPlan(id) => {
                    self.out.push("* the coordinator looks whether its plan still holds".to_owned());
                    let (group, now) = (self.group.clone(), self.now().wall);
                    let Some(plan) = self.coordinator.plan_to_review(&group, id, now) else { continue };
                    reviews.push((id, self.fingerprint(&plan)));
                }
                Work::ComparePlans(id, plans) => compared.push((id, count_moves(&plans))),
            }
        }
        for (id, fingerprint) in reviews {
            self.give(Event::WorkDone(id, WorkOutcome::PlanReviewed(fingerprint)));
        }
        for (id, moved) in compared {
            let (now, group, outcome) = (self.now(), self.group.clone(), WorkOutcome::PlansCompared(moved));
            let effects = self.coordinator.handle(&group, Event::WorkDone(id, outcome), now, 0);
            self.took_effect(effects);
        }
        if !self.checks_hold && !self.checks.is_empty() {
            let _ = self.plans("fine");
        }
        if !self.store_holds && !self.unstored.is_empty() {
            self.write();
        }
    }

    fn write(&mut self) {
        for record in std::mem::take(&mut self.unstored) {
            match record {
                Record::Removed => self.stored.clear(),
                Record::OffsetRemoved(..) => drop(self.stored.remove(&record.key())),
                _ => drop(self.stored.insert(record.key(), record)),
            }
        }
        let upto = std::mem::take(&mut self.upto);
        self.give(Event::Stored(upto));
    }

    fn learn(&mut self, name: &str, reply: &JoinReply) {
        let Some(known) = self.names.get_mut(name) else { return };
        match reply.error {
            ErrorCode::UnknownMemberId => *known = Known { instance: known.instance.take(), ..Known::default() },
            ErrorCode::MemberIdRequired => known.id = reply.member.clone(),
            ErrorCode::None => {
                known.id = reply.member.clone();
                known.generation = reply.generation;
            }
            _ => {}
        }
    }

    fn identity(&self, name: &str, command: &Command) -> Result<(MemberId, Generation), String> {
        let (id, generation) = match self.names.get(name) {
            Some(known) => (known.id.clone(), known.generation),
            None => (MemberId::default(), Generation::NONE),
        };
        let id = command.options.get("as").map_or(id, |id| MemberId::from(id.trim_matches('"')));
        let generation = command.number("generation", generation.0.into())?;
        Ok((id, Generation(i32::try_from(generation).map_err(|_| "a generation is 32 bits")?)))
    }

    /// What a member says of its instance id: the truth, unless the story has it say something else.
    fn instance(&self, name: &str, command: &Command) -> Option<InstanceId> {
        match command.options.get("instance").map(String::as_str) {
            Some("none") => None,
            Some(other) => Some(other.into()),
            None => self.names.get(name).and_then(|known| known.instance.clone()),
        }
    }

    /// `A:bytes`.
    fn state(&self, text: &str) -> (MemberId, Bytes) {
        let (name, bytes) = text.split_once(':').unwrap_or((text, ""));
        let id = self.names.get(name).map_or_else(|| MemberId::from(name), |known| known.id.clone());
        (id, Bytes::from(bytes.to_owned()))
    }

    /// `A:t-0+t-1`: an assignment as consumers read it.
    fn assignment(&self, text: &str) -> (MemberId, Bytes) {
        let (id, partitions) = self.state(text);
        let text = String::from_utf8_lossy(&partitions).into_owned();
        let mut topics: BTreeMap<&str, Vec<i32>> = BTreeMap::new();
        for (topic, partition) in text.split('+').filter_map(|it| it.rsplit_once('-')) {
            topics.entry(topic).or_default().push(partition.parse().unwrap_or(-1));
        }
        let owned = |(topic, of): (_, Vec<i32>)| TopicPartitions { topic, partitions: of.into_iter().collect() };
        let assignment = Assignment { topics: topics.into_iter().map(owned).collect(), user_data: None };
        (id, assignment.encode().into())
    }

    fn now(&self) -> Now {
        Now { mono: Timestamp(self.now_ms), wall: WallTime(i64::try_from(self.now_ms).unwrap_or(0)) }
    }

    fn draw(&mut self) -> u64 {
        counter(&mut self.drawn)()
    }
}
