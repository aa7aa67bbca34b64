//! Runs in which applications do something with their members: they drain and resume, change facts, subscribe by a pattern
//! while topics appear, take long to finish, or are writers of which one may write.

use std::time::Duration;

use divvy::coordinator::SettingsBook;
use divvy::group::{GroupSettings, Lead, LeaderSelection, PlanCheck};
use divvy::ids::GroupId;

use crate::actors::Actor;
use crate::actors::divvy_kind::{JoinsFor, Kind};
use crate::actors::divvy_member::DivvyMember;
use crate::actors::kafka_client::KafkaClient;
use crate::actors::kafka_kind::{self, Quirk};
use crate::dice::Dice;
use crate::scenario::{GROUP, Scenario};

/// Who takes part in such a run.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Cast {
    Eager,
    Cooperative,
    Writers,
}

/// Others take part, and the operator wants something else; network, disk and faults stay.
pub fn change(scenario: &mut Scenario, dice: &mut Dice) {
    let cast = dice.pick(&[Cast::Eager, Cast::Cooperative, Cast::Writers]);
    let settings = GroupSettings {
        lead: if cast == Cast::Eager && dice.percent(20) { Lead::Coordinator } else { Lead::Members },
        leader_selection: dice.pick(&[LeaderSelection::Keep, LeaderSelection::Random]),
        plan_check: dice.pick(&[PlanCheck::Enforce, PlanCheck::Off]),
        ..GroupSettings::default()
    };
    scenario.config.settings = SettingsBook::new([("*".to_owned(), settings)]);
    scenario.config.limits.initial_rebalance_delay = Duration::from_millis(dice.pick(&[0, 500]));
    let (session, rebalance) = (dice.within(6_000, 10_000), dice.within(4_000, 20_000));
    scenario.patience_ms = 2 * session + 4 * rebalance + 10_000;
    let kafka_percent = if cast == Cast::Writers { 0 } else { dice.pick(&[0, 0, 30]) };
    // Clients of Kafka's plan for all topics from the beginning.
    let last_topic_since = if kafka_percent == 0 { dice.pick(&[0, scenario.faults_until / 2]) } else { 0 };
    scenario.actors = (0..dice.within(1, 6))
        .map(|number| {
            let (session_ms, rebalance_ms) = (dice.within(6_000, session), dice.within(3_000, rebalance));
            let heartbeat_ms = dice.within(500, 2_000);
            if dice.percent(kafka_percent) {
                let kind = kafka_kind::Kind {
                    name: format!("k{number}"),
                    version: 9,
                    instance: None,
                    offers: if cast == Cast::Cooperative { vec!["cooperative-sticky"] } else { vec!["range"] },
                    session_ms,
                    rebalance_ms,
                    heartbeat_ms,
                    quirk: Quirk::None,
                    forgets_its_id: dice.percent(20),
                    wavers: false,
                };
                return (kind.name.clone(), Box::new(KafkaClient::new(kind)) as Box<dyn Actor>);
            }
            let joins_for = match cast {
                Cast::Writers => JoinsFor::Writing,
                _ => dice.pick(&[JoinsFor::Topics, JoinsFor::Matching]),
            };
            let kind = Kind {
                name: format!("d{number}"),
                group: GroupId::from(GROUP),
                session_ms,
                rebalance_ms,
                heartbeat_ms,
                is_a_stranger: dice.percent(30),
                is_cooperative: cast == Cast::Cooperative,
                is_faulty: dice.percent(20),
                joins_for,
                has_deeds: dice.percent(70),
                // Longer than a rebalance waits for it: then the member loses what it has not finished.
                finishes_ms: dice.pick(&[3_000, 25_000]),
                last_topic_since,
            };
            (kind.name.clone(), Box::new(DivvyMember::new(kind)) as Box<dyn Actor>)
        })
        .collect();
}
