//! Topics, partitions and racks are the broker's, and groups are on it or on a divvy beside it. The racks are proved by a plan that
//! nothing else explains: one of two members stands where the broker does, and has everything.

use anyhow::{Result, bail};
use serde_json::{Value, json};

use super::super::bench::PARTITIONS;
use super::super::cast::Cast;
use super::super::member::STEP;
use super::topics::share;
use crate::divvy::{self, Member, Seat, drop_module, modules_of};
use crate::kafka::RACK;
use crate::process::wait_until;

/// The group is on the broker.
pub fn racks(cast: &mut Cast<'_>) -> Result<()> {
    let server = cast.server.address();
    near_the_broker(cast, &server, &[], 0)
}

/// The group is on a divvy that has its topics from the broker: they come, grow, and are told to others as they are.
pub fn serve(cast: &mut Cast<'_>) -> Result<()> {
    let broker = cast.server.address();
    let beside = cast.divvy_beside("\"kafka.metadata.max.age.ms\" = 500\n", &["--kafka", &broker])?;
    wait_until("divvy to tell of the broker's topic", STEP, || {
        let topics = divvy::ask(cast.program(), &["topics", "list", "--server", &beside.address()])?;
        let topic = topics.as_array().and_then(|topics| topics.iter().find(|topic| topic["name"] == cast.topic));
        let racks = json!(vec![[RACK]; PARTITIONS]);
        Ok(topic.filter(|topic| topic["racks"] == racks).map(drop))
    })?;
    println!("    divvy serve --kafka tells of {} and its racks", cast.topic);
    near_the_broker(cast, &beside.address(), &[], 2)
}

/// The group is on a divvy that knows nothing of racks: the members ask the broker.
pub fn join(cast: &mut Cast<'_>) -> Result<()> {
    let broker = cast.server.address();
    let declared = format!("[[topic]]\nname = {:?}\npartitions = {PARTITIONS}\n", cast.topic);
    let beside = cast.divvy_beside(&format!("\"group.initial.rebalance.delay.ms\" = 200\n{declared}"), &[])?;
    near_the_broker(cast, &beside.address(), &["--kafka", &broker], 0)
}

/// Two members, one of them near; then the broker's topic grows by so many.
fn near_the_broker(cast: &mut Cast<'_>, server: &str, words: &[&str], more: usize) -> Result<()> {
    let topic = cast.topic.clone();
    let join = |name, rack| -> Result<Member> {
        drop_module(&cast.demo_module("rack-aware-2"), &modules_of(&cast.folder, name), "rack-aware")?;
        let words = [&["--topic", &topic, "--rack", rack], words].concat();
        Member::join_with(cast.program(), &cast.folder, &Seat { name, server, group: &cast.group }, &words)
    };
    let mut members = [join("near", RACK)?, join("far", "elsewhere")?];
    share(&mut members, &[(&topic, PARTITIONS)])?;
    is_near(&members, &topic)?;
    println!("    who stands in {RACK}, as the broker does, has all {PARTITIONS} partitions");
    if more > 0 {
        cast.grow_topic(&topic, PARTITIONS + more)?;
        share(&mut members, &[(&topic, PARTITIONS + more)])?;
        is_near(&members, &topic)?;
        println!("    {more} partitions more on the broker: they are its, too");
    }
    members.iter_mut().try_for_each(Member::leave)
}

fn is_near([near, far]: &[Member; 2], topic: &str) -> Result<()> {
    if far.owns(topic).is_empty() && !near.owns(topic).is_empty() {
        return Ok(());
    }
    let assigned = |member: &Member| member.assigned.clone().unwrap_or(Value::Null);
    bail!("racks should decide: near has {}, far has {}", assigned(near), assigned(far))
}
