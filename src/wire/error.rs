//! The protocol's error codes that divvy sends or understands.

macro_rules! error_codes {
    ($($code:literal $name:ident $text:literal;)*) => {
        /// An error code of Kafka's protocol. A code without a name here stays a number in [`ErrorCode::Other`].
        #[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
        pub enum ErrorCode {
            $(#[doc = concat!("`", $code, "`: ", $text, ".")] $name,)*
            /// Any code without a name here.
            Other(i16),
        }

        impl ErrorCode {
            /// The number on the wire.
            pub fn code(self) -> i16 {
                match self {
                    $(Self::$name => $code,)*
                    Self::Other(code) => code,
                }
            }

            /// What it means, for people.
            pub fn text(self) -> &'static str {
                match self {
                    $(Self::$name => $text,)*
                    Self::Other(_) => "an error that divvy has no words for",
                }
            }
        }

        impl From<i16> for ErrorCode {
            fn from(code: i16) -> Self {
                match code {
                    $($code => Self::$name,)*
                    other => Self::Other(other),
                }
            }
        }
    };
}

error_codes! {
    -1 UnknownServerError "the server broke one of its own rules";
    0 None "no error";
    1 OffsetOutOfRange "the offset is outside the partition's log";
    3 UnknownTopicOrPartition "no such topic or partition here";
    5 LeaderNotAvailable "the partition has no leader";
    7 RequestTimedOut "the request took longer than its own limit";
    10 MessageTooLarge "the record is larger than the server takes";
    12 OffsetMetadataTooLarge "the commit's note is longer than `offset.metadata.max.bytes`";
    14 CoordinatorLoadInProgress "the coordinator is still reading the group";
    15 CoordinatorNotAvailable "no coordinator, or its store failed: find it again";
    16 NotCoordinator "this is not the group's coordinator: find it again";
    17 InvalidTopic "the topic's name is not legal";
    22 IllegalGeneration "the generation named is not the group's";
    23 InconsistentGroupProtocol "no protocol, or another type, in common with the group";
    24 InvalidGroupId "the group id is empty or missing";
    25 UnknownMemberId "the group has no such member";
    26 InvalidSessionTimeout "the session timeout is outside the coordinator's bounds";
    27 RebalanceInProgress "the group is rebalancing: join again";
    29 TopicAuthorizationFailed "not allowed to use the topic";
    30 GroupAuthorizationFailed "not allowed to use the group";
    33 UnsupportedSaslMechanism "the login mechanism is not offered";
    34 IllegalSaslState "a login step out of order";
    35 UnsupportedVersion "the version is not served";
    36 TopicAlreadyExists "a topic of that name exists";
    37 InvalidPartitions "the number of partitions is not legal";
    38 InvalidReplicationFactor "the replication factor is not legal";
    39 InvalidReplicaAssignment "the replica assignment is not legal";
    40 InvalidConfig "a topic setting is not legal here";
    42 InvalidRequest "the request contradicts itself";
    44 PolicyViolation "refused by the operator's settings";
    58 SaslAuthenticationFailed "the login failed";
    68 NonEmptyGroup "the group has members";
    69 GroupIdNotFound "no such group";
    70 FetchSessionIdNotFound "no such fetch session";
    73 TopicDeletionDisabled "the topic cannot be deleted here";
    79 MemberIdRequired "take the id in this answer and join again with it";
    81 GroupMaxSizeReached "the group has as many members as it may";
    82 FencedInstanceId "another process holds this instance id";
    86 GroupSubscribedToTopic "the group still subscribes to the topic";
    88 UnstableOffsetCommit "a transaction over this offset is open";
    100 UnknownTopicId "no topic has this id";
    114 MismatchedEndpointType "endpoints of that type are elsewhere";
}

#[allow(clippy::derivable_impls, reason = "the variants come from a table, which has no place for a mark")]
impl Default for ErrorCode {
    fn default() -> Self {
        Self::None
    }
}

impl ErrorCode {
    /// Whether it is any error at all.
    pub fn is_error(self) -> bool {
        self != Self::None
    }
}

impl std::fmt::Display for ErrorCode {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{self:?} ({}): {}", self.code(), self.text())
    }
}
