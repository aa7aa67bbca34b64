//! TxnOffsetCommit: refused. A transaction needs a coordinator of transactions, and divvy coordinates groups; storing
//! the offsets at once would break what the client counts on, that they are kept only if the transaction ends well.

use super::text;
use crate::wire::ErrorCode;
use crate::wire::messages::txn_offset_commit::{
    TxnOffsetCommitRequestPartition, TxnOffsetCommitRequestTopic, TxnOffsetCommitResponsePartition,
    TxnOffsetCommitResponseTopic,
};
use crate::wire::messages::{TxnOffsetCommitRequest, TxnOffsetCommitResponse};

/// The refusal, for each partition. No client tries again after 35, and all of them show it as "not supported".
pub(crate) fn answer(request: &TxnOffsetCommitRequest) -> TxnOffsetCommitResponse {
    let partition = |it: &TxnOffsetCommitRequestPartition| TxnOffsetCommitResponsePartition {
        partition_index: it.partition_index,
        error_code: ErrorCode::UnsupportedVersion,
    };
    let topic = |it: &TxnOffsetCommitRequestTopic| TxnOffsetCommitResponseTopic {
        name: text(it.name.as_str()),
        partitions: it.partitions.iter().map(partition).collect(),
    };
    TxnOffsetCommitResponse { topics: request.topics.iter().map(topic).collect(), ..Default::default() }
}
