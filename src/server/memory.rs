//! Memory of requests that were read and not handled yet, counted for the whole process. Short frames never wait for
//! long ones: whoever announces gigabytes stops nobody's heartbeats.

use std::sync::Arc;

use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use super::limits::{FREE_FRAME_BYTES, REQUEST_MEMORY_BYTES};
use crate::wire::limits::FRAME_MAX;

/// How many classes of frames there are.
const CLASSES: usize = REQUEST_MEMORY_BYTES.len();

/// What is left of it.
pub(crate) struct Memory([Arc<Semaphore>; CLASSES]);

/// What some requests hold; dropping it gives it back.
#[derive(Default)]
pub(crate) struct Held([Option<OwnedSemaphorePermit>; CLASSES]);

impl Memory {
    /// All of it.
    pub(crate) fn new() -> Self {
        Self(REQUEST_MEMORY_BYTES.map(|bytes| Arc::new(Semaphore::new(bytes))))
    }

    /// Sets memory aside for a frame, if there is enough.
    pub(crate) fn take(&self, bytes: usize) -> Result<Held, Full> {
        let class = class(bytes);
        let bytes = u32::try_from(bytes.min(REQUEST_MEMORY_BYTES[class])).unwrap_or(u32::MAX);
        match Arc::clone(&self.0[class]).try_acquire_many_owned(bytes) {
            Ok(permit) => Ok(Held::of(class, permit)),
            Err(_) => Err(Full { memory: Arc::clone(&self.0[class]), class, bytes }),
        }
    }
}

/// Frames that are read without asking; all others but those of large groups and topics; those.
fn class(bytes: usize) -> usize {
    usize::from(bytes > FREE_FRAME_BYTES) + usize::from(bytes > FRAME_MAX)
}

impl Held {
    fn of(class: usize, permit: OwnedSemaphorePermit) -> Self {
        let mut held = Self::default();
        held.0[class] = Some(permit);
        held
    }

    /// Holds that too.
    pub(crate) fn add(&mut self, more: Self) {
        for (held, more) in self.0.iter_mut().zip(more.0) {
            match (held, more) {
                (Some(held), Some(more)) => held.merge(more),
                (held @ None, more) => *held = more,
                (Some(_), None) => {}
            }
        }
    }
}

/// There is not enough memory for requests of this class.
pub(crate) struct Full {
    memory: Arc<Semaphore>,
    class: usize,
    bytes: u32,
}

impl Full {
    /// Waits until others gave enough back.
    pub(crate) async fn wait(self) -> Held {
        let permit = self.memory.acquire_many_owned(self.bytes).await;
        Held::of(self.class, permit.expect("the semaphore is never closed"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn long_frames_that_wait_for_memory_leave_short_ones_alone() {
        let memory = Memory::new();
        let long: Vec<Result<Held, Full>> = (0..6).map(|_| memory.take(100 << 20)).collect();
        let waiting = long.into_iter().find_map(Result::err).expect("there is not enough for six");
        let waiting = super::super::spawn::task("test", super::super::spawn::Loss::One, async {
            waiting.wait().await;
        });
        tokio::task::yield_now().await;
        assert!(memory.take(100).is_ok() && memory.take(FRAME_MAX).is_ok());
        waiting.abort();
    }

    #[test]
    fn what_is_dropped_is_given_back() {
        let memory = Memory::new();
        let mut all = memory.take(100 << 20).ok().expect("there is enough");
        while let Ok(more) = memory.take(100 << 20) {
            all.add(more);
        }
        drop(all);
        assert!(memory.take(100 << 20).is_ok());
    }
}
