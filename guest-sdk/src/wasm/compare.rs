//! What compiled code calls to compare bytes, in place of what the compiler brings along ([`crate::bytes`]). It takes the place of
//! weak symbols; a C library's are as strong, and the linker refuses two (feature `compare`).
#![allow(unsafe_code, reason = "it is called with addresses")]

use crate::bytes::compare;

/// Less than, equal to or greater than zero.
#[unsafe(no_mangle)]
#[inline(never)]
unsafe extern "C" fn memcmp(one: *const u8, other: *const u8, len: usize) -> i32 {
    // SAFETY: whoever calls has `len` bytes at both addresses.
    unsafe { compare(one, other, len) }
}

/// Zero if all are equal.
#[unsafe(no_mangle)]
#[inline(never)]
unsafe extern "C" fn bcmp(one: *const u8, other: *const u8, len: usize) -> i32 {
    // SAFETY: the same is asked.
    unsafe { memcmp(one, other, len) }
}
