//! What serves in place of a strategy that failed.

use std::sync::Arc;

use super::*;
use crate::assignor::testing::Group;
use crate::assignor::{Budget, Export, Manifest, case};

/// A strategy that always fails, and counts how often it is asked.
struct Broken(Manifest, Arc<std::sync::atomic::AtomicU32>);

impl Assignor for Broken {
    fn manifest(&self) -> &Manifest {
        &self.0
    }
    fn digest(&self) -> Option<Digest> {
        Some(Digest([9; 32]))
    }
    fn call(&self, _: Export, _: &[u8], _: Budget) -> Result<Vec<u8>, CallError> {
        self.1.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
        Err(CallError::new(FaultKind::Trap, "it trapped"))
    }
}

fn broken(name: &str) -> Broken {
    Broken(serde_json::from_str(&format!(r#"{{"abi":"1.0","name":"{name}"}}"#)).unwrap(), Arc::default())
}

/// One that plans as range does, under another name and digest.
struct Works(Manifest);

impl Assignor for Works {
    fn manifest(&self) -> &Manifest {
        &self.0
    }
    fn digest(&self) -> Option<Digest> {
        Some(Digest([1; 32]))
    }
    fn call(&self, export: Export, request: &[u8], budget: Budget) -> Result<Vec<u8>, CallError> {
        native_range().call(export, request, budget)
    }
}

/// The group's last plan: all at `a`, as range would never have it.
fn last() -> Vec<(MemberId, Bytes)> {
    let alone = Group::new(&[("t", 4)]).member("a", &["t"]);
    let all = lead(native_range(), &alone.input()).unwrap().states.remove(0).1;
    vec![("a".into(), all), ("b".into(), empty_assignment().into())]
}

fn serve(group: &Group, strategy: &Broken, rests: Option<&str>) -> Led {
    serve_with(group, strategy, rests, None)
}

fn serve_with(group: &Group, strategy: &Broken, rests: Option<&str>, fallback: Option<Named<'_>>) -> Led {
    let last = last();
    let service = Service {
        input: group.input(),
        chosen: Named { protocol: &group.protocol, strategy: Some(strategy) },
        rests: rests.map(str::to_owned),
        fallback,
        configs: &BTreeMap::new(),
        last_plan: Some(&last),
        lacks: &|_| String::new(),
        otherwise: Otherwise::WholePlan,
        tape: None,
    };
    service.run()
}

fn pair() -> Group {
    Group::new(&[("t", 4)]).member("a", &["t"]).member("b", &["t"])
}

#[test]
fn under_an_alias_of_range_the_last_plan_goes_on() {
    let led = serve(&pair(), &broken("even"), None);
    assert_eq!((led.served_by, led.fault.unwrap().kind), (ServedBy::LastPlan, FaultKind::Trap));
    assert_eq!(case::shares(&led.plan.unwrap()).unwrap()["a"]["t"], [0, 1, 2, 3], "nothing moves");
    assert_eq!(serve(&pair(), &broken("range"), None).served_by, ServedBy::NativeRange, "who chose range gets range");
}

#[test]
fn where_nothing_takes_over_a_newcomer_gets_work() {
    let crowd = || pair().member("new", &["t"]);
    assert_eq!(serve(&crowd(), &broken("even"), None).served_by, ServedBy::NativeRange);
    let mut named = crowd();
    named.protocol = "even@1".into();
    assert_eq!(serve(&named, &broken("even"), None).served_by, ServedBy::LastPlan, "another protocol takes over");
    assert_eq!(serve(&named, &broken("even"), Some("trap")).served_by, ServedBy::NativeRange);
}

#[test]
fn what_is_passed_over_is_not_called() {
    let strategy = broken("even");
    let led = serve(
        &pair(),
        &strategy,
        Some("trap: it trapped; asked again with the first rebalance after 1970-01-01T00:00:09Z"),
    );
    assert_eq!(strategy.1.load(std::sync::atomic::Ordering::Relaxed), 0);
    let fault = led.fault.unwrap();
    assert_eq!(
        (led.served_by, fault.kind, fault.digest),
        (ServedBy::LastPlan, FaultKind::Suspended, strategy.digest())
    );
    assert_eq!(fault.message, "trap: it trapped; asked again with the first rebalance after 1970-01-01T00:00:09Z");
}

#[test]
fn another_module_under_the_chosen_name_stands_in() {
    let (newest, older) = (broken("even"), Works(broken("even").0));
    let protocol = pair().protocol;
    let named = |strategy| Some(Named { protocol: &protocol, strategy });
    let led = serve_with(&pair(), &newest, None, named(Some(&older)));
    assert_eq!((led.served_by, led.digest), (ServedBy::Fallback(protocol.clone()), older.digest()));
    for the_same in [Some(&newest as &dyn Assignor), Some(native_range()), None] {
        let led = serve_with(&pair(), &newest, None, named(the_same));
        assert_eq!(led.served_by, ServedBy::LastPlan);
        assert!(!led.fault.unwrap().message.contains("fall-back"), "nothing else was there to fail");
    }
    assert_eq!(newest.1.load(std::sync::atomic::Ordering::Relaxed), 4, "what failed is not called twice");
}

#[test]
fn a_failure_is_held_against_a_module_only_if_it_tells_of_it() {
    let ms = Duration::from_millis;
    let plain = broken("even").0;
    let hasty: Manifest = serde_json::from_str(r#"{"abi":"1.0","name":"even","limits":{"ms":50}}"#).unwrap();
    assert!(FaultKind::TELLING.into_iter().all(|kind| is_telling(kind, ms(1), &plain)));
    for kind in [FaultKind::GuestError, FaultKind::Input, FaultKind::Memory, FaultKind::Busy, FaultKind::Missing] {
        assert!(!is_telling(kind, ms(10_000), &plain), "{kind:?}");
    }
    let (short, long) = (ms(999), ms(1000));
    assert_eq!([short, long].map(|it| is_telling(FaultKind::Deadline, it, &plain)), [false, true]);
    assert_eq!([ms(49), ms(50)].map(|it| is_telling(FaultKind::Deadline, it, &hasty)), [false, true]);
}
