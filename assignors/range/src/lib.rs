//! Kafka's range: of each topic, every subscriber gets one run of consecutive partitions, in member order.

use divvy_guest::prelude::*;

assignor! {
    name: "range",
    rank: 10,
    description: "Gives each subscriber one run of a topic's partitions; topics of equal size stay aligned.",
    license: "Apache-2.0",
    assign: assign,
}

/// Of a topic with `n` partitions and `m` subscribers, the first `n % m` subscribers get one partition above `n / m`.
pub fn assign(group: &Group<'_>, owners: &mut Owners) -> Result<(), Refusal> {
    for run in group.runs() {
        let subscribers = run.subscribers();
        for topic in run.topics() {
            let mut partitions = topic.partitions();
            let (base, extra) = (topic.len() / subscribers.len(), topic.len() % subscribers.len());
            for (place, &member) in subscribers.iter().enumerate() {
                owners.give_run(partitions.take_front(base + usize::from(place < extra)), member);
            }
        }
    }
    Ok(())
}
