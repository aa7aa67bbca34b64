//! Co-partitioning: partition `i` of each topic of a join set goes to one member, as one *bundle*.
//!
//! Only members that read all topics of a set get bundles of it, and each gets the same number or one more. In the form
//! [`Form::Range`] every member has one run of bundles and nothing is remembered. In the form [`Form::Sticky`] a bundle stays with the
//! member that had most of it, as far as the numbers allow. A set whose topics differ in their number of partitions, or that nobody
//! reads as a whole, is refused: a join over it would silently miss rows.
//!
//! ```
//! use divvy_guest::prelude::*;
//! use divvy_guest::strategy::copartition::{Copartition, Form, JoinSet};
//!
//! /// Clicks are joined with views; every other topic is a set of its own.
//! fn assign(group: &Group<'_>, owners: &mut Owners) -> Result<(), Refusal> {
//!     let sets = JoinSet::of(group.topics(), &[vec!["clicks", "views"]])?;
//!     let mut shares = Copartition::new(group, Form::Sticky);
//!     for set in sets {
//!         shares.give(&set, owners)?;
//!     }
//!     Ok(())
//! }
//! # use divvy_guest::testing::TestGroup;
//! # let plan = TestGroup::new().topic("clicks", 3).topic("views", 3).members(2).plan(assign).expect("a plan");
//! # assert_eq!((plan.of("m-00", "clicks"), plan.of("m-00", "views")), (&[0, 2][..], &[0, 2][..]));
//! ```

use crate::refusal::push_number;
use crate::strategy::order::{self, Lowest};
use crate::{Group, Member, Owners, Refusal, Topic, Values};

/// The setting `join` of a configuration: lists of topics. `None` when it is not there.
pub fn join_of<'a>(config: &Values<'a>) -> Result<Option<Vec<Vec<&'a str>>>, Refusal> {
    config.text_lists("join", "write lists of topics, such as [[\"clicks\", \"views\"]]")
}

/// The setting `form` of a configuration.
pub fn form_of(config: &Values<'_>) -> Result<Form, Refusal> {
    let form = config.choice("form", &["sticky", "range"])?;
    Ok(if form == Some(1) { Form::Range } else { Form::Sticky })
}

/// How bundles are given.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Form {
    /// One run of bundles for each member, in Kafka's order.
    Range,
    /// A bundle stays with the member that had most of it.
    #[default]
    Sticky,
}

/// Topics whose partitions of one number go together.
#[derive(Clone, Debug)]
pub struct JoinSet<'g> {
    /// By name; never empty, all of one size.
    topics: Vec<Topic<'g>>,
}

impl<'g> JoinSet<'g> {
    /// Topics by name, of which there is at least one; they need the same number of partitions.
    fn new(topics: Vec<Topic<'g>>) -> Result<Self, Refusal> {
        match topics.windows(2).any(|pair| pair[0].len() != pair[1].len()) {
            true => Err(unequal(&topics)),
            false => Ok(JoinSet { topics }),
        }
    }

