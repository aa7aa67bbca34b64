//! SaslAuthenticate: one step of a login.

use bytes::Bytes;

use crate::wire::{ErrorCode, Text};

message! {
    /// A step of the client's (KIP-152).
    message SaslAuthenticateRequest {
        /// In the mechanism's own form.
        auth_bytes: Bytes, since 0;
    }

    /// The server's step.
    message SaslAuthenticateResponse {
        /// 0, or why the login failed.
        error_code: ErrorCode, since 0;
        /// The same for people.
        error_message: Option<Text> = Some(Text::default()), since 0;
        /// In the mechanism's own form.
        auth_bytes: Bytes, since 0;
        /// How long the login holds; 0 for as long as the connection (KIP-368).
        session_lifetime_ms: i64, since 1;
    }
}
