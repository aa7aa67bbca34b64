//! Names, eight bytes at a time: in a module what the standard library does with bytes is a loop over them.

/// Whether one name comes before another, by their bytes.
pub(super) fn comes_before(one: &str, other: &str) -> bool {
    // The lowest byte that differs came first.
    let differ = |one: &[u8; 8], other: &[u8; 8]| {
        let (one, other) = (u64::from_le_bytes(*one), u64::from_le_bytes(*other));
        let at = (one ^ other).trailing_zeros() & 0x38;
        (one != other).then_some(((one >> at) as u8) < (other >> at) as u8)
    };
    let (one, other) = (one.as_bytes(), other.as_bytes());
    let words = one.as_chunks().0.iter().zip(other.as_chunks().0);
    for (word, others) in words {
        if let Some(is_before) = differ(word, others) {
            return is_before;
        }
    }
    // Where all but the end is the same, the last eight bytes tell.
    match (one.last_chunk(), other.last_chunk()) {
        (Some(end), Some(others)) if one.len() == other.len() => differ(end, others) == Some(true),
        _ => one < other,
    }
}

/// The bytes as text, if they are one.
#[cfg(not(target_arch = "wasm32"))]
#[inline]
pub(super) fn text_of(bytes: &[u8]) -> Option<&str> {
    std::str::from_utf8(bytes).ok()
}

/// The bytes as text, if they are one. Most names are ASCII, which is quickly told.
#[cfg(target_arch = "wasm32")]
#[allow(unsafe_code, reason = "ASCII was looked for, so it need not be validated again")]
#[inline]
pub(super) fn text_of(bytes: &[u8]) -> Option<&str> {
    const NOT_ASCII: u64 = 0x8080_8080_8080_8080;
    let (words, rest) = bytes.as_chunks();
    let of_words = words.iter().fold(0, |all, word| all | u64::from_le_bytes(*word));
    let of_rest = match bytes.last_chunk() {
        // The last eight bytes, some of them for the second time.
        Some(last) => u64::from_le_bytes(*last),
        None => rest.iter().fold(0, |all, byte| all << 8 | u64::from(*byte)),
    };
    if (of_words | of_rest) & NOT_ASCII == 0 {
        // SAFETY: ASCII is UTF-8.
        return Some(unsafe { std::str::from_utf8_unchecked(bytes) });
    }
    std::str::from_utf8(bytes).ok()
}
