//! Every part is planned as its strategy alone would plan it, each topic by the first part that names it, and all is one plan.

use std::collections::{BTreeMap, BTreeSet};

use divvy_assignor_composite::assign;
use divvy_guest::prelude::*;
use divvy_guest::strategy::sticky::Sticky;
use divvy_guest::strategy::{range, round_robin, single_writer};
use divvy_guest::testing::{Dice, Entry, Refused, TestGroup, TestMember, TestPlan, laws, random_group};

/// Sticky for some topics, round robin for the others.
fn two_parts(group: TestGroup) -> TestGroup {
    group.config("parts", parts(vec![part(&["t0", "t1"], "sticky"), part(&["*"], "roundrobin")]))
}

divvy_guest::laws! { assign, two_parts; complete, disjoint, subscribed, fixed_point, order_independent }

mod with_equal_subscriptions {
    divvy_guest::laws! { super::assign, |group| super::two_parts(group).all_read_everything(); cooperative_safe }
}

fn part(topics: &[&str], strategy: &str) -> Vec<(String, Entry)> {
    vec![("topics".into(), topics.to_vec().into()), ("strategy".into(), strategy.into())]
}

fn parts(parts: Vec<Vec<(String, Entry)>>) -> Vec<Entry> {
    parts.into_iter().map(Entry::Map).collect()
}

/// The processor client: some topics are joined and must stay together, the others are only work.
fn processor() -> TestGroup {
    TestGroup::new()
        .topic("orders", 6)
        .topic("payments-eu", 6)
        .topic("payments-us", 6)
        .topic("clicks", 5)
        .topic("mails", 4)
        .config("parts", parts(vec![part(&["orders", "payments-*"], "copartition"), part(&["*"], "roundrobin")]))
}

#[test]
fn a_processor_keeps_its_joined_topics_together_and_deals_out_the_others() {
    let group = processor().members(4);
    let plan = group.plan(assign).expect("a plan");
    laws::whole(&group, &plan);
    for bundle in 0..6 {
        let owner = |topic: &str| &plan.owners[&(topic.to_owned(), bundle)][0];
        assert_eq!((owner("orders"), owner("orders")), (owner("payments-eu"), owner("payments-us")));
    }
    // 18 joined partitions are 6 bundles for 4 members: two of them have 6, two have 3; these come first in the deal of the other 9.
    let sizes: Vec<usize> = plan.members.keys().map(|id| plan.size(id)).collect();
    assert_eq!(sizes, [8, 8, 6, 5]);
}

#[test]
fn a_processor_that_joins_moves_as_few_bundles_as_can_be() {
    let mut group = processor();
    for id in ["a", "b"] {
        group = group.member(TestMember::new(id).reads(["orders", "payments-eu", "payments-us", "clicks", "mails"]));
    }
    let before = group.plan(assign).expect("a plan");
    for (id, topics) in &before.members {
        let member = TestMember::new(id).reads(["orders", "payments-eu", "payments-us", "clicks", "mails"]);
        let owned = |member: TestMember, (topic, of): (&String, &Vec<u32>)| member.owned(topic, of.iter().copied());
        group = group.member(topics.iter().fold(member, owned));
    }
    group = group.member(TestMember::new("c").reads(["orders", "payments-eu", "payments-us", "clicks", "mails"]));
    let after = group.plan(assign).expect("a plan");
    laws::whole(&group, &after);
    assert_eq!(after.of("c", "orders").len(), 2);
    for id in ["a", "b"] {
        let kept = after.of(id, "orders").iter().filter(|bundle| before.of(id, "orders").contains(bundle)).count();
        assert_eq!(kept, 2, "{id}");
    }
}

/// Of the plan of a whole group, what concerns some topics.
fn only(plan: &TestPlan, mine: impl Fn(&str) -> bool) -> BTreeMap<(String, u32), Vec<String>> {
    plan.owners.iter().filter(|((topic, _), _)| mine(topic)).map(|(at, owners)| (at.clone(), owners.clone())).collect()
}

