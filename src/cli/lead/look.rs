//! What `divvy lead` asks a cluster before it does anything, and all that a dry run asks: who coordinates the group, who is in
//! it, which topics they read.

use std::thread::sleep;
use std::time::Duration;

use anyhow::Result;

use crate::cli::failure::{Failure, Kind};
use crate::cli::kafka::{Kafka, refused};
use crate::cli::security::SecurityArgs;
use crate::client::topic_table;
use crate::ids::{InstanceId, MemberId, Protocol, TopicName};
use crate::lead::{Described, DescribedMember};
use crate::peer::address_of;
use crate::topics::TopicTable;
use crate::wire::ErrorCode;
use crate::wire::messages::describe_groups::{DescribeGroupsRequest, DescribedGroup};
use crate::wire::messages::find_coordinator::FindCoordinatorRequest;
use crate::wire::messages::leave_group::{LeaveGroupRequest, MemberIdentity};
use crate::wire::messages::list_groups::ListGroupsRequest;
use crate::wire::messages::metadata::{MetadataRequest, MetadataRequestTopic};

/// A cluster that nobody used yet makes its topic of groups when it is asked for a coordinator: as often …
const TRIES: u32 = 20;

/// … and as long apart.
const BETWEEN: Duration = Duration::from_millis(500);

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
    pub security: SecurityArgs,
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
            error => {
                return Err(refused(&format!("group {id} is not described"), error, group.error_message.as_ref()));
            }
        }
        let described = described(group);
        if described.is_empty() {
            without_leader(&mut coordinator, id)?;
        }
        Ok(described)
    }

    /// These topics, as far as they exist.
    pub fn topics(&self, names: &[TopicName]) -> Result<TopicTable> {
        let mut broker = self.any()?;
        let mut table = TopicTable::default();
        for names in names.chunks(NAMES_AT_ONCE) {
            let topic = |name: &TopicName| MetadataRequestTopic {
                name: Some(name.as_str().into()),
                ..MetadataRequestTopic::default()
            };
            let topics = Some(names.iter().map(topic).collect());
            let answer = broker.ask(&MetadataRequest { topics, ..MetadataRequest::default() })?;
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
            error => Err(refused(&format!("group {id} is not handed back"), error, None)),
        }
    }

    fn any(&self) -> Result<Kafka> {
        let mut first = None;
        for address in self.brokers.split(',').map(str::trim) {
            match Kafka::connect(address, &self.security) {
                Ok(broker) => return Ok(broker),
                Err(error) => first = first.or(Some(error)),
            }
        }
        Err(first.unwrap_or_else(|| Failure::of(Kind::Usage, "--brokers names no address")))
    }

    fn coordinator(&self, id: &str) -> Result<Kafka> {
        let mut broker = self.any()?;
        let request =
            FindCoordinatorRequest { key: id.into(), coordinator_keys: vec![id.into()], ..Default::default() };
        for _ in 0..TRIES {
            let answer = broker.ask(&request)?;
            // A list since version 4, one before.
            let (error, host, port) = match answer.coordinators.into_iter().next() {
                Some(it) => (it.error_code, it.host, it.port),
                None => (answer.error_code, answer.host, answer.port),
            };
            match error {
                ErrorCode::None => return Kafka::connect(&address_of(&host, port), &self.security),
                ErrorCode::CoordinatorNotAvailable | ErrorCode::CoordinatorLoadInProgress => sleep(BETWEEN),
                error => return Err(refused(&format!("nobody coordinates group {id}"), error, None)),
            }
        }
        let waited = (BETWEEN * TRIES).as_secs();
        Err(Failure::of(Kind::Unreachable, format!("the cluster names no coordinator of group {id} within {waited} s")))
    }
}

fn described(group: DescribedGroup) -> Described {
    let member = |it: crate::wire::messages::describe_groups::DescribedGroupMember| DescribedMember {
        id: MemberId::from(it.member_id.as_str()),
        instance: it.group_instance_id.as_deref().map(InstanceId::from),
        client_id: it.client_id.to_string(),
        host: it.client_host.to_string(),
        metadata: it.member_metadata,
        state: it.member_assignment,
    };
    Described {
        state: group.group_state.to_string(),
        protocol_type: group.protocol_type.to_string(),
        protocol: Protocol::from(group.protocol_data.as_str()),
        members: group.members.into_iter().map(member).collect(),
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
