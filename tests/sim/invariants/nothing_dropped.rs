//! What happens to work that is another's from now on (B23).

use super::{Invariant, Scene, Seen};

#[derive(Default)]
pub struct NothingDropped;

impl Invariant for NothingDropped {
    fn sentence(&self) -> &'static str {
        "no work of an application is missing in its new share without having been given up, or told as lost, before"
    }

    fn see(&mut self, seen: &Seen<'_>, _: &Scene<'_>) -> Result<(), String> {
        let Seen::Assigned { name, had, has } = seen else { return Ok(()) };
        match had.difference(has).next() {
            Some(dropped) => Err(format!("{name} still works on {}-{}", dropped.0, dropped.1)),
            None => Ok(()),
        }
    }
}
