//! How generations are counted.

use divvy::group::{Fact, Reply};
use divvy::ids::Generation;
use divvy::wire::ErrorCode;

use super::{Invariant, Scene, Seen};

#[derive(Default)]
pub struct GenerationNeverBack {
    /// The newest that anybody was ever told of, whatever crashed since. (One that began and was told to nobody, since its
    /// reservation was not durable, may come back as another.)
    told: Generation,
    /// The newest that began in the present coordinator.
    begun: Generation,
    /// The newest that the present coordinator has shown.
    shown: Option<Generation>,
}

impl Invariant for GenerationNeverBack {
    fn sentence(&self) -> &'static str {
        "the generation never goes back, and a number never comes twice"
    }

    fn see(&mut self, seen: &Seen<'_>, scene: &Scene<'_>) -> Result<(), String> {
        match seen {
            Seen::Crashed | Seen::Failed | Seen::Read(_) => {
                self.shown = None;
                self.begun = Generation(0);
            }
            Seen::Took(effects) => {
                for fact in &effects.facts {
                    let Fact::GenerationBegan { generation, .. } = fact else { continue };
                    if *generation <= self.told.max(self.begun) {
                        return Err(format!("generation {generation} began after {}", self.told.max(self.begun)));
                    }
                    self.begun = *generation;
                }
                for (_, reply) in &effects.replies {
                    let Reply::Join(reply) = reply else { continue };
                    if reply.error == ErrorCode::None {
                        self.told = self.told.max(reply.generation);
                    }
                }
            }
            _ => {}
        }
        let Some(group) = scene.group.filter(|group| group.summary.generation >= Generation(0)) else { return Ok(()) };
        let now = group.summary.generation;
        match self.shown.replace(now).filter(|before| *before > now) {
            Some(before) => Err(format!("the group was in {before} and is in {now}")),
            None => Ok(()),
        }
    }
}
