//! The strategies of divvy's members, and what comes of them.

use std::sync::Arc;

use divvy::assignor::{Assignor, Budget, CallError, Export, FaultKind, Manifest, native_range};
use divvy::group::event::ModuleOffer;
use divvy::ids::{Digest, Protocol};
use divvy::membership::Share;

use super::Partition;

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

/// The partitions of a share.
pub fn partitions(share: &Share) -> impl Iterator<Item = Partition> {
    let topics = match share {
        Share::Partitions(topics) => &topics[..],
        Share::State(_) => &[],
    };
    topics.iter().flat_map(|(topic, numbers)| numbers.iter().map(|number| (topic.to_string(), *number)))
}

/// A module as JoinGroup tells it.
pub fn offer((protocol, digest): (Protocol, Digest)) -> ModuleOffer {
    ModuleOffer { protocol, digest }
}
