//! Counts what a piece of code allocates, so that "refused without allocation" is a measured claim.
#![allow(unsafe_code, reason = "an allocator cannot be written without it; this one only counts and passes on")]

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

thread_local! {
    static ALLOCATED: Cell<usize> = const { Cell::new(0) };
}

struct Counting;

#[global_allocator]
static COUNTING: Counting = Counting;

fn count(bytes: usize) {
    ALLOCATED.set(ALLOCATED.get().saturating_add(bytes));
}

// SAFETY: every call is passed on unchanged to the system's allocator; counting touches only a number of this thread
// that needs neither allocation nor destruction.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        count(layout.size());
        // SAFETY: as the caller promised.
        unsafe { System.alloc(layout) }
    }
    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        // SAFETY: as the caller promised.
        unsafe { System.dealloc(pointer, layout) }
    }
    unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, new_size: usize) -> *mut u8 {
        count(new_size.saturating_sub(layout.size()));
        // SAFETY: as the caller promised.
        unsafe { System.realloc(pointer, layout, new_size) }
    }
}

/// How many bytes this thread has allocated so far.
pub fn so_far() -> usize {
    ALLOCATED.get()
}

/// What `run` gives, and how many bytes it allocated on this thread.
pub fn allocated<T>(run: impl FnOnce() -> T) -> (T, usize) {
    let before = ALLOCATED.get();
    let value = run();
    (value, ALLOCATED.get() - before)
}
