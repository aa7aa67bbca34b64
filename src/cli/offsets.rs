//! Offsets as Kafka's protocol tells and takes them: for commands that look at them or set them.

use std::collections::{BTreeMap, BTreeSet};

use anyhow::{Context, Result};

use super::failure::{Failure, Kind};
use super::kafka::{Kafka, refused};
use crate::wire::ErrorCode;
use crate::wire::messages::list_offsets::{ListOffsetsPartition, ListOffsetsRequest, ListOffsetsTopic};
use crate::wire::messages::metadata::{MetadataRequest, MetadataRequestTopic};
use crate::wire::messages::offset_commit::{
    OffsetCommitRequest, OffsetCommitRequestPartition, OffsetCommitRequestTopic,
};
use crate::wire::messages::offset_fetch::{
    OffsetFetchRequest, OffsetFetchRequestGroup, OffsetFetchRequestTopic, OffsetFetchRequestTopics,
};

/// Something of each partition, by topic.
pub type ByPartition<T> = BTreeMap<(String, i32), T>;

/// "The offset after the last record" and "the first one", as ListOffsets says them.
pub const LATEST: i64 = -1;
/// See [`LATEST`].
pub const EARLIEST: i64 = -2;

/// `TOPIC`, or `TOPIC:0,2,4-7`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Wanted {
    /// The topic.
    pub topic: String,
    /// Some of its partitions; none for all.
    pub partitions: Option<BTreeSet<i32>>,
}

/// Requests are cut so that none has more than about so many bytes: far below what any server takes.
const REQUEST_BYTES: usize = 512 * 1024;

/// What a partition takes in a request at most, and its topic beside the name.
const PARTITION_BYTES: usize = 32;

/// Cuts what is asked about into what goes into one request each.
fn requests<V>(all: impl IntoIterator<Item = ((String, i32), V)>) -> Vec<Vec<((String, i32), V)>> {
    let mut requests: Vec<Vec<_>> = Vec::new();
    let mut bytes = REQUEST_BYTES;
    for it in all {
        let (topic, _) = &it.0;
        let is_new = requests.last().and_then(|request| request.last()).is_none_or(|((last, _), _)| last != topic);
        bytes += PARTITION_BYTES + if is_new { PARTITION_BYTES + topic.len() } else { 0 };
        match requests.last_mut() {
            Some(request) if bytes <= REQUEST_BYTES => request.push(it),
            _ => {
                bytes = 2 * PARTITION_BYTES + it.0.0.len();
                requests.push(vec![it]);
            }
        }
    }
    requests
}

/// The same for partitions alone.
fn questions(of: &BTreeSet<(String, i32)>) -> Vec<BTreeSet<(String, i32)>> {
    let requests = requests(of.iter().map(|it| (it.clone(), ())));
    requests.into_iter().map(|request| request.into_iter().map(|(it, ())| it).collect()).collect()
}

/// Reads a [`Wanted`] of the command line.
pub fn wanted(text: &str) -> Result<Wanted, String> {
    let (name, partitions) = match text.split_once(':') {
        Some((name, partitions)) => (name, Some(numbers(partitions)?)),
        None => (text, None),
    };
    Ok(Wanted { topic: super::address::topic(name)?, partitions })
}

fn numbers(text: &str) -> Result<BTreeSet<i32>, String> {
    const EXPECTED: &str = "write TOPIC, or TOPIC:0,2,4-7 for some of its partitions";
    let number = |text: &str| text.parse::<i32>().ok().filter(|number| *number >= 0).ok_or(EXPECTED);
    let most = i32::try_from(crate::server::topics::MAX_PARTITIONS_PER_TOPIC).unwrap_or(i32::MAX);
    let mut all = BTreeSet::new();
    for part in text.split(',') {
        let (first, last) = part.split_once('-').unwrap_or((part, part));
        let (first, last) = (number(first)?, number(last)?);
        if first > last || last >= most {
            return Err(EXPECTED.to_owned());
        }
        all.extend(first..=last);
    }
    Ok(all)
}

