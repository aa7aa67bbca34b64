//! Kafka's `sticky` (KIP-54): as even as subscriptions allow, and as much as that allows stays where it is.

use divvy_guest::prelude::*;
use divvy_guest::strategy::sticky::Sticky;

assignor! {
    name: "sticky",
    rank: 8,
    needs: [replica_racks],
    config_schema: r#"{"type":"object","properties":{"compat":{"enum":["kafka","none"]}}}"#,
    description: "As even as subscriptions allow; what moves for that is the least that there is (KIP-54).",
    license: "Apache-2.0",
    assign: assign,
}

/// The strategy.
pub fn assign(group: &Group<'_>, owners: &mut Owners) -> Result<(), Refusal> {
    group.config().only(&["compat"])?;
    Sticky::new(group).configured()?.plan(owners)
}
