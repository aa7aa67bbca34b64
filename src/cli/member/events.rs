//! What a member hears, as a line of JSON for scripts and as a sentence for people.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use crate::cli::output::partitions;
use crate::client::{Assigned, Note, Rebalance, Role, Share};
use crate::embedded::show_state;
use crate::ids::Digest;
use crate::membership::lead::ServedBy;

/// A line of JSON: `event` names it.
pub fn json(event: &Rebalance, protocol_type: &str) -> Value {
    match event {
        Rebalance::Assigned(assigned) => with_share(assigned_json(assigned), &assigned.share, protocol_type),
        Rebalance::Revoked(work) => {
            with_share(json!({ "event": "revoked", "generation": work.generation() }), work.share(), protocol_type)
        }
        Rebalance::Lost { share, reason } => {
            with_share(json!({ "event": "lost", "reason": reason }), share, protocol_type)
        }
        Rebalance::Drained => json!({ "event": "drained" }),
        Rebalance::Failed { reason } => json!({ "event": "failed", "reason": reason }),
        Rebalance::Note(note) => note_json(note),
    }
}

fn assigned_json(assigned: &Assigned) -> Value {
    let stand_in = assigned.stand_in.as_ref();
    let mut event = json!({
        "event": "assigned",
        "generation": assigned.generation,
        "protocol": assigned.protocol,
        "digest": digest(assigned.digest),
        "member": assigned.member,
        "leader": assigned.leader,
        "role": match assigned.role {
            Role::Leader => "leader",
            Role::Follower => "follower",
        },
        "cause": assigned.cause.name(),
        "served_by": assigned.served_by.as_ref().map(ToString::to_string).or(stand_in.map(|it| it.by.clone())),
        "served_because": stand_in.map(|it| &it.reason),
    });
    if let Some(primaries) = assigned.primaries() {
        event["primaries"] = json!(by_topic(primaries));
    }
    if let Some(writer) = assigned.writer() {
        event["epoch"] = json!(writer.epoch);
    }
    event
}

fn note_json(note: &Note) -> Value {
    match note {
        Note::OffersChanged(offers) => {
            let offer = |offer: &crate::membership::negotiate::Offer| json!({ "protocol": offer.protocol, "digest": digest(offer.digest) });
            json!({ "event": "offers", "offers": offers.iter().map(offer).collect::<Vec<_>>() })
        }
        Note::OffersLeftOut(protocols) => json!({ "event": "offers_left_out", "protocols": protocols }),
        Note::VersionsLeftOut(protocols) => json!({ "event": "versions_left_out", "protocols": protocols }),
        Note::ModuleRefused { path, reason } => {
            json!({ "event": "module_refused", "path": crate::text::path(path), "reason": reason })
        }
        Note::ModuleMended { path } => json!({ "event": "module_mended", "path": crate::text::path(path) }),
        Note::Fault { fault, served_by } => json!({
            "event": "fault",
            "protocol": fault.protocol,
            "digest": digest(fault.digest),
            "kind": fault.kind.name(),
            "message": fault.message,
            "served_by": served_by.to_string(),
        }),
        Note::Planned(plan) => json!({ "event": "planned", "generation": plan.generation }),
        Note::TopicsMissing(topics) => json!({ "event": "topics_missing", "topics": topics }),
        Note::Suspended(protocols) => {
            let entry = |(protocol, reason): &(_, _)| json!({ "protocol": protocol, "reason": reason });
            json!({ "event": "suspended", "protocols": protocols.iter().map(entry).collect::<Vec<_>>() })
        }
        Note::NoPlan { reason } => json!({ "event": "no_plan", "reason": reason }),
        Note::CoordinatorLost { reason } => json!({ "event": "coordinator_lost", "reason": reason }),
        Note::CoordinatorFound => json!({ "event": "coordinator_found" }),
        Note::Matching(topics) => json!({ "event": "matching", "topics": topics }),
        Note::TopicsUnknown { reason } => json!({ "event": "topics_unknown", "reason": reason }),
        Note::LeaveRefused { reason } => json!({ "event": "leave_refused", "reason": reason }),
    }
}

fn digest(digest: Option<Digest>) -> Option<String> {
    digest.map(|digest| digest.to_string())
}

fn with_share(mut event: Value, share: &Share, protocol_type: &str) -> Value {
    let (key, value) = match share {
        Share::Partitions(topics) => {
            ("partitions", json!(by_topic(topics.iter().map(|(topic, list)| (topic.as_str(), list.clone())))))
        }
        Share::State(state) => ("state", show_state(protocol_type, state)),
    };
    event[key] = value;
    event
}

/// In order, whatever the leader's is.
fn by_topic<'a>(topics: impl IntoIterator<Item = (&'a str, Vec<i32>)>) -> BTreeMap<&'a str, Vec<i32>> {
    let in_order = |(topic, mut partitions): (&'a str, Vec<i32>)| {
        partitions.sort_unstable();
        (topic, partitions)
    };
    topics.into_iter().map(in_order).collect()
}

