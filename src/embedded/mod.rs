//! What member metadata and member states mean to each protocol type: `consumer` first.
