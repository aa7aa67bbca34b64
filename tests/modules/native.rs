//! The assignors of this repository without a sandbox, for tests and benchmarks that compare.

use divvy::assignor::{Assignor, Budget, CallError, Export, Manifest};
use divvy::ids::Digest;
use divvy_guest::run;

/// From a request's bytes to a reply's.
type Assign = fn(&[u8]) -> Vec<u8>;

/// A strategy called as a function.
pub struct Native {
    manifest: Manifest,
    assign: Assign,
}

/// A line of the list: the folder's name, and the crate with the form of its plans.
macro_rules! row {
    ($name:literal, $assignor:ident, $shape:ident) => {
        ($name, $assignor::MANIFEST, |request| run::$shape($assignor::assign, request))
    };
}

/// Every assignor; a new one is a line here and a dev-dependency.
const ALL: &[(&str, &str, Assign)] = &[
    row!("active-standby", divvy_assignor_active_standby, states),
    row!("composite", divvy_assignor_composite, partitions),
    row!("connect", divvy_assignor_connect, states),
    row!("cooperative-sticky", divvy_assignor_cooperative_sticky, partitions),
    row!("copartition", divvy_assignor_copartition, partitions),
    row!("lag-aware", divvy_assignor_lag_aware, partitions),
    row!("rack-aware", divvy_assignor_rack_aware, partitions),
    row!("rack-aware-sticky", divvy_assignor_rack_aware_sticky, partitions),
    row!("range", divvy_assignor_range, partitions),
    row!("redundant", divvy_assignor_redundant, partitions),
    row!("roundrobin", divvy_assignor_roundrobin, partitions),
    row!("single-writer", divvy_assignor_single_writer, partitions),
    row!("sticky", divvy_assignor_sticky, partitions),
    row!("uniform", divvy_assignor_uniform, partitions),
    row!("weighted", divvy_assignor_weighted, partitions),
];

/// The strategy of that name.
pub fn native(name: &str) -> Native {
    find(name).unwrap_or_else(|| panic!("add {name} to the list in tests/modules/native.rs"))
}

/// The same, if there is one.
pub fn find(name: &str) -> Option<Native> {
    let (_, manifest, assign) = ALL.iter().find(|row| row.0 == name)?;
    Some(Native { manifest: serde_json::from_str(manifest).unwrap(), assign: *assign })
}

/// The names of those that plan partitions.
pub fn of_partitions() -> impl Iterator<Item = &'static str> {
    ALL.iter()
        .map(|row| row.0)
        .filter(|name| native(name).manifest.shape == divvy::assignor::manifest::Shape::Partitions)
}

impl Assignor for Native {
    fn manifest(&self) -> &Manifest {
        &self.manifest
    }

    fn digest(&self) -> Option<Digest> {
        None
    }

    fn call(&self, export: Export, request: &[u8], _budget: Budget) -> Result<Vec<u8>, CallError> {
        match export {
            Export::Assign => Ok((self.assign)(request)),
            Export::UserData | Export::Check => Ok(Vec::new()),
        }
    }
}
