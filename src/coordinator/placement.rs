//! Which shard a group lives on: the same in every process and every build, so that it can become part of a promise to
//! other coordinators later.

/// The shard of a group among `shards` (at least 1).
pub fn shard_of(group: &str, shards: usize) -> usize {
    let hash = xxhash_rust::xxh3::xxh3_64(group.as_bytes());
    let shards = u64::try_from(shards.max(1)).unwrap_or(1);
    usize::try_from(hash % shards).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// B75: a group-to-shard hash must not differ between calls, processes or builds.
    #[test]
    fn b75_placement_is_pinned() {
        let places: Vec<usize> = ["", "search-indexers", "payments", "größe"].map(|id| shard_of(id, 256)).to_vec();
        assert_eq!(places, PINNED);
    }

    const PINNED: [usize; 4] = [194, 194, 61, 44];
}
