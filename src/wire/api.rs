//! The requests that divvy knows, and the versions of each that it serves.

/// A range of versions, both ends in it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct VersionRange {
    /// The first.
    pub min: i16,
    /// The last.
    pub max: i16,
}

impl VersionRange {
    /// Whether a version is in it.
    pub fn contains(self, version: i16) -> bool {
        (self.min..=self.max).contains(&version)
    }
}

/// What is served of a request.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Served {
    /// The request.
    pub key: ApiKey,
    /// The versions that are read and answered.
    pub versions: VersionRange,
    /// The versions that ApiVersions tells of; none for a request that is known only to be refused in good order.
    pub advertised: Option<VersionRange>,
    /// The first version in the compact form with tagged fields (KIP-482).
    pub flexible_from: i16,
}

macro_rules! apis {
    ($($(#[$doc:meta])* $code:literal $name:ident $min:literal to $max:literal, flexible from $flexible:literal
        $(, advertised from $advertised:literal)? $(, never $hidden:ident)?;)*) => {
        /// A request of Kafka's protocol that divvy knows.
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
        pub enum ApiKey {
            $($(#[$doc])* $name = $code,)*
        }

        impl ApiKey {
            /// The request of a number on the wire.
            pub fn from_code(code: i16) -> Option<Self> {
                match code {
                    $($code => Some(Self::$name),)*
                    _ => None,
                }
            }

            /// Its name, as in Kafka's documentation.
            pub fn name(self) -> &'static str {
                match self {
                    $(Self::$name => stringify!($name),)*
                }
            }
        }

        /// What is served of a request.
        pub const fn served(key: ApiKey) -> Served {
            match key {
                $(ApiKey::$name => Served {
                    key,
                    versions: VersionRange { min: $min, max: $max },
                    advertised: told!([$($hidden)?] VersionRange { min: first!($($advertised)? $min), max: $max }),
                    flexible_from: $flexible,
                },)*
            }
        }

        /// What is served, in the order of the keys.
        pub const SERVED: &[Served] = &[$(served(ApiKey::$name)),*];
    };
}

macro_rules! first {
    ($first:literal $($rest:literal)?) => {
        $first
    };
}

macro_rules! told {
    ([] $range:expr) => {
        Some($range)
    };
    ([advertised] $range:expr) => {
        None
    };
}

apis! {
    /// Writes records. divvy holds none and refuses it topic by topic, but librdkafka fetches only from a broker that
    /// has it, and releases up to 2.10 look for versions 0 to 2, as Kafka 4 also tells without serving (KAFKA-18659).
    0 Produce 3 to 9, flexible from 9, advertised from 0;
    /// Reads records: there are none.
    1 Fetch 4 to 17, flexible from 12;
    /// Asks for the offset at a time.
    2 ListOffsets 1 to 10, flexible from 6;
    /// Asks for brokers, topics and partitions.
    3 Metadata 0 to 13, flexible from 9;
    /// Stores how far a group has come.
    8 OffsetCommit 2 to 9, flexible from 8;
    /// Asks how far a group has come.
    9 OffsetFetch 1 to 9, flexible from 6;
    /// Asks who coordinates a group.
    10 FindCoordinator 0 to 6, flexible from 3;
    /// Asks to be in the group's next generation.
    11 JoinGroup 0 to 9, flexible from 6;
    /// Says that a member is alive, and asks whether the group is rebalancing.
    12 Heartbeat 0 to 4, flexible from 4;
    /// Leaves the group.
    13 LeaveGroup 0 to 5, flexible from 4;
    /// Brings the leader's plan, and asks for the member's part of it.
    14 SyncGroup 0 to 5, flexible from 4;
    /// Asks for all of some groups.
    15 DescribeGroups 0 to 6, flexible from 5;
    /// Asks which groups there are.
    16 ListGroups 0 to 5, flexible from 3;
    /// Says by which mechanism the client logs in. Version 0 is not spoken: there the steps after it have no frames that
    /// say what they are.
    17 SaslHandshake 1 to 1, flexible from 2, never advertised;
    /// Asks what is served.
    18 ApiVersions 0 to 4, flexible from 3;
    /// Makes topics.
    19 CreateTopics 2 to 7, flexible from 5;
    /// Deletes topics.
    20 DeleteTopics 1 to 6, flexible from 4;
    /// Stores offsets as a part of a transaction. divvy has no transactions: it is known so that the refusal is an
    /// answer that names each partition, and not a closed connection.
    28 TxnOffsetCommit 0 to 5, flexible from 3, never advertised;
    /// Asks for settings.
    32 DescribeConfigs 1 to 4, flexible from 4;
    /// A step of a login.
    36 SaslAuthenticate 0 to 2, flexible from 2, never advertised;
    /// Gives topics more partitions.
    37 CreatePartitions 0 to 3, flexible from 2;
    /// Forgets groups.
    42 DeleteGroups 0 to 2, flexible from 2;
    /// Forgets how far a group has come with some partitions.
    47 OffsetDelete 0 to 0, flexible from 1;
    /// Asks for the brokers.
    60 DescribeCluster 0 to 2, flexible from 0;
}

impl ApiKey {
    /// Its number on the wire.
    pub const fn code(self) -> i16 {
        self as i16
    }
}

/// The first version of a request and its answer in the compact form with tagged fields.
pub const fn flexible_from(key: ApiKey) -> i16 {
    served(key).flexible_from
}
