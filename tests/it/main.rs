//! Real processes and sockets.
#![allow(clippy::unwrap_used, reason = "a test stops at the first surprise, its helpers included")]

mod cli;
mod cli_admin;
mod cli_cases;
mod led_ground;
mod many_groups;
mod member;
mod member_changes;
mod member_ground;
mod member_lag;
mod member_modules;
mod member_network;
mod member_steps;
mod member_types;
mod readme;
mod server_abuse;
mod server_admin;
mod server_admin_keys;
mod server_bugs;
mod server_bugs_groups;
mod server_bugs_shown;
mod server_connect;
mod server_half_close;
mod server_hostile;
mod server_led;
mod server_led_told;
mod server_offsets;
mod server_plans;
mod server_restart;
mod server_story;
mod server_topics;
mod server_topics_change;
mod server_waits;
mod store;
mod support;
mod support_store;
