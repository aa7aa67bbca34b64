//! Addresses and names on the command line, judged before anything is tried.

use crate::server::config::{HostPort, is_protocol_wish};
use crate::server::topics;
use crate::topics::Topic;

/// One HOST:PORT.
pub fn host_port(text: &str) -> Result<String, &'static str> {
    text.parse::<HostPort>().map(|_| text.to_owned())
}

/// One HOST:PORT, or several with commas: any of them leads to the cluster.
pub fn host_ports(text: &str) -> Result<String, &'static str> {
    text.split(',').try_for_each(|address| address.trim().parse::<HostPort>().map(|_| ()))?;
    Ok(text.to_owned())
}

/// The name of a topic that there can be.
pub fn topic(text: &str) -> Result<String, String> {
    let smallest = Topic { partitions: 1, racks: Vec::new() };
    topics::check(text, &smallest).map(|()| text.to_owned()).map_err(|error| error.message)
}

/// An assignor by its name, or by name and version.
pub fn assignor(text: &str) -> Result<String, &'static str> {
    const EXPECTED: &str = "write NAME or NAME@VERSION, such as rack-aware or rack-aware@1";
    if is_protocol_wish(text) { Ok(text.to_owned()) } else { Err(EXPECTED) }
}

/// A number of partitions.
pub fn partitions(text: &str) -> Result<i32, String> {
    let most = topics::MAX_PARTITIONS_PER_TOPIC;
    let number = text.parse::<u32>().ok().filter(|number| (1..=most).contains(number));
    number.and_then(|number| i32::try_from(number).ok()).ok_or_else(|| format!("write a number from 1 to {most}"))
}
