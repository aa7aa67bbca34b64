//! What copartition promises, over groups that members join and leave, that grow, and whose claims are torn.

use std::collections::{BTreeMap, BTreeSet};

use divvy_assignor_copartition::assign;
use divvy_guest::testing::{Dice, Entry, Refused, TestGroup, TestMember, TestPlan, laws};

divvy_guest::laws! { assign; complete, disjoint, subscribed, balanced_by_topic, fixed_point, order_independent, cooperative_safe }

/// A group in which `a…` and `b…` are joined and `c0` stands alone.
#[derive(Clone)]
struct World {
    topics: BTreeMap<String, u32>,
    members: BTreeMap<String, BTreeSet<String>>,
    before: BTreeMap<String, BTreeMap<String, Vec<u32>>>,
    form: &'static str,
}

const SETS: [&[&str]; 3] = [&["a0", "a1"], &["b0", "b1", "b2"], &["c0"]];

impl World {
    fn new(dice: &mut Dice) -> Self {
        let mut world =
            World { topics: BTreeMap::new(), members: BTreeMap::new(), before: BTreeMap::new(), form: "sticky" };
        for set in SETS {
            let partitions = dice.roll(9) as u32 + 1;
            world.topics.extend(set.iter().map(|topic| ((*topic).to_owned(), partitions)));
        }
        // Somebody always reads everything.
        world.members.insert("m9".into(), world.topics.keys().cloned().collect());
        world
    }

    fn step(&mut self, dice: &mut Dice) {
        let id = format!("m{}", dice.roll(7));
        match dice.roll(5) {
            0 | 1 => {
                let all = dice.once_in(2);
                let reads = self.topics.keys().filter(|_| all || !dice.once_in(3)).cloned().collect();
                self.members.insert(id, reads);
            }
            2 => drop(self.members.remove(&id)),
            3 => {
                let set = SETS[dice.roll(3) as usize];
                set.iter().for_each(|topic| *self.topics.get_mut(*topic).expect("a topic") += 1);
            }
            _ => drop(self.before.remove(&id)),
        }
    }

    fn group(&self) -> TestGroup {
        let topics = self.topics.iter();
        let mut group = topics.fold(TestGroup::new(), |group, (name, &partitions)| group.topic(name, partitions));
        for (id, reads) in &self.members {
            let mut member = TestMember::new(id).reads(reads.iter().map(String::as_str));
            for (topic, partitions) in self.before.get(id).into_iter().flatten() {
                if reads.contains(topic) {
                    member = member.owned(topic, partitions.iter().copied());
                }
            }
            group = group.member(member);
        }
        group.config("join", vec![SETS[0].to_vec(), SETS[1].to_vec()]).config("form", self.form)
    }

    fn plan(&self) -> TestPlan {
        self.group().plan(assign).expect("a plan")
    }

    fn readers(&self, set: &[&str]) -> Vec<&String> {
        let all = |reads: &BTreeSet<String>| set.iter().all(|topic| reads.contains(*topic));
        self.members.iter().filter(|(_, reads)| all(reads)).map(|(id, _)| id).collect()
    }

    /// How many bundles of a set each reader had.
    fn had(&self, set: &[&str]) -> Vec<usize> {
        let had = |id: &&String| Some(self.before.get(*id)?.get(set[0])?.len());
        self.readers(set).iter().map(|id| had(id).unwrap_or(0)).collect()
    }
}

fn holds(world: &World, plan: &TestPlan, context: &str) {
    laws::whole(&world.group(), plan);
    for set in SETS {
        let readers = world.readers(set);
        for bundle in 0..world.topics[set[0]] {
            let owners: BTreeSet<_> = set.iter().map(|topic| &plan.owners[&((*topic).to_owned(), bundle)][0]).collect();
            assert_eq!(owners.len(), 1, "{context}: bundle {bundle} of {set:?} is torn: {owners:?}");
            assert!(readers.contains(owners.first().expect("an owner")), "{context}: {owners:?} does not read {set:?}");
        }
        let sizes: Vec<usize> = readers.iter().map(|id| plan.of(id, set[0]).len()).collect();
        let (least, most) = (sizes.iter().min().expect("a reader"), sizes.iter().max().expect("a reader"));
        assert!(most - least <= 1, "{context}: bundles of {set:?}: {sizes:?}");
    }
}

