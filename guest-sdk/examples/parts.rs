//! The reference strategy of `tests/abi` for shape `states` and the optional exports: tells each member which part of how many is its
//! own and, on the way, reads and writes a little of everything. Beside each SDK stands the same in its language.

use divvy_guest::prelude::*;

assignor! {
    name: "parts",
    protocol_type: "parts",
    shape: states,
    license: "Apache-2.0",
    description: "The reference of ABI 1 for states.",
    assign: parts,
    user_data: told,
    check: judged,
}

/// Members whose metadata is `idle` get nothing. The `n` others get `P/n:` and their metadata, and behind that, where there is a
/// context, `:` and the context; `P` is `(seed % n + i) % n + 1` for the one at position `i` in Kafka's order. With the setting
/// `explain` four lines say the group. `refuse`, `again_ms` and the memo are as in `even`.
pub fn parts(group: &StateGroup<'_>, states: &mut States) -> Result<(), Refusal> {
    let config = group.config();
    if let Some(why) = config.text("refuse") {
        let refusal = Refusal::new("asked_to", why).retriable();
        return Err(match group.members().len() {
            0 => refusal,
            members => refusal.about(members - 1),
        });
    }
    let active: Vec<StateMember<'_>> = group.members_in_kafkas_order().filter(|member| !is_idle(member)).collect();
    for (position, &member) in active.iter().enumerate() {
        let place = (group.seed() % active.len() as u64) as usize + position;
        let part = place % active.len() + 1;
        let mut state = [part.to_string().as_str(), "/", active.len().to_string().as_str(), ":"].concat().into_bytes();
        state.extend_from_slice(member.metadata());
        if let Some(context) = group.context() {
            state.push(b':');
            state.extend_from_slice(context);
        }
        states.give(member, state);
    }
    if config.flag("explain") == Some(true) {
        states.note(Level::Debug, &["generation ", &(group.generation() as u32).to_string()].concat());
        states.note(Level::Info, &[group.id(), " ", group.protocol()].concat());
        states.note(Level::Warn, &["now ", &(group.now_ms() as u64).to_string()].concat());
        let first = group.members().next();
        states.note(Level::Info, &first.map_or(String::new(), |first| text(first.metadata())));
    }
    if let Some(memo) = group.memo() {
        states.remember(memo.to_vec());
    }
    if let Some(ms) = config.number("again_ms").filter(|ms| (0.0..=1e15).contains(ms)) {
        states.call_again_ms(ms as u64);
    }
    Ok(())
}

/// `GROUP/PROTOCOL:TOPIC,TOPIC;ZONE;STATE;NOW`: of what is not there nothing. None with the setting `mute`.
pub fn told(me: &Me<'_>) -> Result<Option<Vec<u8>>, Refusal> {
    if let Some(why) = me.config().text("refuse") {
        return Err(Refusal::new("asked_to", why));
    }
    if me.config().flag("mute") == Some(true) {
        return Ok(None);
    }
    let head = [me.group(), "/", me.protocol(), ":", &me.topics().join(","), ";"];
    let mut data = head.concat().into_bytes();
    data.extend_from_slice(me.facts().text("zone").unwrap_or_default().as_bytes());
    data.push(b';');
    data.extend_from_slice(me.last_state().unwrap_or_default());
    data.push(b';');
    data.extend_from_slice((me.now_ms() as u64).to_string().as_bytes());
    Ok(Some(data))
}

/// Who is idle has no state, and everybody else one: the first member of which that is not true is the reason.
pub fn judged(group: &StateGroup<'_>, states: &[&[u8]]) -> Result<(), Refusal> {
    match group.members().zip(states).find(|(member, state)| is_idle(member) != state.is_empty()) {
        Some((member, [])) => Err(Refusal::new("lost", "a member without a part").about(member.index())),
        Some((member, _)) => Err(Refusal::new("idle", "a part for nobody").about(member.index())),
        None => Ok(()),
    }
}

fn is_idle(member: &StateMember<'_>) -> bool {
    member.metadata() == b"idle"
}

/// Each byte that is part of no well-formed UTF-8 becomes a question mark.
fn text(bytes: &[u8]) -> String {
    let chunks = bytes.utf8_chunks();
    chunks
        .fold(String::new(), |text, chunk| [text.as_str(), chunk.valid(), &"?".repeat(chunk.invalid().len())].concat())
}
