//! All groups of one shard: routing, loading, deadlines, lists.
