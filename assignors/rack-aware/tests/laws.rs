//! The invariants of range with racks, and agreement with the passes as Kafka writes them, over many groups.

use std::collections::BTreeMap;

use divvy_assignor_rack_aware::assign;
use divvy_guest::prelude::*;
use divvy_guest::testing::{laws, random_group};

divvy_guest::laws! { assign; complete, disjoint, subscribed, balanced_by_topic, copartitioned, fixed_point, order_independent, cooperative_safe }

#[test]
fn it_equals_the_passes_as_kafka_writes_them() {
    for seed in 0..5_000 {
        let group = random_group(seed);
        assert_eq!(group.plan(assign), group.plan(reference), "seed {seed}");
    }
}

#[test]
fn a_single_topic_fits_racks_at_least_as_well_as_plain_range() {
    for seed in 0..3_000 {
        let group = random_group(seed);
        let single = group.plan(|group, _| match group.topics().len() {
            1 => Ok(()),
            _ => Err(Refusal::new("several", "more than one topic")),
        });
        if single.is_ok() {
            let (aware, plain) = (group.plan(assign).expect("a plan"), group.plan(plain).expect("a plan"));
            let (aware, plain) = (laws::rack_mismatches(&group, &aware), laws::rack_mismatches(&group, &plain));
            assert!(aware <= plain, "seed {seed}: {aware} partitions in another rack, plain range has {plain}");
        }
    }
}

/// Plain range.
fn plain(group: &Group<'_>, owners: &mut Owners) -> Result<(), Refusal> {
    group.topics().for_each(|topic| State::new(group, topic).sweep(owners, |_, _, _| true));
    Ok(())
}

/// Every pass as a plain loop over members and partitions.
fn reference(group: &Group<'_>, owners: &mut Owners) -> Result<(), Refusal> {
    let mut states: Vec<State<'_>> = group.topics().map(|topic| State::new(group, topic)).collect();
    if states.iter().any(State::aware) {
        let mut bundles: BTreeMap<(Vec<usize>, usize), Vec<usize>> = BTreeMap::new();
        for (at, state) in states.iter().enumerate() {
            let readers = state.readers.iter().map(|member| member.place()).collect();
            bundles.entry((readers, state.topic.len())).or_default().push(at);
        }
        for bundle in bundles.values() {
            match bundle[..] {
                [at] if states[at].aware() => states[at].sweep(owners, State::near),
                [_] => {}
                _ if states[bundle[0]].readers.iter().all(|member| member.rack().is_none()) => {}
                _ => co_pass(&mut states, bundle, owners),
            }
        }
    }
    states.iter_mut().for_each(|state| state.sweep(owners, |_, _, _| true));
    Ok(())
}

fn co_pass(states: &mut [State<'_>], bundle: &[usize], owners: &mut Owners) {
    for number in 0..states[bundle[0]].topic.len() {
        let fits = |place: &usize| {
            let fits_in = |&at: &usize| states[at].near(*place, number) && states[at].room(*place) > 0;
            bundle.iter().all(fits_in)
        };
        if let Some(place) = (0..states[bundle[0]].readers.len()).find(fits) {
            bundle.iter().for_each(|&at| states[at].give(owners, number, place));
        }
    }
}

struct State<'g> {
    topic: Topic<'g>,
    readers: Vec<Member<'g>>,
    racks: Vec<DetSet<usize>>,
    taken: Vec<bool>,
    got: Vec<usize>,
    extra: usize,
}

impl<'g> State<'g> {
    fn new(group: &'g Group<'_>, topic: Topic<'g>) -> Self {
        let readers = topic.subscribers();
        let of = |partition| group.replica_racks().map(|racks| racks.of(partition).collect()).unwrap_or_default();
        State {
            racks: topic.partitions().map(of).collect(),
            taken: vec![false; topic.len()],
            got: vec![0; readers.len()],
            extra: topic.len().checked_rem(readers.len()).unwrap_or(0),
            topic,
            readers,
        }
    }

    fn aware(&self) -> bool {
        let all: DetSet<usize> = self.racks.iter().flatten().copied().collect();
        let near = self.readers.iter().filter_map(|member| member.rack()).any(|rack| all.contains(&rack));
        near && self.racks.iter().any(|racks| *racks != all)
    }

    fn room(&self, place: usize) -> usize {
        (self.topic.len() / self.readers.len() + usize::from(self.extra > 0)).saturating_sub(self.got[place])
    }

    fn near(&self, place: usize, number: usize) -> bool {
        self.readers[place].rack().is_none_or(|rack| self.racks[number].contains(&rack))
    }

    fn give(&mut self, owners: &mut Owners, number: usize, place: usize) {
        self.taken[number] = true;
        self.got[place] += 1;
        self.extra -= usize::from(self.got[place] > self.topic.len() / self.readers.len());
        owners.give(self.topic.partitions().get(number).expect("in range"), self.readers[place]);
    }

    fn sweep(&mut self, owners: &mut Owners, fits: fn(&Self, usize, usize) -> bool) {
        for place in 0..self.readers.len() {
            for number in 0..self.topic.len() {
                if !self.taken[number] && self.room(place) > 0 && fits(self, place, number) {
                    self.give(owners, number, place);
                }
            }
        }
    }
}

#[test]
fn no_request_makes_it_panic() {
    for seed in 0..12 {
        let request = random_group(seed).request();
        for at in 0..request.len() {
            for value in [0, 1, 0x7f, 0x90, 0xa1, 0xc0, 0xc4, 0xff] {
                let mut changed = request.clone();
                changed[at] = value;
                divvy_guest::run::partitions(assign, &changed);
            }
        }
    }
}
