//! The strategies of divvy's members, and what comes of them.

use std::collections::BTreeSet;
use std::sync::Arc;

use divvy::assignor::{Assignor, Budget, CallError, Export, FaultKind, Manifest, native_range};
use divvy::group::event::ModuleOffer;
use divvy::ids::{Digest, Protocol};
use divvy::membership::Share;
use divvy_guest::run;

use super::{Partition, given};

/// A strategy that does what the host's own range does, or fails.
struct Even {
    manifest: Manifest,
    digest: Digest,
    fails: bool,
}

impl Assignor for Even {
    fn manifest(&self) -> &Manifest {
        &self.manifest
    }
    fn digest(&self) -> Option<Digest> {
        Some(self.digest)
    }
    fn call(&self, export: Export, request: &[u8], budget: Budget) -> Result<Vec<u8>, CallError> {
        match self.fails {
            false => native_range().call(export, request, budget),
            true => Err(CallError { kind: FaultKind::Trap, code: None, message: "it trapped".to_owned() }),
        }
    }
}

/// The default one, in a version.
pub fn even(version: u8, fails: bool) -> Arc<dyn Assignor> {
    let manifest = format!(r#"{{"abi":"1.0","name":"even","version":{version},"rank":60}}"#);
    let manifest = serde_json::from_str(&manifest).expect("it is a manifest");
    Arc::new(Even { manifest, digest: Digest([version + if fails { 100 } else { 0 }; 32]), fails })
}

/// The same under a cooperative name.
pub fn step_by_step(fails: bool) -> Arc<dyn Assignor> {
    let manifest = r#"{"abi":"1.0","name":"cooperative-sticky","mode":"cooperative"}"#;
    let manifest = serde_json::from_str(manifest).expect("it is a manifest");
    Arc::new(Even { manifest, digest: Digest([if fails { 103 } else { 3 }; 32]), fails })
}

/// The repository's own `active-standby`, without a sandbox, or in its place something that fails.
struct Standby {
    manifest: Manifest,
    fails: bool,
}

impl Assignor for Standby {
    fn manifest(&self) -> &Manifest {
        &self.manifest
    }
    fn digest(&self) -> Option<Digest> {
        Some(Digest([if self.fails { 104 } else { 4 }; 32]))
    }
    fn call(&self, export: Export, request: &[u8], _: Budget) -> Result<Vec<u8>, CallError> {
        match (self.fails, export) {
            (true, _) => Err(CallError { kind: FaultKind::Trap, code: None, message: "it trapped".to_owned() }),
            (false, Export::Assign) => Ok(run::states(divvy_assignor_active_standby::assign, request)),
            (false, Export::UserData | Export::Check) => Ok(Vec::new()),
        }
    }
}

/// One writes, the others stand by.
pub fn standby(fails: bool) -> Arc<dyn Assignor> {
    let manifest = serde_json::from_str(divvy_assignor_active_standby::MANIFEST).expect("it is a manifest");
    Arc::new(Standby { manifest, fails })
}

/// What a share is about.
pub fn work(share: &Share) -> BTreeSet<Partition> {
    match share {
        Share::Partitions(topics) => {
            let of = |(topic, numbers): &(_, Vec<i32>)| {
                let topic: &divvy::ids::TopicName = topic;
                numbers.iter().map(|number| (topic.to_string(), *number)).collect::<Vec<_>>()
            };
            topics.iter().flat_map(of).collect()
        }
        Share::State(state) => given(state).unwrap_or_default(),
    }
}

/// A module as JoinGroup tells it.
pub fn offer((protocol, digest): (Protocol, Digest)) -> ModuleOffer {
    ModuleOffer { protocol, digest }
}
