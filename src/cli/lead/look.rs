//! What `divvy lead` asks a cluster before it does anything, and all that a dry run asks: who coordinates the group, who is in
//! it, which topics they read.

use std::thread::sleep;
use std::time::Duration;

use anyhow::Result;

use crate::cli::failure::{Failure, Kind};
use crate::cli::kafka::{Kafka, refused};
use crate::client::topic_table;
use crate::ids::{InstanceId, MemberId, Protocol, TopicName};
use crate::lead::{Described, DescribedMember};
use crate::peer::{Security, address_of};
use crate::topics::TopicTable;
use crate::wire::messages::describe_groups::{DescribeGroupsRequest, DescribedGroup};
use crate::wire::messages::find_coordinator::FindCoordinatorRequest;
use crate::wire::messages::leave_group::{LeaveGroupRequest, MemberIdentity};
use crate::wire::messages::list_groups::ListGroupsRequest;
use crate::wire::messages::metadata::{MetadataRequest, MetadataRequestTopic, MetadataResponse, MetadataResponseTopic};
use crate::wire::{ErrorCode, Text};

/// What passes by itself is looked at so often …
const TRIES: u32 = 20;

/// … and so long apart.
const BETWEEN: Duration = Duration::from_millis(500);

/// Of so many addresses it is told why they will not do: more would fill a screen.
const ADDRESSES_TOLD: usize = 4;

/// As many names fit into one request of any server.
const NAMES_AT_ONCE: usize = 1_000;

/// The types of groups that have no leader: their broker assigns.
const WITHOUT_LEADER: [&str; 3] = ["consumer", "share", "streams"];

/// Where to ask.
#[derive(Clone, Debug)]
pub struct Cluster {
    /// `HOST:PORT`, several with commas.
    pub brokers: String,
    /// How they are connected to.
    pub security: Security,
    /// The flag that named them.
    pub flag: &'static str,
}

impl Cluster {
    /// The group as its coordinator describes it; an error if it is one that nobody can lead.
    pub fn group(&self, id: &str) -> Result<Described> {
        let mut coordinator = self.coordinator(id)?;
        let request = DescribeGroupsRequest { groups: vec![id.into()], ..DescribeGroupsRequest::default() };
        let answer = coordinator.ask(&request)?;
        let group = answer.groups.into_iter().next().unwrap_or_default();
        match group.error_code {
            ErrorCode::None => {}
            ErrorCode::GroupIdNotFound => return without_leader(&mut coordinator, id).map(|()| Described::default()),
            ErrorCode::NotCoordinator | ErrorCode::CoordinatorNotAvailable | ErrorCode::CoordinatorLoadInProgress => {
                let text = format!("the coordinator of group {id} is moving or loading ({})", group.error_code);
                return Err(Failure::of(Kind::Unreachable, text));
            }
            error => return Err(no(&format!("group {id} is not described"), error, group.error_message.as_ref())),
        }
        let described = Described { draws: coordinator.is_divvy(), ..described(group) };
        if described.is_empty() {
            without_leader(&mut coordinator, id)?;
        }
        Ok(described)
    }

    /// These topics, as far as they exist. One that its broker does not show is no topic that is not there: a plan without
    /// it would be another one.
    pub fn topics(&self, names: &[TopicName]) -> Result<TopicTable> {
        let mut broker = self.any()?;
        let mut table = TopicTable::default();
        for names in names.chunks(NAMES_AT_ONCE) {
            let topic = |name: &TopicName| MetadataRequestTopic {
                name: Some(name.as_str().into()),
                ..MetadataRequestTopic::default()
            };
            let topics = Some(names.iter().map(topic).collect());
            // To look at a group is no reason to make its topics again.
            let request = MetadataRequest { topics, allow_auto_topic_creation: false, ..MetadataRequest::default() };
            let passes = |(_, error): (String, ErrorCode)| !FOR_GOOD.contains(&error);
            let answer = patiently(|| broker.ask(&request), |answer| !hidden(answer).is_some_and(passes))?;
            if let Some((what, error)) = hidden(&answer) {
                return Err(no(&what, error, None));
            }
            table.0.append(&mut topic_table(&answer).0);
        }
        Ok(table)
    }

