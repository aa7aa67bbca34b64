//! One writer: for a whole group, or for each topic. Whoever writes goes on; staying outranks evenness.

use divvy_guest::abi::msgpack::Writer;
use divvy_guest::prelude::*;

mod holders;

use holders::Holders;

assignor! {
    name: "single-writer",
    offer: by_name,
    config_schema: r#"{"type":"object","additionalProperties":false,"properties":{"scope":{"enum":["group","topic"],"default":"group","description":"group: one member has all partitions; topic: each topic has one member."}}}"#,
    description: "Gives everything, or each topic, to one member for as long as it stays; the generation is its fencing token.",
    license: "Apache-2.0",
    assign: assign,
}

/// The first item of the user data. Later versions only append.
const VERSION: u64 = 1;

/// Everybody is told the epoch, so that a writer can fence with it whatever it has.
pub fn assign(group: &Group<'_>, owners: &mut Owners) -> Result<(), Refusal> {
    let config = group.config();
    config.only(&["scope"])?;
    match config.choice("scope", &["group", "topic"])? {
        Some(1) => by_topic(group, owners),
        _ => whole(group, owners)?,
    }
    let mut epoch = Vec::new();
    let mut to = Writer::new(&mut epoch);
    to.array(2);
    to.unsigned(VERSION);
    to.signed(i64::from(group.generation()));
    group.members().for_each(|member| owners.user_data(member, epoch.clone()));
    Ok(())
}

/// Of the members that read everything: who has most of it now, else the first in member order.
fn whole(group: &Group<'_>, owners: &mut Owners) -> Result<(), Refusal> {
    let mut able: Vec<Member<'_>> = group.members_in_kafkas_order().collect();
    let mut before: Option<Topic<'_>> = None;
    for topic in group.topics().filter(|topic| topic.len() > 0) {
        // A topic that nobody reads is nobody's to write.
        if !before.is_some_and(|before| before.has_same_subscribers(topic)) && !topic.subscribers().is_empty() {
            able.retain(|member| member.subscribes(topic));
            if able.is_empty() {
                return Err(without_reader(topic));
            }
        }
        before = Some(topic);
    }
    let mut holders = Holders::new(group);
    let Some(writer) = holders.most(group.partitions(), &able).or(able.first().copied()) else { return Ok(()) };
    for topic in group.topics().filter(|&topic| writer.subscribes(topic)) {
        owners.give_run(topic.partitions(), writer);
    }
    Ok(())
}

/// Topics that somebody has stay there; the others go to the reader with the fewest topics, ties to member order.
fn by_topic(group: &Group<'_>, owners: &mut Owners) {
    let mut holders = Holders::new(group);
    let mut topics_of = vec![0_u32; group.members().len()];
    let mut free = Vec::new();
    let mut readers = Readers::default();
    for topic in group.topics().filter(|topic| topic.len() > 0) {
        match holders.most(topic.partitions(), readers.of(topic)) {
            Some(writer) => {
                topics_of[writer.index()] += 1;
                owners.give_run(topic.partitions(), writer);
            }
            None => free.push(topic),
        }
    }
    for topic in free {
        let lightest = readers.of(topic).iter().min_by_key(|reader| topics_of[reader.index()]);
        if let Some(&writer) = lightest {
            topics_of[writer.index()] += 1;
            owners.give_run(topic.partitions(), writer);
        }
    }
}

/// The readers of the topic at hand; topics that follow each other mostly have the same.
#[derive(Default)]
struct Readers<'g> {
    of: Option<(Topic<'g>, Vec<Member<'g>>)>,
}

impl<'g> Readers<'g> {
    fn of(&mut self, topic: Topic<'g>) -> &[Member<'g>] {
        let readers = match self.of.take() {
            Some((before, readers)) if before.has_same_subscribers(topic) => readers,
            _ => topic.subscribers(),
        };
        &self.of.insert((topic, readers)).1
    }
}

fn without_reader(topic: Topic<'_>) -> Refusal {
    let mut text = String::from(
        "no member reads all topics of the group, so none can be its only writer; the first that is missing is ",
    );
    text.push_str(topic.name());
    text.push_str(": subscribe to the same topics, or write config.scope = \"topic\"");
    Refusal::new("no_full_reader", text)
}
