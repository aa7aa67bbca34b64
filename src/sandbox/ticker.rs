//! Makes running code look at the clock each millisecond; with nothing to watch over it is parked.

use std::io;
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::thread::JoinHandle;

use wasmtime::Engine;

use super::limits::TICK;
use super::lock;

/// The thread that advances the engines' epochs.
pub(super) struct Ticker {
    shared: Arc<Shared>,
    thread: Option<JoinHandle<()>>,
}

#[derive(Default)]
struct Shared {
    state: Mutex<State>,
    wake: Condvar,
}

#[derive(Default)]
struct State {
    running: usize,
    parked: bool,
    stopped: bool,
}

/// While one is held, the epochs advance.
pub(super) struct Ticking<'a>(&'a Shared);

impl Ticker {
    pub fn start(engines: Vec<Engine>) -> io::Result<Self> {
        let shared = Arc::new(Shared::default());
        let theirs = Arc::clone(&shared);
        let thread = std::thread::Builder::new().name("divvy-epochs".to_owned()).spawn(move || theirs.run(&engines))?;
        Ok(Self { shared, thread: Some(thread) })
    }

    pub fn hold(&self) -> Ticking<'_> {
        let mut state = lock(&self.shared.state);
        state.running += 1;
        // Between back-to-back calls the thread is still in its last tick: waking it would cost more than the call.
        if std::mem::take(&mut state.parked) {
            self.shared.wake.notify_one();
        }
        Ticking(&self.shared)
    }
}

impl Shared {
    fn run(&self, engines: &[Engine]) {
        let mut state = lock(&self.state);
        while !state.stopped {
            if state.running == 0 {
                state.parked = true;
                state = self.wake.wait(state).unwrap_or_else(PoisonError::into_inner);
            } else {
                state = self.wake.wait_timeout(state, TICK).unwrap_or_else(PoisonError::into_inner).0;
                engines.iter().for_each(Engine::increment_epoch);
            }
        }
    }
}

impl Drop for Ticking<'_> {
    fn drop(&mut self) {
        lock(&self.0.state).running -= 1;
    }
}

impl Drop for Ticker {
    fn drop(&mut self) {
        lock(&self.shared.state).stopped = true;
        self.shared.wake.notify_one();
        if let Some(thread) = self.thread.take() {
            // It cannot panic; and if it did, there is nothing left to watch over.
            let _ = thread.join();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn until(what: impl Fn() -> bool) {
        while !what() {
            std::thread::yield_now();
        }
    }

    #[test]
    fn it_is_parked_unless_a_call_runs() {
        let ticker = Ticker::start(vec![Engine::default()]).unwrap();
        let is_parked = || lock(&ticker.shared.state).parked;
        until(is_parked);
        let first = ticker.hold();
        let second = ticker.hold();
        drop(first);
        assert!(!is_parked());
        drop(second);
        until(is_parked);
    }
}
