//! The machine's lines, short enough to be read beside the members' ones.

use divvy::group::effects::{JoinReply, PlanToMake, SyncReply};
use divvy::group::{Fact, GenerationRecord, GroupDescription, Reply};
use divvy::ids::TopicName;
use divvy::wire::ErrorCode;

/// An answer.
pub fn reply(reply: &Reply) -> String {
    match reply {
        Reply::Join(reply) => join(reply),
        Reply::Sync(reply) => sync(reply),
        Reply::Heartbeat(code) => error(*code),
        Reply::Leave(reply) => {
            let each = reply.members.iter().map(|(_, _, code)| error(*code)).collect::<Vec<_>>().join(", ");
            if reply.error == ErrorCode::None { each } else { format!("{}: {each}", error(reply.error)) }
        }
        Reply::Commit(answers) => partitions(answers),
        Reply::DeleteGroup(code) => error(*code),
        Reply::DeleteOffsets(reply) if reply.error != ErrorCode::None => error(reply.error),
        Reply::DeleteOffsets(reply) => partitions(&reply.partitions),
        Reply::Fetch(Err(code)) => error(*code),
        Reply::Fetch(Ok(offsets)) => {
            let each = offsets.iter().map(|it| {
                let (at, code) = (&it.offset, it.error);
                let problem = if code == ErrorCode::None { String::new() } else { format!(" {}", error(code)) };
                format!("{}-{} at {}{problem}", at.topic, at.partition, at.offset)
            });
            let each: Vec<String> = each.collect();
            if each.is_empty() { "nothing".to_owned() } else { each.join(", ") }
        }
    }
}

fn partitions(answers: &[(TopicName, i32, ErrorCode)]) -> String {
    let each = answers.iter().map(|(topic, partition, code)| format!("{topic}-{partition} {}", error(*code)));
    each.collect::<Vec<_>>().join(", ")
}

fn join(reply: &JoinReply) -> String {
    if reply.error != ErrorCode::None {
        let id =
            if reply.error == ErrorCode::MemberIdRequired { format!(" id {}", reply.member) } else { String::new() };
        return format!("{}{id}", error(reply.error));
    }
    let protocol = reply.protocol.as_ref().map_or("none", |protocol| protocol.as_str());
    let role = if reply.leader == reply.member {
        let everybody = reply.members.iter().map(|it| format!("{}={}", it.id, text(&it.metadata)));
        let verb = if reply.skip_assignment { "leads, but skips the plan," } else { "leads" };
        format!("{verb} {}", everybody.collect::<Vec<_>>().join(" "))
    } else {
        format!("follows {}", reply.leader)
    };
    let memo = reply.divvy.as_ref().and_then(|it| it.memo.as_ref()).map(|memo| format!(", memo {}", text(memo)));
    format!("joined: generation {}, {protocol}, {role}{}", reply.generation, memo.unwrap_or_default())
}

fn sync(reply: &SyncReply) -> String {
    let reason = reply.reason.as_ref().map(|reason| format!(" ({reason})")).unwrap_or_default();
    if reply.error == ErrorCode::None {
        format!("state {}", text(&reply.state))
    } else {
        format!("{}{reason}", error(reply.error))
    }
}

fn error(code: ErrorCode) -> String {
    if code == ErrorCode::None { "ok".to_owned() } else { format!("{} {code:?}", code.code()) }
}

/// A plan that the coordinator has to make.
pub fn plan_to_make(plan: &PlanToMake) -> String {
    let by = plan.assignor.as_ref().map_or("nothing of its own", |module| module.protocol.as_str());
    let members: Vec<&str> = plan.members.iter().map(|member| member.id.as_str()).collect();
    let memo = plan.memo.as_ref().map(|memo| format!(", memo {}", text(memo))).unwrap_or_default();
    let is_it = |digest| plan.passed_over.iter().any(|it| it.digest == Some(digest));
    let rests = plan.assignor.as_ref().is_some_and(|module| is_it(module.digest));
    let but = if rests { ", which is passed over" } else { "" };
    format!("* the coordinator plans {} of {} with {by}{but}{memo}", plan.protocol, members.join(" "))
}

