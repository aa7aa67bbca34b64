//! Who works on what.

use std::collections::BTreeMap;

use bytes::Bytes;
use divvy::group::Reply;
use divvy::ids::Generation;
use divvy::wire::ErrorCode;

use super::{Invariant, Scene, Seen};
use crate::actors::{Partition, given};
use crate::calls::Call;

#[derive(Default)]
pub struct OneOwner {
    generation: Generation,
    /// Who has what, by the name that outlives a static member's ids.
    owners: BTreeMap<Partition, String>,
}

impl Invariant for OneOwner {
    fn sentence(&self) -> &'static str {
        "no two members own a partition in one generation"
    }

    fn see(&mut self, seen: &Seen<'_>, scene: &Scene<'_>) -> Result<(), String> {
        let Seen::Took(effects) = seen else { return Ok(()) };
        for (ticket, reply) in &effects.replies {
            if let (Some(open), Reply::Sync(reply)) = (scene.open.get(ticket), reply)
                && reply.error == ErrorCode::None
                && let Call::Sync(request) = &open.call
            {
                let instance = request.instance.as_ref().map(|it| format!("instance {it}"));
                let to = instance.unwrap_or_else(|| request.member.to_string());
                self.handed(to, request.generation, &reply.state)?;
            }
        }
        Ok(())
    }
}

impl OneOwner {
    fn handed(&mut self, to: String, of: Generation, state: &Bytes) -> Result<(), String> {
        if of != self.generation {
            self.generation = of;
            self.owners.clear();
        }
        for place in given(state).map_err(|error| format!("{to} gets what is {error}"))? {
            let owner = self.owners.entry(place.clone()).or_insert_with(|| to.clone());
            if *owner != to {
                return Err(format!("{}-{} belongs to {owner} and to {to} in generation {of}", place.0, place.1));
            }
        }
        Ok(())
    }
}
