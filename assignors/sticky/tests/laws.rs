//! What is promised, in many groups that live.

#[path = "../../life.rs"]
mod life;

use divvy_assignor_sticky::assign;
use divvy_guest::testing::{TestGroup, TestMember, laws};
use life::World;

divvy_guest::laws! { assign; complete, disjoint, subscribed, balanced(1), sticky, fixed_point, order_independent, cooperative_safe }

fn each_plan(check: impl Fn(&World)) {
    life::each_plan(assign, false, check);
}

/// S1 and S8 hold of every plan that is made here (`World::plan`), whatever was claimed.
#[test]
fn no_single_move_makes_a_plan_more_even() {
    each_plan(|world| life::no_single_move_helps(world, &world.plan(assign)));
}

#[test]
fn with_equal_subscriptions_sizes_differ_by_one_and_moves_are_the_fewest() {
    each_plan(|world| {
        if world.alike && !world.members.is_empty() {
            let plan = world.plan(assign);
            laws::balanced(&plan, 1);
            life::moves_are_the_fewest(world, &plan);
        }
    });
}

#[test]
fn b38_a_plan_made_of_its_own_outcome_moves_nothing() {
    each_plan(|world| {
        let plan = world.plan(assign);
        let mut next = world.clone();
        next.take_over(&life::whole(&plan));
        assert_eq!(next.plan(assign).owners, plan.owners, "{world:#?}");
    });
}

#[test]
fn nobody_swaps_partitions_of_one_topic() {
    each_plan(|world| life::nobody_swaps(world, &world.plan(assign)));
}

#[test]
fn who_joins_is_the_only_one_to_get_something_and_who_leaves_the_only_one_to_lose() {
    for seed in 0..life::WORLDS {
        let mut world = World::of(seed, false, true);
        let plan = world.plan(assign);
        world.take_over(&life::whole(&plan));
        let there: Vec<String> = world.members.keys().cloned().collect();
        world.joins();
        if world.members.len() > there.len() {
            let joined = world.plan(assign);
            assert!(life::moves(&world, &joined).iter().all(|(_, _, to)| !there.contains(to)), "{world:#?}");
            world.take_over(&life::whole(&joined));
        }
        if world.members.len() > 1 {
            world.leaves();
            assert_eq!(life::moves(&world, &world.plan(assign)), [], "{world:#?}");
        }
    }
}

#[test]
fn the_highest_generation_wins_and_a_claim_of_two_is_void() {
    let mut world = World::new(1, false);
    world.topics = [("t".to_owned(), life::Topic { partitions: 3, racks: Vec::new() })].into();
    let one = |owned: &[u32], generation| life::One {
        topics: ["t".to_owned()].into(),
        owned: owned.iter().map(|number| ("t".to_owned(), *number)).collect(),
        generation,
        ..life::One::default()
    };
    world.members = [("a", one(&[0, 1], 6)), ("b", one(&[1, 2], 7))].map(|(id, one)| (id.to_owned(), one)).into();
    let plan = world.plan(assign);
    assert_eq!((plan.of("a", "t"), plan.of("b", "t")), (&[0][..], &[1, 2][..]));
}

/// Two members claim one partition in one generation; the same with an older one, with none, and with a topic that is not read.
#[test]
fn b06_a_partition_that_two_claim_goes_to_one() {
    let topics = |world: &mut World| {
        let topic = |partitions| life::Topic { partitions, racks: Vec::new() };
        world.topics = [("t".to_owned(), topic(3)), ("u".to_owned(), topic(1))].into();
    };
    for (of_a, of_b) in [(7, 7), (7, 6), (6, 7), (-1, -1)] {
        let mut world = World::new(2, false);
        topics(&mut world);
        let one = |owned: &[(&str, u32)], generation| life::One {
            topics: ["t".to_owned()].into(),
            owned: owned.iter().map(|spot| (spot.0.to_owned(), spot.1)).collect(),
            generation,
            ..life::One::default()
        };
        let members = [("a", one(&[("t", 0), ("t", 1)], of_a)), ("b", one(&[("t", 1), ("t", 2), ("u", 0)], of_b))];
        world.members = members.map(|(id, one)| (id.to_owned(), one)).into();
        world.members.insert("c".to_owned(), one(&[], -1));
        let plan = world.plan(assign);
        assert_eq!([plan.size("a"), plan.size("b"), plan.size("c")], [1, 1, 1]);
        assert_eq!(plan.owners.len(), 3, "nobody reads u");
        let newest = ["a", "b"].into_iter().filter(|id| world.members[*id].generation == of_a.max(of_b));
        assert!(newest.into_iter().all(|id| plan.of(id, "t").iter().all(|number| *number != 1) || of_a != of_b));
    }
}

