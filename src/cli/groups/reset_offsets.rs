//! `divvy groups reset-offsets GROUP --topic TOPIC[:PARTITIONS] …`.

use std::collections::BTreeSet;

use anyhow::Result;
use clap::Args;
use serde::Serialize;

use super::foreign::Foreign;
use crate::cli::SERVER;
use crate::cli::address::host_port;
use crate::cli::failure::{Failure, Kind};
use crate::cli::kafka::{Kafka, refused};
use crate::cli::offsets::{self, ByPartition, EARLIEST, LATEST, Wanted, wanted};
use crate::cli::output::{Output, aside, plain, table};
use crate::cli::security::SecurityArgs;
use crate::wire::ErrorCode;
use crate::wire::messages::describe_groups::DescribeGroupsRequest;

/// Set how far a group has come. Without --execute it only shows what would be.
#[derive(Args, Debug)]
pub struct ResetOffsets {
    /// The group; it has to have no members. One that is not there yet is made
    group: String,
    /// A topic, or some of its partitions, such as clicks:0,4-7; more than one may be named
    #[arg(long = "topic", value_name = "TOPIC[:PARTITIONS]", required = true, value_parser = wanted)]
    topics: Vec<Wanted>,
    #[command(flatten)]
    to: To,
    /// Do it
    #[arg(long)]
    execute: bool,
    /// Only show what would be, as it is without --execute
    #[arg(long, conflicts_with = "execute")]
    dry_run: bool,
    /// The coordinator
    #[arg(long, value_name = "HOST:PORT", default_value = SERVER, value_parser = host_port)]
    server: String,
    #[command(flatten)]
    security: SecurityArgs,
}

/// Where to.
#[derive(Args, Debug)]
#[group(required = true, multiple = false)]
struct To {
    /// To this offset; on a Kafka broker not before a partition's beginning, nor beyond its end
    #[arg(long, value_name = "N", allow_negative_numbers = true, value_parser = offset)]
    to_offset: Option<i64>,
    /// To the beginning of each partition
    #[arg(long)]
    to_earliest: bool,
    /// To the end of each partition: at a divvy coordinator, which keeps no records, the highest offset that any group
    /// has committed
    #[arg(long)]
    to_latest: bool,
    /// By so much from where it is, back with a minus; bounded in the same way
    #[arg(long, value_name = "N", allow_negative_numbers = true)]
    shift_by: Option<i64>,
}

/// What becomes of a partition.
#[derive(Serialize)]
struct Line {
    topic: String,
    partition: i32,
    committed: Option<i64>,
    new: i64,
    end: i64,
    /// Where the partition has no such place: the one that was asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    asked: Option<i64>,
}

/// The whole answer.
#[derive(Serialize)]
struct Report {
    group: String,
    executed: bool,
    partitions: Vec<Line>,
}

impl ResetOffsets {
    /// Shows it, or does it.
    pub fn run(self, output: &Output) -> Result<()> {
        let mut server = Kafka::connect(&self.server, &self.security)?;
        let partitions = offsets::partitions(&mut server, &self.topics)?;
        let is_new = self.check_group(&mut server)?;
        let lines = self.lines(&mut server, &partitions)?;
        if is_new {
            let what = if self.execute { "this makes it" } else { "--execute makes it" };
            aside(&plain(&format!("note: there is no group {:?} yet at {}: {what}", self.group, self.server)));
        }
        cut_short(&lines).iter().for_each(|note| aside(&plain(note)));
        if self.execute {
            let new = lines.iter().map(|line| ((line.topic.clone(), line.partition), line.new)).collect();
            self.commit(&mut server, &new)?;
        }
        let report = Report { group: self.group, executed: self.execute, partitions: lines };
        output.print(&report, || text(&report))
    }

    /// A group with members has its own mind about its offsets. True if there is no such group yet.
    fn check_group(&self, server: &mut Kafka) -> Result<bool> {
        let request = DescribeGroupsRequest { groups: vec![self.group.as_str().into()], ..Default::default() };
        let answer = server.ask(&request)?;
        let Some(group) = answer.groups.first() else { return Ok(false) };
        let is_new = group.group_state == "Dead";
        if group.error_code.is_error() && group.error_code != ErrorCode::GroupIdNotFound {
            let what = format!("group {:?} is not described", self.group);
            return Err(refused(&what, group.error_code, group.error_message.as_ref()));
        }
        if !is_new {
            let is_empty = group.group_state == "Empty";
            return if is_empty { Ok(false) } else { Err(self.has_members(Some(group.members.len()))) };
        }
        match Foreign::find(server, &self.group)? {
            None => Ok(true),
            Some(foreign) if foreign.takes_commits() => Ok(false),
            Some(foreign) if foreign.is_empty => Err(foreign.refuse("keeps no offsets that divvy could set")),
            Some(foreign) => Err(foreign.refuse("has members, which have to be stopped first")),
        }
    }

