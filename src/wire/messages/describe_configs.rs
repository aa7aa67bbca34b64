//! DescribeConfigs: the settings of brokers, topics and groups.

use crate::wire::{ErrorCode, Text};

message! {
    /// Asks for settings.
    message DescribeConfigsRequest {
        /// Whose.
        resources: Vec<DescribeConfigsResource>, since 1;
        /// Whether to tell where each value comes from, and what it hides.
        include_synonyms: bool, since 1;
        /// Whether to explain each.
        include_documentation: bool, since 3;
    }

    /// Who has settings.
    part DescribeConfigsResource {
        /// What it is: 2 a topic, 4 a broker, 32 a group.
        resource_type: i8, since 1;
        /// Its name.
        resource_name: Text, since 1;
        /// Which settings; null asks for all.
        configuration_keys: Option<Vec<Text>> = Some(Vec::new()), since 1;
    }

    /// The settings.
    message DescribeConfigsResponse {
        /// How long the request was held back because of a quota.
        throttle_time_ms: i32, since 1;
        /// An entry for each resource.
        results: Vec<DescribeConfigsResult>, since 1;
    }

    /// Of one resource.
    part DescribeConfigsResult {
        /// 0, or why not.
        error_code: ErrorCode, since 1;
        /// Why not, for people.
        error_message: Option<Text> = Some(Text::default()), since 1;
        /// What it is.
        resource_type: i8, since 1;
        /// Its name.
        resource_name: Text, since 1;
        /// Its settings.
        configs: Vec<DescribeConfigsResourceResult>, since 1;
    }

    /// A setting.
    part DescribeConfigsResourceResult {
        /// Its name.
        name: Text, since 1;
        /// Its value.
        value: Option<Text> = Some(Text::default()), since 1;
        /// Whether it cannot be changed.
        read_only: bool, since 1;
        /// Where it comes from, or -1.
        config_source: i8 = -1, since 1;
        /// Whether its value is a secret.
        is_sensitive: bool, since 1;
        /// Where else it could come from.
        synonyms: Vec<DescribeConfigsSynonym>, since 1;
        /// What kind of value it has.
        config_type: i8, since 3;
        /// What it means.
        documentation: Option<Text> = Some(Text::default()), since 3;
    }

    /// Another place that a setting comes from.
    part DescribeConfigsSynonym {
        /// Its name there.
        name: Text, since 1;
        /// Its value there.
        value: Option<Text> = Some(Text::default()), since 1;
        /// Which place.
        source: i8, since 1;
    }
}
