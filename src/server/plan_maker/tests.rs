//! What stands in for a strategy.

use crate::assignor::{Budget, CallError, Export, Manifest};
use crate::group::Suspension;
use crate::ids::{Digest, Generation};
use crate::time::WallTime;

use super::*;

struct Version(Manifest);

impl Assignor for Version {
    fn manifest(&self) -> &Manifest {
        &self.0
    }

    fn digest(&self) -> Option<Digest> {
        Some(of(self.0.version))
    }

    fn call(&self, _: Export, _: &[u8], _: Budget) -> Result<Vec<u8>, CallError> {
        unreachable!("nobody is asked")
    }
}

fn of(version: u32) -> Digest {
    Digest([u8::try_from(version).unwrap(); 32])
}

fn strategies(versions: &[u32]) -> Strategies {
    let version = |version: &u32| {
        let manifest = format!(r#"{{"abi": "1.0", "name": "mine", "version": {version}}}"#);
        Arc::new(Version(serde_json::from_str(&manifest).unwrap())) as Arc<dyn Assignor>
    };
    versions.iter().map(version).collect()
}

fn plan(passed_over: &[u32]) -> PlanToMake {
    let suspension = |version: &u32| Suspension {
        protocol: "range".into(),
        digest: Some(of(*version)),
        until: WallTime(1),
        failures: 1,
        reason: String::new(),
    };
    PlanToMake {
        group: "g".into(),
        protocol_type: CONSUMER.into(),
        protocol: "range".into(),
        assignor: None,
        passed_over: passed_over.iter().map(suspension).collect(),
        mode: None,
        generation: Generation(1),
        members: Vec::new(),
        memo: None,
        settings: Arc::default(),
        last_states: Vec::new(),
        now: WallTime(0),
        budget: std::time::Duration::ZERO,
    }
}

#[test]
fn a_fall_back_without_a_version_is_the_newest_that_neither_fails_now_nor_is_passed_over() {
    let stands_in = |wish: &str, versions: &[u32], passed_over: &[u32]| {
        let (strategies, wish) = (strategies(versions), Protocol::from(wish));
        let chosen = strategies.first().map(|it| &**it);
        let named = fallback(&wish, chosen, &plan(passed_over), &strategies)?;
        Some(named.strategy.map(|it| it.manifest().version))
    };
    assert_eq!(stands_in("mine", &[3, 2, 1], &[]), Some(Some(2)));
    assert_eq!(stands_in("mine", &[3, 2, 1], &[3, 2]), Some(Some(1)));
    assert_eq!(stands_in("mine", &[3, 2], &[2]), None, "there are only such");
    assert_eq!(stands_in("mine@2", &[3, 2], &[]), Some(Some(2)));
    assert_eq!(stands_in("range", &[3], &[3]), Some(Some(1)), "the host's own");
    assert_eq!(stands_in("other", &[3], &[]), Some(None), "nobody has it, which is said");
}

#[test]
fn why_something_is_passed_over_stays_true_for_as_long_as_its_plan_is_in_force() {
    let strategies = strategies(&[3]);
    let plan = PlanToMake { now: WallTime(60_000), ..plan(&[3]) };
    let why = passed_over(&*strategies[0], &plan);
    assert_eq!(why.as_deref(), Some("; asked again with the first rebalance after 1970-01-01T00:00:00Z"));
}