/// Bundles that had an owner which still reads the set, and went to another.
fn moved(world: &World, plan: &TestPlan, set: &[&str]) -> usize {
    let readers = world.readers(set);
    let had = readers.iter().flat_map(|id| world.before.get(*id)?.get(set[0])).map(Vec::len).sum::<usize>();
    let kept = |id: &String| {
        let before = world.before.get(id).and_then(|topics| topics.get(set[0]));
        before.into_iter().flatten().filter(|bundle| plan.of(id, set[0]).contains(bundle)).count()
    };
    had - readers.iter().map(|id| kept(id)).sum::<usize>()
}

/// The fewest that have to go: everybody down to its share, and the larger shares are of those that had most.
fn fewest(had: &[usize], bundles: usize) -> usize {
    let mut had = had.to_vec();
    had.sort_unstable_by(|one, other| other.cmp(one));
    let (least, extra) = (bundles / had.len(), bundles % had.len());
    had.iter().enumerate().map(|(at, had)| had.saturating_sub(least + usize::from(at < extra))).sum()
}

#[test]
fn bundles_are_whole_and_even_and_as_few_move_as_can_be() {
    let mut run = 0;
    for seed in 0..400 {
        let mut dice = Dice::new(seed);
        let mut world = World::new(&mut dice);
        for step in 0..15 {
            world.step(&mut dice);
            let context = format!("seed {seed}, step {step}");
            let plan = world.plan();
            holds(&world, &plan, &context);
            for set in SETS {
                let bundles = world.topics[set[0]] as usize;
                assert_eq!(moved(&world, &plan, set), fewest(&world.had(set), bundles), "{context}: {set:?}");
            }
            world.before = plan.members.clone();
            assert_eq!(world.plan().members, plan.members, "{context}: planned again");
            run += 1;
        }
    }
    assert_eq!(run, 6_000);
}

/// All ways to share `bundles` evenly among `readers`: the one that moves least moves as little as the formula says.
#[test]
fn the_formula_of_the_fewest_moves_is_what_trying_all_plans_gives() {
    fn best(had: &[Option<usize>], at: usize, sizes: &mut Vec<usize>, most: usize, ups: usize) -> usize {
        if at == had.len() {
            let even = sizes.iter().filter(|&&size| size == most).count() <= ups || most * sizes.len() == had.len();
            return if even { 0 } else { usize::MAX };
        }
        let mut fewest = usize::MAX;
        for to in 0..sizes.len() {
            if sizes[to] < most {
                sizes[to] += 1;
                let moves = usize::from(had[at].is_some_and(|had| had != to));
                fewest = fewest.min(best(had, at + 1, sizes, most, ups).saturating_add(moves));
                sizes[to] -= 1;
            }
        }
        fewest
    }
    for seed in 0..300 {
        let mut dice = Dice::new(seed);
        let (bundles, readers) = (dice.roll(6) as usize + 1, dice.roll(4) as usize + 1);
        let had: Vec<Option<usize>> =
            (0..bundles).map(|_| Some(dice.roll(readers as u64 + 1) as usize).filter(|at| *at < readers)).collect();
        let counts: Vec<usize> = (0..readers).map(|at| had.iter().filter(|had| **had == Some(at)).count()).collect();
        let most = bundles.div_ceil(readers);
        let found = best(&had, 0, &mut vec![0; readers], most, bundles % readers);
        assert_eq!(fewest(&counts, bundles), found, "seed {seed}: {had:?}");
    }
}