    /// The named sets among some topics, which come by name, and every other one of these as a set of its own; ordered by the first topic
    /// of each. A set of which no topic is there at all is left out: nobody asks for it.
    pub fn of(topics: impl Iterator<Item = Topic<'g>>, join: &[Vec<&str>]) -> Result<Vec<Self>, Refusal> {
        let topics: Vec<Topic<'g>> = topics.filter(|topic| topic.len() > 0).collect();
        let mut taken = vec![false; topics.len()];
        let mut sets: Vec<Vec<usize>> = Vec::new();
        let mut order = Vec::with_capacity(topics.len());
        for join in join {
            let mut set = Vec::new();
            let mut missing = None;
            for name in join {
                match topics.binary_search_by(|topic| topic.name().cmp(name)) {
                    Ok(at) if std::mem::replace(&mut taken[at], true) => return Err(twice(name)),
                    Ok(at) => set.push(at),
                    Err(_) => missing = missing.or(Some(*name)),
                }
            }
            if let Some(missing) = missing.filter(|_| !set.is_empty()) {
                return Err(without_reader(&join.join("+"), missing));
            }
            let mut keys: Vec<u128> = set.iter().map(|&at| at as u128).collect();
            order::sort(&mut keys);
            let set: Vec<usize> = keys.into_iter().map(|at| at as usize).collect();
            if let Some(&first) = set.first() {
                order.push(order::key(first as u64, sets.len() as u32, 1));
                sets.push(set);
            }
        }
        let alone = (0..topics.len()).filter(|&at| !taken[at]);
        order.extend(alone.map(|at| order::key(at as u64, 0, 0)));
        order::sort(&mut order);
        let mut made = Vec::with_capacity(order.len());
        for key in order {
            let alone = [order::first(key) as usize];
            let set = if order::third(key) == 1 { &sets[(key >> 32) as u32 as usize][..] } else { &alone };
            made.push(JoinSet::new(set.iter().map(|&at| topics[at]).collect())?);
        }
        Ok(made)
    }

    /// Its topics.
    pub fn topics(&self) -> &[Topic<'g>] {
        &self.topics
    }

    /// The members that read all of them, in Kafka's order.
    pub fn readers(&self) -> Vec<Member<'g>> {
        let mut readers = self.topics[0].subscribers();
        for pair in self.topics.windows(2).filter(|pair| !pair[0].has_same_subscribers(pair[1])) {
            readers.retain(|reader| reader.subscribes(pair[1]));
        }
        readers
    }
}

/// Gives one join set after another, and knows what everybody has by now.
#[derive(Debug)]
pub struct Copartition<'g> {
    group: &'g Group<'g>,
    form: Form,
    /// Partitions by member index.
    loads: Vec<u32>,
    /// For each member index its place among the readers of the set at hand.
    places: Vec<u32>,
    /// By place: partitions of a bundle while these are counted, and a bundle that is kept. Empty between two questions.
    votes: Vec<u32>,
    kept: Vec<u32>,
    /// These readers by what they have, once a set has fewer bundles than readers. Keys may be too low: loads only grow.
    queue: Option<Lowest>,
    /// The readers of the set before, if that was a topic of its own: the next one mostly has the same.
    before: Option<(Topic<'g>, Vec<Member<'g>>)>,
}

const NOBODY: u32 = u32::MAX;

impl<'g> Copartition<'g> {
    /// Nobody has anything yet.
    pub fn new(group: &'g Group<'_>, form: Form) -> Self {
        let members = group.members().len();
        Copartition {
            group,
            form,
            loads: vec![0; members],
            places: vec![NOBODY; members],
            votes: vec![0; members],
            kept: vec![NOBODY; members],
            queue: None,
            before: None,
        }
    }

    /// What members have from elsewhere counts where a set leaves a choice: partitions by member index.
    pub fn with_loads(mut self, loads: Vec<u32>) -> Self {
        self.loads = loads;
        self.loads.resize(self.group.members().len(), 0);
        self
    }

    /// What members have by now: partitions by member index.
    pub fn loads(&self) -> &[u32] {
        &self.loads
    }

    /// Gives all bundles of a set. Refuses one of several topics that nobody reads as a whole.
    pub fn give(&mut self, set: &JoinSet<'g>, owners: &mut Owners) -> Result<(), Refusal> {
        let readers = match (self.before.take(), &set.topics[..]) {
            (Some((before, readers)), [topic]) if before.has_same_subscribers(*topic) => readers,
            _ => {
                let readers = set.readers();
                self.queue = None;
                self.places.fill(NOBODY);
                (0..).zip(&readers).for_each(|(place, reader)| self.places[reader.index()] = place);
                readers
            }
        };
        if readers.is_empty() && set.topics.len() > 1 {
            let names: Vec<&str> = set.topics.iter().map(|topic| topic.name()).collect();
            return Err(without_reader(&names.join("+"), ""));
        }
        if !readers.is_empty() {
            self.give_to(set, &readers, owners);
        }
        if let [topic] = set.topics[..] {
            self.before = Some((topic, readers));
        }
        Ok(())
    }