    /// Removes the static member of that name: its place is not kept for it.
    pub fn remove(&self, id: &str, instance: &str) -> Result<()> {
        let identity = MemberIdentity {
            group_instance_id: Some(instance.into()),
            reason: Some("divvy lead hands the group back".into()),
            ..MemberIdentity::default()
        };
        let request =
            LeaveGroupRequest { group_id: id.into(), members: vec![identity], ..LeaveGroupRequest::default() };
        let answer = self.coordinator(id)?.ask(&request)?;
        match answer.error_code {
            ErrorCode::None => Ok(()),
            error => Err(no(&format!("group {id} is not handed back"), error, None)),
        }
    }

    fn any(&self) -> Result<Kafka> {
        let mut errors = Vec::new();
        for address in self.brokers.split(',').map(str::trim) {
            match Kafka::dial(address, self.security.clone(), self.flag) {
                Ok(broker) => return Ok(broker),
                Err(error) => errors.push(error),
            }
        }
        let Some(first) = errors.first() else {
            return Err(Failure::of(Kind::Usage, format!("{} names no address", self.flag)));
        };
        // The first says what kind of trouble it is: it is the address that people know.
        let told: Vec<String> = errors.iter().take(ADDRESSES_TOLD).map(|error| format!("{error:#}")).collect();
        let more = match errors.len().saturating_sub(told.len()) {
            0 => String::new(),
            more => format!("; and {more} more addresses will not do"),
        };
        Err(Failure::of(Failure::kind(first), format!("{}{more}", told.join("; and "))))
    }

    fn coordinator(&self, id: &str) -> Result<Kafka> {
        let mut broker = self.any()?;
        let request =
            FindCoordinatorRequest { key: id.into(), coordinator_keys: vec![id.into()], ..Default::default() };
        let ask = || {
            let answer = broker.ask(&request)?;
            // A list since version 4, one before.
            Ok(match answer.coordinators.into_iter().next() {
                Some(it) => (it.error_code, it.host, it.port),
                None => (answer.error_code, answer.host, answer.port),
            })
        };
        // A cluster that nobody used yet makes its topic of groups when it is asked for a coordinator.
        let not_yet =
            |error| matches!(error, ErrorCode::CoordinatorNotAvailable | ErrorCode::CoordinatorLoadInProgress);
        match patiently(ask, |(error, ..)| !not_yet(*error))? {
            (ErrorCode::None, host, port) => Kafka::dial(&address_of(&host, port), self.security.clone(), self.flag),
            (error, ..) if not_yet(error) => {
                let waited = (BETWEEN * TRIES).as_secs();
                let text = format!("the cluster names no coordinator of group {id} within {waited} s");
                Err(Failure::of(Kind::Unreachable, text))
            }
            (error, ..) => Err(no(&format!("nobody coordinates group {id}"), error, None)),
        }
    }
}

/// What a broker says no to for good: to ask again changes nothing before somebody has changed something. Any other error
/// may pass by itself.
const FOR_GOOD: [ErrorCode; 4] = [
    ErrorCode::InvalidGroupId,
    ErrorCode::TopicAuthorizationFailed,
    ErrorCode::GroupAuthorizationFailed,
    ErrorCode::UnsupportedVersion,
];

/// A broker that says no, and whether that may pass.
fn no(what: &str, error: ErrorCode, message: Option<&Text>) -> anyhow::Error {
    let refused = refused(what, error, message);
    match error {
        ErrorCode::TopicAuthorizationFailed | ErrorCode::GroupAuthorizationFailed => {
            Failure::of(Kind::Failed, format!("{refused:#}; give this login the rights to describe and read it"))
        }
        error if FOR_GOOD.contains(&error) => refused,
        _ => Failure::of(Kind::Unreachable, format!("{refused:#}; this may pass by itself")),
    }
}

/// Whether to look again is in vain: what nobody said to be so may pass.
pub fn is_for_good(error: &anyhow::Error) -> bool {
    error.downcast_ref::<Failure>().is_some() && Failure::kind(error) == Kind::Failed
}