#[test]
fn torn_claims_and_changed_sets_still_give_whole_bundles() {
    for seed in 0..2_000 {
        let mut dice = Dice::new(seed);
        let mut world = World::new(&mut dice);
        (0..6).for_each(|_| world.step(&mut dice));
        for id in world.members.keys() {
            let claimed = world.topics.iter().map(|(topic, partitions)| {
                let mine = (0..partitions + 2).filter(|_| dice.once_in(3)).collect();
                (topic.clone(), mine)
            });
            world.before.insert(id.clone(), claimed.collect());
        }
        holds(&world, &world.plan(), &format!("seed {seed}"));
    }
}

#[test]
fn the_majority_of_a_bundle_decides_who_keeps_it() {
    let group = TestGroup::new()
        .topic("x", 2)
        .topic("y", 2)
        .topic("z", 2)
        .member(TestMember::new("a").reads(["x", "y", "z"]).owned("x", [0, 1]).owned("y", [1]))
        .member(TestMember::new("b").reads(["x", "y", "z"]).owned("y", [0]).owned("z", [0]))
        .config("join", vec![vec!["x", "y", "z"]]);
    let plan = group.plan(assign).expect("a plan");
    assert_eq!((plan.of("a", "x"), plan.of("b", "x")), (&[1][..], &[0][..]));
}

#[test]
fn the_range_form_gives_runs_and_remembers_nothing() {
    for seed in 0..500 {
        let mut dice = Dice::new(seed);
        let mut world = World::new(&mut dice);
        (0..8).for_each(|_| world.step(&mut dice));
        world.form = "range";
        let plan = world.plan();
        holds(&world, &plan, &format!("seed {seed}"));
        for topics in plan.members.values() {
            for partitions in topics.values() {
                assert!(partitions.windows(2).all(|pair| pair[1] == pair[0] + 1), "seed {seed}: {partitions:?}");
            }
        }
        world.before = plan.members.clone();
        world.before.values_mut().for_each(|topics| topics.values_mut().for_each(Vec::clear));
        assert_eq!(world.plan().members, plan.members, "seed {seed}");
    }
}

fn refused(group: TestGroup) -> Refused {
    group.plan(assign).expect_err("a refusal")
}

#[test]
fn what_cannot_be_right_is_refused_with_names_and_counts() {
    let base = || TestGroup::new().topic("clicks", 4).topic("views", 3).members(2);
    let join = |group: TestGroup, sets: Vec<Vec<&str>>| group.config("join", sets);
    let unequal = refused(join(base(), vec![vec!["views", "clicks"]]));
    assert!(unequal.message.contains("clicks has 4, views has 3"), "{}", unequal.message);
    let missing = refused(join(base(), vec![vec!["clicks", "clocks"]]));
    assert_eq!(missing.code, "join_set_without_reader");
    assert!(missing.message.contains("clicks+clocks, and nobody at all reads clocks"), "{}", missing.message);
    let twice = refused(join(base(), vec![vec!["clicks"], vec!["clicks"]]));
    assert!(twice.message.contains("clicks twice"), "{}", twice.message);
    let key = refused(base().config("jion", "x"));
    assert_eq!(key.message, "config: there is no key \"jion\": did you mean \"join\"?");
    let form = refused(base().config("form", "stick"));
    assert_eq!(form.message, "config: form is \"stick\": write \"sticky\" or \"range\"");
    let remedy = "write lists of topics, such as [[\"clicks\", \"views\"]]";
    let list = refused(base().config("join", vec!["clicks", "views"]));
    assert_eq!(list.message, format!("config: join[0] is \"clicks\": {remedy}"));
    let nested = refused(
        base().config("join", vec![Entry::from(vec!["clicks", "views"]), vec![Entry::from("a"), 3.0.into()].into()]),
    );
    assert_eq!(nested.message, format!("config: join[1][1] is 3: {remedy}"));
    let text = refused(base().config("join", "clicks"));
    assert_eq!(text.message, format!("config: join is \"clicks\": {remedy}"));
    let empty = refused(join(base(), vec![vec!["clicks"], vec![]]));
    assert_eq!(empty.message, "config: join has an empty set: name its topics, or leave it out");
    assert!(join(base(), vec![vec!["gone", "away"]]).plan(assign).is_ok(), "nobody asks for that set");
}
