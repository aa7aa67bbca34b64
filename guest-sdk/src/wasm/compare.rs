//! Compares bytes eight at a time. What the compiler brings along for WebAssembly takes one byte after another, and each turn of a loop
//! looks whether the call is to end: keys of maps and names that are sorted or looked up cost far more than they do natively.
#![allow(unsafe_code, reason = "these are what compiled code calls to compare bytes")]

/// Less than, equal to or greater than zero, as the first byte that differs is.
#[unsafe(no_mangle)]
#[inline(never)]
unsafe extern "C" fn memcmp(one: *const u8, other: *const u8, len: usize) -> i32 {
    // SAFETY: whoever calls has `len` bytes at both addresses, and nothing beyond them is read.
    unsafe {
        if len < 8 {
            return order(short(one, len), short(other, len));
        }
        let last = len - 8;
        let mut at = 0;
        while at < last {
            let (word, others) = (word(one.add(at)), word(other.add(at)));
            if word != others {
                return order(word, others);
            }
            at += 8;
        }
        // The last eight, some of them for the second time.
        order(word(one.add(last)), word(other.add(last)))
    }
}

/// Zero if all are equal.
#[unsafe(no_mangle)]
#[inline(never)]
unsafe extern "C" fn bcmp(one: *const u8, other: *const u8, len: usize) -> i32 {
    // SAFETY: the same is asked.
    unsafe { memcmp(one, other, len) }
}

/// The lowest byte that differs came first.
#[inline(always)]
fn order(one: u64, other: u64) -> i32 {
    if one == other {
        return 0;
    }
    let at = (one ^ other).trailing_zeros() & 0x38;
    (one >> at & 0xff) as i32 - (other >> at & 0xff) as i32
}

#[inline(always)]
unsafe fn word(from: *const u8) -> u64 {
    // SAFETY: the caller says that eight bytes are there.
    unsafe { from.cast::<u64>().read_unaligned() }
}

/// Fewer than eight bytes, in order, some of them twice.
#[inline(always)]
unsafe fn short(from: *const u8, len: usize) -> u64 {
    // SAFETY: the caller says that `len` bytes are there.
    unsafe {
        if len >= 4 {
            let half = |at: usize| u64::from(from.add(at).cast::<u32>().read_unaligned());
            return half(0) | half(len - 4) << 32;
        }
        if len == 0 {
            return 0;
        }
        let byte = |at: usize| u64::from(from.add(at).read());
        byte(0) | byte(len / 2) << 8 | byte(len - 1) << 16
    }
}
