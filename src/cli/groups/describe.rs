//! `divvy groups describe GROUP`.

use std::collections::BTreeMap;
use std::time::{Duration, UNIX_EPOCH};

use anyhow::{Context, Result};
use clap::Args;
use serde_json::Value;

use super::Source;
use super::foreign::Foreign;
use super::view::{Group, Led, Member, Suspension};
use crate::cli::admin;
use crate::cli::failure::{Failure, Kind};
use crate::cli::kafka::{Kafka, refused};
use crate::cli::output::{Output, Tone, plain, table};
use crate::group::{GroupLimits, StandIn};
use crate::server::settings;
use crate::wire::divvy::DescribeTag;
use crate::wire::messages::describe_configs::{
    DescribeConfigsRequest, DescribeConfigsResource, DescribeConfigsResourceResult,
};
use crate::wire::messages::describe_groups::DescribeGroupsRequest;
use crate::wire::messages::find_coordinator::FindCoordinatorRequest;
use crate::wire::{ErrorCode, Text};

/// Kafka's number of a broker among what has settings.
const BROKER: i8 = 4;

/// How Kafka says that there is no such group: with success.
const NO_SUCH_GROUP: &str = "Dead";

/// What Kafka's port cannot say.
const MORE: &str = "who leads with which module, and what is suspended, the admin port knows: --admin HOST:PORT";

/// What a broker of Kafka's cannot say.
const UNTOLD: &str = "who leads, and what members offer, a Kafka broker does not tell";

/// One group: members, what they own and offer, what is suspended and why.
#[derive(Args, Debug)]
pub struct Describe {
    /// The group
    group: String,
    #[command(flatten)]
    source: Source,
}

impl Describe {
    /// Prints it.
    pub fn run(self, output: &Output) -> Result<()> {
        let (group, has_more) = self.group()?;
        output.print(&group, || text(&group, has_more, output))
    }

    /// The group, and whether an admin port knows more of it.
    fn group(&self) -> Result<(Group, bool)> {
        let missing = |address: &str| {
            let remedy = "`divvy groups list` shows those that are there";
            Failure::of(Kind::NotFound, format!("there is no group {:?} at {address}: {remedy}", self.group))
        };
        if let Some(answer) = self.source.ask_admin(&format!("/groups/{}", admin::quote(&self.group)))? {
            let value = answer.value.ok_or_else(|| missing(&answer.address))?;
            let group = serde_json::from_value(value);
            let group = group.with_context(|| format!("{} describes its group in other words", answer.address))?;
            return Ok((group, false));
        }
        let server = self.source.server();
        let mut request = DescribeGroupsRequest { groups: vec![self.group.as_str().into()], ..Default::default() };
        DescribeTag::default().put(&mut request.tags);
        let mut connection = self.source.connect()?;
        let answer = connection.ask(&request)?;
        let group = answer.groups.first().ok_or_else(|| missing(server))?;
        if group.group_state == NO_SUCH_GROUP || group.error_code == ErrorCode::GroupIdNotFound {
            let foreign = Foreign::find(&mut connection, &self.group)?;
            return Err(foreign.map_or_else(|| missing(server), |foreign| foreign.refuse("is not described")));
        }
        if group.error_code.is_error() {
            let what = format!("group {:?} is not described", self.group);
            return Err(refused(&what, group.error_code, group.error_message.as_ref()));
        }
        let told = DescribeTag::take(&answer.tags).ok().flatten().unwrap_or_default().copies;
        let copies = told.iter().find(|(id, _)| id.as_str() == self.group).map_or(1, |(_, copies)| *copies);
        let group = Group { limits: limits(&mut connection, &self.group), ..Group::from_wire(group, copies) };
        // Kafka's protocol does not tell the generation either; a broker of Kafka's has no admin port.
        Ok((group, connection.is_divvy()))
    }
}

/// The coordinator's bounds, as far as it tells them: a group is described without them too.
fn limits(server: &mut Kafka, group: &str) -> BTreeMap<String, Value> {
    let request =
        FindCoordinatorRequest { key: group.into(), coordinator_keys: vec![group.into()], ..Default::default() };
    let Ok(found) = server.ask(&request) else { return BTreeMap::new() };
    let node = found.coordinators.first().map_or(found.node_id, |coordinator| coordinator.node_id);
    let keys = settings::limits(&GroupLimits::default()).into_iter().map(|setting| Text::from(setting.name));
    let resource = DescribeConfigsResource {
        resource_type: BROKER,
        resource_name: Text::from(node.to_string()),
        configuration_keys: Some(keys.collect()),
    };
    let Ok(told) = server.ask(&DescribeConfigsRequest { resources: vec![resource], ..Default::default() }) else {
        return BTreeMap::new();
    };
    let limit = |it: &DescribeConfigsResourceResult| {
        Some((it.name.to_string(), it.value.as_ref()?.parse::<i64>().ok()?.into()))
    };
    told.results.iter().flat_map(|result| &result.configs).filter_map(limit).collect()
}

