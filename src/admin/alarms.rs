//! What must never be so, and is said aloud where it is: more owners of a partition than its plan has copies. A foreign leader may have handed
//! them out, or a member may have been lost for a while; whoever looks should not have to find it among the rows.

use std::collections::BTreeMap;

use serde_json::Value;

/// More sentences than these say nothing new.
const MAX_ALARMS: usize = 20;

/// A sentence for each partition that more members have in one generation than the plan has `copies`. `states` are the
/// members' names and their decoded states.
pub fn surplus_owners<'a>(
    generation: Option<i32>,
    copies: u16,
    states: impl IntoIterator<Item = (&'a str, &'a Value)>,
) -> Vec<String> {
    let mut owners: BTreeMap<(&str, i64), Vec<&str>> = BTreeMap::new();
    for (member, state) in states {
        for (topic, list) in state.as_object().into_iter().flatten() {
            for partition in list.as_array().into_iter().flatten().filter_map(Value::as_i64) {
                let owners = owners.entry((topic, partition)).or_default();
                if !owners.contains(&member) {
                    owners.push(member);
                }
            }
        }
    }
    let when = generation.map(|generation| format!(" in generation {generation}")).unwrap_or_default();
    let wanted = if copies > 1 { format!(", {copies} are planned") } else { String::new() };
    let surplus: Vec<_> = owners.into_iter().filter(|(_, owners)| owners.len() > usize::from(copies.max(1))).collect();
    let mut alarms: Vec<String> = surplus
        .iter()
        .take(MAX_ALARMS)
        .map(|((topic, partition), owners)| {
            format!("{topic}-{partition} has {} owners{when}{wanted}: {}", owners.len(), owners.join(", "))
        })
        .collect();
    if surplus.len() > MAX_ALARMS {
        alarms.push(format!("and {} partitions more have too many owners{when}", surplus.len() - MAX_ALARMS));
    }
    alarms
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn two_owners_are_one_alarm_for_each_partition() {
        let (a, b) = (json!({ "t": [0, 1], "u": [0] }), json!({ "t": [1, 2], "u": [0] }));
        let alarms = surplus_owners(Some(7), 1, [("a", &a), ("b", &b)]);
        assert_eq!(alarms, ["t-1 has 2 owners in generation 7: a, b", "u-0 has 2 owners in generation 7: a, b"]);
        assert_eq!(surplus_owners(Some(7), 1, [("a", &a), ("b", &json!({ "hex": "00", "bytes": 1 }))]), [""; 0]);
        let many = json!({ "t": (0..100).collect::<Vec<_>>() });
        let alarms = surplus_owners(None, 1, [("a", &many), ("b", &many)]);
        assert_eq!((alarms.len(), alarms[20].as_str()), (21, "and 80 partitions more have too many owners"));
    }

    #[test]
    fn as_many_owners_as_copies_are_no_alarm() {
        let state = json!({ "t": [0] });
        let [two, three] = [2, 3].map(|count| ["a", "b", "c"].into_iter().take(count).map(|id| (id, &state)));
        assert_eq!(surplus_owners(Some(7), 2, two), [""; 0]);
        assert_eq!(surplus_owners(Some(7), 2, three), ["t-0 has 3 owners in generation 7, 2 are planned: a, b, c"]);
    }
}
