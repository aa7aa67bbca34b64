//! The sizes of a module's memory blocks: multiples of 16, and of larger ones four to each doubling, so that a block is at most a
//! quarter longer than what was asked for.

/// How many classes there are: the largest is of half of all addresses.
pub const CLASSES: usize = 4 * 26;

/// Up to 64 bytes each multiple of 16 is a class.
const SMALL: u32 = 6;

/// The class of blocks that hold so many bytes.
#[inline]
pub const fn class_of(size: usize) -> Option<usize> {
    // Of a size of 2^(n+1) at most and more than 2^n the two bits below the highest one count, so one is taken off first.
    let last = if size == 0 { 0 } else { (size - 1) as u32 };
    if last < 1 << SMALL {
        return Some(last as usize >> 4);
    }
    let highest = 31 - last.leading_zeros();
    let class = 4 * (highest - SMALL + 1) as usize + (last >> (highest - 2)) as usize % 4;
    if class < CLASSES { Some(class) } else { None }
}

/// How long the blocks of a class are.
#[inline]
pub const fn size_of(class: usize) -> usize {
    match class / 4 {
        0 => (class + 1) << 4,
        doubling => (class % 4 + 5) << (doubling as u32 + SMALL - 3),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_block_is_as_long_as_was_asked_for_and_a_quarter_longer_at_most() {
        let around = (4..31).flat_map(|bits| [(1_usize << bits) - 1, 1 << bits, (1 << bits) + 1, 3 << (bits - 1)]);
        for size in (1..5_000).chain(around).filter(|size| *size <= 1 << 31) {
            let block = size_of(class_of(size).unwrap());
            assert!(block >= size && block.is_multiple_of(16), "{size}: {block}");
            assert!(block - size < 16 || 4 * (block - size) <= size, "{size}: {block}");
        }
    }

    #[test]
    fn classes_are_numbered_by_size() {
        assert!((1..CLASSES).all(|class| size_of(class) > size_of(class - 1)));
        assert!((0..CLASSES).all(|class| class_of(size_of(class)) == Some(class)));
        assert_eq!((class_of(0), class_of(1), class_of(16), class_of(17)), (Some(0), Some(0), Some(0), Some(1)));
        assert_eq!(class_of(size_of(CLASSES - 1) + 1), None);
    }
}
