//! What people see of the story: an event as a sentence, and who owns what as a table.

use serde_json::Value;

use super::stage::{CAST, PARTITIONS, TOPIC, rack_of};
use crate::divvy::Member;

/// An event of `divvy join --json`, in words.
pub fn sentence(event: &Value) -> String {
    let text = |key: &str| event[key].as_str().unwrap_or_default().to_owned();
    match event["event"].as_str() {
        Some("joining") => format!("joins group {}", text("group")),
        Some("assigned") => {
            let role = if event["role"] == "leader" { "leads and owns" } else { "owns" };
            format!("{role} {} (generation {}, {})", numbers(&owned(event)), event["generation"], text("protocol"))
        }
        Some("revoked") => format!("gives up {} for a rebalance", numbers(&owned(event))),
        Some("offers") => format!("offers {}", protocols(&event["offers"])),
        Some("suspended") => format!("hears that the vote passes over {} now", protocols(&event["protocols"])),
        Some("fault") => format!(
            "{} failed ({}): {}; served by {}",
            text("protocol"),
            text("kind"),
            text("message"),
            text("served_by")
        ),
        Some("coordinator_lost") => format!("lost the coordinator, keeps its work: {}", text("reason")),
        Some("coordinator_found") => "found the coordinator again".to_owned(),
        Some("left") => "left".to_owned(),
        _ => event.to_string(),
    }
}

/// Each member with its rack, its partitions, and how many of them lie in that rack.
pub fn who_owns_what(members: &[Member], elsewhere: &[i64]) -> String {
    let mut text = format!("    {:<10} {:<7} {:<22} {}\n", "member", "rack", "owns", "in its rack");
    let (mut near, mut all) = (0, 0);
    for (member, (_, rack)) in members.iter().zip(CAST) {
        let owned = member.owns(TOPIC);
        let close = owned.iter().filter(|partition| rack_of(**partition) == rack).count();
        (near, all) = (near + close, all + owned.len());
        text.push_str(&format!(
            "    {:<10} {rack:<7} {:<22} {close} of {}\n",
            member.name,
            numbers(&owned),
            owned.len()
        ));
    }
    if !elsewhere.is_empty() {
        text.push_str(&format!("    {:<10} {:<7} {:<22}\n", "(Python)", "-", numbers(elsewhere)));
    }
    let (protocol, generation) = members.first().and_then(Member::works_in).unwrap_or(("nothing", 0));
    text.push_str(&format!(
        "    {PARTITIONS} partitions by {protocol} in generation {generation}; {near} of {all} in their rack\n"
    ));
    text
}

fn owned(event: &Value) -> Vec<i64> {
    event["partitions"][TOPIC].as_array().into_iter().flatten().filter_map(Value::as_i64).collect()
}

fn numbers(partitions: &[i64]) -> String {
    let list: Vec<String> = partitions.iter().map(i64::to_string).collect();
    if list.is_empty() { "nothing".to_owned() } else { format!("{TOPIC} {}", list.join(" ")) }
}

fn protocols(list: &Value) -> String {
    let names = list.as_array().into_iter().flatten().filter_map(|entry| entry["protocol"].as_str());
    names.collect::<Vec<_>>().join(", ")
}
