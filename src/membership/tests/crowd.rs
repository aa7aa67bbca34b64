//! A whole group of members with a strategy that keeps a record: every hook of it is called, with what is true.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex};

use bytes::Bytes;
use divvy_guest::abi::reply;
use divvy_guest::abi::request::{Partitions, UserData};
use divvy_guest::prelude::{Group, Owners, Refusal};

use super::story::{config, joined, synced};
use crate::assignor::{Assignor, Budget, CallError, Export, Manifest, MemberInput};
use crate::embedded::consumer::{Assignment, Subscription};
use crate::embedded::sticky::StickyData;
use crate::ids::{Digest, Generation, MemberId};
use crate::membership::config::{Config, Purpose};
use crate::membership::event::{Event, JoinAnswer, JoinCall, Look, Peer, Sent, SyncCall};
use crate::membership::{Action, Membership, Notice, Share};
use crate::time::{Now, Timestamp, WallTime};
use crate::topics::{Topic, TopicTable};
use crate::wire::ErrorCode;

const MEMBERS: usize = 84;
const TOPICS: usize = 7;
const PARTITIONS: u32 = 24;

/// Who keeps what it had, and evenly as far as that allows; and all that it was asked.
struct Recording {
    manifest: Manifest,
    plans: Mutex<Vec<Vec<u8>>>,
    words: Mutex<Vec<(String, Option<Vec<u8>>)>>,
}

impl Assignor for Recording {
    fn manifest(&self) -> &Manifest {
        &self.manifest
    }
    fn digest(&self) -> Option<Digest> {
        Some(Digest([7; 32]))
    }
    fn call(&self, export: Export, request: &[u8], _: Budget) -> Result<Vec<u8>, CallError> {
        Ok(match export {
            Export::Assign => {
                self.plans.lock().unwrap().push(request.to_vec());
                divvy_guest::run::partitions(keep, request)
            }
            Export::UserData => {
                let asked = UserData::read(request).unwrap();
                let name = divvy_guest::abi::msgpack::Reader::new(asked.facts).raw_map("facts").unwrap();
                let facts: serde_json::Value = rmp_serde::from_slice(name).unwrap();
                let name = facts["name"].as_str().unwrap().to_owned();
                self.words.lock().unwrap().push((name.clone(), asked.last_state.map(<[u8]>::to_vec)));
                reply::user_data(Some(name.as_bytes()))
            }
            Export::Check => Vec::new(),
        })
    }
}

fn keep(group: &Group<'_>, owners: &mut Owners) -> Result<(), Refusal> {
    for topic in group.topics() {
        let readers = topic.subscribers();
        let most = topic.len().div_ceil(readers.len());
        let mut has = vec![0; group.members().len()];
        let mut free = Vec::new();
        for partition in topic.partitions() {
            match group.owner_before(partition).filter(|owner| has[owner.index()] < most) {
                Some(owner) => {
                    has[owner.index()] += 1;
                    owners.give(partition, owner);
                }
                None => free.push(partition),
            }
        }
        for partition in free {
            let least = readers.iter().min_by_key(|reader| has[reader.index()]).copied();
            let Some(least) = least else { continue };
            has[least.index()] += 1;
            owners.give(partition, least);
        }
    }
    Ok(())
}

/// One member as it runs, and what it was told.
struct Running {
    member: Membership,
    joining: Option<(Sent, JoinCall)>,
    syncing: Option<(Sent, Arc<SyncCall>)>,
    owns: Vec<i32>,
    generation: Generation,
}

/// The group, and a coordinator of few words.
struct Crowd {
    strategy: Arc<Recording>,
    members: BTreeMap<String, Running>,
    now: Now,
    generation: i32,
}

impl Crowd {
    fn topic(name: &str) -> String {
        let number: usize = name[1..].parse().unwrap();
        format!("topic-{}", number % TOPICS)
    }

