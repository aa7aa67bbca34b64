//! Lets as many calls run at once as there are cores; the others wait their turn, but not for ever.

use std::sync::{Condvar, Mutex, PoisonError};
use std::time::Duration;

use super::lock;

/// The bound on calls that run at once.
pub(super) struct Gate {
    free: Mutex<usize>,
    freed: Condvar,
}

/// A place, given back when dropped.
pub(super) struct Pass<'a>(&'a Gate);

impl Gate {
    pub fn new(places: usize) -> Self {
        Self { free: Mutex::new(places), freed: Condvar::new() }
    }

    /// Waits for a place; none if there was none in time.
    pub fn enter(&self, patience: Duration) -> Option<Pass<'_>> {
        let (mut free, _) = self
            .freed
            .wait_timeout_while(lock(&self.free), patience, |free| *free == 0)
            .unwrap_or_else(PoisonError::into_inner);
        *free = free.checked_sub(1)?;
        Some(Pass(self))
    }
}

impl Drop for Pass<'_> {
    fn drop(&mut self) {
        *lock(&self.0.free) += 1;
        self.0.freed.notify_one();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_full_gate_lets_nobody_in_and_a_place_given_back_is_found() {
        let gate = Gate::new(1);
        let pass = gate.enter(Duration::ZERO).expect("the first place");
        assert!(gate.enter(Duration::from_millis(1)).is_none());
        std::thread::scope(|scope| {
            let waiting = scope.spawn(|| gate.enter(Duration::from_secs(60)).is_some());
            drop(pass);
            assert!(waiting.join().expect("no panic"));
        });
    }
}
