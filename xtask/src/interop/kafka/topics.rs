//! Topics that appear and grow while a group of divvy's works: each change is noticed, and costs one rebalance.

use std::collections::BTreeMap;

use anyhow::{Context, Result, bail};
use serde_json::Value;

use super::super::bench::PARTITIONS;
use super::super::cast::Cast;
use super::super::member::STEP;
use crate::divvy::Member;
use crate::process::wait_until;

/// The modules of the members.
const MODULES: [&str; 1] = ["range"];

/// Subscribed by name: one topic that is there and grows, one that comes later.
pub fn list(cast: &mut Cast<'_>) -> Result<()> {
    let (topic, later) = (cast.topic.clone(), format!("{}-later", cast.topic));
    let words = ["--topic", &topic, "--topic", &later];
    let mut members = [cast.divvy_join("first", &MODULES, &words)?, cast.divvy_join("second", &MODULES, &words)?];
    let mut generation = share(&mut members, &[(&topic, PARTITIONS)])?;
    println!("    two members share {topic}; {later} is not there yet");

    cast.make_topic(&later, 4)?;
    once_more(&mut members, &mut generation, &[(&topic, PARTITIONS), (&later, 4)])?;
    println!("    {later} was made: generation {generation}");

    cast.grow_topic(&topic, PARTITIONS + 2)?;
    once_more(&mut members, &mut generation, &[(&topic, PARTITIONS + 2), (&later, 4)])?;
    println!("    {topic} grew: generation {generation}");
    members.iter_mut().try_for_each(Member::leave)
}

/// Subscribed by pattern: a topic that fits comes, one that does not fit comes and is nobody's business.
pub fn pattern(cast: &mut Cast<'_>) -> Result<()> {
    let topic = cast.topic.clone();
    let fits = format!("^{topic}(-[0-9]+)?$");
    let words = ["--topic-pattern", &fits];
    let mut members = [cast.divvy_join("first", &MODULES, &words)?, cast.divvy_join("second", &MODULES, &words)?];
    let mut generation = share(&mut members, &[(&topic, PARTITIONS)])?;
    println!("    two members share what fits {fits}");

    let second = format!("{topic}-2");
    cast.make_topic(&format!("{topic}-else"), 4)?;
    cast.make_topic(&second, 4)?;
    once_more(&mut members, &mut generation, &[(&topic, PARTITIONS), (&second, 4)])?;
    println!("    {second} was made, and {topic}-else: generation {generation}");
    members.iter_mut().try_for_each(Member::leave)
}

/// Static members come back and read something else, a follower and the leader: Kafka's coordinator lets the old plan go on, but
/// they do not. One that comes back to the same costs nothing.
pub fn other_wishes(cast: &mut Cast<'_>) -> Result<()> {
    let (topic, other) = (cast.topic.clone(), format!("{}-other", cast.topic));
    cast.make_topic(&other, 4)?;
    let join = |cast: &Cast<'_>, name: &str, topics: &[&str]| {
        let reads: Vec<&str> = topics.iter().flat_map(|topic| ["--topic", topic]).collect();
        let words = [&["--instance-id", name, "--session-timeout-ms", "30000"], &reads[..]].concat();
        cast.divvy_join(name, &MODULES, &words)
    };
    let names = ["first", "second"];
    let mut members = [join(cast, names[0], &[&topic])?, join(cast, names[1], &[&topic])?];
    let mut generation = share(&mut members, &[(&topic, PARTITIONS)])?;
    println!("    two static members share {topic}: generation {generation}");
    for (place, reads) in [(0, vec![&*other]), (0, vec![&*topic, &*other]), (1, vec![&*topic, &*other])] {
        members[place].leave()?;
        members[place] = join(cast, names[place], &reads)?;
        once_more(&mut members, &mut generation, &[(&topic, PARTITIONS), (&other, 4)])?;
        println!("    {} came back to {reads:?}: generation {generation}", names[place]);
        members[place].leave()?;
        members[place] = join(cast, names[place], &reads)?;
        let now = share(&mut members, &[(&topic, PARTITIONS), (&other, 4)])?;
        if now != generation {
            bail!("{} came back to the same, and generation {now} came after {generation}", names[place]);
        }
    }
    members.iter_mut().try_for_each(Member::leave)
}

/// All of it is shared anew, and that took one generation: two if the members noticed one after the other.
fn once_more(members: &mut [Member], generation: &mut i64, topics: &[(&str, usize)]) -> Result<()> {
    let now = share(members, topics)?;
    if !(*generation + 1..=*generation + 2).contains(&now) {
        bail!("generation {now} came after {generation}");
    }
    *generation = now;
    Ok(())
}

/// Waits until every partition has one owner, all in the same generation.
pub fn share(members: &mut [Member], topics: &[(&str, usize)]) -> Result<i64> {
    let mut last = Vec::new();
    let shared = wait_until("every partition to have an owner", STEP, || {
        let mut owners: BTreeMap<(&str, i64), usize> = BTreeMap::new();
        let mut generations = Vec::new();
        last.clear();
        for member in &mut *members {
            member.news();
            last.push(member.assigned.clone().unwrap_or(Value::Null));
            generations.extend(member.works_in().map(|(_, generation)| generation));
            for (topic, _) in topics {
                member.owns(topic).into_iter().for_each(|it| *owners.entry((topic, it)).or_default() += 1);
            }
        }
        let all: usize = topics.iter().map(|(_, partitions)| partitions).sum();
        let is_whole = owners.len() == all && owners.values().all(|owners| *owners == 1);
        let agreed = generations.first().copied().filter(|first| generations.iter().all(|it| it == first));
        Ok(agreed.filter(|_| is_whole && generations.len() == members.len()))
    });
    shared.with_context(|| format!("they have {last:?}"))
}
