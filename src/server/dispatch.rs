//! From a frame to what is to be done about it: an answer, or a question to a group.

use std::future::Future;
use std::pin::Pin;
use std::time::Duration;

use bytes::Bytes;

use super::Handle;
use super::api::{self, Asked, Frame, Peer, Shape};
use super::large;
use super::messages::Pending;
use super::outbox::{Close, Slot};
use crate::group::event::ModuleOffer;
use crate::ids::{Digest, GroupId, Protocol};
use crate::wire::api::served;
use crate::wire::divvy::{HeartbeatRequestTag, JoinRequestTag, SyncRequestTag};
use crate::wire::frame::decode_request;
use crate::wire::frame::encode_response;
use crate::wire::header::RequestHeader;
use crate::wire::messages::{
    CreatePartitionsRequest, CreateTopicsRequest, DeleteGroupsRequest, DeleteGroupsResponse, DeleteTopicsRequest,
    DescribeClusterRequest, DescribeConfigsRequest, DescribeGroupsRequest, HeartbeatRequest, JoinGroupRequest,
    ListGroupsRequest, ListOffsetsRequest, MetadataRequest, OffsetCommitRequest, OffsetDeleteRequest,
    OffsetFetchRequest, ProduceRequest, SaslAuthenticateResponse, SaslHandshakeResponse, SyncGroupRequest,
};
use crate::wire::{ApiKey, DecodeError, EncodeError, ErrorCode, Message, Reader, Tags};

/// What is to be done about a request.
pub(crate) enum Step {
    /// This takes its place among the answers.
    Answer(Slot),
    /// A group is asked.
    Ask(Asked, GroupId, Pending),
    /// Several groups are asked.
    AskMany(Asked, Vec<(GroupId, Pending)>),
    /// The answer takes a while; what comes after it waits, as it may rest on it.
    Later(Answering),
}

/// An answer that takes a while.
pub(crate) type Answering = Pin<Box<dyn Future<Output = Result<large::Frame, Close>> + Send>>;

/// Reads a request and says what is to be done. An error closes the connection after the answers before it.
pub(crate) fn dispatch(handle: &Handle, peer: &mut Peer, frame: Bytes) -> Result<Step, Close> {
    let mut body = Reader::new(frame);
    let header = RequestHeader::decode(&mut body).map_err(|error| malformed("a request's header", &error))?;
    let Some(key) = ApiKey::from_code(header.api_key) else {
        let reason = format!("API key {} (version {}) is not served", header.api_key, header.api_version);
        return Err(Close { kind: "unknown_key", reason });
    };
    handle.metrics().request(key);
    let shape = Shape { correlation_id: header.correlation_id, version: header.api_version };
    if header.served().is_none() {
        return other_version(key, shape);
    }
    let known = Known { handle, peer, shape, client_id: header.client_id.as_deref().unwrap_or_default() };
    known.step(key, body).map_err(|fault| match fault {
        Fault::Decode(error) => malformed(&format!("{} v{}", key.name(), shape.version), &error),
        Fault::Encode(error) => unwritable(key, &error),
        Fault::Close(close) => close,
    })
}

/// A version that is not served. Only of ApiVersions may a client not know that.
fn other_version(key: ApiKey, shape: Shape) -> Result<Step, Close> {
    if key == ApiKey::ApiVersions {
        let answer = encode_response(0, shape.correlation_id, &api::api_versions::too_new());
        return Ok(Step::Answer(Slot::Ready(answer.map_err(|error| unwritable(key, &error))?)));
    }
    let range = served(key).versions;
    let reason = format!("{} v{} is not served: v{} to v{} are", key.name(), shape.version, range.min, range.max);
    Err(Close { kind: "unknown_version", reason })
}

/// A request of a version that is served.
struct Known<'a> {
    handle: &'a Handle,
    peer: &'a mut Peer,
    shape: Shape,
    client_id: &'a str,
}

enum Fault {
    Decode(DecodeError),
    Encode(EncodeError),
    Close(Close),
}

impl From<DecodeError> for Fault {
    fn from(error: DecodeError) -> Self {
        Fault::Decode(error)
    }
}

impl From<EncodeError> for Fault {
    fn from(error: EncodeError) -> Self {
        Fault::Encode(error)
    }
}

