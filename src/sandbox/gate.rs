//! Whose call runs now. Calls are computing that the clock can interrupt, so a few more run at once than there are cores, and no
//! module ever has all the places: one that does not end must not keep the others from being called at all.

use std::sync::{Condvar, Mutex, PoisonError};
use std::time::{Duration, Instant};

use super::{clock, lock};
use crate::ids::Digest;

/// How often whoever waits looks whether its module is still wanted.
const A_MOMENT: Duration = Duration::from_millis(50);

/// The bound on calls that run at once.
pub(super) struct Gate {
    places: usize,
    line: Mutex<Line>,
    freed: Condvar,
}

#[derive(Default)]
struct Line {
    /// The modules of the calls that run.
    running: Vec<Digest>,
    waiting: Vec<Waiting>,
    next_number: u64,
}

#[derive(Clone, Copy)]
struct Waiting {
    number: u64,
    module: Digest,
    is_suspect: bool,
}

/// Why a call may not begin.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Turned {
    /// There was no place in time.
    Busy,
    /// Nobody wants it any more.
    Unwanted,
}

/// A place, given back when dropped.
pub(super) struct Pass<'a>(&'a Gate, Digest);

impl Gate {
    pub fn new(places: usize) -> Self {
        Self { places: places.max(1), line: Mutex::default(), freed: Condvar::new() }
    }

    /// Waits for a place for a call of `module`, for as long as it is wanted. A suspect is a module that did not end lately.
    pub fn enter(
        &self,
        module: Digest,
        is_suspect: bool,
        patience: Duration,
        is_wanted: impl Fn() -> bool,
    ) -> Result<Pass<'_>, Turned> {
        let began = clock::now();
        let mut line = lock(&self.line);
        let number = line.next_number;
        line.next_number += 1;
        line.waiting.push(Waiting { number, module, is_suspect });
        let turned = loop {
            if !is_wanted() {
                break Some(Turned::Unwanted);
            }
            if line.next(self.places) == Some(number) {
                break None;
            }
            let left = left(began, patience);
            if left.is_zero() {
                break Some(Turned::Busy);
            }
            line = self.freed.wait_timeout(line, left.min(A_MOMENT)).unwrap_or_else(PoisonError::into_inner).0;
        };
        line.waiting.retain(|it| it.number != number);
        match turned {
            Some(why) => Err(why),
            None => {
                line.running.push(module);
                // There may be a place for the next one as well.
                if !line.waiting.is_empty() {
                    self.freed.notify_all();
                }
                Ok(Pass(self, module))
            }
        }
    }
}

fn left(began: Instant, patience: Duration) -> Duration {
    patience.saturating_sub(clock::now().saturating_duration_since(began))
}

impl Line {
    /// Who is let in next: of those whose module is below its bound, the one whose module has the fewest places, then the
    /// one that came first.
    fn next(&self, places: usize) -> Option<u64> {
        if self.running.len() >= places {
            return None;
        }
        let has = |module: Digest| self.running.iter().filter(|it| **it == module).count();
        let most = |is_suspect: bool| if is_suspect { places / 2 } else { places - 1 }.max(1);
        let fits = self.waiting.iter().filter(|it| has(it.module) < most(it.is_suspect));
        fits.min_by_key(|it| (has(it.module), it.number)).map(|it| it.number)
    }
}

impl Drop for Pass<'_> {
    fn drop(&mut self) {
        let mut line = lock(&self.0.line);
        if let Some(at) = line.running.iter().position(|it| *it == self.1) {
            line.running.swap_remove(at);
        }
        if !line.waiting.is_empty() {
            self.0.freed.notify_all();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ONE: Digest = Digest([1; 32]);
    const OTHER: Digest = Digest([2; 32]);

    fn at_once(gate: &Gate, module: Digest, is_suspect: bool) -> Result<Pass<'_>, Turned> {
        gate.enter(module, is_suspect, Duration::ZERO, || true)
    }

    #[test]
    fn a_full_gate_lets_nobody_in_and_a_place_given_back_is_found() {
        let gate = Gate::new(1);
        let pass = at_once(&gate, ONE, false).expect("the first place");
        assert_eq!(at_once(&gate, OTHER, false).err(), Some(Turned::Busy));
        std::thread::scope(|scope| {
            let waiting = scope.spawn(|| gate.enter(OTHER, false, Duration::from_secs(60), || true).is_ok());
            drop(pass);
            assert!(waiting.join().expect("no panic"));
        });
    }

    #[test]
    fn one_module_never_has_all_the_places_and_one_that_did_not_end_has_half() {
        let gate = Gate::new(4);
        let held: Vec<_> = (0..3).map(|_| at_once(&gate, ONE, false).expect("a place")).collect();
        assert_eq!(at_once(&gate, ONE, false).err(), Some(Turned::Busy), "the last place is for others");
        let innocent = at_once(&gate, OTHER, false).expect("the last place");
        drop((held, innocent));
        let held: Vec<_> = (0..2).map(|_| at_once(&gate, ONE, true).expect("a place")).collect();
        assert_eq!(at_once(&gate, ONE, true).err(), Some(Turned::Busy));
        assert_eq!((0..2).map_while(|_| at_once(&gate, OTHER, false).map(std::mem::forget).ok()).count(), 2);
        drop(held);
    }

    #[test]
    fn who_waits_for_what_nobody_wants_any_more_goes_home() {
        let gate = Gate::new(1);
        let _pass = at_once(&gate, ONE, false).expect("the first place");
        let turned = gate.enter(OTHER, false, Duration::from_secs(60), || false).err();
        assert_eq!(turned, Some(Turned::Unwanted));
        assert_eq!(gate.enter(OTHER, false, Duration::ZERO, || true).err(), Some(Turned::Busy), "it left the line");
    }
}
