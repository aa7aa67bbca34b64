//! The calling rule of ABI 1 inside a module: the request's buffer, the reply's address, the text of a panic.
#![allow(unsafe_code, reason = "the host writes the request into memory that only an address connects with this code")]

#[cfg(feature = "compare")]
mod compare;
#[cfg(feature = "memory")]
mod memory;

use std::alloc::Layout;
use std::sync::atomic::{AtomicU8, AtomicU32, Ordering::Relaxed};

use crate::Refusal;
use crate::abi::{MAX_PANIC_BYTES, reply};
use crate::refusal::push_number;

/// The buffer of the request: its address and length. An instance lives for one call, so it has one buffer at a time.
static BUFFER: (AtomicU32, AtomicU32) = (AtomicU32::new(0), AtomicU32::new(0));

/// Reserves the request's buffer, 16-byte aligned; 0 when there is no room.
pub fn alloc(len: u32) -> u32 {
    let Ok(layout) = Layout::from_size_align(len.max(1) as usize, 16) else { return 0 };
    // SAFETY: the layout is at least one byte long. Zeroed, since nothing says that the host writes all of it; what
    // the module has not used yet is zero.
    let buffer = unsafe { std::alloc::alloc_zeroed(layout) };
    BUFFER.0.store(buffer as u32, Relaxed);
    BUFFER.1.store(if buffer.is_null() { 0 } else { len }, Relaxed);
    buffer as u32
}

/// Runs an export: the request's address and length in, the reply's address (upper half) and length out. The reply is never freed:
/// the instance ends with the call.
pub fn call(panic_text: &'static PanicText, ptr: u32, len: u32, run: impl FnOnce(&[u8]) -> Vec<u8>) -> u64 {
    std::panic::set_hook(Box::new(|info| panic_text.record(info)));
    let (buffer, room) = (BUFFER.0.swap(0, Relaxed), BUFFER.1.swap(0, Relaxed));
    let reply = if buffer == 0 || ptr != buffer || len > room {
        let refusal = Refusal::new("bad_call", "the request is not in the buffer that divvy_alloc gave");
        reply::refused(refusal.as_refused(), &[])
    } else {
        // SAFETY: `alloc` made `room` initialised bytes at `buffer`; the swap above gave this call the only claim to them.
        run(unsafe { std::slice::from_raw_parts(buffer as *const u8, len as usize) })
    };
    let reply = reply.leak();
    (reply.as_ptr() as u64) << 32 | reply.len() as u64
}

/// The area behind the export `divvy_panic`, read by the host after a trap: length, then text. Atomics because it is a static;
/// their layout is that of the plain integers.
#[repr(C)]
pub struct PanicText {
    len: AtomicU32,
    text: [AtomicU8; MAX_PANIC_BYTES],
}

impl PanicText {
    /// Nothing yet.
    #[allow(clippy::new_without_default, reason = "only for a static")]
    pub const fn new() -> Self {
        PanicText { len: AtomicU32::new(0), text: [const { AtomicU8::new(0) }; MAX_PANIC_BYTES] }
    }

    fn record(&self, info: &std::panic::PanicHookInfo<'_>) {
        let mut text = String::from("panicked");
        if let Some(place) = info.location() {
            text.push_str(" at ");
            text.push_str(place.file());
            text.push(':');
            push_number(&mut text, u64::from(place.line()));
        }
        text.push_str(": ");
        text.push_str(info.payload_as_str().unwrap_or("no text"));
        text.truncate(text.floor_char_boundary(MAX_PANIC_BYTES));
        for (slot, byte) in self.text.iter().zip(text.bytes()) {
            slot.store(byte, Relaxed);
        }
        self.len.store(text.len() as u32, Relaxed);
    }
}