impl Known<'_> {
    fn step(self, key: ApiKey, body: Reader) -> Result<Step, Fault> {
        let version = self.shape.version;
        match key {
            ApiKey::Heartbeat => self.heartbeat(body),
            ApiKey::JoinGroup => self.join_group(body),
            ApiKey::SyncGroup => self.sync_group(body),
            ApiKey::LeaveGroup => {
                let request = decode_request(body, version)?;
                let (group, leave) = api::leave_group::ask(&request, version, self.peer);
                Ok(Step::Ask(Asked::one(self.shape, Frame::Plain), group, Pending::Leave(leave)))
            }
            ApiKey::OffsetCommit => self.offset_commit(body),
            ApiKey::OffsetFetch => self.offset_fetch(body),
            ApiKey::ApiVersions => {
                let request = decode_request(body, version)?;
                self.answer(&api::api_versions::answer(&request, version, self.handle.presents_as_kafka()))
            }
            ApiKey::FindCoordinator => {
                let request = decode_request(body, version)?;
                self.answer(&api::find_coordinator::answer(&request, version, self.handle))
            }
            ApiKey::ListOffsets => {
                let request: ListOffsetsRequest = decode_request(body, version)?;
                self.later(move |handle| api::list_offsets::answer(request, handle))
            }
            ApiKey::Fetch => self.fetch(body),
            ApiKey::Produce => self.produce(body),
            ApiKey::Metadata => {
                let request: MetadataRequest = decode_request(body, version)?;
                let answer = api::metadata::answer(request, self.shape, self.handle.clone());
                Ok(Step::Later(Box::pin(answer)))
            }
            ApiKey::ListGroups => {
                let request: ListGroupsRequest = decode_request(body, version)?;
                self.later(move |handle| api::list_groups::answer(request, handle))
            }
            ApiKey::DescribeGroups => {
                let request: DescribeGroupsRequest = decode_request(body, version)?;
                self.later(move |handle| api::describe_groups::answer(request, version, handle))
            }
            ApiKey::CreateTopics => {
                let request: CreateTopicsRequest = decode_request(body, version)?;
                self.later(move |handle| api::create_topics::answer(request, handle))
            }
            ApiKey::DeleteTopics => {
                let request: DeleteTopicsRequest = decode_request(body, version)?;
                self.later(move |handle| api::delete_topics::answer(request, version, handle))
            }
            ApiKey::CreatePartitions => {
                let request: CreatePartitionsRequest = decode_request(body, version)?;
                self.later(move |handle| api::create_partitions::answer(request, handle))
            }
            ApiKey::DescribeCluster => {
                let request: DescribeClusterRequest = decode_request(body, version)?;
                self.later(move |handle| api::describe_cluster::answer(request, handle))
            }
            ApiKey::DescribeConfigs => {
                let request: DescribeConfigsRequest = decode_request(body, version)?;
                self.later(move |handle| api::describe_configs::answer(request, handle))
            }
            // Nobody logs in here, and a broker without logins says this too.
            ApiKey::SaslHandshake => {
                let error_code = ErrorCode::IllegalSaslState;
                self.answer(&SaslHandshakeResponse { error_code, ..Default::default() })
            }
            ApiKey::SaslAuthenticate => {
                let error_code = ErrorCode::IllegalSaslState;
                self.answer(&SaslAuthenticateResponse { error_code, ..Default::default() })
            }
            ApiKey::TxnOffsetCommit => {
                let request = decode_request(body, version)?;
                self.answer(&api::txn_offset_commit::answer(&request))
            }
            ApiKey::DeleteGroups => self.delete_groups(body),
            ApiKey::OffsetDelete => self.offset_delete(body),
        }
    }

    fn heartbeat(self, body: Reader) -> Result<Step, Fault> {
        let request: HeartbeatRequest = decode_request(body, self.shape.version)?;
        let divvy = self.tag(&request.tags, HeartbeatRequestTag::take)?.unwrap_or_default();
        let wait = divvy.wait_ms.map(|ms| Duration::from_millis(ms.into()));
        let (group, heartbeat) = api::heartbeat::ask(&request, divvy.modules.map(offers), wait, self.peer);
        let frame = if heartbeat.wait.is_some() { Frame::Waits } else { Frame::Plain };
        Ok(Step::Ask(Asked::one(self.shape, frame), group, Pending::Heartbeat(heartbeat)))
    }

    fn join_group(self, body: Reader) -> Result<Step, Fault> {
        let version = self.shape.version;
        let request: JoinGroupRequest = decode_request(body, version)?;
        let modules = self.tag(&request.tags, JoinRequestTag::take)?.map(|tag| offers(tag.modules));
        let (group, join) = api::join_group::ask(&request, version, self.client_id, modules, self.peer);
        Ok(Step::Ask(Asked::one(self.shape, Frame::Waits), group, Pending::Join(Box::new(join))))
    }

    fn sync_group(self, body: Reader) -> Result<Step, Fault> {
        let version = self.shape.version;
        let request: SyncGroupRequest = decode_request(body, version)?;
        if let Some(refusal) = api::sync_group::refusal(&request, version) {
            self.handle.metrics().error(ApiKey::SyncGroup, refusal.error_code);
            return self.answer(&refusal);
        }
        let divvy = self.tag(&request.tags, SyncRequestTag::take)?;
        let (group, sync) = api::sync_group::ask(&request, divvy, self.peer);
        Ok(Step::Ask(Asked::one(self.shape, Frame::Plain), group, Pending::Sync(Box::new(sync))))
    }

    fn offset_commit(self, body: Reader) -> Result<Step, Fault> {
        let version = self.shape.version;
        let request: OffsetCommitRequest = decode_request(body, version)?;
        let (asked, group, commit) = api::offset_commit::ask(&request, self.handle.topics(), self.peer);
        match commit {
            Some(commit) => {
                let asked = Asked::one(self.shape, Frame::Commit(Box::new(asked)));
                Ok(Step::Ask(asked, group, Pending::Commit(commit)))
            }
            None => self.answer(&api::offset_commit::answer(asked, &[], version)),
        }
    }

    fn offset_fetch(self, body: Reader) -> Result<Step, Fault> {
        let version = self.shape.version;
        let request: OffsetFetchRequest = decode_request(body, version)?;
        let (asked, events) = api::offset_fetch::ask(&request, version, self.peer);
        if events.is_empty() {
            return self.answer(&api::offset_fetch::answer(asked, Vec::new(), version));
        }
        let asked = Asked::many(self.shape, Frame::Fetch(Box::new(asked)), events.len());
        Ok(Step::AskMany(asked, events.into_iter().map(|(group, fetch)| (group, Pending::Fetch(fetch))).collect()))
    }

    fn delete_groups(self, body: Reader) -> Result<Step, Fault> {
        let request: DeleteGroupsRequest = decode_request(body, self.shape.version)?;
        let (asked, groups) = api::delete_groups::ask(&request);
        if groups.is_empty() {
            return self.answer(&DeleteGroupsResponse::default());
        }
        let asked = Asked::many(self.shape, Frame::DeleteGroups(Box::new(asked)), groups.len());
        Ok(Step::AskMany(asked, groups.into_iter().map(|group| (group, Pending::DeleteGroup)).collect()))
    }

    fn offset_delete(self, body: Reader) -> Result<Step, Fault> {
        let request: OffsetDeleteRequest = decode_request(body, self.shape.version)?;
        let (asked, group, delete) = api::offset_delete::ask(&request, self.handle.topics(), self.peer);
        let asked = Asked::one(self.shape, Frame::OffsetDelete(Box::new(asked)));
        Ok(Step::Ask(asked, group, Pending::DeleteOffsets(delete)))
    }

    fn fetch(self, body: Reader) -> Result<Step, Fault> {
        let Shape { correlation_id, version } = self.shape;
        let request = decode_request(body, version)?;
        let (answer, wait) = api::fetch::answer(&request, version, self.handle.topics());
        let answer = encode_response(version, correlation_id, &answer)?;
        Ok(Step::Answer(if wait == Duration::ZERO {
            Slot::Ready(answer)
        } else {
            Slot::NotBefore(self.handle.clock().after(wait), answer)
        }))
    }

    fn produce(self, body: Reader) -> Result<Step, Fault> {
        let request: ProduceRequest = decode_request(body, self.shape.version)?;
        match api::produce::answer(&request) {
            Some(answer) => self.answer(&answer),
            None => Err(Fault::Close(Close { kind: "produce", reason: api::produce::REASON.to_owned() })),
        }
    }

    fn answer<M: Message>(&self, answer: &M) -> Result<Step, Fault> {
        let answer = encode_response(self.shape.version, self.shape.correlation_id, answer)?;
        Ok(Step::Answer(Slot::Ready(answer)))
    }

    fn later<M, A>(&self, answer: impl FnOnce(Handle) -> A) -> Result<Step, Fault>
    where
        M: Message + Send,
        A: Future<Output = M> + Send + 'static,
    {
        let Shape { correlation_id, version } = self.shape;
        let answer = answer(self.handle.clone());
        Ok(Step::Later(Box::pin(async move {
            let answer = answer.await;
            let frame = encode_response(version, correlation_id, &answer);
            frame.map(large::Frame::from).map_err(|error| unwritable(M::KEY, &error))
        })))
    }

    /// A tagged field of divvy's, unless we are to pass for something else.
    fn tag<T>(
        &self,
        tags: &Tags,
        take: impl Fn(&Tags) -> Result<Option<T>, DecodeError>,
    ) -> Result<Option<T>, DecodeError> {
        if self.handle.presents_as_kafka() { Ok(None) } else { take(tags) }
    }
}

fn offers(modules: Vec<(Protocol, Digest)>) -> Vec<ModuleOffer> {
    modules.into_iter().map(|(protocol, digest)| ModuleOffer { protocol, digest }).collect()
}

fn malformed(what: &str, error: &DecodeError) -> Close {
    Close { kind: "malformed", reason: format!("{what} cannot be read: {error}") }
}

/// Why a connection is closed whose answer cannot be encoded.
pub(super) fn unwritable(key: ApiKey, error: &EncodeError) -> Close {
    Close { kind: "encode", reason: format!("an answer to {} cannot be written: {error}", key.name()) }
}