    fn has_members(&self, count: Option<usize>) -> anyhow::Error {
        let (count, remedy) = match count {
            Some(1) => ("1 member".to_owned(), "stop it first, since it goes on from where it is"),
            Some(count) => (format!("{count} members"), "stop them first, since they go on from where they are"),
            None => ("members".to_owned(), "stop them first, since they go on from where they are"),
        };
        Failure::of(Kind::Failed, format!("group {:?} has {count}: {remedy}", self.group))
    }

    fn lines(&self, server: &mut Kafka, partitions: &BTreeSet<(String, i32)>) -> Result<Vec<Line>> {
        let committed = offsets::committed(server, &self.group, partitions)?;
        let begins = offsets::bounds(server, partitions, EARLIEST)?;
        let ends = offsets::bounds(server, partitions, LATEST)?;
        // A coordinator of divvy's keeps no records: its end is only what was committed so far, and no bound.
        let is_bounded = !server.is_divvy();
        let line = |key: &(String, i32)| {
            let (begin, end) = (begins.get(key).copied().unwrap_or(0), ends.get(key).copied().unwrap_or(0));
            let committed = committed.get(key).copied();
            let asked = match (self.to.to_offset, self.to.shift_by) {
                (Some(offset), _) => offset,
                (None, Some(by)) => match committed {
                    Some(offset) => offset.saturating_add(by),
                    None => {
                        let what = format!("group {:?} has committed nothing for {}-{}", self.group, key.0, key.1);
                        let remedy = "say where to with --to-offset, --to-earliest or --to-latest";
                        return Err(Failure::of(Kind::Failed, format!("{what}: {remedy}")));
                    }
                },
                (None, None) if self.to.to_earliest => begin,
                (None, None) => end,
            };
            let new = asked.max(begin).min(if is_bounded { end.max(begin) } else { i64::MAX });
            let asked = (new != asked).then_some(asked);
            Ok(Line { topic: key.0.clone(), partition: key.1, committed, new, end, asked })
        };
        partitions.iter().map(line).collect()
    }

    fn commit(&self, server: &mut Kafka, new: &ByPartition<i64>) -> Result<()> {
        let refusals = offsets::commit(server, &self.group, new)?;
        match refusals.first_key_value() {
            None => Ok(()),
            // A member came meanwhile.
            Some((_, ErrorCode::UnknownMemberId)) => Err(self.has_members(None)),
            Some(((topic, partition), error)) => {
                let what =
                    format!("{} of {} offsets are not set, {topic}-{partition} first", refusals.len(), new.len());
                Err(refused(&what, *error, None))
            }
        }
    }
}

fn offset(text: &str) -> Result<i64, &'static str> {
    text.parse().ok().filter(|offset| *offset >= 0).ok_or("an offset is 0 or more: write a number")
}

/// What could not be had as it was asked for: a sentence for those before the beginning, and one for those beyond the end.
fn cut_short(lines: &[Line]) -> Vec<String> {
    let of = |is_before: bool, place: &str| {
        let mut cut = lines.iter().filter(|line| line.asked.is_some_and(|asked| (asked < line.new) == is_before));
        let first = cut.next()?;
        let (asked, more) = (first.asked.unwrap_or_default(), cut.count());
        let more = if more == 0 { String::new() } else { format!(" (and so with {more} more partitions)") };
        let (topic, partition, new) = (&first.topic, first.partition, first.new);
        Some(format!("note: {asked} is {place} of {topic}-{partition}, which is {new} and taken instead{more}"))
    };
    [of(true, "before the beginning"), of(false, "beyond the end")].into_iter().flatten().collect()
}

fn text(report: &Report) -> String {
    let rows = report.partitions.iter().map(|line| {
        vec![
            line.topic.clone(),
            line.partition.to_string(),
            line.committed.map_or_else(|| "-".to_owned(), |offset| offset.to_string()),
            line.new.to_string(),
            line.end.to_string(),
        ]
    });
    let table = table(&["TOPIC", "PARTITION", "COMMITTED", "NEW", "END"], rows);
    let told = if report.executed { "done" } else { "nothing was done: --execute does it" };
    format!("{table}\n{told}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_no_partition_has_is_said_once_for_each_side() {
        let line =
            |partition, new, asked| Line { topic: "clicks".to_owned(), partition, committed: None, new, end: 9, asked };
        assert_eq!(cut_short(&[line(0, 5, None)]), [""; 0]);
        let said = cut_short(&[line(0, 9, Some(99)), line(1, 9, Some(99)), line(2, 3, Some(-4)), line(3, 5, None)]);
        assert_eq!(
            said,
            [
                "note: -4 is before the beginning of clicks-2, which is 3 and taken instead",
                "note: 99 is beyond the end of clicks-0, which is 9 and taken instead (and so with 1 more partitions)",
            ]
        );
    }
}
