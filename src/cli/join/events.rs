//! What a member hears, as a line of JSON for scripts and as a sentence for people.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use crate::cli::output::partitions;
use crate::embedded::show_state;
use crate::ids::TopicName;
use crate::membership::{Assigned, Notice, Role, Share};

/// A line of JSON: `event` names it.
pub fn json(notice: &Notice, protocol_type: &str) -> Value {
    match notice {
        Notice::Assigned(assigned) => with_share(assigned_json(assigned), &assigned.share, protocol_type),
        Notice::Revoke(share) => with_share(json!({ "event": "revoked" }), share, protocol_type),
        Notice::Lost { share, reason } => with_share(json!({ "event": "lost", "reason": reason }), share, protocol_type),
        Notice::Failed { reason } => json!({ "event": "failed", "reason": reason }),
        Notice::OffersChanged(offers) => {
            let offers = offers.iter().map(|offer| {
                json!({ "protocol": offer.protocol, "digest": offer.digest.map(|digest| digest.to_string()) })
            });
            json!({ "event": "offers", "offers": offers.collect::<Vec<_>>() })
        }
        Notice::Fault { fault, served_by } => json!({
            "event": "fault",
            "protocol": fault.protocol,
            "digest": fault.digest.map(|digest| digest.to_string()),
            "kind": fault.kind.name(),
            "message": fault.message,
            "served_by": served_by.to_string(),
        }),
        Notice::TopicsMissing(topics) => json!({ "event": "topics_missing", "topics": topics }),
        Notice::Suspended(protocols) => {
            let protocols = protocols.iter().map(|(protocol, reason)| json!({ "protocol": protocol, "reason": reason }));
            json!({ "event": "suspended", "protocols": protocols.collect::<Vec<_>>() })
        }
        Notice::NoPlan { reason } => json!({ "event": "no_plan", "reason": reason }),
        Notice::CoordinatorLost { reason } => json!({ "event": "coordinator_lost", "reason": reason }),
        Notice::CoordinatorFound => json!({ "event": "coordinator_found" }),
        Notice::Left => json!({ "event": "left" }),
    }
}

fn assigned_json(assigned: &Assigned) -> Value {
    json!({
        "event": "assigned",
        "generation": assigned.generation,
        "protocol": assigned.protocol,
        "digest": assigned.digest.map(|digest| digest.to_string()),
        "member": assigned.member,
        "leader": assigned.leader,
        "role": match assigned.role {
            Role::Leader => "leader",
            Role::Follower => "follower",
        },
    })
}

fn with_share(mut event: Value, share: &Share, protocol_type: &str) -> Value {
    let (key, value) = match share {
        Share::Partitions(topics) => ("partitions", json!(by_topic(topics))),
        Share::State(state) => ("state", show_state(protocol_type, state)),
    };
    event[key] = value;
    event
}

fn by_topic(topics: &[(TopicName, Vec<i32>)]) -> BTreeMap<&str, &Vec<i32>> {
    topics.iter().map(|(topic, partitions)| (topic.as_str(), partitions)).collect()
}

/// A sentence.
pub fn text(notice: &Notice, protocol_type: &str) -> String {
    match notice {
        Notice::Assigned(assigned) => {
            let Assigned { generation, protocol, role, share, .. } = assigned;
            let does = if *role == Role::Leader { "leads and owns" } else { "owns" };
            format!("{does} {} (generation {generation}, {protocol})", share_text(share, protocol_type))
        }
        Notice::Revoke(share) => format!("gives up {} for a rebalance", share_text(share, protocol_type)),
        Notice::Lost { share, reason } => format!("lost {}: {reason}", share_text(share, protocol_type)),
        Notice::Failed { reason } => format!("is out: {reason}"),
        Notice::OffersChanged(offers) => {
            let names: Vec<&str> = offers.iter().map(|offer| offer.protocol.as_str()).collect();
            format!("offers {}", if names.is_empty() { "nothing".to_owned() } else { names.join(", ") })
        }
        Notice::Fault { fault, served_by } => {
            let kind = fault.kind.name();
            format!("{} failed ({kind}): {}; served by {served_by}", fault.protocol, fault.message)
        }
        Notice::TopicsMissing(topics) => {
            let names: Vec<&str> = topics.iter().map(TopicName::as_str).collect();
            format!("waits for topics that do not exist: {}", names.join(", "))
        }
        Notice::Suspended(protocols) => {
            let lines: Vec<String> = protocols.iter().map(|(protocol, reason)| format!("{protocol} ({reason})")).collect();
            format!("hears that the vote passes over {}", lines.join(", "))
        }
        Notice::NoPlan { reason } => format!("got no plan, joins again: {reason}"),
        Notice::CoordinatorLost { reason } => format!("lost the coordinator, keeps its work: {reason}"),
        Notice::CoordinatorFound => "found the coordinator".to_owned(),
        Notice::Left => "left".to_owned(),
    }
}

fn share_text(share: &Share, protocol_type: &str) -> String {
    match share {
        Share::Partitions(topics) => partitions(topics.iter().map(|(topic, list)| (topic.as_str(), list.as_slice()))),
        Share::State(state) => show_state(protocol_type, state).to_string(),
    }
}