/// Bytes as text when they are text.
fn text(bytes: &[u8]) -> String {
    match std::str::from_utf8(bytes) {
        Ok(text) if !text.chars().any(char::is_control) => format!("{text:?}"),
        _ => bytes.iter().map(|byte| format!("{byte:02x}")).collect(),
    }
}

/// A fact, unless the answers say it already.
pub fn fact(fact: &Fact) -> Option<String> {
    Some(match fact {
        Fact::StateChanged { .. } | Fact::Joined { .. } | Fact::Committed { .. } | Fact::PlanChecked { .. } => {
            return None;
        }
        Fact::Replaced { old, new } => format!("* {new} replaces {old}"),
        Fact::Removed { member, why } => format!("* {member} {why}"),
        Fact::RebalanceBegan(trigger) => format!("* rebalance: {trigger}"),
        Fact::RebalancePutOff(trigger) => format!("* rebalance put off: {trigger}"),
        Fact::GenerationBegan { generation, members, trigger, .. } => {
            format!("* generation {generation} of {members}: {trigger}")
        }
        Fact::PlanAccepted { generation, .. } => format!("* the plan of generation {generation} is in force"),
        Fact::PlanRefused { reason, leader, .. } => format!("* {leader}'s plan is refused: {reason}"),
        Fact::PlanQuestioned { generation, leader, reason } => {
            format!("* {leader}'s plan of generation {generation} is handed out although {reason}")
        }
        Fact::ModuleFailed { leader, fault, served } => {
            let outcome = if *served { "a fall-back serves" } else { "no plan" };
            format!("* {} failed at {leader}: {}: {}; {outcome}", fault.protocol, fault.kind, fault.message)
        }
        Fact::Suspended { suspension, for_ms } => format!("* {} is suspended for {for_ms} ms", suspension.protocol),
        Fact::DigestsDiffer { protocol, digests } => format!("* {} modules go by the name {protocol}", digests.len()),
        Fact::CommitNotOwned(it) => {
            let (member, owner, (topic, partition)) = (&it.member, &it.owner, &it.first);
            let outcome = if it.refused { "refused" } else { "stored" };
            format!("* {} of {member}'s offsets, {topic}-{partition} first, are {owner}'s: {outcome}", it.partitions)
        }
        Fact::OffsetsExpired { partitions } => format!("* {partitions} offsets expired"),
        Fact::OffsetsDeleted { partitions, why } => format!("* {partitions} offsets forgotten: {why}"),
        Fact::GroupDeleted { why } => format!("* the group is gone: {why}"),
        Fact::Refused { api, client_id, reason, .. } => format!("* {api} of {client_id} refused: {reason}"),
    })
}

/// A line of `history`.
pub fn generation(it: &GenerationRecord) -> String {
    let protocol = it.protocol.as_ref().map_or("no protocol", |protocol| protocol.as_str());
    let plan = it.plan_ms.map(|ms| format!(", plan {ms} ms")).unwrap_or_default();
    let leader = it.leader.as_ref().map(|leader| format!(" led by {leader}")).unwrap_or_default();
    let moved = it.moved.map(|moved| format!(", {moved} moved")).unwrap_or_default();
    format!(
        "{} of {} under {protocol}{leader}: {} at {}, join {} ms{plan}{moved}, {:?}",
        it.generation, it.members, it.trigger, it.began.0, it.join_ms, it.outcome
    )
}

/// What `describe` shows.
pub fn description(group: Option<&GroupDescription>) -> Vec<String> {
    let Some(group) = group else { return vec!["no group".to_owned()] };
    let it = &group.summary;
    let protocol = it.protocol.as_ref().map_or("no protocol", |protocol| protocol.as_str());
    let mut lines =
        vec![format!("{} generation {}, {protocol}, {} members", it.state.wire(), it.generation, it.members)];
    for member in &group.members {
        let offers: Vec<&str> = member.offers.iter().map(|offer| offer.as_str()).collect();
        lines.push(format!("{} offers {} has {}", member.id, offers.join(","), text(&member.state)));
    }
    if let Some(assignor) = group.led.as_ref().and_then(|led| led.assignor.as_ref()) {
        lines.push(format!("led with {assignor}"));
    }
    for suspension in &group.suspensions {
        lines.push(format!("{} suspended until {}: {}", suspension.protocol, suspension.until.0, suspension.reason));
    }
    lines
}
