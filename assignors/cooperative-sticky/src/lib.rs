//! Kafka's `cooperative-sticky` (KIP-429): the plan of `sticky`; the host hands it over step by step.

use divvy_guest::prelude::*;
use divvy_guest::strategy::sticky::Sticky;

assignor! {
    name: "cooperative-sticky",
    mode: cooperative,
    offer: by_name,
    rank: 8,
    needs: [replica_racks],
    config_schema: r#"{"type":"object","properties":{"compat":{"enum":["kafka","none"]}}}"#,
    description: "The plan of sticky, handed over step by step: who moves nothing goes on working (KIP-429).",
    license: "Apache-2.0",
    assign: assign,
}

/// The strategy.
pub fn assign(group: &Group<'_>, owners: &mut Owners) -> Result<(), Refusal> {
    group.config().only(&["compat"])?;
    Sticky::new(group).configured()?.plan(owners)
}