fn text(group: &Group, has_more: bool, output: &Output) -> String {
    let mut parts = vec![plain(&head(group))];
    parts.extend(served_by(group).map(|it| plain(&it)));
    if let Some(trouble) = group.led.as_ref().and_then(|led| led.trouble.as_ref()) {
        parts.push(output.tone(Tone::Bad, &plain(&format!("a file of its strategy is refused: {trouble}"))));
    }
    if has_more {
        parts.push(output.tone(Tone::Faint, MORE));
    }
    if let Some(trigger) = &group.last_trigger {
        parts.push(output.tone(Tone::Faint, &plain(&format!("last rebalance: {trigger}"))));
    }
    if !group.limits.is_empty() {
        parts.push(output.tone(Tone::Faint, &plain(&limits_text(&group.limits))));
    }
    parts.extend(group.alarms.iter().map(|alarm| output.tone(Tone::Bad, &plain(&format!("ALARM: {alarm}")))));
    if !group.members.is_empty() {
        if is_told(group) {
            let rows = group.members.iter().map(|member| row(group, member));
            parts.push(format!("\n{}", table(&["MEMBER", "CLIENT", "HOST", "ROLE", "OWNS", "OFFERS (MODULE)"], rows)));
        } else {
            if !has_more {
                parts.push(output.tone(Tone::Faint, UNTOLD));
            }
            let rows = group.members.iter().map(|member| short_row(member).into());
            parts.push(format!("\n{}", table(&["MEMBER", "CLIENT", "HOST", "OWNS"], rows)));
        }
    }
    parts.extend(group.suspended.iter().map(|suspension| output.tone(Tone::Bad, &plain(&suspended(suspension)))));
    parts.join("\n")
}

fn limits_text(limits: &BTreeMap<String, Value>) -> String {
    let limits: Vec<String> = limits.iter().map(|(name, value)| format!("{name} {value}")).collect();
    format!("bounds: {}", limits.join(", "))
}

fn head(group: &Group) -> String {
    let mut head = format!("{}: {}", group.id, group.state);
    if let Some(generation) = group.generation {
        head.push_str(&format!(", generation {generation}"));
    }
    if let Some(protocol) = &group.protocol {
        head.push_str(&format!(", {protocol}"));
    }
    if let Some(digest) = &group.plan_digest {
        head.push_str(&format!(" (module {})", short(digest)));
    }
    if let Some(protocol_type) = &group.protocol_type {
        head.push_str(&format!(", type {protocol_type}"));
    }
    head
}

/// Who assigned where no member leads, or where something stands in for what failed.
fn served_by(group: &Group) -> Option<String> {
    match (&group.led, &group.stand_in) {
        (Some(led), stand_in) => Some(led_by(led, stand_in.as_ref())),
        (None, Some(it)) => Some(format!("served by {}, because {}", it.by, it.reason)),
        (None, None) => None,
    }
}

fn led_by(led: &Led, stand_in: Option<&StandIn>) -> String {
    let mut text = "led by the coordinator (divvy) with ".to_owned();
    match (stand_in, &led.assignor, &led.digest) {
        (Some(it), ..) => return format!("{text}{}, because {}", it.by, it.reason),
        (None, Some(assignor), Some(digest)) => text.push_str(&format!("{assignor} (module {})", short(digest))),
        _ => text.push_str("its own range"),
    }
    if !led.config.is_null() {
        text.push_str(&format!(", config {}", led.config));
    }
    text
}

/// Whether anything is known of who leads and what members offer.
fn is_told(group: &Group) -> bool {
    group.leader.is_some() || group.led.is_some() || group.members.iter().any(|member| member.offers.is_some())
}

fn short_row(member: &Member) -> [String; 4] {
    let name = member.instance.clone().unwrap_or_else(|| member.id.clone());
    [name, member.client_id.clone(), member.client_host.clone(), member.owns_text()]
}

fn row(group: &Group, member: &Member) -> Vec<String> {
    let offers = member.offers.as_ref().map(|offers| {
        let offers: Vec<String> = offers.iter().map(|protocol| offer(member, protocol)).collect();
        offers.join(", ")
    });
    let [name, client, host, owns] = short_row(member);
    vec![
        name,
        client,
        host,
        if group.is_led_by(member) { "leader" } else { "" }.to_owned(),
        owns,
        offers.unwrap_or_else(|| "unknown".to_owned()),
    ]
}

/// `rack-aware@1 (79493e954cac)`, or the bare name where the member runs no module of divvy's.
fn offer(member: &Member, protocol: &str) -> String {
    let module = member.modules.iter().flatten().find(|module| module.protocol == protocol);
    module.map_or_else(|| protocol.to_owned(), |module| format!("{protocol} ({})", short(&module.digest)))
}

fn suspended(suspension: &Suspension) -> String {
    let module = suspension.digest.as_deref().map(|digest| format!(" ({})", short(digest))).unwrap_or_default();
    let times = match suspension.failures {
        1 => "once".to_owned(),
        more => format!("{more} times"),
    };
    let until = UNIX_EPOCH + Duration::from_millis(u64::try_from(suspension.until_ms).unwrap_or(0));
    let until = humantime::format_rfc3339_seconds(until);
    let Suspension { protocol, reason, .. } = suspension;
    format!(
        "suspended: {protocol}{module}, failed {times}, last with {reason}; asked again with the first rebalance after {until}"
    )
}

/// The first 12 digits are enough for people.
fn short(digest: &str) -> &str {
    digest.get(..12).unwrap_or(digest)
}