/// The partitions that are meant, if all of them are there.
pub fn partitions(server: &mut Kafka, wanted: &[Wanted]) -> Result<BTreeSet<(String, i32)>> {
    let named =
        |it: &Wanted| MetadataRequestTopic { name: Some(it.topic.as_str().into()), ..MetadataRequestTopic::default() };
    let request = MetadataRequest {
        topics: Some(wanted.iter().map(named).collect()),
        allow_auto_topic_creation: false,
        ..Default::default()
    };
    let answer = server.ask(&request)?;
    let mut all = BTreeSet::new();
    for wanted in wanted {
        let name = &wanted.topic;
        let topic = answer.topics.iter().find(|topic| topic.name.as_deref() == Some(name));
        let topic = match topic {
            Some(topic) if topic.error_code == ErrorCode::None => topic,
            _ => {
                let remedy = "`divvy topics list` shows those that are there";
                return Err(Failure::of(Kind::NotFound, format!("there is no topic {name}: {remedy}")));
            }
        };
        let there: BTreeSet<i32> = topic.partitions.iter().map(|partition| partition.partition_index).collect();
        let meant = wanted.partitions.clone().unwrap_or_else(|| there.clone());
        if let Some(missing) = meant.difference(&there).next() {
            let count = there.len();
            let sentence = format!("topic {name} has no partition {missing}: it has {count}, from 0 on");
            return Err(Failure::of(Kind::NotFound, sentence));
        }
        all.extend(meant.into_iter().map(|partition| (name.clone(), partition)));
    }
    Ok(all)
}

/// What a group has committed; a partition without a commit is left out.
pub fn committed(server: &mut Kafka, group: &str, of: &BTreeSet<(String, i32)>) -> Result<ByPartition<i64>> {
    let mut all = BTreeMap::new();
    for some in questions(of) {
        all.extend(some_committed(server, group, &some)?);
    }
    Ok(all)
}

fn some_committed(server: &mut Kafka, group: &str, of: &BTreeSet<(String, i32)>) -> Result<ByPartition<i64>> {
    let topics = by_topic(of.iter().map(|(topic, partition)| (topic, *partition)));
    let old = |(name, partitions): (&&String, &Vec<i32>)| OffsetFetchRequestTopic {
        name: name.as_str().into(),
        partition_indexes: partitions.clone(),
    };
    let new = |(name, partitions): (&&String, &Vec<i32>)| OffsetFetchRequestTopics {
        name: name.as_str().into(),
        partition_indexes: partitions.clone(),
    };
    // The versions from 8 on name groups, those before one group: the codec takes what its version has.
    let of_group = OffsetFetchRequestGroup {
        group_id: group.into(),
        topics: Some(topics.iter().map(new).collect()),
        ..Default::default()
    };
    let request = OffsetFetchRequest {
        group_id: group.into(),
        topics: Some(topics.iter().map(old).collect()),
        groups: vec![of_group],
        ..Default::default()
    };
    let answer = server.ask(&request)?;
    let what = format!("the offsets of group {group:?} are not told");
    let errors = answer.groups.iter().map(|group| group.error_code).chain([answer.error_code]);
    if let Some(error) = errors.into_iter().find(|error| error.is_error()) {
        return Err(refused(&what, error, None));
    }
    let old = answer.topics.iter().flat_map(|topic| {
        topic.partitions.iter().map(|it| (&topic.name, it.partition_index, it.error_code, it.committed_offset))
    });
    let new = answer.groups.iter().flat_map(|group| &group.topics).flat_map(|topic| {
        topic.partitions.iter().map(|it| (&topic.name, it.partition_index, it.error_code, it.committed_offset))
    });
    let mut all = BTreeMap::new();
    for (topic, partition, error, offset) in old.chain(new) {
        if error.is_error() {
            return Err(refused(&format!("{what} ({topic}-{partition})"), error, None));
        }
        if offset >= 0 {
            all.insert((topic.to_string(), partition), offset);
        }
    }
    Ok(all)
}

/// Where partitions begin ([`EARLIEST`]) or end ([`LATEST`]).
pub fn bounds(server: &mut Kafka, of: &BTreeSet<(String, i32)>, which: i64) -> Result<ByPartition<i64>> {
    let mut all = BTreeMap::new();
    for some in questions(of) {
        all.extend(some_bounds(server, &some, which)?);
    }
    Ok(all)
}

