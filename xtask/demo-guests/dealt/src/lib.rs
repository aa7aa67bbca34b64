//! A protocol type of an application's own, for the interop cases: the application knows of jobs, members say whether they are
//! full, and each gets its jobs. All of that is the application's own bytes; here they are words.

use divvy_guest::prelude::*;

assignor! {
    name: "dealt",
    protocol_type: "jobs",
    shape: states,
    description: "Deals the words of the context to the members that do not say `full`.",
    license: "Apache-2.0",
    assign: assign
}

fn assign(group: &StateGroup<'_>, states: &mut States) -> Result<(), Refusal> {
    let jobs = std::str::from_utf8(group.context().unwrap_or_default());
    let jobs = jobs.map_err(|_| Refusal::new("context", "the jobs are words"))?;
    let members: Vec<_> = group.members_in_kafkas_order().filter(|member| member.metadata() != b"full").collect();
    let mut hands = vec![String::new(); members.len()];
    for (turn, job) in jobs.split_whitespace().enumerate().filter(|_| !members.is_empty()) {
        let hand = &mut hands[turn % members.len()];
        hand.push_str(job);
        hand.push(' ');
    }
    for (member, hand) in members.iter().zip(hands) {
        states.give(*member, hand.into_bytes());
    }
    Ok(())
}