/// One more member at a time, each of which reads one of two topics, all under one client id.
#[test]
fn b11_members_that_read_one_of_two_topics_join_one_by_one() {
    let mut group = TestGroup::new().topic("one", 12).topic("two", 12);
    for number in 0..16 {
        let topic = ["one", "two"][number % 2];
        let mut next = group.clone().member(TestMember::new(format!("m{number}")).client_id("app").reads([topic]));
        let plan = next.plan(assign).expect("a plan");
        laws::whole(&next, &plan);
        for topic in ["one", "two"] {
            let sizes: Vec<usize> = (0..=number)
                .filter(|number| topic == ["one", "two"][number % 2])
                .map(|number| plan.size(&format!("m{number}")))
                .collect();
            assert!(sizes.iter().max() <= sizes.iter().min().map(|least| least + 1).as_ref(), "{topic}: {sizes:?}");
        }
        for number in 0..=number {
            let id = format!("m{number}");
            let topic = ["one", "two"][number % 2];
            let owned = plan.of(&id, topic).to_vec();
            next = next.member(TestMember::new(&id).client_id("app").reads([topic]).owned(topic, owned));
        }
        group = next;
    }
}

/// 200 partitions, and 20 members each of which reads all topics but one.
#[test]
fn b38_members_that_each_miss_a_topic_settle_at_once() {
    let mut group = (0..20).fold(TestGroup::new(), |group, at| group.topic(format!("t{at:02}"), 10));
    let reads = |member: usize| (0..20).filter(move |at| *at != member).map(|at| format!("t{at:02}"));
    for member in 0..20 {
        group = group.member(TestMember::new(format!("m{member:02}")).reads(reads(member)));
    }
    let plan = group.plan(assign).expect("a plan");
    laws::whole(&group, &plan);
    laws::balanced(&plan, 0);
    for member in 0..20 {
        let id = format!("m{member:02}");
        let mut one = TestMember::new(&id).reads(reads(member));
        for (topic, owned) in &plan.members[&id] {
            one = one.owned(topic, owned.clone());
        }
        group = group.member(one);
    }
    assert_eq!(group.plan(assign).expect("a plan").owners, plan.owners);
}

#[test]
fn a_plan_of_many_topics_is_spread_and_stays_so() {
    let group = (0..6).fold(TestGroup::new(), |group, at| group.topic(format!("t{at}"), 12)).members(4);
    let plan = group.plan(assign).expect("a plan");
    laws::balanced_by_topic(&group, &plan);
    let mut group = group;
    for member in 0..4 {
        let id = format!("m-{member:02}");
        let mut one = TestMember::new(&id).reads((0..6).map(|at| format!("t{at}")));
        for (topic, owned) in &plan.members[&id] {
            one = one.owned(topic, owned.clone());
        }
        group = group.member(one);
    }
    let group = group.members(0).member(TestMember::new("new").reads((0..6).map(|at| format!("t{at}"))));
    let plan = group.plan(assign).expect("a plan");
    for topic in 0..6 {
        let sizes: Vec<usize> = plan.members.keys().map(|id| plan.of(id, &format!("t{topic}")).len()).collect();
        assert!(sizes.iter().max() <= sizes.iter().min().map(|least| least + 1).as_ref(), "t{topic}: {sizes:?}");
    }
}

#[test]
fn no_request_makes_it_panic() {
    for seed in 0..8 {
        let request = World::new(seed, false).group().config("compat", "kafka").request();
        for at in 0..request.len() {
            for value in [0, 1, 0x7f, 0x90, 0xa1, 0xc0, 0xc4, 0xff] {
                let mut changed = request.clone();
                changed[at] = value;
                divvy_guest::run::partitions(assign, &changed);
            }
        }
    }
}

#[test]
fn under_compat_every_plan_is_whole_and_single_moves_do_not_help() {
    fn as_kafka(world: &World) -> divvy_guest::testing::TestPlan {
        let group = world.group().config("compat", "kafka");
        let plan = group.plan(assign).expect("a plan");
        laws::whole(&group, &plan);
        plan
    }
    each_plan(|world| life::no_single_move_helps(world, &as_kafka(world)));
}

#[test]
fn a_setting_that_is_not_known_is_refused_by_its_name() {
    let refused = World::new(1, false).group().config("compat", "sarama").plan(assign).expect_err("no such way");
    assert_eq!(refused.code, "bad_config");
    assert!(refused.message.contains("compat") && refused.message.contains("sarama"), "{}", refused.message);
}

#[test]
fn a_setting_that_is_not_known_is_refused() {
    let group = TestGroup::new().topic("t", 1).member(TestMember::new("a").reads(["t"]));
    let told = |group: TestGroup| group.plan(assign).unwrap_err().message;
    let wrong = told(group.clone().config("compt", "kafka"));
    assert_eq!(wrong, "config: there is no key \"compt\": did you mean \"compat\"?");
    let wrong = told(group.config("compat", "kafak"));
    assert_eq!(wrong, "config: compat is \"kafak\": write \"kafka\" or \"none\"");
}
