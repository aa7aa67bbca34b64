//! Fetch: records from an offset on.

use bytes::Bytes;

use crate::wire::{ErrorCode, Text};

message! {
    /// Asks for records.
    message FetchRequest {
        /// The cluster that the client believes it speaks to.
        cluster_id: Option<Text>, since 12, tag 0;
        /// -1 for a client.
        replica_id: i32 = -1, since 4 until 14;
        /// Which replica asks; its default for a client.
        replica_state: ReplicaState, since 15, tag 1;
        /// How long to wait for `min_bytes`.
        max_wait_ms: i32, since 4;
        /// What is worth an answer before that.
        min_bytes: i32, since 4;
        /// The most to answer.
        max_bytes: i32 = i32::MAX, since 4;
        /// Whether open transactions count.
        isolation_level: i8, since 4;
        /// The fetch session, or 0.
        session_id: i32, since 7;
        /// Its epoch, or -1.
        session_epoch: i32 = -1, since 7;
        /// The topics.
        topics: Vec<FetchTopic>, since 4;
        /// What to take out of the fetch session.
        forgotten_topics_data: Vec<ForgottenTopic>, since 7;
        /// Where the client stands.
        rack_id: Text, since 11;
    }

    /// Which replica asks.
    part ReplicaState {
        /// Its node id, or -1.
        replica_id: i32 = -1, since 15;
        /// Its epoch, or -1.
        replica_epoch: i64 = -1, since 15;
    }

    /// A topic.
    part FetchTopic {
        /// Its name.
        topic: Text, since 4 until 12;
        /// Its id.
        topic_id: [u8; 16], since 13;
        /// Its partitions.
        partitions: Vec<FetchPartition>, since 4;
    }

    /// A partition.
    part FetchPartition {
        /// Its number.
        partition: i32, since 4;
        /// The leader epoch that the client knows, or -1.
        current_leader_epoch: i32 = -1, since 9;
        /// Where to begin.
        fetch_offset: i64, since 4;
        /// The leader epoch of the last record fetched, or -1.
        last_fetched_epoch: i32 = -1, since 12;
        /// The beginning of a replica's log, or -1.
        log_start_offset: i64 = -1, since 5;
        /// The most to answer for it.
        partition_max_bytes: i32, since 4;
        /// Which disk of a replica asks.
        replica_directory_id: [u8; 16], since 17, tag 0;
    }

    /// What to take out of the fetch session.
    part ForgottenTopic {
        /// The topic's name.
        topic: Text, since 7 until 12;
        /// Its id.
        topic_id: [u8; 16], since 13;
        /// Its partitions.
        partitions: Vec<i32>, since 7;
    }

    /// Records.
    message FetchResponse {
        /// How long the request was held back because of a quota.
        throttle_time_ms: i32, since 4;
        /// 0, or why not.
        error_code: ErrorCode, since 7;
        /// The fetch session, or 0.
        session_id: i32, since 7;
        /// The topics.
        responses: Vec<FetchableTopicResponse>, since 4;
        /// Where the leaders named below are reached.
        node_endpoints: Vec<NodeEndpoint>, since 16, tag 0;
    }

    /// A topic.
    part FetchableTopicResponse {
        /// Its name.
        topic: Text, since 4 until 12;
        /// Its id.
        topic_id: [u8; 16], since 13;
        /// Its partitions.
        partitions: Vec<PartitionData>, since 4;
    }

    /// A partition.
    part PartitionData {
        /// Its number.
        partition_index: i32, since 4;
        /// 0, or why not.
        error_code: ErrorCode, since 4;
        /// The end of what may be read.
        high_watermark: i64, since 4;
        /// The end of what no open transaction is in, or -1.
        last_stable_offset: i64 = -1, since 4;
        /// The beginning of the log, or -1.
        log_start_offset: i64 = -1, since 5;
        /// Where the reader's log departs from the leader's.
        diverging_epoch: EpochEndOffset, since 12, tag 0;
        /// Who leads now.
        current_leader: LeaderIdAndEpoch, since 12, tag 1;
        /// A snapshot to read instead.
        snapshot_id: SnapshotId, since 12, tag 2;
        /// Transactions to pass over.
        aborted_transactions: Option<Vec<AbortedTransaction>> = Some(Vec::new()), since 4;
        /// A node that stands nearer, or -1.
        preferred_read_replica: i32 = -1, since 11;
        /// The records.
        records: Option<Bytes> = Some(Bytes::new()), since 4;
    }

    /// Where two logs depart.
    part EpochEndOffset {
        /// The last epoch they share, or -1.
        epoch: i32 = -1, since 12;
        /// Its end, or -1.
        end_offset: i64 = -1, since 12;
    }

    /// Who leads a partition.
    part LeaderIdAndEpoch {
        /// The node, or -1.
        leader_id: i32 = -1, since 12;
        /// Its epoch, or -1.
        leader_epoch: i32 = -1, since 12;
    }

    /// A snapshot.
    part SnapshotId {
        /// Its end, or -1.
        end_offset: i64 = -1, since 12;
        /// Its epoch, or -1.
        epoch: i32 = -1, since 12;
    }

    /// A transaction that was given up.
    part AbortedTransaction {
        /// Its producer.
        producer_id: i64, since 4;
        /// Its first offset.
        first_offset: i64, since 4;
    }

    /// Where a node is reached.
    part NodeEndpoint {
        /// Its id.
        node_id: i32, since 16;
        /// Its host.
        host: Text, since 16;
        /// Its port.
        port: i32, since 16;
        /// Where it stands.
        rack: Option<Text>, since 16;
    }
}
