//! Runs in which processes end and come back in their old place, and want something else by then (KIP-345): nothing but the
//! comparison with what the one before wanted begins a rebalance for that.

use divvy::coordinator::SettingsBook;
use divvy::group::{GroupSettings, Lead, LeaderSelection};
use divvy::ids::GroupId;

use crate::actors::Actor;
use crate::actors::divvy_kind::{self, JoinsFor};
use crate::actors::divvy_member::DivvyMember;
use crate::actors::kafka_client::KafkaClient;
use crate::actors::kafka_kind::{self, Quirk};
use crate::dice::Dice;
use crate::scenario::{GROUP, Scenario};

/// Others take part, and sessions are long enough to come back in; network, disk and faults stay.
pub fn change(scenario: &mut Scenario, dice: &mut Dice) {
    let settings = GroupSettings {
        lead: if dice.percent(20) { Lead::Coordinator } else { Lead::Members },
        leader_selection: dice.pick(&[LeaderSelection::Keep, LeaderSelection::Random]),
        ..GroupSettings::default()
    };
    scenario.config.settings = SettingsBook::new([("*".to_owned(), settings)]);
    let (session_ms, rebalance_ms) = (dice.within(10_000, 30_000), dice.within(4_000, 10_000));
    scenario.patience_ms = 2 * session_ms + 4 * rebalance_ms + 10_000;
    let divvy_percent = dice.pick(&[0, 0, 30]);
    scenario.actors = (0..dice.within(1, 6))
        .map(|number| {
            let heartbeat_ms = dice.within(500, 2_000);
            if dice.percent(divvy_percent) {
                let kind = divvy_kind::Kind {
                    name: format!("d{number}"),
                    group: GroupId::from(GROUP),
                    session_ms,
                    rebalance_ms,
                    heartbeat_ms,
                    is_a_stranger: dice.percent(30),
                    is_cooperative: false,
                    is_faulty: false,
                    joins_for: JoinsFor::Topics,
                    has_deeds: false,
                    finishes_ms: 3_000,
                    last_topic_since: 0,
                };
                return (kind.name.clone(), Box::new(DivvyMember::new(kind)) as Box<dyn Actor>);
            }
            let kind = kafka_kind::Kind {
                name: format!("k{number}"),
                version: dice.pick(&[5, 9]),
                instance: Some(format!("i{number}").as_str().into()),
                offers: vec!["range"],
                session_ms,
                rebalance_ms,
                heartbeat_ms,
                quirk: Quirk::None,
                forgets_its_id: dice.percent(20),
                wavers: dice.percent(70),
            };
            (kind.name.clone(), Box::new(KafkaClient::new(kind)) as Box<dyn Actor>)
        })
        .collect();
}