#[test]
fn each_part_is_planned_as_its_strategy_alone_plans_it() {
    type Alone = fn(&Group<'_>, &mut Owners) -> Result<(), Refusal>;
    fn low<'g>(group: &'g Group<'_>) -> impl Iterator<Item = Topic<'g>> {
        group.topics().filter(|topic| topic.name() < "t3")
    }
    let alone: [(&str, Alone); 4] = [
        ("sticky", |group, owners| Sticky::new(group).topics(low(group)).plan(owners)),
        ("range", |group, owners| {
            low(group).for_each(|topic| range::give(topic, &topic.subscribers(), owners));
            Ok(())
        }),
        ("roundrobin", |group, owners| {
            round_robin::give_all(group, low(group), owners);
            Ok(())
        }),
        ("single-writer", |group, owners| {
            single_writer::give_each(group, low(group), owners);
            Ok(())
        }),
    ];
    for seed in 0..1_000 {
        for (name, alone) in alone {
            let group = random_group(seed);
            let first = part(&["t0", "t1", "t2"], name);
            let whole = group.clone().config("parts", parts(vec![first, part(&["t*"], "range")]));
            let plan = whole.plan(assign).expect("a plan");
            laws::whole(&whole, &plan);
            let expected = group.plan(alone).expect("a plan").owners;
            assert_eq!(only(&plan, |topic| topic < "t3"), expected, "seed {seed}: {name}");
        }
    }
}

/// Random parts over random groups: a plan that is whole, or a reason; and the same plan whatever else is not there.
#[test]
fn whatever_the_parts_there_is_a_whole_plan_or_a_reason() {
    const PATTERNS: [&str; 8] = ["t0", "t1", "t*", "*3", "t4*", "gone", "*", "t*5"];
    const STRATEGIES: [&str; 5] = ["range", "roundrobin", "copartition", "single-writer", "sticky"];
    let (mut planned, mut codes) = (0, BTreeSet::new());
    for seed in 0..3_000 {
        let mut dice = Dice::new(seed);
        let list: Vec<Vec<(String, Entry)>> = (0..=dice.roll(3))
            .map(|_| {
                let patterns: Vec<&str> = (0..=dice.roll(2)).map(|_| PATTERNS[dice.roll(8) as usize]).collect();
                part(&patterns, STRATEGIES[dice.roll(5) as usize])
            })
            .chain([part(&["*"], "range")].into_iter().filter(|_| seed % 4 > 0))
            .collect();
        let group = random_group(seed).config("parts", parts(list));
        match group.plan(assign) {
            Ok(plan) => {
                laws::whole(&group, &plan);
                planned += 1;
            }
            Err(refused) => _ = codes.insert(refused.code),
        }
    }
    let expected = ["join_partition_count_mismatch", "join_set_without_reader", "topic_without_part"];
    assert_eq!(codes, expected.map(str::to_owned).into());
    assert!(planned > 1_000, "only {planned} were planned");
}

fn refused(list: Vec<Vec<(String, Entry)>>) -> Refused {
    processor().members(2).config("extra", 1.0).plan(assign).expect_err("a key that nobody knows");
    TestGroup::new()
        .topic("orders", 2)
        .topic("mails", 3)
        .members(2)
        .config("parts", parts(list))
        .plan(assign)
        .expect_err("a refusal")
}

#[test]
fn what_is_wrong_is_said_with_its_part() {
    let mut wrong = part(&["orders"], "copartition");
    wrong.push(("jion".into(), "x".into()));
    assert_eq!(
        refused(vec![part(&["mails"], "range"), wrong]).message,
        "config: parts[1]: there is no key \"jion\": did you mean \"join\"?"
    );
    let range = refused(vec![part(&["mails"], "rang")]);
    let names = "write \"range\" or \"roundrobin\" or \"copartition\" or \"single-writer\" or \"sticky\"";
    assert_eq!(range.message, format!("config: parts[0]: strategy is \"rang\": {names}"));
    let none = refused(vec![part(&["orders"], "range")]);
    assert_eq!(none.code, "topic_without_part");
    assert!(none.message.contains("topic mails"), "{}", none.message);
    let unequal = refused(vec![part(&["*"], "copartition")]);
    assert!(unequal.message.starts_with("config: parts[0]: the topics of a join set"), "{}", unequal.message);
    let missing = refused(vec![part(&["orders", "payments"], "copartition"), part(&["*"], "range")]);
    assert_eq!(missing.code, "join_set_without_reader");
    assert!(missing.message.contains("payments"), "{}", missing.message);
    let nothing = TestGroup::new().topic("t", 1).members(1).plan(assign).expect_err("a refusal");
    assert!(nothing.message.starts_with("config: parts is missing: write a list"), "{}", nothing.message);
    let needs = "write a list of 1 to 64 parts, such as";
    let (empty, many) = (refused(vec![]), refused(vec![part(&["mails"], "range"); 65]));
    assert!(empty.message.starts_with(&format!("config: parts is an empty list: {needs}")), "{}", empty.message);
    assert!(many.message.starts_with(&format!("config: parts is a list of 65: {needs}")), "{}", many.message);
}
