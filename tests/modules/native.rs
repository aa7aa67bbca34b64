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

/// The strategy of that name.
pub fn native(name: &str) -> Native {
    let (manifest, assign): (&str, Assign) = match name {
        "range" => (divvy_assignor_range::MANIFEST, |request| run::partitions(divvy_assignor_range::assign, request)),
        "roundrobin" => {
            (divvy_assignor_roundrobin::MANIFEST, |request| run::partitions(divvy_assignor_roundrobin::assign, request))
        }
        "uniform" => {
            (divvy_assignor_uniform::MANIFEST, |request| run::partitions(divvy_assignor_uniform::assign, request))
        }
        "weighted" => {
            (divvy_assignor_weighted::MANIFEST, |request| run::partitions(divvy_assignor_weighted::assign, request))
        }
        "lag-aware" => {
            (divvy_assignor_lag_aware::MANIFEST, |request| run::partitions(divvy_assignor_lag_aware::assign, request))
        }
        "rack-aware" => {
            (divvy_assignor_rack_aware::MANIFEST, |request| run::partitions(divvy_assignor_rack_aware::assign, request))
        }
        "active-standby" => (divvy_assignor_active_standby::MANIFEST, |request| {
            run::states(divvy_assignor_active_standby::assign, request)
        }),
        "copartition" => (divvy_assignor_copartition::MANIFEST, |request| {
            run::partitions(divvy_assignor_copartition::assign, request)
        }),
        "redundant" => {
            (divvy_assignor_redundant::MANIFEST, |request| run::partitions(divvy_assignor_redundant::assign, request))
        }
        "single-writer" => (divvy_assignor_single_writer::MANIFEST, |request| {
            run::partitions(divvy_assignor_single_writer::assign, request)
        }),
        "composite" => {
            (divvy_assignor_composite::MANIFEST, |request| run::partitions(divvy_assignor_composite::assign, request))
        }
        "connect" => (divvy_assignor_connect::MANIFEST, |request| run::states(divvy_assignor_connect::assign, request)),
        other => panic!("add {other} to the list in tests/modules/native.rs"),
    };
    Native { manifest: serde_json::from_str(manifest).unwrap(), assign }
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
