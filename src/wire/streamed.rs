//! An answer to Metadata read topic by topic: one about a whole cluster may have millions of partitions, and decoded at
//! once it would be many times as large as its bytes.

use bytes::Bytes;

use super::api::{ApiKey, served};
use super::error::ErrorCode;
use super::header::ResponseHeader;
use super::messages::metadata::{MetadataResponseBroker, MetadataResponseTopic};
use super::problem::{DecodeError, Problem};
use super::reader::{Classic, Reader};
use super::text::Text;
use super::value::{Value, Version};

/// A part of an answer.
pub enum Part {
    /// All brokers; they come first, and once.
    Brokers(Vec<MetadataResponseBroker>),
    /// The cluster's id, if it has one and the version tells it; once, behind the brokers.
    Cluster(Text),
    /// The next topic.
    Topic(MetadataResponseTopic),
}

/// Reads the frame of an answer to Metadata part by part; gives back the error that it tells of as a whole.
pub fn metadata(frame: Bytes, number: i16, mut take: impl FnMut(Part)) -> Result<ErrorCode, DecodeError> {
    let version = Version { number, flexible: number >= served(ApiKey::Metadata).flexible_from };
    let mut from = Reader::new(frame);
    ResponseHeader::decode(&mut from, ApiKey::Metadata, number)?;
    let from = &mut from;
    if version.has(3, i16::MAX) {
        i32::read(from, version)?;
    }
    take(Part::Brokers(Vec::read(from, version)?));
    if version.has(2, i16::MAX)
        && let Some(id) = Option::<Text>::read(from, version)?
    {
        take(Part::Cluster(id));
    }
    if version.has(1, i16::MAX) {
        i32::read(from, version)?;
    }
    let at = from.position();
    let count = from.length(version, Classic::Int32)?.unwrap_or(0);
    let most = from.remaining() / MetadataResponseTopic::min_size(version);
    if count > most {
        return Err(DecodeError::at(at, Problem::Count { count, most }));
    }
    for _ in 0..count {
        take(Part::Topic(MetadataResponseTopic::read(from, version)?));
    }
    if version.has(8, 10) {
        i32::read(from, version)?;
    }
    if version.has(13, i16::MAX) { ErrorCode::read(from, version) } else { Ok(ErrorCode::None) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::wire::frame::encode_response;
    use crate::wire::messages::metadata::{MetadataResponse, MetadataResponsePartition};

    #[test]
    fn topic_by_topic_it_says_what_it_says_at_once() {
        let partition = |index| MetadataResponsePartition {
            partition_index: index,
            leader_id: 1,
            leader_epoch: -1,
            replica_nodes: vec![1, 2],
            ..Default::default()
        };
        let answer = MetadataResponse {
            brokers: vec![MetadataResponseBroker { node_id: 1, host: "h".into(), port: 9, rack: None }],
            cluster_id: Some("c".into()),
            topics: ["a", "b"]
                .map(|name| MetadataResponseTopic {
                    name: Some(name.into()),
                    partitions: (0..3).map(partition).collect(),
                    ..Default::default()
                })
                .to_vec(),
            ..Default::default()
        };
        for version in 0..=13 {
            let mut answer = answer.clone();
            answer.error_code = if version >= 13 { ErrorCode::RequestTimedOut } else { ErrorCode::None };
            let frame = encode_response(version, 7, &answer).unwrap().slice(4..);
            let (mut brokers, mut topics) = (Vec::new(), Vec::new());
            let take = |part| match part {
                Part::Brokers(all) => brokers = all,
                Part::Cluster(id) => assert!(version >= 2 && id.as_str() == "c"),
                Part::Topic(topic) => topics.push(topic),
            };
            let error = metadata(frame.clone(), version, take).unwrap();
            assert_eq!((error, &brokers, &topics), (answer.error_code, &answer.brokers, &answer.topics), "v{version}");
            for end in 4..frame.len() {
                // Cut short it may be wrong, and is never more than was there.
                let _ = metadata(frame.slice(..end), version, |part| {
                    assert!(!matches!(part, Part::Topic(topic) if !topics.contains(&topic)));
                });
            }
        }
    }

    #[test]
    fn a_count_that_cannot_be_is_refused_before_anything_is_read() {
        // Version 1: id, no brokers, controller, two billion topics.
        let frame = [&7_i32.to_be_bytes()[..], &[0; 4], &[0; 4], &i32::MAX.to_be_bytes()].concat();
        let no_topic = |part| assert!(matches!(part, Part::Brokers(_)), "there is none");
        metadata(frame.into(), 1, no_topic).unwrap_err();
    }
}
