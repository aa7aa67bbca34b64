//! Compares bytes eight at a time. What the compiler brings along for WebAssembly takes one byte after another, and each turn of a loop
//! looks whether the call is to end: keys of maps and names that are sorted or looked up cost far more than they do natively.
#![allow(unsafe_code, reason = "it is what compiled code calls with two addresses and a length")]

/// Less than, equal to or greater than zero, as the first byte that differs is.
///
/// # Safety
/// There are `len` bytes at both addresses. Nothing beyond them is read.
#[inline]
pub unsafe fn compare(one: *const u8, other: *const u8, len: usize) -> i32 {
    // SAFETY: all reads are within the first `len` bytes.
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
    u64::from_le(unsafe { from.cast::<u64>().read_unaligned() })
}

/// Fewer than eight bytes, in order, some of them twice.
#[inline(always)]
unsafe fn short(from: *const u8, len: usize) -> u64 {
    // SAFETY: the caller says that `len` bytes are there.
    unsafe {
        if len >= 4 {
            let half = |at: usize| u64::from(u32::from_le(from.add(at).cast::<u32>().read_unaligned()));
            return half(0) | half(len - 4) << 32;
        }
        if len == 0 {
            return 0;
        }
        let byte = |at: usize| u64::from(from.add(at).read());
        byte(0) | byte(len / 2) << 8 | byte(len - 1) << 16
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_compare_as_slices_do_wherever_they_differ() {
        let of = |one: &[u8], other: &[u8]| {
            // SAFETY: the shorter one is that long.
            let order = unsafe { compare(one.as_ptr(), other.as_ptr(), one.len().min(other.len())) };
            order.cmp(&0)
        };
        for len in 0..40 {
            let one: Vec<u8> = (0..len as u8).map(|at| at.wrapping_mul(97) | 1).collect();
            assert!(of(&one, &one.clone()).is_eq(), "{len}");
            for at in 0..len {
                for byte in [0, one[at] - 1, one[at] ^ 0x80, 0xff] {
                    let mut other = one.clone();
                    other[at] = byte;
                    // What comes behind the first difference counts for nothing.
                    other[at + 1..].fill(!byte);
                    assert_eq!(of(&one, &other), one.cmp(&other), "{len} bytes, {at}: {byte}");
                    assert_eq!(of(&other, &one), other.cmp(&one), "{len} bytes, {at}: {byte}");
                }
            }
        }
    }
}
