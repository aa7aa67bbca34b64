//! SaslHandshake: which login mechanism is to be used.

use crate::wire::{ErrorCode, Text};

message! {
    /// Names the mechanism; from version 1 on its steps travel in SaslAuthenticate (KIP-43, KIP-152).
    message SaslHandshakeRequest {
        /// Its name.
        mechanism: Text, since 0;
    }

    /// Whether it is offered.
    message SaslHandshakeResponse {
        /// 0, or why not.
        error_code: ErrorCode, since 0;
        /// The mechanisms that are offered.
        mechanisms: Vec<Text>, since 0;
    }
}
