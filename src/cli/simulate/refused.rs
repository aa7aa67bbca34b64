//! A module that is refused, in a life where something stands in for it: its group goes on as one does whose leader has no
//! such module.

use crate::assignor::{Assignor, Budget, CallError, Export, FaultKind, Manifest};
use crate::ids::Digest;

/// What it says of itself, and why it does not serve.
pub struct Refused {
    pub manifest: Manifest,
    pub why: String,
}

impl Assignor for Refused {
    fn manifest(&self) -> &Manifest {
        &self.manifest
    }

    fn digest(&self) -> Option<Digest> {
        None
    }

    fn call(&self, export: Export, _: &[u8], _: Budget) -> Result<Vec<u8>, CallError> {
        match export {
            // Nobody has the module, so nobody's words are its own.
            Export::UserData => Ok(Vec::new()),
            _ => Err(CallError::new(FaultKind::Missing, format!("the module is refused: {}", self.why))),
        }
    }
}
