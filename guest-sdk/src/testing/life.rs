//! Groups to try laws on: fresh ones, ones with a history, and ones whose members say anything.

use super::law::Planner;
use super::{Dice, TestGroup, TestMember, random_group};

/// A random group by number, the same on every machine: of three in a row one is fresh, one followed a plan and was changed since,
/// and in one the members claim what they like. `with` makes it a group of the kind that the strategy is for.
pub fn lively_group(seed: u64, with: &dyn Fn(TestGroup) -> TestGroup, planner: &Planner<'_>) -> TestGroup {
    let group = with(random_group(seed));
    let mut dice = Dice::new(!seed);
    match seed % 3 {
        0 => group,
        1 => match planner(&group) {
            Ok(plan) => with(changed(group.after(&plan), &mut dice)),
            // Whatever it is that the strategy cannot do, the law will find it in the fresh group.
            Err(_) => group,
        },
        _ => with(claiming(group, &mut dice)),
    }
}

/// Somebody leaves, joins, reads something else; a topic grows.
fn changed(mut group: TestGroup, dice: &mut Dice) -> TestGroup {
    for _ in 0..=dice.roll(2) {
        match dice.roll(4) {
            0 => drop(any(group.members.keys(), dice).map(|id| group.members.remove(&id))),
            1 => {
                let all = dice.once_in(2);
                let topics = group.topics.keys().filter(|_| all || dice.once_in(2)).cloned().collect::<Vec<_>>();
                group = group.member(TestMember::new(format!("n{}", dice.roll(4))).reads(topics));
            }
            2 => {
                let topic = any(group.topics.keys(), dice);
                let member = any(group.members.keys(), dice).and_then(|id| group.members.get_mut(&id));
                if let Some((member, topic)) = member.zip(topic) {
                    match member.topics.contains(&topic) {
                        true => member.topics.remove(&topic),
                        false => member.topics.insert(topic),
                    };
                }
            }
            _ => {
                if let Some(topic) = any(group.topics.keys(), dice).and_then(|name| group.topics.get_mut(&name)) {
                    topic.partitions += 1 + dice.roll(3) as u32;
                }
            }
        }
    }
    group
}

/// Everybody says that it had this and that, read or not, there or not, and the same as another.
fn claiming(mut group: TestGroup, dice: &mut Dice) -> TestGroup {
    let mut all: Vec<(String, u32)> = Vec::new();
    for (name, topic) in &group.topics {
        all.extend((0..topic.partitions + 2).map(|partition| (name.clone(), partition)));
    }
    let often = 1 + group.members.len() as u64;
    for member in group.members.values_mut() {
        member.owned = all.iter().filter(|_| dice.once_in(often)).cloned().collect();
    }
    group
}

fn any<'t>(mut names: impl ExactSizeIterator<Item = &'t String>, dice: &mut Dice) -> Option<String> {
    let count = names.len() as u64;
    (count > 0).then(|| dice.roll(count)).and_then(|at| names.nth(at as usize)).cloned()
}
