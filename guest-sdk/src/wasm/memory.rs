//! The memory of a module. An instance lives for one call, so nothing has to be given back to anybody: blocks are cut off the front of
//! what is left, and freed ones wait for the next of their size.
//!
//! Three things make it quicker than an allocator for programs that go on for days. It begins right behind the module's data, so that a
//! small group's call never asks the host for memory. What was never used is zero already, so zeroed tables cost nothing. The last block
//! grows where it is, so that a growing vector is not copied.
#![allow(unsafe_code, reason = "an allocator gives out addresses")]

use std::alloc::{GlobalAlloc, Layout};
use std::arch::wasm32::{memory_grow, memory_size};
use std::ptr::{null_mut, with_exposed_provenance_mut};
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

use crate::sizes::{CLASSES, class_of, size_of};

const PAGE: usize = 64 << 10;

/// Pages that are asked for at once: each growth is a call of the operating system, and so is taking it back after the call.
const PAGES_AT_ONCE: usize = 16;

/// What blocks are aligned to; their sizes are multiples of it.
pub const ALIGN: usize = 16;

/// The allocator of a module. Its numbers are atomics because it is a static: there are no threads, and they cost nothing.
pub struct OneCall {
    /// Where the next block begins; 0 before the first.
    next: AtomicUsize,
    /// Above this nothing was ever written.
    used: AtomicUsize,
    /// Where memory ends.
    end: AtomicUsize,
    /// By class the freed block that is given out next, 0 if there is none; its first word is the address of the one behind it.
    free: [AtomicUsize; CLASSES],
}

#[global_allocator]
static MEMORY: OneCall = OneCall {
    next: AtomicUsize::new(0),
    used: AtomicUsize::new(0),
    end: AtomicUsize::new(0),
    free: [const { AtomicUsize::new(0) }; CLASSES],
};

unsafe extern "C" {
    /// Its address is where the linker's data and stack end.
    static __heap_base: u8;
}

impl OneCall {
    /// A block, and how many of its bytes may not be zero; address 0 if there is no room.
    fn take(&self, layout: Layout) -> (usize, usize) {
        let Some(class) = class_of(layout.size()).filter(|_| layout.align() <= ALIGN) else {
            return self.cut(layout.size(), layout.align());
        };
        let block = self.free[class].load(Relaxed);
        if block == 0 {
            return self.cut(size_of(class), ALIGN);
        }
        // SAFETY: a block in the list was freed and is at least a word long; its first word was written by `dealloc`.
        let behind = unsafe { with_exposed_provenance_mut::<usize>(block).read() };
        self.free[class].store(behind, Relaxed);
        (block, layout.size())
    }

    /// Cuts a block off what was never given out, or was given back at once.
    fn cut(&self, size: usize, align: usize) -> (usize, usize) {
        if self.next.load(Relaxed) == 0 {
            let base = (&raw const __heap_base).expose_provenance();
            self.next.store(base, Relaxed);
            self.used.store(base, Relaxed);
            self.end.store(memory_size(0) * PAGE, Relaxed);
        }
        let block = self.next.load(Relaxed).checked_next_multiple_of(align);
        let Some((block, end)) = block.and_then(|block| Some((block, block.checked_add(size)?))) else { return (0, 0) };
        if end > self.end.load(Relaxed) && !self.grow_to(end) {
            return (0, 0);
        }
        self.next.store(end, Relaxed);
        let used = self.used.load(Relaxed);
        self.used.store(used.max(end), Relaxed);
        (block, used.saturating_sub(block).min(size))
    }

    #[cold]
    fn grow_to(&self, end: usize) -> bool {
        let pages = (end - self.end.load(Relaxed)).div_ceil(PAGE);
        let grow = |pages: usize| {
            let before = memory_grow(0, pages);
            if before != usize::MAX {
                // 4 GiB, the end of all addresses, has no number; nobody may have so much.
                self.end.store((before + pages).saturating_mul(PAGE), Relaxed);
            }
            before != usize::MAX
        };
        grow(pages.max(PAGES_AT_ONCE)) || (pages < PAGES_AT_ONCE && grow(pages))
    }

    /// Makes the last block longer or shorter.
    fn move_end(&self, block: usize, size: usize) -> bool {
        let Some(end) = block.checked_add(size) else { return false };
        let fits = end <= self.end.load(Relaxed) || self.grow_to(end);
        if fits {
            self.next.store(end, Relaxed);
            self.used.store(self.used.load(Relaxed).max(end), Relaxed);
        }
        fits
    }

    /// Whether a block of a class is the last one that was cut off.
    fn is_last(&self, block: usize, class: usize) -> bool {
        block + size_of(class) == self.next.load(Relaxed)
    }
}

// SAFETY: blocks lie within memory, are aligned, and overlap with none that is in use: they are cut off what nobody has, or were freed;
// whoever frees one names the size that it asked for, and so the class that the block is of.
unsafe impl GlobalAlloc for OneCall {
    #[inline(never)]
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        with_exposed_provenance_mut(self.take(layout).0)
    }

    #[inline(never)]
    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        let (block, written) = self.take(layout);
        let block = with_exposed_provenance_mut::<u8>(block);
        if written > 0 {
            // SAFETY: the block is at least as long as what was written of it.
            unsafe { block.write_bytes(0, written) };
        }
        block
    }

    #[inline(never)]
    unsafe fn dealloc(&self, block: *mut u8, layout: Layout) {
        // What is too large for a class, or aligned to more, is not used again.
        let Some(class) = class_of(layout.size()).filter(|_| layout.align() <= ALIGN) else { return };
        let at = block.expose_provenance();
        if self.is_last(at, class) {
            return self.next.store(at, Relaxed);
        }
        // SAFETY: nobody uses the block any more, and it is at least a word long.
        unsafe { block.cast::<usize>().write(self.free[class].load(Relaxed)) };
        self.free[class].store(at, Relaxed);
    }

    #[inline(never)]
    unsafe fn realloc(&self, block: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        let classes = class_of(layout.size()).zip(class_of(size)).filter(|_| layout.align() <= ALIGN);
        if let Some((old, new)) = classes {
            let at = block.expose_provenance();
            // The last one ends elsewhere from now on. Another one that is to be shorter is of its new size where it is.
            if new == old || (self.is_last(at, old) && self.move_end(at, size_of(new))) || new < old {
                return block;
            }
        }
        let Ok(wanted) = Layout::from_size_align(size, layout.align()) else { return null_mut() };
        // SAFETY: the new block is another one, at least as long as what is copied; the old one is not used after that.
        unsafe {
            let moved = self.alloc(wanted);
            if !moved.is_null() {
                moved.copy_from_nonoverlapping(block, layout.size().min(size));
                self.dealloc(block, layout);
            }
            moved
        }
    }
}
