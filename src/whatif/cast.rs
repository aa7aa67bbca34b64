//! Who is on the stage: what may happen next, judged before anything is played, so that a mistake in a script has its line.

use std::collections::BTreeMap;

use super::life::{Happening, Reads, Spec, Start, grow, overlay};
use super::limits::{self, MAX_MEMBERS, MAX_PARTITIONS, MAX_TOPICS};
use crate::ids::TopicName;
use crate::topics::{Topic, TopicTable};

/// A member, and whether it is there.
#[derive(Clone, Debug)]
pub(super) struct Actor {
    pub(super) spec: Spec,
    pub(super) is_there: bool,
}

/// The members by name, and the topics.
#[derive(Clone, Debug, Default)]
pub(super) struct Cast {
    pub(super) actors: BTreeMap<String, Actor>,
    pub(super) topics: BTreeMap<TopicName, Topic>,
}

impl Cast {
    /// The stage at the beginning.
    pub(super) fn new(start: &Start) -> Result<Self, String> {
        let mut cast = Self::of_topics(&start.topics)?;
        start.members.iter().try_for_each(|spec| cast.apply(&Happening::Join(spec.clone())))?;
        Ok(cast)
    }

    /// The stage before anybody is there.
    pub(super) fn of_topics(topics: &TopicTable) -> Result<Self, String> {
        let cast = Self { actors: BTreeMap::new(), topics: topics.0.clone() };
        cast.check_topics()?;
        Ok(cast)
    }

    /// Who is there, by name.
    pub(super) fn present(&self) -> impl Iterator<Item = &str> {
        self.actors.iter().filter(|(_, actor)| actor.is_there).map(|(name, _)| name.as_str())
    }

    /// Who is not.
    pub(super) fn absent(&self) -> impl Iterator<Item = &str> {
        self.actors.iter().filter(|(_, actor)| !actor.is_there).map(|(name, _)| name.as_str())
    }

    /// Takes in what happens; or says why it cannot, and what to do.
    pub(super) fn apply(&mut self, happening: &Happening) -> Result<(), String> {
        match happening {
            Happening::Join(spec) => self.join(spec),
            Happening::Leave(name) | Happening::Crash(name, None) => self.there(name).map(|it| it.is_there = false),
            Happening::Crash(name, Some(_)) | Happening::Restart(name, _) => self.there(name).map(drop),
            Happening::Back(name) => self.back(name),
            Happening::RollingRestart(_) if self.present().next().is_none() => {
                Err("nobody is in the group, so nobody can be restarted: let somebody join first".to_owned())
            }
            Happening::Lag(name, lags) => {
                let has = self.topics.get(name).ok_or_else(|| no_topic(name))?.partitions;
                match lags.len() != has as usize {
                    true => Err(format!(
                        "topic {name} has {has} partitions, and {} lags are said: say as many, ? for one that is unknown",
                        lags.len()
                    )),
                    false => Ok(()),
                }
            }
            Happening::RollingRestart(_) | Happening::Wait(_) => Ok(()),
            Happening::Partitions(name, count) => {
                let topic = self.topics.get_mut(name).ok_or_else(|| no_topic(name))?;
                if *count <= topic.partitions {
                    let has = topic.partitions;
                    return Err(format!(
                        "topic {name} has {has} partitions, and topics only grow: name more than {has}"
                    ));
                }
                limits::fits(u64::from(*count))?;
                grow(topic, *count);
                self.check_topics()
            }
            Happening::NewTopic(name, topic) => match self.topics.insert(name.clone(), topic.clone()) {
                None => self.check_topics(),
                Some(_) => Err(format!("there is a topic {name} already: `partitions {name} N` lets it grow")),
            },
            Happening::DropTopic(name) => self.topics.remove(name).map(drop).ok_or_else(|| no_topic(name)),
            Happening::LoseRack(rack) => self.of_rack(rack, true),
            Happening::ReturnRack(rack) => self.of_rack(rack, false),
            Happening::Facts(name, facts) => self.there(name).map(|it| overlay(&mut it.spec.facts, facts)),
            Happening::Subscribe(name, reads) => {
                self.check_reads(reads)?;
                self.there(name).map(|it| it.spec.reads = reads.clone())
            }
        }
    }

    fn join(&mut self, spec: &Spec) -> Result<(), String> {
        let name = &spec.name;
        if self.actors.contains_key(name) {
            return Err(format!(
                "there was a member {name} already: `back {name}` brings it back, or give this another name"
            ));
        }
        self.check_reads(&spec.reads)?;
        self.actors.insert(name.clone(), Actor { spec: spec.clone(), is_there: true });
        self.check_members()
    }

    fn back(&mut self, name: &str) -> Result<(), String> {
        match self.actors.get_mut(name) {
            Some(actor) if actor.is_there => {
                Err(format!("member {name} is there: only who left or crashed comes back"))
            }
            Some(actor) => {
                actor.is_there = true;
                self.check_members()
            }
            None => Err(format!("there was never a member {name}: `join {name}` brings it in")),
        }
    }

    fn there(&mut self, name: &str) -> Result<&mut Actor, String> {
        let there = self.present().collect::<Vec<_>>().join(", ");
        match self.actors.get_mut(name) {
            Some(actor) if actor.is_there => Ok(actor),
            _ if there.is_empty() => {
                Err(format!("no member {name} is in the group, nor anybody else: let it join first"))
            }
            _ => Err(format!("no member {name} is in the group: name one of {}", shortened(&there))),
        }
    }

    fn of_rack(&mut self, rack: &str, is_there: bool) -> Result<(), String> {
        let fits = |actor: &&mut Actor| actor.is_there == is_there && actor.spec.rack() == Some(rack);
        let mut found = false;
        self.actors.values_mut().filter(fits).for_each(|actor| (actor.is_there, found) = (!is_there, true));
        match (found, is_there) {
            (true, _) => self.check_members(),
            (false, true) => Err(format!("no member of the group is in rack {rack}: give members `rack={rack}`")),
            (false, false) => Err(format!("nobody of rack {rack} is away: `lose-rack {rack}` comes first")),
        }
    }

    fn check_reads(&self, reads: &Reads) -> Result<(), String> {
        let Reads::These(names) = reads else { return Ok(()) };
        names.iter().find(|name| !self.topics.contains_key(*name)).map_or(Ok(()), |name| Err(no_topic(name)))
    }

    fn check_members(&self) -> Result<(), String> {
        match self.present().count() {
            0..=MAX_MEMBERS => Ok(()),
            more => Err(format!("{more} members at once: at most {MAX_MEMBERS} are played")),
        }
    }

    fn check_topics(&self) -> Result<(), String> {
        let partitions: u64 = self.topics.values().map(|topic| u64::from(topic.partitions)).sum();
        if self.topics.len() > MAX_TOPICS {
            return Err(format!("{} topics: at most {MAX_TOPICS} are played", self.topics.len()));
        }
        match self.topics.iter().find(|(_, topic)| topic.partitions == 0) {
            Some((name, _)) => Err(format!("topic {name} has no partitions: give it one at least")),
            None if partitions > MAX_PARTITIONS => {
                Err(format!("{partitions} partitions in all: at most {MAX_PARTITIONS} are played"))
            }
            None => Ok(()),
        }
    }
}

fn no_topic(name: &TopicName) -> String {
    format!("there is no topic {name}: declare it with `topic {name} partitions=N`")
}

fn shortened(names: &str) -> String {
    const SHOWN: usize = 200;
    match names.len() > SHOWN {
        true => format!("{} …", &names[..names.floor_char_boundary(SHOWN)]),
        false => names.to_owned(),
    }
}
