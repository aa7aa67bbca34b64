//! Groups, modules and topics as JSON.

use std::collections::BTreeMap;

use serde_json::{Map, Value, json};

use super::alarms;
use crate::embedded::{show_metadata, show_state};
use crate::group::describe::LedDescription;
use crate::group::{
    GenerationOutcome, GenerationRecord, GroupDescription, GroupSummary, MemberDescription, StateName, Suspension,
};
use crate::ids::{Digest, Protocol};
use crate::server::settings::Setting;
use crate::server::topics::View;
use crate::topics::Topic;

/// A line of the list.
pub(super) fn summary(group: &GroupSummary) -> Value {
    json!({
        "id": group.id,
        "state": state(group.state),
        "kafka_state": group.state.wire(),
        "protocol_type": group.protocol_type,
        "protocol": group.protocol,
        "generation": group.generation,
        "members": group.members,
    })
}

/// The proposal's name; a group without members is Stable there, which would not tell enough.
fn state(name: StateName) -> &'static str {
    match name {
        StateName::Empty => "Empty",
        other => other.proposal(),
    }
}

/// A whole group, with the bounds that hold for it.
pub(super) fn description(group: &GroupDescription, limits: &[Setting]) -> Value {
    let protocol_type = group.summary.protocol_type.as_ref().map_or("", |it| it.as_str());
    let members: Vec<Value> = group.members.iter().map(|it| member(it, protocol_type)).collect();
    let mut all = summary(&group.summary);
    all["leader"] = json!(group.leader);
    all["plan_digest"] = json!(group.plan_digest.as_ref().map(Digest::to_string));
    all["last_trigger"] = json!(group.last_trigger);
    all["led"] = json!(group.led.as_ref().map(led));
    all["stand_in"] = json!(group.stand_in);
    all["copies"] = json!(group.copies);
    all["suspended"] = group.suspensions.iter().map(suspension).collect();
    let states = members.iter().filter_map(|member| Some((member["id"].as_str()?, &member["state"])));
    all["alarms"] = json!(alarms::surplus_owners(Some(group.summary.generation.0), group.copies, states));
    all["limits"] = limits.iter().map(limit).collect::<Map<_, _>>().into();
    all["members"] = Value::Array(members);
    all
}

/// A bound under Kafka's name; all of them are numbers.
fn limit(setting: &Setting) -> (String, Value) {
    let value = setting.value.parse::<i64>().map_or_else(|_| json!(setting.value), |number| json!(number));
    (setting.name.clone(), value)
}

/// How the coordinator leads; without an assignor divvy itself made the plan.
fn led(led: &LedDescription) -> Value {
    json!({
        "assignor": led.assignor,
        "digest": led.digest.as_ref().map(Digest::to_string),
        "config": led.config,
        "wanted": led.wanted,
        "trouble": led.trouble,
    })
}

/// The last generations of a group, oldest first.
pub(super) fn history(group: &str, generations: &[GenerationRecord]) -> Value {
    let generation = |it: &GenerationRecord| {
        let (outcome, reason) = match &it.outcome {
            GenerationOutcome::Awaited => ("awaited", None),
            GenerationOutcome::Accepted => ("accepted", None),
            GenerationOutcome::Failed(reason) => ("failed", Some(reason)),
            GenerationOutcome::Superseded => ("superseded", None),
            GenerationOutcome::Empty => ("empty", None),
        };
        json!({
            "generation": it.generation,
            "trigger": it.trigger,
            "began_ms": it.began,
            "join_ms": it.join_ms,
            "plan_ms": it.plan_ms,
            "protocol": it.protocol,
            "digest": it.digest.as_ref().map(Digest::to_string),
            "leader": it.leader,
            "members": it.members,
            "moved": it.moved,
            "outcome": outcome,
            "reason": reason.or(it.stand_in.as_ref().map(|it| &it.reason)),
            "made_by": it.stand_in.as_ref().map(|it| &it.by),
            "captured": it.captured,
        })
    };
    json!({ "id": group, "generations": generations.iter().map(generation).collect::<Vec<_>>() })
}

fn member(member: &MemberDescription, protocol_type: &str) -> Value {
    let modules = member.modules.as_ref().map(|modules| {
        let module =
            |it: &crate::group::event::ModuleOffer| json!({ "protocol": it.protocol, "digest": it.digest.to_string() });
        modules.iter().map(module).collect::<Vec<_>>()
    });
    json!({
        "id": member.id,
        "instance": member.instance,
        "client_id": member.client_id,
        "client_host": member.client_host,
        "offers": member.offers,
        "modules": modules,
        "metadata": show_metadata(protocol_type, &member.metadata),
        "state": show_state(protocol_type, &member.state),
        "session_timeout_ms": member.session_timeout_ms,
    })
}

fn suspension(it: &Suspension) -> Value {
    json!({
        "protocol": it.protocol,
        "digest": it.digest.as_ref().map(Digest::to_string),
        "until_ms": it.until,
        "failures": it.failures,
        "reason": it.reason,
    })
}

/// The modules that members of any group offer, by protocol and digest, and who offers them.
pub(super) fn modules(groups: &[GroupDescription]) -> Vec<Value> {
    let mut seen: BTreeMap<(&Protocol, Digest), BTreeMap<&str, Vec<&str>>> = BTreeMap::new();
    for group in groups {
        for member in &group.members {
            for module in member.modules.iter().flatten() {
                let of_module = seen.entry((&module.protocol, module.digest)).or_default();
                of_module.entry(group.summary.id.as_str()).or_default().push(member.id.as_str());
            }
        }
    }
    let shown = seen.into_iter().map(
        |((protocol, digest), groups)| json!({ "protocol": protocol, "digest": digest.to_string(), "groups": groups }),
    );
    shown.collect()
}

/// All topics; racks as names, and the brokers that stand for them.
pub(super) fn topics(view: &View) -> Value {
    let topic =
        |(name, topic): (_, &Topic)| json!({ "name": name, "partitions": topic.partitions, "racks": topic.racks });
    let brokers = view.brokers().iter().map(|broker| json!({ "node": broker.node, "rack": broker.rack }));
    json!({
        "topics": view.table().0.iter().map(topic).collect::<Vec<_>>(),
        "brokers": brokers.collect::<Vec<_>>(),
    })
}
