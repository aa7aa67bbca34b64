//! The reference strategy of `tests/abi`: deals partitions out like cards and, on the way, reads and writes a little of everything
//! that ABI 1 has. The same program in C, Zig, AssemblyScript and Go stands beside each SDK and must give the same bytes.

use divvy_guest::prelude::*;

assignor! { name: "even", needs: [lag], license: "Apache-2.0", description: "The reference of ABI 1.", assign: even }

/// Partition `p`, counted through all topics, goes to reader `(seed % readers + p) % readers` of its topic, readers by id. With the
/// setting `keep` who had it last keeps it, if it still reads the topic. `refuse` is a text to refuse with, `again_ms` a time to be
/// called again; the memo is handed back, and where lags are known their sum is noted. `tell` is a text that becomes the user data of
/// every second member's assignment, the first member's first.
pub fn even(group: &Group<'_>, owners: &mut Owners) -> Result<(), Refusal> {
    let config = group.config();
    if let Some(why) = config.text("refuse") {
        let refusal = Refusal::new("asked_to", why).retriable();
        return Err(match group.members().len() {
            0 => refusal,
            members => refusal.about(members - 1),
        });
    }
    let keeps = config.flag("keep") == Some(true);
    for topic in group.topics() {
        let readers: Vec<Member<'_>> = group.members().filter(|member| member.subscribes(topic)).collect();
        if readers.is_empty() {
            continue;
        }
        let first = (group.seed() % readers.len() as u64) as usize;
        for partition in topic.partitions() {
            let before = group.owner_before(partition).filter(|member| keeps && member.subscribes(topic));
            owners.give(partition, before.unwrap_or(readers[(first + partition.index()) % readers.len()]));
        }
    }
    if group.column("lag").is_some() {
        let lag = group.partitions().filter_map(|partition| group.lag(partition)).fold(0, u64::wrapping_add);
        owners.note(Level::Info, &["lag ", &lag.to_string()].concat());
    }
    if let Some(data) = config.text("tell") {
        group.members().step_by(2).for_each(|member| owners.user_data(member, data.as_bytes().to_vec()));
    }
    if let Some(memo) = group.memo() {
        owners.remember(memo.to_vec());
    }
    if let Some(ms) = config.number("again_ms").filter(|ms| (0.0..=1e15).contains(ms)) {
        owners.call_again_ms(ms as u64);
    }
    Ok(())
}
