//! States that are no partitions, member by member: the same or not, how large, and what they say where that is known.

use std::collections::BTreeMap;

use serde_json::Value;

use super::States;
use crate::embedded::show_state;
use crate::ids::{MemberId, ProtocolType};

/// A member.
#[derive(Clone, PartialEq, Debug)]
pub struct StateRow {
    /// Its id.
    pub member: MemberId,
    /// Whether both are the same bytes.
    pub is_equal: bool,
    /// How many bytes both have.
    pub bytes: (usize, usize),
    /// What they say.
    pub shown: (Value, Value),
}

/// Compares states of any type, by member.
pub fn compare_states(protocol_type: &ProtocolType, before: States<'_>, after: States<'_>) -> Vec<StateRow> {
    let mut rows = BTreeMap::<&MemberId, (&[u8], &[u8])>::new();
    before.iter().for_each(|(id, state)| rows.entry(id).or_default().0 = state);
    after.iter().for_each(|(id, state)| rows.entry(id).or_default().1 = state);
    let show = |state: &[u8]| show_state(protocol_type.as_str(), state);
    let row = |(member, (before, after)): (&MemberId, (&[u8], &[u8]))| StateRow {
        member: member.clone(),
        is_equal: before == after,
        bytes: (before.len(), after.len()),
        shown: (show(before), show(after)),
    };
    rows.into_iter().map(row).collect()
}

#[cfg(test)]
mod tests {
    use bytes::Bytes;
    use serde_json::json;

    use super::*;
    use crate::embedded::single_writer::Role;

    fn role(id: &str, active: bool) -> (MemberId, Bytes) {
        (id.into(), Role { active, epoch: 7, active_member: "b".into() }.encode().into())
    }

    #[test]
    fn who_is_active_is_told_and_a_member_of_one_side_alone_is_not_forgotten() {
        let rows = compare_states(&"single-writer".into(), &[role("a", true), role("b", false)], &[role("a", true)]);
        let told: Vec<_> = rows.iter().map(|row| (row.member.as_str(), row.is_equal, row.bytes.1)).collect();
        assert_eq!(told, [("a", true, rows[0].bytes.0), ("b", false, 0)]);
        assert_eq!(rows[0].shown.0["role"], json!("active"));
        assert_eq!(rows[0].shown.1["epoch"], json!(7));
    }
}
