//! What a seed makes of a run: who takes part, how good the network and the disk are, and what goes wrong until when.

use std::time::Duration;

use divvy::coordinator::{CoordinatorConfig, HeartbeatWhileLoading, SettingsBook};
use divvy::group::{GroupLimits, GroupSettings, Lead, LeaderSelection, PlanCheck};
use divvy::ids::GroupId;

use crate::actors::Actor;
use crate::actors::divvy_kind::{self, JoinsFor};
use crate::actors::divvy_member::DivvyMember;
use crate::actors::kafka_client::KafkaClient;
use crate::actors::kafka_kind::{self, QUIRKS, Quirk};
use crate::deeds;
use crate::dice::Dice;
use crate::disk::Disk;
use crate::returns;

/// The group of every run.
pub const GROUP: &str = "g";

/// A run before it begins.
pub struct Scenario {
    pub config: CoordinatorConfig,
    pub disk: Disk,
    pub latency_ms: u64,
    pub actors: Vec<(String, Box<dyn Actor>)>,
    /// When the faults stop.
    pub faults_until: u64,
    /// The mean time between two faults.
    pub fault_every_ms: u64,
    /// All timeouts of the members together: how long the group may need to become stable afterwards.
    pub patience_ms: u64,
}

impl Scenario {
    /// Every third seed is of a newer kind, and one in twelve of a yet newer one: what the other two draw stays, so that seeds that were kept mean what they meant.
    pub fn new(seed: u64, dice: &mut Dice) -> Self {
        let mut scenario = Self::of_clients(dice);
        if seed % 3 == 1 {
            deeds::change(&mut scenario, dice);
        }
        if seed % 12 == 9 {
            returns::change(&mut scenario, dice);
        }
        scenario
    }

    fn of_clients(dice: &mut Dice) -> Self {
        let is_cooperative = dice.percent(25);
        let settings = GroupSettings {
            lead: if !is_cooperative && dice.percent(20) { Lead::Coordinator } else { Lead::Members },
            leader_selection: dice.pick(&[LeaderSelection::Keep, LeaderSelection::Random]),
            plan_check: dice.pick(&[PlanCheck::Enforce, PlanCheck::Enforce, PlanCheck::Off]),
            ..GroupSettings::default()
        };
        let initial_rebalance_delay = Duration::from_millis(dice.pick(&[0, 500, 3_000]));
        let load_wait = Duration::from_millis(dice.pick(&[500, 5_000]));
        // A server that gives up early does so everywhere; its disk may hang for far longer.
        let limits =
            GroupLimits { initial_rebalance_delay, offsets_commit_timeout: load_wait, ..GroupLimits::default() };
        let config = CoordinatorConfig {
            limits,
            load_wait,
            heartbeat_while_loading: dice.pick(&[HeartbeatWhileLoading::Ok, HeartbeatWhileLoading::NotReady]),
            settings: SettingsBook::new([("*".to_owned(), settings)]),
        };
        let worst_ms = dice.pick(&[20, 400, 20_000]);
        let disk = Disk::new(dice.pick(&[0, 5, 40]), worst_ms, dice.pick(&[0, 2, 10]));
        let (session, rebalance) = (dice.within(6_000, 10_000), dice.within(4_000, 20_000));
        Self {
            config,
            disk,
            latency_ms: dice.pick(&[0, 2, 30]),
            actors: actors(dice, is_cooperative, session, rebalance),
            faults_until: dice.within(20_000, 90_000),
            fault_every_ms: dice.pick(&[700, 3_000, 15_000]),
            patience_ms: 2 * session + 4 * rebalance + 10_000,
        }
    }
}

fn actors(dice: &mut Dice, is_cooperative: bool, session: u64, rebalance: u64) -> Vec<(String, Box<dyn Actor>)> {
    let divvy_percent = dice.pick(&[0, 40, 100]);
    let quirky_percent = dice.pick(&[0, 0, 30, 60]);
    let static_percent = dice.pick(&[0, 0, 40]);
    (0..dice.within(1, 8))
        .map(|number| {
            let (session_ms, rebalance_ms) = (dice.within(6_000, session), dice.within(3_000, rebalance));
            let heartbeat_ms = dice.within(500, 2_000);
            if dice.percent(divvy_percent) {
                let kind = divvy_kind::Kind {
                    name: format!("d{number}"),
                    group: GroupId::from(GROUP),
                    session_ms,
                    rebalance_ms,
                    heartbeat_ms,
                    is_a_stranger: dice.percent(20),
                    is_cooperative,
                    is_faulty: dice.percent(40),
                    joins_for: JoinsFor::Topics,
                    has_deeds: false,
                    finishes_ms: 3_000,
                    last_topic_since: 0,
                };
                return (kind.name.clone(), Box::new(DivvyMember::new(kind)) as Box<dyn Actor>);
            }
            let version = dice.pick(&[3, 5, 9]);
            let is_static = version >= 5 && dice.percent(static_percent);
            let kind = kafka_kind::Kind {
                name: format!("k{number}"),
                version,
                instance: is_static.then(|| format!("i{number}").as_str().into()),
                offers: if is_cooperative { vec!["cooperative-sticky"] } else { offers(dice) },
                session_ms,
                rebalance_ms,
                heartbeat_ms,
                quirk: if dice.percent(quirky_percent) { dice.pick(&QUIRKS) } else { Quirk::None },
                forgets_its_id: dice.percent(20),
                wavers: false,
            };
            (kind.name.clone(), Box::new(KafkaClient::new(kind)) as Box<dyn Actor>)
        })
        .collect()
}

/// Everybody can do `range`, some do something else rather.
fn offers(dice: &mut Dice) -> Vec<&'static str> {
    dice.pick(&[vec!["range"], vec!["range", "roundrobin"], vec!["roundrobin", "range"]])
}
