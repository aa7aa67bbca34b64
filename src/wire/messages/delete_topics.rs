//! DeleteTopics: topics to delete, by name or from v6 on by id.

use crate::wire::{ErrorCode, Text};

message! {
    /// Deletes topics.
    message DeleteTopicsRequest {
        /// The topics, by name or by id.
        topics: Vec<DeleteTopicState>, since 6;
        /// The topics by name.
        topic_names: Vec<Text>, since 1 until 5;
        /// How long to wait until they are gone.
        timeout_ms: i32, since 1;
    }

    /// A topic.
    part DeleteTopicState {
        /// Its name; null if it is named by its id.
        name: Option<Text>, since 6;
        /// Its id, or zeros.
        topic_id: [u8; 16], since 6;
    }

    /// The topics deleted.
    message DeleteTopicsResponse {
        /// How long the request was held back because of a quota.
        throttle_time_ms: i32, since 1;
        /// The topics.
        responses: Vec<DeletableTopicResult>, since 1;
    }

    /// A topic.
    part DeletableTopicResult {
        /// Its name; null if only an unknown id was named.
        name: Option<Text> = Some(Text::default()), since 1, null since 6;
        /// Its id, or zeros.
        topic_id: [u8; 16], since 6;
        /// 0, or why not.
        error_code: ErrorCode, since 1;
        /// Why not, for people.
        error_message: Option<Text>, since 5;
    }
}
