//! A random life: the same seed throws the same one, whatever plays it.

use serde_json::json;

use super::cast::Cast;
use super::life::{Happening, Spec, Start, Step, topic};
use super::script::words;
use crate::embedded::user_data::{Facts, RACK};
use crate::ids::TopicName;
use crate::topics::Rack;

/// Lives are about change, not about growth without end: partitions of a topic grow by at most this.
const MOST_GROWTH: u64 = 6;

/// How often something that fits is looked for before a step is time that passes.
const TRIES: usize = 32;

/// Numbers by SplitMix64: all that is asked of them is that they are the same again.
struct Dice(u64);

impl Dice {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    fn below(&mut self, bound: u64) -> u64 {
        self.next() % bound.max(1)
    }

    fn one_of<'a, T: ?Sized>(&mut self, from: &[&'a T]) -> Option<&'a T> {
        let at = usize::try_from(self.below(from.len() as u64)).ok()?;
        from.get(at).copied()
    }
}

/// So many steps of a life that begins there.
pub fn random_life(start: &Start, seed: u64, steps: usize) -> Result<Vec<Step>, String> {
    let mut life = Random { dice: Dice(seed), cast: Cast::new(start)?, born: 0, topics: 0 };
    Ok((0..steps).map(|_| life.step()).collect())
}

struct Random {
    dice: Dice,
    cast: Cast,
    born: u32,
    topics: u32,
}

impl Random {
    fn step(&mut self) -> Step {
        for _ in 0..TRIES {
            let Some(happening) = self.happening() else { continue };
            let mut next = self.cast.clone();
            // A life whose group is empty tells nothing of strategies.
            if next.apply(&happening).is_ok() && next.present().next().is_some() {
                self.cast = next;
                return Step { title: words(&happening), happenings: vec![happening] };
            }
        }
        let happening = Happening::Wait(1_000);
        Step { title: words(&happening), happenings: vec![happening] }
    }

    /// Something, in about the measure in which it happens to real groups; none if it does not fit.
    fn happening(&mut self) -> Option<Happening> {
        let dice = self.dice.below(100);
        let someone = self.someone();
        Some(match dice {
            0..20 => Happening::Join(self.newcomer()),
            20..38 => Happening::Leave(someone?),
            38..47 => Happening::Crash(someone?, None),
            // Its supervisor starts it again before its session is over.
            47..50 => Happening::Crash(someone?, Some(5_000)),
            50..66 => Happening::Back(self.dice.one_of(&self.cast.absent().collect::<Vec<_>>())?.to_owned()),
            66..74 => Happening::Restart(someone?, None),
            74..79 => Happening::RollingRestart(None),
            79..87 => {
                let topics: Vec<&TopicName> = self.cast.topics.keys().collect();
                let name = self.dice.one_of(&topics)?.clone();
                let more = 1 + self.dice.below(MOST_GROWTH) as u32;
                let partitions = self.cast.topics.get(&name)?.partitions;
                Happening::Partitions(name, partitions.saturating_add(more))
            }
            87..90 => {
                self.topics += 1;
                let (partitions, racks) = (1 + self.dice.below(2 * MOST_GROWTH) as u32, self.racks());
                Happening::NewTopic(format!("new-{}", self.topics).into(), topic(partitions, &racks, 1))
            }
            90..94 => {
                let racks = self.racks();
                Happening::LoseRack(self.dice.one_of(&racks.iter().collect::<Vec<_>>())?.clone())
            }
            94..96 => {
                let racks = self.racks();
                Happening::ReturnRack(self.dice.one_of(&racks.iter().collect::<Vec<_>>())?.clone())
            }
            _ => Happening::Facts(someone?, Facts::from([("weight".to_owned(), json!(1 + self.dice.below(4)))])),
        })
    }

    fn someone(&mut self) -> Option<String> {
        let present: Vec<&str> = self.cast.present().collect();
        self.dice.one_of(&present).map(str::to_owned)
    }

    fn newcomer(&mut self) -> Spec {
        self.born += 1;
        let mut spec = Spec { is_static: self.dice.below(4) == 0, ..Spec::new(format!("new-{}", self.born)) };
        let racks = self.racks();
        if let Some(rack) = self.dice.one_of(&racks.iter().collect::<Vec<_>>()) {
            spec.facts.insert(RACK.to_owned(), json!(rack));
        }
        spec
    }

    /// Where anybody ever stood.
    fn racks(&self) -> Vec<Rack> {
        let mut racks: Vec<Rack> =
            self.cast.actors.values().filter_map(|actor| actor.spec.rack().map(str::to_owned)).collect();
        racks.sort_unstable();
        racks.dedup();
        racks
    }
}
