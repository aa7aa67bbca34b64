//! Room for plans that are made at one time. Groups that wait for one strategy never have all of it: a module that does not end
//! lets its own groups wait, and nobody else's.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use super::limits::{MAX_PLANS_AT_ONCE, MAX_PLANS_OF_ONE};

/// The room.
pub(crate) struct Places {
    all: Arc<Semaphore>,
    /// By the strategy's name, of those for which somebody waits or has a place.
    of: Mutex<HashMap<String, Arc<Semaphore>>>,
}

/// A place, given back when dropped.
pub(crate) struct Place {
    _in_all: OwnedSemaphorePermit,
    _of_one: OwnedSemaphorePermit,
}

impl Places {
    pub(crate) fn new() -> Self {
        Self { all: Arc::new(Semaphore::new(MAX_PLANS_AT_ONCE)), of: Mutex::default() }
    }

    /// Waits for a place for a plan by that strategy: first among its own, and with all others only then.
    pub(crate) async fn enter(&self, strategy: &str) -> Option<Place> {
        let own = {
            let mut of = self.of.lock().unwrap_or_else(PoisonError::into_inner);
            // Whoever waits or has a place holds on to it.
            of.retain(|_, own| Arc::strong_count(own) > 1);
            Arc::clone(of.entry(strategy.to_owned()).or_insert_with(|| Arc::new(Semaphore::new(MAX_PLANS_OF_ONE))))
        };
        let of_one = own.acquire_owned().await.ok()?;
        let in_all = Arc::clone(&self.all).acquire_owned().await.ok()?;
        Some(Place { _in_all: in_all, _of_one: of_one })
    }
}

#[cfg(test)]
mod tests {
    use std::future::Future;
    use std::pin::pin;
    use std::task::{Context, Poll, Waker};

    use super::*;

    /// What is there without waiting.
    fn at_once(places: &Places, strategy: &str) -> Option<Place> {
        match pin!(places.enter(strategy)).poll(&mut Context::from_waker(Waker::noop())) {
            Poll::Ready(place) => place,
            Poll::Pending => None,
        }
    }

    #[test]
    fn groups_of_one_strategy_leave_places_for_those_of_another() {
        let places = Places::new();
        let held: Vec<_> = std::iter::from_fn(|| at_once(&places, "endless")).collect();
        assert_eq!(held.len(), MAX_PLANS_OF_ONE);
        let others: Vec<_> = std::iter::from_fn(|| at_once(&places, "good")).collect();
        assert_eq!(others.len(), MAX_PLANS_AT_ONCE - MAX_PLANS_OF_ONE);
        drop(held);
        assert!(at_once(&places, "endless").is_some());
    }

    #[test]
    fn names_that_nobody_waits_for_are_forgotten() {
        let places = Places::new();
        (0..100).for_each(|name| assert!(at_once(&places, &name.to_string()).is_some()));
        assert_eq!(places.of.lock().unwrap().len(), 1);
    }
}
