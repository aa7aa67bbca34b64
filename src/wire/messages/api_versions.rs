//! ApiVersions: the client says what it is, the server says what it serves.

use crate::wire::{ErrorCode, Text};

message! {
    /// Asks which requests are served, in which versions.
    message ApiVersionsRequest {
        /// The name of the client's software.
        client_software_name: Text, since 3;
        /// Its version.
        client_software_version: Text, since 3;
    }

    /// What is served. To a version that is not, the answer is a version 0 with error 35.
    message ApiVersionsResponse {
        /// 0, or why not.
        error_code: ErrorCode, since 0;
        /// What is served.
        api_keys: Vec<ApiVersion>, since 0;
        /// How long the request was held back because of a quota.
        throttle_time_ms: i32, since 1;
        /// Features that the broker supports.
        supported_features: Vec<SupportedFeatureKey>, since 3, tag 0;
        /// The epoch of the finalized features, or -1.
        finalized_features_epoch: i64 = -1, since 3, tag 1;
        /// Features that are in force in the whole cluster.
        finalized_features: Vec<FinalizedFeatureKey>, since 3, tag 2;
        /// Of a past migration of Kafka's.
        zk_migration_ready: bool, since 3, tag 3;
    }

    /// A request that is served.
    part ApiVersion {
        /// The number of its kind.
        api_key: i16, since 0;
        /// The first version.
        min_version: i16, since 0;
        /// The last version.
        max_version: i16, since 0;
    }

    /// A feature that the broker supports.
    part SupportedFeatureKey {
        /// Its name.
        name: Text, since 3;
        /// The first version.
        min_version: i16, since 3;
        /// The last version.
        max_version: i16, since 3;
    }

    /// A feature that is in force.
    part FinalizedFeatureKey {
        /// Its name.
        name: Text, since 3;
        /// The highest level.
        max_version_level: i16, since 3;
        /// The lowest level.
        min_version_level: i16, since 3;
    }
}