/// What the answer does not tell though it exists, if there is anything.
fn hidden(answer: &MetadataResponse) -> Option<(String, ErrorCode)> {
    if answer.error_code.is_error() {
        return Some(("the topics of the group are not shown".to_owned(), answer.error_code));
    }
    // What no topic can be called is none, like one that is not there: any member may ask for such a name.
    let is_hidden = |topic: &&MetadataResponseTopic| {
        let code = topic.error_code;
        code.is_error() && ![ErrorCode::UnknownTopicOrPartition, ErrorCode::InvalidTopic].contains(&code)
    };
    let topic = answer.topics.iter().find(is_hidden)?;
    let name = topic.name.as_deref().unwrap_or_default();
    Some((format!("topic {name} is not shown, which the group reads"), topic.error_code))
}

/// Looks until what passes by itself has passed: the last that was seen, whether it has or not.
pub fn patiently<T>(mut look: impl FnMut() -> Result<T>, has_passed: impl Fn(&T) -> bool) -> Result<T> {
    let mut seen = look()?;
    for _ in 0..TRIES {
        if has_passed(&seen) {
            break;
        }
        sleep(BETWEEN);
        seen = look()?;
    }
    Ok(seen)
}

fn described(group: DescribedGroup) -> Described {
    let member = |it: crate::wire::messages::describe_groups::DescribedGroupMember| DescribedMember {
        id: MemberId::from(it.member_id.as_str()),
        instance: it.group_instance_id.as_deref().map(InstanceId::from),
        client_id: it.client_id.to_string(),
        metadata: it.member_metadata,
        state: it.member_assignment,
    };
    Described {
        state: group.group_state.to_string(),
        protocol_type: group.protocol_type.to_string(),
        protocol: Protocol::from(group.protocol_data.as_str()),
        members: group.members.into_iter().map(member).collect(),
        draws: false,
    }
}

/// Groups of the new protocols (KIP-848 and its kin) look as if they were not there; whoever joined one would change it.
fn without_leader(coordinator: &mut Kafka, id: &str) -> Result<()> {
    let Ok(answer) = coordinator.ask(&ListGroupsRequest::default()) else { return Ok(()) };
    let Some(group) = answer.groups.iter().find(|group| group.group_id == id) else { return Ok(()) };
    let kind = group.group_type.to_ascii_lowercase();
    if !WITHOUT_LEADER.contains(&kind.as_str()) || group.group_state == "Empty" {
        return Ok(());
    }
    Err(Failure::of(
        Kind::Failed,
        format!(
            "group {id} runs by the protocol in which the broker assigns (type {kind}, KIP-848): it has no leader; clients \
             that are to be led need `group.protocol=classic`"
        ),
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn answer(topics: &[(&str, ErrorCode)]) -> MetadataResponse {
        let topic = |(name, error_code): &(&str, ErrorCode)| MetadataResponseTopic {
            name: Some((*name).into()),
            error_code: *error_code,
            ..MetadataResponseTopic::default()
        };
        MetadataResponse { topics: topics.iter().map(topic).collect(), ..MetadataResponse::default() }
    }

    #[test]
    fn a_topic_that_is_hidden_is_not_taken_for_one_that_is_not_there() {
        let there =
            [("a", ErrorCode::None), ("b", ErrorCode::UnknownTopicOrPartition), ("c:", ErrorCode::InvalidTopic)];
        assert!(hidden(&answer(&there)).is_none());
        for error in [ErrorCode::TopicAuthorizationFailed, ErrorCode::LeaderNotAvailable, ErrorCode::UnknownServerError]
        {
            let (what, why) = hidden(&answer(&[there[0], ("d", error)])).unwrap();
            assert_eq!((what.as_str(), why), ("topic d is not shown, which the group reads", error));
        }
        let refused = MetadataResponse { error_code: ErrorCode::UnknownServerError, ..answer(&there) };
        assert!(hidden(&refused).is_some());
    }

    #[test]
    fn what_may_pass_is_not_said_to_be_for_good() {
        for error in [ErrorCode::UnknownServerError, ErrorCode::RequestTimedOut, ErrorCode::Other(13)] {
            let error = no("group g is not described", error, None);
            assert!(!is_for_good(&error) && error.to_string().contains("may pass"), "{error}");
        }
        let error = no("group g is not described", ErrorCode::GroupAuthorizationFailed, None);
        assert!(is_for_good(&error) && error.to_string().contains("give this login the rights"), "{error}");
        assert!(!is_for_good(&anyhow::anyhow!("its thread panicked")), "nobody said that it stays so");
    }
}