    fn give_to(&mut self, set: &JoinSet<'g>, readers: &[Member<'g>], owners: &mut Owners) {
        let owner = match self.form {
            Form::Range => range(set.topics[0].len(), readers.len()),
            Form::Sticky if set.topics[0].len() < readers.len() => self.sticky_few(set, readers),
            Form::Sticky => self.sticky(set, readers),
        };
        for &topic in &set.topics {
            let mut partitions = topic.partitions();
            for run in owner.chunk_by(|one, next| one == next) {
                owners.give_run(partitions.take_front(run.len()), readers[run[0] as usize]);
            }
        }
        for &place in &owner {
            self.loads[readers[place as usize].index()] += set.topics.len() as u32;
        }
    }

    /// For each bundle its reader: who had most of it, then who has least.
    fn sticky(&mut self, set: &JoinSet<'g>, readers: &[Member<'g>]) -> Vec<u32> {
        let (mut owner, held) = self.majority(set);
        let mut counts = vec![0_u32; readers.len()];
        owner.iter().filter(|&&place| place != NOBODY).for_each(|&place| counts[place as usize] += 1);
        trim(&mut owner, &held, &mut counts);
        // The free ones, lowest first: each goes to a reader with the fewest bundles; ties to the fewest partitions of all sets, then
        // to member order. Readers are walked level by level, which is linear, since together they have as many levels as bundles.
        let load = |reader: &Member<'_>| u64::from(self.loads[reader.index()]);
        let mut order: Vec<u128> =
            (0..).zip(readers).map(|(place, reader)| order::key(load(reader), 0, place)).collect();
        order::sort(&mut order);
        let mut level = counts.iter().copied().min().unwrap_or(0);
        let mut free = owner.iter_mut().filter(|place| **place == NOBODY);
        loop {
            let order = order.iter().map(|&key| order::third(key));
            for place in order.filter(|&place| counts[place as usize] == level) {
                match free.next() {
                    Some(bundle) => *bundle = place,
                    None => return owner,
                }
            }
            counts.iter_mut().filter(|count| **count == level).for_each(|count| *count += 1);
            level += 1;
        }
    }

    /// The same where there are fewer bundles than readers: nobody gets two, and nobody is looked at who gets none.
    fn sticky_few(&mut self, set: &JoinSet<'g>, readers: &[Member<'g>]) -> Vec<u32> {
        let (mut owner, held) = self.majority(set);
        for bundle in 0..owner.len() {
            let Some(kept) = self.kept.get_mut(owner[bundle] as usize) else { continue };
            match *kept {
                NOBODY => *kept = bundle as u32,
                other if held[bundle] > held[other as usize] => {
                    owner[other as usize] = NOBODY;
                    *kept = bundle as u32;
                }
                _ => owner[bundle] = NOBODY,
            }
        }
        let mut queue = self.queue.take().unwrap_or_else(|| {
            let load = |reader: &Member<'_>| u64::from(self.loads[reader.index()]);
            Lowest::of((0..).zip(readers).map(|(place, reader)| order::key(load(reader), 0, place)).collect())
        });
        let mut aside = Vec::new();
        for bundle in owner.iter_mut().filter(|place| **place == NOBODY) {
            while let Some(lowest) = queue.peek() {
                let place = order::third(lowest);
                let load = u64::from(self.loads[readers[place as usize].index()]);
                if load > order::first(lowest) {
                    queue.replace(Some(order::key(load, 0, place)));
                    continue;
                }
                queue.pop();
                aside.push(lowest);
                if self.kept[place as usize] == NOBODY {
                    *bundle = place;
                    break;
                }
            }
        }
        aside.into_iter().for_each(|key| queue.push(key));
        owner.iter().for_each(|&place| self.kept[place as usize] = NOBODY);
        self.queue = Some(queue);
        owner
    }

    /// For each bundle the reader that had most of it, ties by member order, and how many of its partitions that were.
    fn majority(&mut self, set: &JoinSet<'_>) -> (Vec<u32>, Vec<u32>) {
        let bundles = set.topics[0].len();
        let (mut owner, mut held) = (vec![NOBODY; bundles], vec![0; bundles]);
        if self.group.claim_layers() == 0 {
            return (owner, held);
        }
        let mut voted = Vec::with_capacity(set.topics.len());
        for bundle in 0..bundles {
            let partitions = set.topics.iter().filter_map(|topic| topic.partitions().get(bundle));
            let before = partitions.filter_map(|partition| self.group.owner_before(partition));
            voted.extend(before.map(|member| self.places[member.index()]).filter(|&place| place != NOBODY));
            voted.iter().for_each(|&place| self.votes[place as usize] += 1);
            for place in voted.drain(..) {
                let count = std::mem::take(&mut self.votes[place as usize]);
                if count > held[bundle] || (count == held[bundle] && place < owner[bundle] && count > 0) {
                    (owner[bundle], held[bundle]) = (place, count);
                }
            }
        }
        (owner, held)
    }
}

