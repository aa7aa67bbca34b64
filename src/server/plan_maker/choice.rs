//! Which of the strategies at hand serves a protocol, and which stands in for it.

use std::sync::Arc;
use std::time::{Duration, UNIX_EPOCH};

use super::{CONSUMER, Strategies};
use crate::assignor::{Assignor, NATIVE, Named, native_range};
use crate::group::effects::PlanToMake;
use crate::ids::{Digest, Protocol};

/// The name of what serves the chosen protocol.
pub(super) fn name(plan: &PlanToMake) -> &str {
    plan.settings.alias(&plan.protocol).map_or(plan.protocol.as_str(), |alias| alias.assignor.as_str())
}

/// What serves the protocol: the module that the group chose, or the host's own range. Versions under one of Kafka's own
/// names bear one name, and only the digest tells them apart; a file that was replaced a moment ago is found by its name.
pub(super) fn chosen<'a>(plan: &PlanToMake, strategies: &'a Strategies) -> Option<&'a dyn Assignor> {
    let name = name(plan);
    let Some(module) = &plan.assignor else { return called(&Protocol::from(name), plan, strategies) };
    let is_it = |it: &&Arc<dyn Assignor>| it.digest() == Some(module.digest) && is_of_type(&***it, plan);
    let by_digest = strategies.iter().find(is_it).map(|it| &**it);
    by_digest.or_else(|| called(&module.protocol, plan, strategies))
}

/// The strategy of that name that serves the group's type: of several versions the newest, which comes first.
fn called<'a>(name: &Protocol, plan: &PlanToMake, strategies: &'a Strategies) -> Option<&'a dyn Assignor> {
    let (mut versions, native) = all_called(name, plan, strategies);
    versions.next().or(native)
}

/// Every version of it, the newest first, and the host's own, if that has the name.
fn all_called<'a>(
    name: &Protocol,
    plan: &PlanToMake,
    strategies: &'a Strategies,
) -> (impl Iterator<Item = &'a dyn Assignor> + Clone, Option<&'a dyn Assignor>) {
    let fits = move |it: &&'a dyn Assignor| {
        let protocol = it.manifest().protocol();
        let rest = protocol.as_str().strip_prefix(name.as_str());
        is_of_type(*it, plan) && rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('@'))
    };
    let native = (*name == NATIVE && plan.protocol_type == CONSUMER).then(native_range);
    (strategies.iter().map(|it| &**it).filter(fits), native)
}

/// What stands in for the chosen strategy: of several versions the newest that is neither that one, as it may be under an alias,
/// nor passed over. None if there are only such.
pub(super) fn fallback<'a>(
    wish: &'a Protocol,
    chosen: Option<&dyn Assignor>,
    plan: &PlanToMake,
    strategies: &'a Strategies,
) -> Option<Named<'a>> {
    let may_serve = |it: &&dyn Assignor| {
        (it.digest().is_none() || it.digest() != digest(chosen)) && passed_over(*it, plan).is_none()
    };
    let (mut versions, native) = all_called(wish, plan, strategies);
    let has_any = native.is_some() || versions.clone().next().is_some();
    let strategy = versions.find(may_serve).or(native);
    (strategy.is_some() || !has_any).then_some(Named { protocol: wish, strategy })
}

fn is_of_type(strategy: &dyn Assignor, plan: &PlanToMake) -> bool {
    strategy.manifest().protocol_type == plan.protocol_type.as_str()
}

fn digest(strategy: Option<&dyn Assignor>) -> Option<Digest> {
    strategy.and_then(|strategy| strategy.digest())
}

/// That a strategy failed not long ago, and is not to be called.
pub(super) fn passed_over(strategy: &dyn Assignor, plan: &PlanToMake) -> Option<String> {
    let digest = strategy.digest()?;
    let suspension = plan.passed_over.iter().find(|it| it.digest == Some(digest))?;
    // The plan's reason is read for as long as it is in force: it must not say how long from now.
    let until = UNIX_EPOCH + Duration::from_millis(u64::try_from(suspension.until.0).unwrap_or(0));
    let until = humantime::format_rfc3339_seconds(until);
    Some(format!("{}; asked again with the first rebalance after {until}", suspension.reason))
}
