//! A member's own state machine: pure, like the group's.
