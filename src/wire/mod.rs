//! Kafka's wire format: frames, headers and the messages that divvy serves, in every version that it serves.

mod error;

pub use error::ErrorCode;