    fn add(&mut self, name: &str) {
        let facts = [("name".to_owned(), name.into())].into();
        let purpose = Purpose::Topics(vec![Self::topic(name).as_str().into()]);
        let config = Config { facts, purpose, assignors: vec!["sticky".into()], ..config() };
        let member = Membership::new(config, 42, self.now);
        let (owns, generation) = (Vec::new(), Generation::NONE);
        self.members.insert(name.to_owned(), Running { member, joining: None, syncing: None, owns, generation });
        let strategy = Arc::clone(&self.strategy) as Arc<dyn Assignor>;
        self.give(name, Event::Strategies([strategy].into_iter().collect()));
    }

    fn give(&mut self, name: &str, event: Event) {
        let mut events = vec![event];
        while let Some(event) = events.pop() {
            let running = self.members.get_mut(name).unwrap();
            for action in running.member.handle(event, self.now) {
                match action {
                    Action::FindCoordinator => events.push(Event::CoordinatorFound(Peer::Other)),
                    Action::FetchTopics(sent, look) => {
                        let Look::At(names) = look else { panic!("nobody has a pattern") };
                        let topic = Topic { partitions: PARTITIONS, racks: Vec::new() };
                        let table = names.into_iter().map(|name| (name, topic.clone())).collect();
                        events.push(Event::Topics(sent, Ok(TopicTable(table))));
                    }
                    Action::Join(sent, call) => {
                        running.joining = Some((sent, call.complete(|_, error| panic!("{error}"))))
                    }
                    Action::Sync(sent, call) => running.syncing = Some((sent, call)),
                    Action::Lead(sent, job) => events.push(Event::Led(sent, Box::new(job.run()))),
                    Action::Tell(Notice::Revoke { generation, .. }) => events.push(Event::GivenUp(generation)),
                    Action::Tell(Notice::Assigned(work)) => {
                        let Share::Partitions(topics) = work.share else { panic!("no partitions") };
                        running.owns = topics.into_iter().flat_map(|(_, numbers)| numbers).collect();
                        running.generation = work.generation;
                    }
                    Action::Tell(Notice::Failed { reason, .. }) => panic!("{name}: {reason}"),
                    _ => {}
                }
            }
        }
    }

    /// A rebalance from beginning to end; the metadata that members joined with, by name.
    fn rebalance(&mut self) -> BTreeMap<String, Bytes> {
        self.generation += 1;
        let names: Vec<String> = self.members.keys().cloned().collect();
        for name in &names {
            if self.members[name].joining.is_none() {
                let member = &self.members[name].member;
                let (member, generation) = member.identity().unwrap();
                let sent = Sent { ticket: u64::MAX, generation, member };
                self.give(name, Event::Beaten(sent, ErrorCode::RebalanceInProgress));
            }
        }
        let mut said = BTreeMap::new();
        for name in &names {
            let (_, call) = self.members[name].joining.as_ref().unwrap();
            said.insert(name.clone(), call.offers[0].1.clone());
        }
        let members: Vec<MemberInput> = said
            .iter()
            .map(|(name, metadata)| MemberInput {
                id: name.as_str().into(),
                instance: None,
                metadata: metadata.clone(),
            })
            .collect();
        let leader: MemberId = names[0].as_str().into();
        for name in &names {
            let (sent, _) = self.members.get_mut(name).unwrap().joining.take().unwrap();
            let members = if *leader.as_str() == *name.as_str() { members.clone() } else { Vec::new() };
            let (member, leader) = (name.as_str().into(), leader.clone());
            let answer = JoinAnswer { leader, member, members, ..joined(self.generation, "sticky") };
            self.give(name, Event::Joined(sent, answer));
        }
        let (_, plan) = self.members[&names[0]].syncing.clone().unwrap();
        for name in &names {
            let (sent, _) = self.members.get_mut(name).unwrap().syncing.take().unwrap();
            let (_, state) = plan.states.iter().find(|(id, _)| *id == *name.as_str()).unwrap();
            self.give(name, Event::Synced(sent, synced(state.clone())));
        }
        said
    }
}

