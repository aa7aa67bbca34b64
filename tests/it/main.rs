//! Real processes and sockets.

mod member;
mod member_ground;
mod member_modules;
mod server_admin;
mod server_bugs;
mod server_hostile;
mod server_restart;
mod server_story;
mod server_topics;
mod store;
mod support;
