//! What a strategy needs, in one line: `use divvy_guest::prelude::*;`.

pub use crate::{Group, Level, Me, Member, Mode, Owners, Partition, Partitions, Refusal, Topic, Values, assignor};
pub use crate::{StateGroup, StateMember, States};

/// A map that is walked in the same order on every machine. Avoid `HashMap`: the order of its keys is no part of a request, so two
/// builds of one strategy could answer the same request differently.
pub type DetMap<K, V> = std::collections::BTreeMap<K, V>;

/// A set that is walked in the same order on every machine.
pub type DetSet<T> = std::collections::BTreeSet<T>;
