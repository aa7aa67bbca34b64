//! Groups of Kafka's newer protocols (KIP-848 and its kin): DescribeGroups has them as if they were not there, and only
//! ListGroups tells what they are.

use anyhow::Result;

use crate::cli::failure::{Failure, Kind};
use crate::cli::kafka::Kafka;
use crate::wire::messages::list_groups::{ListGroupsRequest, ListGroupsResponse};

/// The one in which members lead: what divvy speaks.
const CLASSIC: &str = "classic";

/// A group whose members have no leader: the broker assigns.
#[derive(PartialEq, Eq, Debug)]
pub struct Foreign {
    id: String,
    /// `consumer`, `share` or `streams`, as the broker writes it.
    kind: String,
    /// Whether nobody is in it.
    pub is_empty: bool,
}

impl Foreign {
    /// Whether a group that is not described is one of these. A broker that does not say is one that has none.
    pub fn find(server: &mut Kafka, group: &str) -> Result<Option<Self>> {
        Ok(Self::among(&server.ask(&ListGroupsRequest::default())?, group))
    }

    fn among(groups: &ListGroupsResponse, id: &str) -> Option<Self> {
        let group = groups.groups.iter().find(|group| group.group_id == id)?;
        let kind = group.group_type.to_ascii_lowercase();
        let is_foreign = !kind.is_empty() && kind != CLASSIC;
        is_foreign.then(|| Self { id: id.to_owned(), kind, is_empty: group.group_state == "Empty" })
    }

    /// Whether its offsets are set by a plain commit, as those of a classic group are.
    pub fn takes_commits(&self) -> bool {
        self.kind == "consumer" && self.is_empty
    }

    /// That something cannot be done with it, and who can.
    pub fn refuse(&self, what: &str) -> anyhow::Error {
        let Self { id, kind, .. } = self;
        let kip = match kind.as_str() {
            "consumer" => ", KIP-848",
            "share" => ", KIP-932",
            "streams" => ", KIP-1071",
            _ => "",
        };
        let tool = match kind.as_str() {
            kind @ ("share" | "streams") => format!("kafka-{kind}-groups.sh"),
            _ => "kafka-consumer-groups.sh".to_owned(),
        };
        Failure::of(
            Kind::Failed,
            format!(
                "group {id:?} {what}: the broker itself assigns in it (type {kind}{kip}), and divvy cannot look inside: \
                 Kafka's `{tool} --describe --group` can"
            ),
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::wire::messages::list_groups::ListedGroup;

    #[test]
    fn what_the_broker_assigns_is_said_to_be_so_with_the_tool_that_knows_it() {
        let group = |(id, kind, state): &(&str, &str, &str)| ListedGroup {
            group_id: (*id).into(),
            group_type: (*kind).into(),
            group_state: (*state).into(),
            ..ListedGroup::default()
        };
        let listed = [
            ("old", "", "Stable"),
            ("classic", "Classic", "Stable"),
            ("new", "Consumer", "Stable"),
            ("idle", "consumer", "Empty"),
            ("shared", "Share", "Empty"),
        ];
        let answer = ListGroupsResponse { groups: listed.iter().map(group).collect(), ..Default::default() };
        for id in ["none", "old", "classic"] {
            assert_eq!(Foreign::among(&answer, id), None, "{id}");
        }
        let takes_commits = |id| Foreign::among(&answer, id).unwrap().takes_commits();
        assert_eq!(["new", "idle", "shared"].map(takes_commits), [false, true, false]);
        for (id, says) in [("new", "type consumer, KIP-848"), ("shared", "`kafka-share-groups.sh --describe")] {
            let error = Foreign::among(&answer, id).unwrap().refuse("is not described");
            assert!(error.to_string().contains(says), "{error}");
            assert_eq!(Failure::kind(&error), Kind::Failed);
        }
    }
}