fn claim(metadata: &Bytes) -> (i32, Vec<i32>) {
    let subscription = Subscription::decode(metadata).unwrap();
    let data = StickyData::decode(subscription.tail.user_data.unwrap()).unwrap();
    assert_eq!(subscription.tail.generation, data.generation, "both places say the same");
    (data.generation, data.owned.iter().flat_map(|of| of.partitions.iter().collect::<Vec<_>>()).collect())
}

#[test]
fn b47_every_hook_is_called_and_claims_carry_the_true_generation() {
    let manifest = serde_json::from_str(r#"{"abi":"1.0","name":"sticky"}"#).unwrap();
    let strategy = Arc::new(Recording { manifest, plans: Mutex::default(), words: Mutex::default() });
    let now = Now { mono: Timestamp(1_000_000), wall: WallTime(1_700_000_000_000) };
    let mut crowd = Crowd { strategy, members: BTreeMap::new(), now, generation: 3 };
    let names: Vec<String> = (0..MEMBERS).map(|number| format!("m{number:02}")).collect();
    names.iter().for_each(|name| crowd.add(name));
    let gone: BTreeSet<&String> = names.iter().step_by(5).take(12).collect();

    let mut had: BTreeMap<String, (i32, Vec<i32>)> = BTreeMap::new();
    for step in ["all come", "12 are killed", "12 come back", "nothing happens"] {
        match step {
            "12 are killed" => crowd.members.retain(|name, _| !gone.contains(name)),
            "12 come back" => gone.iter().for_each(|name| crowd.add(name)),
            _ => {}
        }
        had.retain(|name, _| crowd.members.contains_key(name));
        let said = crowd.rebalance();
        let words = std::mem::take(&mut *crowd.strategy.words.lock().unwrap());
        assert_eq!(words.len(), said.len(), "{step}: one word for each member that joins");
        for (name, metadata) in &said {
            let before = had.get(name).cloned().unwrap_or((-1, Vec::new()));
            assert_eq!(claim(metadata), before, "{step}: {name}");
            let (_, last_state) = words.iter().find(|(of, _)| of == name).unwrap();
            let last = last_state.as_ref().map(|state| Assignment::decode(state).unwrap());
            let last =
                last.map(|it| it.topics.iter().flat_map(|of| of.partitions.iter().collect::<Vec<_>>()).collect());
            assert_eq!(last, had.get(name).map(|(_, partitions)| partitions.clone()), "{step}: {name}");
        }
        let plans = std::mem::take(&mut *crowd.strategy.plans.lock().unwrap());
        let [plan] = &plans[..] else { panic!("{step}: {} plans", plans.len()) };
        let request = Partitions::read(plan).unwrap();
        assert_eq!((request.members.len(), request.head.generation), (said.len(), crowd.generation), "{step}");
        for member in &request.members {
            assert_eq!(member.user_data, Some(member.id.as_bytes()), "{step}: its word came to the leader's strategy");
        }
        let claimed = request.claims.chunks(2).filter(|owner| **owner != [0xff, 0xff]).count();
        assert_eq!(claimed, had.values().map(|(_, partitions)| partitions.len()).sum::<usize>(), "{step}");

        let mut owned = BTreeSet::new();
        for (name, running) in &crowd.members {
            assert_eq!(running.generation, Generation(crowd.generation), "{step}: {name} was told");
            if step == "12 are killed" || step == "nothing happens" {
                let before = &had[name].1;
                assert!(before.iter().all(|it| running.owns.contains(it)), "{step}: {name} keeps what it had");
            }
            owned.extend(running.owns.iter().map(|it| (Crowd::topic(name), *it)));
            had.insert(name.clone(), (crowd.generation, running.owns.clone()));
        }
        assert_eq!(owned.len(), TOPICS * PARTITIONS as usize, "{step}: everything has an owner");
    }
}
