//! Members of divvy's on a real Kafka broker, alone and among other libraries' members. All cases share one broker; each has
//! a topic and a group of its own.

use anyhow::Result;

use super::Case;
use super::alone::three_come_and_go;
use super::bench::Bench;
use super::cast::Cast;
use super::clients::{Client, DIVVY, Runtime, among};
use super::mixed::together;
use super::never_twice::never_twice;
use super::statics::both_come_back;
use super::takes_turns::{others, take_turns};

mod beside;
mod changes;
mod lead;
mod offsets;
mod run;
mod security;
mod topics;
mod types;
mod writer;

/// Who is in the mixed groups beside divvy.
const OTHERS: [&str; 4] = ["java", "confluent-kafka", "franz-go", "kafka-python"];

/// The cases.
pub fn cases() -> Vec<Case> {
    let alone =
        [("eager", "range"), ("sticky", "sticky"), ("cooperative", "cooperative-sticky")].map(|(name, strategy)| {
            on_kafka(&format!("alone/{name}"), [&DIVVY].into_iter(), move |cast| {
                three_come_and_go(cast, &DIVVY, strategy)?;
                never_twice(&cast.gone)
            })
        });
    let statics = on_kafka("static", [&DIVVY].into_iter(), |cast| both_come_back(cast, &DIVVY));
    let mixed = ["range", "roundrobin", "sticky", "cooperative-sticky"].map(|strategy| {
        on_kafka(&format!("mixed/{strategy}"), with_divvy(strategy), move |cast| {
            together(cast, &with_divvy(strategy).collect::<Vec<_>>(), strategy)?;
            never_twice(&cast.gone)
        })
    });
    let turns = ["sticky", "cooperative-sticky"].map(|strategy| {
        let clients = [&DIVVY].into_iter().chain(others(strategy));
        on_kafka(&format!("takes-turns/{strategy}"), clients, move |cast| take_turns(cast, strategy, 0))
    });
    let by_divvy = |name, story: fn(&mut Cast<'_>) -> Result<()>| on_kafka(name, [&DIVVY].into_iter(), story);
    let rest = [
        by_divvy("topics", topics::list),
        by_divvy("pattern", topics::pattern),
        by_divvy("static-other", topics::other_wishes),
        by_divvy("single-writer", writer::takes_over),
        by_divvy("connect", types::connect),
        by_divvy("own-type", types::own),
        by_divvy("facts", changes::facts),
        by_divvy("drain/eager", |cast| changes::drains(cast, "range")),
        by_divvy("drain/cooperative", |cast| changes::drains(cast, "cooperative-sticky")),
        by_divvy("roll-out", changes::roll_out),
        by_divvy("run", run::shell_workers),
        by_divvy("racks", beside::racks),
        by_divvy("beside/serve", beside::serve),
        by_divvy("beside/join", beside::join),
        by_divvy("offsets", offsets::seen_by_the_tool),
        by_divvy("security/every-door", security::every_door),
        by_divvy("security/refusals", security::refusals),
    ];
    alone.into_iter().chain([statics]).chain(mixed).chain(turns).chain(rest).chain(lead::cases()).collect()
}

fn on_kafka(
    name: &str,
    clients: impl Iterator<Item = &'static Client>,
    story: impl Fn(&mut Cast<'_>) -> Result<()> + 'static,
) -> Case {
    let needs = clients.map(|client| client.runtime).chain([Runtime::Kafka, Runtime::Divvy]).collect();
    let case = name.replace('/', "-");
    Case {
        name: format!("kafka/{name}"),
        needs,
        run: Box::new(move |bench: &Bench| Cast::play_on_kafka(bench, &case, &story)),
    }
}

/// divvy first: it also comes late.
fn with_divvy(strategy: &'static str) -> impl Iterator<Item = &'static Client> {
    [&DIVVY].into_iter().chain(among(&OTHERS, strategy))
}