/// Who has too many bundles gives up those of which it had least, and of these the highest; those with most may keep one more.
fn trim(owner: &mut [u32], held: &[u32], counts: &mut [u32]) {
    let (least, mut extra) = ((owner.len() / counts.len()) as u32, owner.len() % counts.len());
    let over = (0..).zip(counts.iter()).filter(|&(_, &count)| count > least);
    let mut over: Vec<u128> = over.map(|(place, &count)| order::key(u64::from(u32::MAX - count), 0, place)).collect();
    order::sort(&mut over);
    let mut gives = vec![0_u32; counts.len()];
    for place in over.into_iter().map(order::third) {
        let most = least + u32::from(extra > 0);
        extra -= usize::from(extra > 0);
        gives[place as usize] = counts[place as usize] - most;
        counts[place as usize] = most;
    }
    let mut pieces = 1;
    while gives.iter().any(|&gives| gives > 0) {
        // In each round those go of which the reader had so many partitions; nearly always all bundles were whole.
        for (place, _) in owner.iter_mut().zip(held).rev().filter(|(_, held)| **held == pieces) {
            if *place != NOBODY && gives[*place as usize] > 0 {
                gives[*place as usize] -= 1;
                *place = NOBODY;
            }
        }
        pieces += 1;
    }
}

fn range(bundles: usize, readers: usize) -> Vec<u32> {
    let (least, extra) = (bundles / readers, bundles % readers);
    let share = |place: usize| std::iter::repeat_n(place as u32, least + usize::from(place < extra));
    (0..readers).flat_map(share).collect()
}

fn unequal(topics: &[Topic<'_>]) -> Refusal {
    let mut text = String::from("the topics of a join set need the same number of partitions, but ");
    for (at, topic) in topics.iter().enumerate() {
        text.push_str(if at == 0 { "" } else { ", " });
        text.push_str(topic.name());
        text.push_str(" has ");
        push_number(&mut text, topic.len() as u64);
    }
    text.push_str(": make them equal, or take them out of config.join");
    Refusal::new("join_partition_count_mismatch", text)
}

fn without_reader(names: &str, missing: &str) -> Refusal {
    let mut text = String::from("no member reads all topics of the join set ");
    text.push_str(names);
    if !missing.is_empty() {
        text.push_str(", and nobody at all reads ");
        text.push_str(missing);
        text.push_str(", or it does not exist");
    }
    text.push_str(": subscribe to all of them, or take the set out of config.join");
    Refusal::new("join_set_without_reader", text)
}

fn twice(name: &str) -> Refusal {
    let mut text = String::from("config: join names the topic ");
    text.push_str(name);
    text.push_str(" twice: a topic belongs to one join set");
    Refusal::new("bad_config", text)
}
