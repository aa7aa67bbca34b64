//! Kafka's wire format: frames, headers and the messages that divvy serves, in every version that it serves.
//!
//! A message is a table ([`messages`]): fields with the versions that have them. From it come the struct, its
//! default, and both directions of the codec, since divvy serves the protocol and is a client of it. Nothing here
//! trusts a length before the bytes are there ([`limits`]), and no input makes it panic.
//!
//! A decoded [`Text`] or `Bytes` is a view into its frame and keeps the whole frame alive. Copy what is kept for
//! longer than the request: an id into its type of [`crate::ids`], metadata with `Bytes::copy_from_slice`.

#[macro_use]
mod message;

pub mod api;
pub mod divvy;
mod error;
pub mod frame;
pub mod header;
pub mod limits;
pub mod messages;
pub mod plain;
mod problem;
mod reader;
pub mod streamed;
mod tags;
mod text;
mod value;
mod writer;

pub use api::ApiKey;
pub use error::ErrorCode;
pub use message::{Message, Request};
pub use problem::{DecodeError, EncodeError, Problem};
pub use reader::Reader;
pub use tags::Tags;
pub use text::Text;
pub use writer::Writer;