/// A sentence.
pub fn text(event: &Rebalance, protocol_type: &str) -> String {
    match event {
        Rebalance::Assigned(assigned) => {
            let Assigned { generation, protocol, role, share, served_by, stand_in, .. } = assigned;
            let does = if *role == Role::Leader { "leads and owns" } else { "owns" };
            let share = share_text(share, protocol_type);
            // The protocol is what was voted for, and not always what made the plan. Its leader has told of the fault itself.
            let own = served_by.as_ref().filter(|it| **it != ServedBy::Chosen).map(|by| format!(", served by {by}"));
            let told = stand_in.as_ref().map(|it| format!(", served by {} because {}", it.by, it.reason));
            let served = own.or(told).unwrap_or_default();
            format!("{does} {share}{} (generation {generation}, protocol {protocol}{served})", told_text(assigned))
        }
        Rebalance::Revoked(work) => format!("gives up {} for a rebalance", share_text(work.share(), protocol_type)),
        Rebalance::Lost { share, reason } => format!("lost {}: {reason}", share_text(share, protocol_type)),
        Rebalance::Drained => "has handed over everything".to_owned(),
        Rebalance::Failed { reason } => format!("is out of the group: {reason}"),
        Rebalance::Note(note) => note.to_string(),
    }
}

/// What its strategy told it beside.
fn told_text(assigned: &Assigned) -> String {
    let mut text = String::new();
    if let Some(primaries) = assigned.primaries() {
        let list = partitions(primaries.iter().map(|(topic, list)| (*topic, list.as_slice())));
        text = format!(", is the primary of {list}");
    }
    match assigned.writer() {
        // A state says it itself.
        Some(writer) if matches!(assigned.share, Share::Partitions(_)) => {
            format!("{text}, with epoch {}", writer.epoch)
        }
        _ => text,
    }
}

fn share_text(share: &Share, protocol_type: &str) -> String {
    match share {
        Share::Partitions(topics) => partitions(topics.iter().map(|(topic, list)| (topic.as_str(), list.as_slice()))),
        Share::State(state) => show_state(protocol_type, state).to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ids::{Generation, MemberId, Protocol};
    use crate::membership::{Cause, StandIn};

    #[test]
    fn modules_that_are_not_offered_are_named_as_far_as_a_line_goes() {
        let told = |count| {
            let protocols = (0..count).map(|n| Protocol::from(format!("s{n:02}@1"))).collect();
            text(&Rebalance::Note(Note::OffersLeftOut(protocols)), "consumer")
        };
        assert!(
            told(2).contains("so 2 of its modules are not offered, those of the lowest rank: s00@1, s01@1; "),
            "{}",
            told(2)
        );
        assert!(
            told(20).contains("so 20 of its") && told(20).contains("s15@1 and 4 more; remove some"),
            "{}",
            told(20)
        );
        assert_eq!(told(0), "offers all of its modules again");
    }

    #[cfg(unix)]
    #[test]
    fn a_refused_file_may_have_any_name() {
        use std::os::unix::ffi::OsStrExt;
        let path = std::path::Path::new(std::ffi::OsStr::from_bytes(b"w9/q\xff.wasm")).to_owned();
        let note = Rebalance::Note(Note::ModuleRefused { path, reason: "no module".to_owned() });
        assert_eq!(json(&note, "consumer")["path"], "w9/q\u{fffd}.wasm");
        assert!(text(&note, "consumer").contains("w9/q\u{fffd}.wasm"));
    }

    #[test]
    fn a_fall_backs_plan_is_not_said_to_be_the_strategys() {
        let assigned = |role, served_by| {
            Rebalance::Assigned(Assigned {
                generation: Generation(3),
                protocol: Protocol::from("omits@1"),
                digest: None,
                served_by,
                stand_in: None,
                leader: MemberId::default(),
                member: MemberId::default(),
                role,
                cause: Cause::Group,
                share: Share::Partitions(vec![("t".into(), vec![0, 1])]),
                user_data: None,
            })
        };
        let fallen = assigned(Role::Leader, Some(ServedBy::LastPlan));
        let told = "leads and owns t 0-1 (generation 3, protocol omits@1, served by the last plan, cut to what exists)";
        assert_eq!(text(&fallen, "consumer"), told);
        assert_eq!(json(&fallen, "consumer")["served_by"], "the last plan, cut to what exists");
        let chosen = assigned(Role::Leader, Some(ServedBy::Chosen));
        assert_eq!(text(&chosen, "consumer"), "leads and owns t 0-1 (generation 3, protocol omits@1)");
        let follower = assigned(Role::Follower, None);
        assert_eq!(text(&follower, "consumer"), "owns t 0-1 (generation 3, protocol omits@1)");
        assert!(json(&follower, "consumer")["served_by"].is_null());
    }

    #[test]
    fn who_follows_says_what_it_was_told_of_the_plan() {
        let stand_in = StandIn { by: "its leader's fall-back".into(), reason: "omits@1 failed: trap: it fell".into() };
        let follower = Rebalance::Assigned(Assigned {
            generation: Generation(3),
            protocol: Protocol::from("omits@1"),
            digest: None,
            served_by: None,
            stand_in: Some(stand_in),
            leader: MemberId::default(),
            member: MemberId::default(),
            role: Role::Follower,
            cause: Cause::Group,
            share: Share::Partitions(vec![("t".into(), vec![0])]),
            user_data: None,
        });
        let told = "owns t 0 (generation 3, protocol omits@1, served by its leader's fall-back because omits@1 failed: trap: \
                    it fell)";
        assert_eq!(text(&follower, "consumer"), told);
        let line = json(&follower, "consumer");
        assert_eq!(line["served_by"], "its leader's fall-back");
        assert_eq!(line["served_because"], "omits@1 failed: trap: it fell");
    }
}