fn some_bounds(server: &mut Kafka, of: &BTreeSet<(String, i32)>, which: i64) -> Result<ByPartition<i64>> {
    let partition =
        |index: &i32| ListOffsetsPartition { partition_index: *index, timestamp: which, ..Default::default() };
    let topics = by_topic(of.iter().map(|(topic, partition)| (topic, *partition)));
    let topic = |(name, partitions): (&String, Vec<i32>)| ListOffsetsTopic {
        name: name.as_str().into(),
        partitions: partitions.iter().map(partition).collect(),
    };
    let request =
        ListOffsetsRequest { replica_id: -1, topics: topics.into_iter().map(topic).collect(), ..Default::default() };
    let answer = server.ask(&request)?;
    let mut all = BTreeMap::new();
    for topic in &answer.topics {
        for it in &topic.partitions {
            if it.error_code.is_error() {
                let what = format!("where {}-{} begins and ends is not told", topic.name, it.partition_index);
                return Err(refused(&what, it.error_code, None));
            }
            all.insert((topic.name.to_string(), it.partition_index), it.offset.max(0));
        }
    }
    Ok(all)
}

/// Commits for a group that has no members; gives back the partitions that were refused. A large commit is several: one
/// that fails says how many offsets are set by then.
pub fn commit(server: &mut Kafka, group: &str, offsets: &ByPartition<i64>) -> Result<ByPartition<ErrorCode>> {
    let mut refused = BTreeMap::new();
    let mut set = 0;
    for some in requests(offsets.iter().map(|(it, offset)| (it.clone(), *offset))) {
        let some = some.into_iter().collect();
        let of_some = commit_some(server, group, &some)
            .with_context(|| format!("{set} of {} offsets are set, and the others are not", offsets.len()))?;
        set += some.len() - of_some.len();
        refused.extend(of_some);
    }
    Ok(refused)
}

fn commit_some(server: &mut Kafka, group: &str, offsets: &ByPartition<i64>) -> Result<ByPartition<ErrorCode>> {
    let mut topics: BTreeMap<&str, Vec<OffsetCommitRequestPartition>> = BTreeMap::new();
    for ((topic, partition_index), committed_offset) in offsets {
        let (partition_index, committed_offset) = (*partition_index, *committed_offset);
        let partition = OffsetCommitRequestPartition {
            partition_index,
            committed_offset,
            ..OffsetCommitRequestPartition::default()
        };
        topics.entry(topic).or_default().push(partition);
    }
    let topic = |(name, partitions): (&str, _)| OffsetCommitRequestTopic { name: name.into(), partitions };
    let request = OffsetCommitRequest {
        group_id: group.into(),
        topics: topics.into_iter().map(topic).collect(),
        ..Default::default()
    };
    let answer = server.ask(&request)?;
    let all = answer.topics.iter().flat_map(|topic| {
        topic.partitions.iter().map(|it| ((topic.name.to_string(), it.partition_index), it.error_code))
    });
    Ok(all.filter(|(_, error)| error.is_error()).collect())
}

fn by_topic<'a>(partitions: impl Iterator<Item = (&'a String, i32)>) -> BTreeMap<&'a String, Vec<i32>> {
    let mut topics: BTreeMap<&String, Vec<i32>> = BTreeMap::new();
    partitions.for_each(|(topic, partition)| topics.entry(topic).or_default().push(partition));
    topics
}

#[cfg(test)]
mod tests {
    use super::{REQUEST_BYTES, requests, wanted};

    #[test]
    fn requests_are_short_whatever_is_asked() {
        let all = |topics: usize, partitions: i32| {
            (0..topics).flat_map(move |topic| (0..partitions).map(move |it| (topic, it)))
        };
        let many = all(1, 100_000).chain(all(5_000, 1)).map(|(topic, it)| ((format!("{topic:0>249}"), it), ()));
        let requests = requests(many);
        assert_eq!(requests.iter().map(Vec::len).sum::<usize>(), 105_000);
        for request in &requests {
            let names = request.chunk_by(|a, b| a.0.0 == b.0.0).count() * 249;
            assert!(names + 18 * request.len() <= REQUEST_BYTES && !request.is_empty());
        }
        assert!(requests.len() < 20, "{}", requests.len());
    }

    #[test]
    fn partitions_are_named_one_by_one_or_as_runs() {
        let some = wanted("clicks:7,0-2").unwrap();
        assert_eq!(
            (some.topic.as_str(), some.partitions.unwrap().into_iter().collect::<Vec<_>>()),
            ("clicks", vec![0, 1, 2, 7])
        );
        assert_eq!(wanted("clicks").unwrap().partitions, None);
        for wrong in
            ["", ":1", "a b", "clicks:", "clicks:x", "clicks:-1", "clicks:3-1", "clicks:0-99999999", "clicks:1,,2"]
        {
            assert!(wanted(wrong).is_err(), "{wrong:?}");
        }
    }
}
